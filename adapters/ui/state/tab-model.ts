import { createManagementClient } from '../../client/index.ts'
import type { ApiKeysTabEvents } from '../events.ts'
import { directionFor, languageOf } from '../format/language.ts'
import { createLocale, type Locale } from '../format/locale.ts'
import { shownKeys } from '../parts/keys-table.ts'
import type { ApiKeysTabSettings } from '../settings.ts'
import { Announcer } from './announcer.ts'
import { checkedClient, type TabClient } from './checked-client.ts'
import { Confirmation } from './confirmation.ts'
import { CreateForm } from './create-form.ts'
import { DialogKeeper } from './dialog-keeper.ts'
import { type Failure, failureText, type Sentence } from './failure.ts'
import { places } from './host.ts'
import { KeyList } from './key-list.ts'
import { KeySource } from './key-source.ts'
import { Reveals } from './reveals.ts'
import { ScopeCatalogue } from './scope-catalogue.ts'
import type { ListView, Tab } from './tab.ts'

const wholeList: ListView = { filter: 'all', search: '' }

/** The element, as the model needs it. */
export type Frame = HTMLElement &
  Readonly<ApiKeysTabSettings> & { readonly renderRoot: ParentNode; requestUpdate(): void }

/** Everything the tab knows and does, apart from drawing it. */
export class TabModel implements Tab {
  readonly list: KeyList = new KeyList(this)
  readonly reveals: Reveals = new Reveals(this)
  readonly form: CreateForm = new CreateForm(this, this.list, this.reveals)
  readonly confirmation: Confirmation = new Confirmation(this, this.list, this.reveals)
  readonly catalogue: ScopeCatalogue = new ScopeCatalogue(this)
  view: ListView = wholeList
  online = true
  source: KeySource
  notice: Failure | null = null

  readonly #frame: Frame
  readonly #announcer = new Announcer()
  readonly #createDialog = new DialogKeeper()
  readonly #confirmDialog = new DialogKeeper()
  #focusNext: readonly string[] = []
  #locale: Locale | null = null

  constructor(frame: Frame) {
    this.#frame = frame
    this.source = this.#currentSource()
  }

  get settings(): Readonly<ApiKeysTabSettings> {
    return this.#frame
  }

  get isConnected(): boolean {
    return this.#frame.isConnected
  }

  get guardsDismissal(): boolean {
    return this.settings.dismissGuard !== 'none'
  }

  get management(): TabClient {
    const { baseUrl, client, getHeaders } = this.settings
    if (client !== null) return checkedClient(client)
    try {
      return createManagementClient({ baseUrl, ...(getHeaders ? { getHeaders } : {}) })
    } catch (error) {
      // A mistake of the page, such as a query in `base-url`: the list can only say that it failed.
      reportError(error)
      throw error
    }
  }

