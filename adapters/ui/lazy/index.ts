import { html, type TemplateResult } from 'lit/html.js'
import type { WireKey } from '../../client/index.ts'
import type { Host } from '../state/host.ts'
import type { KeyList } from '../state/key-list.ts'
import type { ScopeCatalogue } from '../state/scope-catalogue.ts'
import type { Tab } from '../state/tab.ts'
import { addMessages } from '../strings/translator.ts'
import { inFontSize, sheetOf } from '../styles/css.ts'
import { banners } from './banner.ts'
import { banner as bannerStyles } from './banner-styles.ts'
import { Bulk } from './bulk.ts'
import { bulkDialog, chooseBox, chosenBar } from './bulk-dialog.ts'
import { createDialog } from './create-dialog.ts'
import { CreateForm } from './create-form.ts'
import { detailsDialog } from './details-dialog.ts'
import { editDialog } from './edit-dialog.ts'
import { EditForm } from './edit-form.ts'
import { firstCall } from './first-call.ts'
import { FirstCallWatch } from './first-call-watch.ts'
import { formStyles } from './form-styles.ts'
import { former } from './former.ts'
import { beyondWords } from './grant.ts'
import { moveInGrid } from './grid-moves.ts'
import { KeyDetails } from './key-details.ts'
import { keyMenu } from './key-menu.ts'
import { ListSearch } from './list-search.ts'
import { followMenu, syncMenu } from './menu-place.ts'
import { KeyMenu } from './menu-state.ts'
import { RecentUse } from './recent-use.ts'
import { Resources } from './resources.ts'
import type { Reveal } from './reveal.ts'
import { Reveals } from './reveals.ts'
import { rotation } from './rotation.ts'
import { scopeList } from './scope-list.ts'
import { lazyAr } from './strings-ar.ts'
import { lazyEn } from './strings-en.ts'
import { styles } from './styles.ts'
import { noMatch, toolbar } from './toolbar.ts'

export { html }

addMessages({ ar: lazyAr, en: lazyEn })

const allStyles = inFontSize(bannerStyles + formStyles + styles)

/** The model of a tab, as what loads lazily needs it. */
export interface LazyHost extends Host {
  readonly list: KeyList
  readonly view: { reset(): void }
  readonly catalogue: ScopeCatalogue
  readonly confirmation: Tab['confirmation']
}

/** What the first screen of a tab does not need: the menus, the dialogs behind them, the first call. */
export class LazyParts {
  /** The secrets on screen. */
  readonly reveals: Reveals
  readonly creating: CreateForm
  readonly editing: EditForm
  readonly details: KeyDetails
  readonly menu: KeyMenu
  readonly search: ListSearch
  readonly bulk: Bulk
  readonly #host: Host
  readonly resources: Resources
  readonly #confirmation: Tab['confirmation']
  readonly #recentUse: RecentUse
  readonly #watch: FirstCallWatch

  constructor(host: LazyHost, root: ShadowRoot) {
    const { list } = host
    const reveals = new Reveals(host)
    this.reveals = reveals
    root.adoptedStyleSheets.push(sheetOf(allStyles))
    const resources = new Resources(host)
    this.#host = host
    this.resources = resources
    this.creating = new CreateForm(host, list, { reveals, resources })
    this.editing = new EditForm(host, list, resources)
    this.details = new KeyDetails(host, list, resources)
    this.bulk = new Bulk(host, list, reveals)
    this.menu = new KeyMenu(host)
    this.search = new ListSearch(host, list, host.catalogue)
    this.search.onChange = () => host.view.reset()
    this.#confirmation = host.confirmation
    this.#recentUse = new RecentUse(host)
    this.#watch = new FirstCallWatch(host, list, reveals)
    reveals.onShow = () => this.#watch.await()
  }

  /** The states of its dialogs, by the ids of their elements. */
  get dialogs(): Readonly<Record<string, { readonly open: boolean }>> {
    return { create: this.creating, edit: this.editing, details: this.details, bulk: this.bulk }
  }

  draw(tab: Tab): TemplateResult {
    return html`${createDialog(tab, this.creating)}${editDialog(tab, this.editing)}${detailsDialog(tab, this.details)}${bulkDialog(tab, this.bulk)}${keyMenu(tab, this)}`
  }

  banners(tab: Tab): TemplateResult {
    return banners(tab, this)
  }

  firstCall(tab: Tab, reveal: Reveal): TemplateResult {
    return firstCall(tab, reveal, this.#watch)
  }

  toolbar(tab: Tab): TemplateResult {
    return toolbar(tab, this)
  }

  /** The box of a row, while keys are being chosen; and what can be done with those chosen. */
  chooseBox(tab: Tab, key: WireKey): unknown {
    return chooseBox(tab, this.bulk, key)
  }

  chosenBar(tab: Tab): unknown {
    return chosenBar(tab, this.bulk)
  }

  /** What a key may do, below its row. */
  scopeList(tab: Tab, key: WireKey): TemplateResult {
    return scopeList(tab, key, true)
  }

  beyond(error: unknown): string {
    return beyondWords(this.#host, this.resources, error)
  }

  /** Arrow keys go through the rows. */
  readonly moveInGrid: typeof moveInGrid = moveInGrid

  /** In place of the rows, when none was found. */
  noMatch(tab: Tab): TemplateResult {
    return noMatch(tab, this.search)
  }

  typedName(tab: Tab, key: WireKey): unknown {
    return this.#recentUse.typedName(tab, key)
  }

  rotation(tab: Tab, key: WireKey): TemplateResult {
    return rotation(tab, key)
  }

  /** How often the key about to be revoked was used in the last 24 hours, and the key before it. */
  revocation(tab: Tab, key: WireKey): unknown {
    return [this.#recentUse.sentence(tab, key), former(tab, key)]
  }

  /**
   * Brings three things in line with what was drawn: the menu, the search in a list that has grown, and
   * the uses shown in the dialog.
   */
  rendered(root: ParentNode): void {
    for (const reveal of this.reveals.items) {
      reveal.mount(root.querySelector<HTMLElement>(`[data-secret="${reveal.id}"]`))
    }
    syncMenu(root, this.menu)
    void this.details.rendered(root)
    this.search.keepUp()
    this.#recentUse.follow(this.#confirmation)
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
    this.bulk.reset()
    this.#recentUse.stop()
  }
}
