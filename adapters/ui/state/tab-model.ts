import { createManagementClient } from '../../client/index.ts'
import type { ApiKeysTabEvents } from '../events.ts'
import { directionFor, languageOf } from '../format/language.ts'
import { createLocale, type Locale } from '../format/locale.ts'
import type { ApiKeysTabSettings } from '../settings.ts'
import { Announcer } from './announcer.ts'
import { checkedClient, type TabClient } from './checked-client.ts'
import { Confirmation } from './confirmation.ts'
import { Dialogs } from './dialogs.ts'
import { type Action, actions, type Failure, failureText, type Sentence } from './failure.ts'
import { focusInView, mayMoveFocus } from './focus.ts'
import { places } from './host.ts'
import { KeyList, offlineWords } from './key-list.ts'
import { KeySource } from './key-source.ts'
import { LazyLoader } from './lazy-loader.ts'
import { ListView } from './list-view.ts'
import { Reveals } from './reveals.ts'
import { ScopeCatalogue } from './scope-catalogue.ts'
import type { Tab } from './tab.ts'

/** Older than this, the list is loaded again when the user comes back to the page. */
const agedMs = 30_000

/** The element, as the model needs it. */
export type Frame = HTMLElement &
  Readonly<ApiKeysTabSettings> & {
    readonly renderRoot: ShadowRoot
    readonly updateComplete: Promise<unknown>
    requestUpdate(): void
  }

/** Everything the tab knows and does, apart from drawing it. */
export class TabModel implements Tab {
  readonly list: KeyList = new KeyList(this)
  readonly view: ListView = new ListView(this, this.list)
  readonly reveals: Reveals = new Reveals(this)
  readonly confirmation: Confirmation = new Confirmation(this, this.list, this.reveals)
  readonly lazy: LazyLoader = new LazyLoader(
    this,
    ({ LazyParts }) => new LazyParts(this, this.#frame.renderRoot),
  )
  readonly catalogue: ScopeCatalogue = new ScopeCatalogue(this)
  online = true
  source: KeySource
  notice: Failure | null = null

  readonly #frame: Frame
  readonly #refused = new Set<Action>()
  readonly #announcer = new Announcer()
  readonly #dialogs = new Dialogs(() => ({
    confirm: this.confirmation,
    ...this.lazy.parts?.dialogs,
  }))
  #focusNext: readonly string[] = []
  /** Whether the focus was in the tab when it was asked for. */
  #focusWasIn = false
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

  get drawn(): Promise<unknown> {
    return this.#frame.updateComplete
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

  get refused(): ReadonlySet<Action> {
    const { allowedOperations } = this.list.plan
    const isAllowed = (action: Action) => allowedOperations?.includes(`${action}Key`) ?? true
    return new Set(actions.filter((action) => this.#refused.has(action) || !isAllowed(action)))
  }

  get creationBlock(): Tab['creationBlock'] {
    if (this.list.locked) return { reason: 'lock-title' }
    if (this.list.limitReached) return { reason: 'limit-title' }
    if (!this.online) return { reason: 'offline-note' }
    const allowed = !this.settings.readonly && !this.refused.has('create')
    const open = this.list.phase === 'ready' && allowed
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
    const asked = this.#dialogs.open
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
    this.lazy.parts?.creating.reset()
    this.#closeQuestions()
    this.reveals.wipe()
    this.#resetView()
    this.#dialogs.leave()
  }

  /** Brings dialogs and focus in line with what was just drawn. */
  rendered(): void {
    const { renderRoot } = this.#frame
    for (const reveal of this.reveals.items) {
      reveal.mount([...renderRoot.querySelectorAll<HTMLElement>(`[data-secret="${reveal.id}"]`)])
    }
    this.#dialogs.sync(renderRoot)
    this.lazy.parts?.rendered(renderRoot)
    const useful = !this.settings.readonly || this.view.searchable
    if (this.list.phase === 'ready' && useful) this.lazy.preloadWhenIdle()
    const wanted = this.#focusNext
    this.#focusNext = []
    if (!this.#focusWasIn && !mayMoveFocus(this.#frame)) return
    const target = wanted
      .map((selector) => renderRoot.querySelector<HTMLElement>(selector))
      .find((one) => one !== null)
    if (target) focusInView(target)
  }

  beyond(error: unknown): string {
    return this.lazy.parts?.beyond(error) ?? ''
  }

  requestUpdate(): void {
    this.#frame.requestUpdate()
  }

  announce(sentence: string): void {
    this.#announcer.say(this.#frame.renderRoot, sentence)
  }

  focusOn(...selectors: string[]): void {
    this.#focusNext = selectors
    this.#focusWasIn = mayMoveFocus(this.#frame)
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

  moveOn(): void {
    if (!this.notice?.unknown) this.notify(null)
    this.requestUpdate()
  }

  refuse(action: Action): void {
    this.#refused.add(action)
    this.requestUpdate()
  }

  expireSession(): void {
    // Several calls may get a 401, and one of them may be a check whether the user has signed in
    // elsewhere.
    if (this.list.phase === 'session') return
    this.#closeQuestions()
    this.list.expire()
    if (this.reveals.items.length === 0) this.focusOn(places.session)
    this.announce(this.locale.text('session.title'))
    this.emit('session-expired', { trigger: 'response' })
  }

  openCreate(): void {
    if (this.creationBlock !== null) return
    void this.catalogue.load(this.settings.scopes)
    this.moveOn()
    void this.lazy.open(({ creating }) => this.creationBlock === null && creating.show())
  }

  async refresh(): Promise<void> {
    // Try again goes away meanwhile: if it has the focus, that needs a new place.
    if (this.#frame.renderRoot.activeElement?.matches('#retry')) await this.retry()
    else await this.#reload()
  }

  async retry(): Promise<void> {
    if (this.list.phase === 'error') this.focusOn(...places.top)
    await this.#reload()
    this.view.search?.ask()
    await this.list.settled()
    this.focusOn(places.retry, ...(this.view.looking ? [places.search] : []), ...places.top)
  }

  /** The user is back at the page, where others may have changed something meanwhile. */
  returned(): void {
    const { phase, loadedAt, refreshing } = this.list
    const ended = phase === 'error' || phase === 'session'
    const aged = ended || (phase === 'ready' && Date.now() - loadedAt > agedMs)
    if (aged && !refreshing && this.online) void this.refresh()
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
    this.announce(this.locale.text(online ? 'online' : offlineWords(this.list)))
    if (online && this.list.phase !== 'session') void this.refresh()
    this.requestUpdate()
  }

  async #reload(): Promise<void> {
    void this.catalogue.load(this.settings.scopes)
    await this.list.load()
  }

  #startAfresh(): void {
    this.source = this.#currentSource()
    this.lazy.parts?.creating.leave()
    this.#closeQuestions()
    this.list.reset()
    this.catalogue.reset()
    this.#resetView()
    this.#refused.clear()
  }

  #resetView(): void {
    this.view.reset()
    this.view.search?.reset()
  }

  #closeQuestions(): void {
    this.lazy.close()
    this.confirmation.close()
  }

  #currentSource(): KeySource {
    return new KeySource(this.settings.client ?? this.settings.baseUrl)
  }
}