  get locale(): Locale {
    const { numerals, calendar, timeZone, strings } = this.settings
    const asked = {
      lang: languageOf(this.#frame),
      dir: directionFor(this.#frame),
      numerals,
      calendar,
      timeZone: timeZone || undefined,
      strings,
    }
    this.#locale = this.#locale?.madeFrom(asked) ? this.#locale : createLocale(asked)
    return this.#locale
  }

  get creationBlock(): Tab['creationBlock'] {
    if (this.list.locked) return { reason: 'lock.new.reason' }
    if (this.list.limitReached) return { reason: 'limit.new.reason' }
    const open = this.list.phase === 'ready' && this.online && !this.settings.readonly
    return open ? null : { reason: null }
  }

  /** Begins anew: the page has set where the keys come from. */
  start(): void {
    this.online = navigator.onLine
    void this.list.load()
    void this.catalogue.load(this.settings.scopes)
  }

  /** The page names another place to get keys from: of the former one only secrets stay. */
  changeSource(): void {
    this.#startAfresh()
    this.notify(null)
  }

  changeWorkspace(leads: readonly Sentence[] = []): void {
    const asked = this.form.open || this.confirmation.open
    this.#startAfresh()
    this.notify({ id: 'why.workspace', leads })
    if (asked) this.focusOn(places.notice)
    this.start()
  }

  /** Leaves nothing behind: no request, no timer, no draft, no secret. */
  stop(): void {
    this.list.stop()
    this.catalogue.stop()
    this.#announcer.stop()
    this.form.reset()
    this.confirmation.close()
    this.reveals.wipe()
  }

  /** Brings dialogs and focus in line with what was just drawn. */
  rendered(): void {
    for (const reveal of this.reveals.items) {
      reveal.mount(this.#frame.renderRoot.querySelector(`#secret-${reveal.id}`))
    }
    this.#syncDialog('#create', this.#createDialog, this.form.open)
    this.#syncDialog('#confirm', this.#confirmDialog, this.confirmation.open)
    const wanted = this.#focusNext
    this.#focusNext = []
    wanted
      .map((selector) => this.#frame.renderRoot.querySelector<HTMLElement>(selector))
      .find((target) => target !== null)
      ?.focus()
  }

  requestUpdate(): void {
    this.#frame.requestUpdate()
  }

  announce(sentence: string): void {
    this.#announcer.say(this.#frame.renderRoot, sentence)
  }

  focusOn(...selectors: string[]): void {
    this.#focusNext = selectors
    this.requestUpdate()
  }

  emit<Type extends keyof ApiKeysTabEvents>(type: Type, detail: ApiKeysTabEvents[Type]): boolean {
    const cancelable = type === 'upgrade' || type === 'session-expired'
    const event = new CustomEvent(type, { detail, cancelable, bubbles: true, composed: true })
    return this.#frame.dispatchEvent(event)
  }

  notify(notice: Failure | null): void {
    this.notice = notice
    if (notice !== null) this.announce(failureText(this.locale, notice))
    this.requestUpdate()
  }

  expireSession(): void {
    this.form.close()
    this.confirmation.close()
    this.list.expire()
    if (this.reveals.items.length === 0) this.focusOn(places.session)
    this.announce(this.locale.text('session.title'))
    this.emit('session-expired', { trigger: 'response' })
  }

  look(view: Partial<ListView>): void {
    this.view = { ...this.view, ...view }
    // A search that knows only a part of the keys would lie.
    void this.list.more(true)
    const id = this.view.filter === 'active' ? 'count.active' : 'count.keys'
    this.announce(this.locale.text(id, { n: shownKeys(this).length }))
    this.requestUpdate()
  }

  openCreate(): void {
    if (this.creationBlock !== null) return
    void this.catalogue.load(this.settings.scopes)
    this.notify(null)
    this.form.show()
  }

  async refresh(): Promise<void> {
    void this.catalogue.load(this.settings.scopes)
    await this.list.load()
  }

  signIn(event: Event): void {
    const goOn = this.emit('session-expired', { trigger: 'sign-in' })
    if (!goOn) event.preventDefault()
    else if (!this.settings.loginUrl) location.reload()
  }

  upgrade(event: Event, reason: 'capability' | 'limit'): void {
    if (!this.emit('upgrade', { reason })) event.preventDefault()
  }

  /** The connection of the browser came or went. */
  connectionChanged(online: boolean): void {
    if (online === this.online) return
    this.online = online
    this.announce(this.locale.text(online ? 'online' : 'offline'))
    if (online && this.list.phase !== 'session') void this.refresh()
    this.requestUpdate()
  }

  #startAfresh(): void {
    this.source = this.#currentSource()
    this.form.leave()
    this.confirmation.close()
    this.list.reset()
    this.catalogue.reset()
    this.view = wholeList
  }

  #currentSource(): KeySource {
    return new KeySource(this.settings.client ?? this.settings.baseUrl)
  }

  #syncDialog(selector: string, keeper: DialogKeeper, open: boolean): void {
    const dialog = this.#frame.renderRoot.querySelector<HTMLDialogElement>(selector)
    if (dialog !== null) keeper.sync(dialog, open)
  }
}
