import { html, type TemplateResult, unsafeCSS } from 'lit'
import type { Tab } from '../state/tab.ts'
import { addMessages } from '../strings/translator.ts'
import { inFontSize } from '../styles/css.ts'
import { banner as bannerStyles } from './banner-styles.ts'
import { createDialog } from './create-dialog.ts'
import { CreateForm } from './create-form.ts'
import { detailsDialog } from './details-dialog.ts'
import { editDialog } from './edit-dialog.ts'
import { EditForm } from './edit-form.ts'
import { FirstCallWatch } from './first-call-watch.ts'
import { formStyles } from './form-styles.ts'
import { beyondWords } from './grant.ts'
import { KeyDetails } from './key-details.ts'
import { keyMenu } from './key-menu.ts'
import { ListSearch } from './list-search.ts'
import { followMenu, syncMenu } from './menu-place.ts'
import { KeyMenu } from './menu-state.ts'
import { Resources } from './resources.ts'
import { Reveals } from './reveals.ts'
import { lazyAr } from './strings-ar.ts'
import { lazyEn } from './strings-en.ts'
import { styles } from './styles.ts'

export { banners } from './banner.ts'
export { former } from './former.ts'
export { rotation } from './rotation.ts'
export { noMatch, toolbar } from './toolbar.ts'
export { html }

addMessages({ ar: lazyAr, en: lazyEn })

const { styleSheet } = unsafeCSS(inFontSize(bannerStyles + formStyles + styles))

/** What the first screen of a tab does not need: the menus, the dialogs behind them, the first call. */
export class LazyParts {
  /** The secrets on screen. */
  readonly reveals: Reveals
  readonly resources: Resources
  readonly creating: CreateForm
  readonly editing: EditForm
  readonly details: KeyDetails
  readonly menu: KeyMenu
  readonly search: ListSearch
  readonly watch: FirstCallWatch
  readonly #tab: Tab

  constructor(tab: Tab) {
    if (styleSheet) tab.root.adoptedStyleSheets.push(styleSheet)
    this.#tab = tab
    this.reveals = new Reveals(tab)
    this.resources = new Resources(tab)
    this.creating = new CreateForm(tab, this.resources)
    this.editing = new EditForm(tab, this.resources)
    this.details = new KeyDetails(tab, this.resources)
    this.menu = new KeyMenu(tab)
    this.search = new ListSearch(tab)
    this.watch = new FirstCallWatch(tab)
    this.reveals.onShow = () => this.watch.await()
  }

  /** The states of its dialogs, by the ids of their elements. */
  get dialogs(): Readonly<Record<string, { readonly open: boolean }>> {
    return { create: this.creating, edit: this.editing, details: this.details }
  }

  draw(): TemplateResult {
    const tab = this.#tab
    return html`${createDialog(tab)}${editDialog(tab)}${detailsDialog(tab)}${keyMenu(tab)}`
  }

  beyond(error: unknown): string {
    return beyondWords(this.#tab, this.resources, error)
  }

  /** Brings the menu, and the search in a list that has grown, in line with what was drawn. */
  rendered(root: ParentNode): void {
    for (const reveal of this.reveals.items) {
      reveal.mount(root.querySelector<HTMLElement>(`[data-secret="${reveal.id}"]`))
    }
    syncMenu(root, this.menu)
    void this.details.rendered(root)
    this.search.keepUp()
  }

  /** Keeps the menu at its button when something has moved. */
  followMenu(root: ParentNode): void {
    if (this.menu.key !== null) followMenu(root, this.menu)
  }

  close(): void {
    this.creating.close()
    this.editing.close()
    this.details.close()
    this.menu.close()
  }
}
