import type { Locator, Page } from 'playwright-core'
import type { MessageId, MessageValues } from '../../../adapters/ui/strings/messages.ts'
import { createTranslator } from '../../../adapters/ui/strings/translator.ts'
import type { PageRecord } from './recorder.ts'
import { ar, en } from './strings.ts'

const isolates = /[\u2066-\u2069]/g

/** What to fill into the create dialog. */
export interface Filling {
  readonly name?: string
  readonly environment?: 'live' | 'test'
  readonly scopes?: readonly string[]
}

/** The tab in an open page, as a person meets it. Works with any backend behind the page. */
export class TabPage {
  readonly page: Page
  readonly lang: 'ar' | 'en'

  constructor(page: Page, lang: 'ar' | 'en') {
    this.page = page
    this.lang = lang
  }

  /** A sentence of the page's language, without the isolates around its values. */
  text(id: MessageId, values: MessageValues = {}): string {
    const formatNumber = (value: number) => new Intl.NumberFormat('en').format(value)
    const { text } = createTranslator({ lang: this.lang, overrides: {}, formatNumber })
    return text(id, values).replace(isolates, '')
  }

  /** The sentences of the page's language as they are written. */
  get strings(): typeof ar | typeof en {
    return this.lang === 'ar' ? ar : en
  }

  get host(): Locator {
    return this.page.locator('api-keys-tab').first()
  }

  get newKey(): Locator {
    return this.page.locator('#new-key').first()
  }

  get createDialog(): Locator {
    return this.page.locator('dialog#create')
  }

  get confirmDialog(): Locator {
    return this.page.locator('dialog#confirm')
  }

  get banners(): Locator {
    return this.page.locator('section.banner')
  }

  get secret(): Locator {
    return this.page.locator('[part=secret]')
  }

  get copyButton(): Locator {
    return this.page.locator('[part=copy-button]')
  }

  get dismissButton(): Locator {
    return this.page.locator('[part=dismiss-button]')
  }

  /** What is said above the list about the last action or the workspace. */
  get notice(): Locator {
    return this.page.locator('[data-note=notice]')
  }

  get rows(): Locator {
    return this.page.locator('tbody tr:not(.group)')
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

  get submit(): Locator {
    return this.createDialog.locator('[data-act=submit]')
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

  /** The lines of the history as they are read, each without its marks of direction. */
  async history(): Promise<readonly string[]> {
    const lines = await this.page.locator('.history li').allInnerTexts()
    return lines.map((line) => line.replace(isolates, '').replace(/\s+/g, ' '))
  }

  /** Has the list loaded again, as a page does it. */
  refresh(): Promise<void> {
    return this.host.evaluate((element: HTMLElementTagNameMap['api-keys-tab']) => element.refresh())
  }

  /** Opens the question before a key is rotated or revoked. */
  async ask(action: 'rotate' | 'revoke', id: string): Promise<void> {
    await this.row(id).locator(`[part=${action}-button]`).click()
    await this.confirmDialog.locator('[data-act=confirm]').waitFor()
  }

  async confirm(): Promise<void> {
    await this.confirmDialog.locator('[data-act=confirm]').click()
  }

  /** Where the focus is: the id, or the part, or the tag of the innermost focused element. */
  async focused(): Promise<string> {
    return this.page.evaluate(() => {
      let active: Element | null = document.activeElement
      while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement
      if (active === null) return ''
      const row = active.getAttribute('data-row')
      return row ?? (active.id || active.getAttribute('part') || active.tagName.toLowerCase())
    })
  }

  /** Everything the page kept about itself. */
  async record(): Promise<PageRecord> {
    return this.page.evaluate(() => window.record)
  }

  /** Whether a sentence was said by a live region. */
  async heard(sentence: string): Promise<boolean> {
    const { announced } = await this.record()
    return announced.some((text) => text.replace(isolates, '').includes(sentence))
  }

  async events(type: string): Promise<readonly unknown[]> {
    return (await this.record()).events
      .filter((event) => event.type === type)
      .map((one) => one.detail)
  }
}
