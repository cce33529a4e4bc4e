import type { Locator, Page } from 'playwright-core'
import type { MessageId, MessageValues } from '../../../adapters/ui/strings/messages.ts'
import { createTranslator } from '../../../adapters/ui/strings/translator.ts'
import type { PageRecord } from './recorder.ts'
import { ar, en } from './strings.ts'

type Tab = HTMLElementTagNameMap['api-keys-tab']

/** A text without the marks that isolate its values. */
export const plain = (text: string) => text.replace(/[\u2066-\u2069]/g, '')

/** What to fill into the create dialog. */
export interface Filling {
  readonly name?: string
  readonly environment?: 'live' | 'test'
  readonly scopes?: readonly string[]
}

class PageInLanguage {
  readonly page: Page
  readonly lang: 'ar' | 'en'

  constructor(page: Page, lang: 'ar' | 'en') {
    this.page = page
    this.lang = lang
  }
}

/** The tab in an open page, as a person meets it. Works with any backend behind the page. */
export class TabPage extends PageInLanguage {
  /** The sentences of the page's language as they are written. */
  readonly strings: typeof ar | typeof en = this.lang === 'ar' ? ar : en
  readonly host = this.page.locator('api-keys-tab').first()
  readonly newKey = this.page.locator('#new-key').first()
  readonly createDialog = this.page.locator('dialog#create')
  readonly confirmDialog = this.page.locator('dialog#confirm')
  readonly submit = this.page.locator('dialog[open] [data-act=submit]')
  readonly alert = this.page.locator('dialog[open]').getByRole('alert')
  readonly banners = this.page.locator('section.banner')
  readonly secret = this.page.locator('[part=secret]')
  readonly copyButton = this.page.locator('[part=copy-button]')
  readonly dismissButton = this.page.locator('[part=dismiss-button]')
  readonly allowance = this.page.locator('[part=allowance-value]')
  /** What is said above the list about the last action or the workspace. */
  readonly notice = this.page.locator('[data-note=notice]')
  readonly rows = this.page.locator('tbody tr:not(.group)')

  /** A sentence of the page's language, without the isolates around its values. */
  text(id: MessageId, values: MessageValues = {}): string {
    const formatNumber = (value: number) => new Intl.NumberFormat('en').format(value)
    const { text } = createTranslator({ lang: this.lang, overrides: {}, formatNumber })
    return plain(text(id, values))
  }

  /** What the tab says. */
  async said(): Promise<string> {
    return plain(await this.page.locator('#root').innerText())
  }

  /** Shows the keys that no longer work. */
  async unfold(): Promise<void> {
    await this.page.locator('#ended[aria-expanded=false]').click()
  }

  /** The row of the key with this id. */
  row(id: string): Locator {
    return this.page.locator('tbody tr', { has: this.page.locator(`[data-row="${id}"]`) })
  }

  /** The badge that says whether a key works. */
  status(id: string): Locator {
    return this.row(id).locator('[part~=status]')
  }

  /** Where a text is shown, live regions for screen readers aside. */
  words(text: string, options: { readonly exact?: boolean } = {}): Locator {
    return this.page.getByText(text, options).and(this.page.locator(':not([data-live])'))
  }

  /** Waits until the list (or what stands in for it) is settled. */
  async ready(): Promise<this> {
    await this.page.locator('.list[aria-busy=false]').first().waitFor({ state: 'attached' })
    return this
  }

  async openCreate(): Promise<void> {
    await this.newKey.click()
    await this.createDialog.locator('[data-scope]').first().waitFor()
  }

  /** Fills the open create dialog; what is not given gets a plausible value. */
  async fill({
    name = 'Store server',
    environment = 'live',
    scopes = ['contacts.read'],
  }: Filling = {}): Promise<void> {
    await this.page.locator('#create-name').fill(name)
    await this.page.locator(`#env-${environment}`).check({ force: true })
    for (const scope of scopes) await this.page.locator(`[data-scope="${scope}"]`).check()
  }

  /** Asks for a key through the dialog. */
  async send(filling: Filling = {}): Promise<void> {
    await this.openCreate()
    await this.fill(filling)
    await this.submit.click()
  }

  /** Creates a key through the dialog and waits for its banner; answers the secret on screen. */
  async createKey(filling: Filling = {}): Promise<string> {
    await this.send(filling)
    await this.page.locator('section.created').first().waitFor()
    return (await this.secret.first().textContent()) ?? ''
  }

  /** Chooses something in the menu of a key. */
  async choose(id: string, item: string): Promise<void> {
    await this.row(id).locator('[part=menu-button]').click()
    await this.page.locator(`[data-item=${item}]`).click()
  }

  /** Opens something from the menu of a key. */
  async openFrom(id: string, item: string): Promise<void> {
    await this.choose(id, item)
    await this.page.locator('dialog[open]').waitFor()
  }

  openDetails(id = 'key_store'): Promise<void> {
    return this.openFrom(id, 'details')
  }

  /** Opens the question before a key is rotated, revoked or stopped. */
  async ask(action: 'rotate' | 'revoke' | 'stop', id: string): Promise<void> {
    await this.row(id).locator(`[part=${action}-button]`).click()
    await this.confirmDialog.locator('[data-act=confirm]').waitFor()
  }

  async confirm(): Promise<void> {
    await this.confirmDialog.locator('[data-act=confirm]').click()
  }

  /** Rotates a key and waits for the banner. */
  async rotate(id = 'key_store'): Promise<void> {
    await this.ask('rotate', id)
    await this.confirm()
    await this.page.locator('section.rotated').waitFor()
  }

  async revoke(id: string): Promise<void> {
    await this.ask('revoke', id)
    await this.confirm()
  }

  /** Has the list loaded again, as a page does it. */
  refresh(): Promise<void> {
    return this.host.evaluate((element: Tab) => element.refresh())
  }

  /** Sets properties, as a page does it. */
  async set(fields: Partial<Tab>): Promise<void> {
    await this.host.evaluate(
      (element, fields) => void Object.assign(element, fields),
      fields as object,
    )
  }

  /** Has the page prevent what follows an event. */
  prevent(type: string): Promise<void> {
    return this.host.evaluate((element, type) => {
      element.addEventListener(type, (event) => event.preventDefault())
    }, type)
  }

  /** The user comes back to the page from another. */
  comeBack(): Promise<void> {
    return this.page.evaluate(() => void dispatchEvent(new Event('focus')))
  }

  clipboard(): Promise<string> {
    return this.page.evaluate(() => navigator.clipboard.readText())
  }

  /** Where the focus is: the id, or the part, or the tag of the innermost focused element. */
  async focused(): Promise<string> {
    return this.page.evaluate(() => {
      let active: Element | null = document.activeElement
      while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement
      if (active === null) return ''
      const named = ['data-row', 'data-item', 'data-event'].map((name) => active.getAttribute(name))
      const at = named.find((name) => name !== null) ?? (active.id || active.getAttribute('part'))
      return at ?? active.tagName.toLowerCase()
    })
  }

  /** Everything the page kept about itself. */
  async record(): Promise<PageRecord> {
    return this.page.evaluate(() => window.record)
  }

  /** Whether a sentence was said by a live region. */
  async heard(sentence: string): Promise<boolean> {
    return (await this.record()).announced.some((text) => plain(text).includes(sentence))
  }

  async events(type: string): Promise<readonly unknown[]> {
    const { events } = await this.record()
    return events.filter((event) => event.type === type).map(({ detail }) => detail)
  }
}
