import { createManagementClient } from '../../client/index.ts'
import type { ApiKeysTabEvents } from '../events.ts'
import { directionFor, languageOf } from '../format/language.ts'
import { createLocale, type Locale } from '../format/locale.ts'
import type { LazyParts } from '../lazy/index.ts'
import type { Reveals } from '../lazy/reveals.ts'
import type { CreateDraft } from '../page-input.ts'
import type { ApiKeysTabSettings } from '../settings.ts'
import { checkedClient, type TabClient } from './checked-client.ts'
import { Confirmation } from './confirmation.ts'
import { Dialogs } from './dialogs.ts'
import {
  type Action,
  actions,
  type Failure,
  failureText,
  nothingDone,
  type Sentence,
} from './failure.ts'
import { focusInView, mayMoveFocus } from './focus.ts'
import { KeyList } from './key-list.ts'
import { KeySource } from './key-source.ts'
import { LazyLoader } from './lazy-loader.ts'
import { ListView } from './list-view.ts'
import { places } from './places.ts'
import { ScopeCatalogue } from './scope-catalogue.ts'

/** Older than this, the list is loaded again when the user comes back to the page. */
const agedMs = 30_000

/** A live region must be seen empty before it is filled, or nothing is said. */
const sayingMs = 50

const secondMs = 1_000
const dayMs = 86_400_000

/** The element, as the model needs it. */
export type Frame = HTMLElement &
  Readonly<ApiKeysTabSettings> & {
    readonly renderRoot: ShadowRoot
    readonly updateComplete: Promise<unknown>
    requestUpdate(): void
  }

/** Everything the tab knows and does, apart from drawing it. */
export class Tab {
  readonly list: KeyList = new KeyList(this)
  readonly view: ListView = new ListView(this)
  readonly confirmation: Confirmation = new Confirmation(this)
  /** Search, menus and most dialogs, which come in a file of their own. */
  readonly lazy: LazyLoader = new LazyLoader(this)
  readonly catalogue: ScopeCatalogue = new ScopeCatalogue(this)
  source: KeySource
  notice: Failure | null = null

  readonly #frame: Frame
  readonly #refused = new Set<Action>()
  #saying: ReturnType<typeof setTimeout> | undefined
  readonly #dialogs = new Dialogs(this)
  #focusNext: readonly string[] = []
  /** Whether the focus was in the tab when it was asked for. */
  #focusWasIn = false
  #locale: Locale | null = null
  #countdown: ReturnType<typeof setTimeout> | undefined

  constructor(frame: Frame) {
    this.#frame = frame
    this.source = this.#currentSource()
  }

  get settings(): Readonly<ApiKeysTabSettings> {
    return this.#frame
  }

  /** The secrets on screen; empty until the later file is loaded. */
  get reveals(): Reveals | undefined {
    return this.lazy.parts?.reveals
  }

  /** What loads lazily, for what has come with it. */
  get parts(): LazyParts {
    return this.lazy.parts as LazyParts
  }

  get root(): ShadowRoot {
    return this.#frame.renderRoot
  }

  get isConnected(): boolean {
    return this.#frame.isConnected
  }

  get drawn(): Promise<unknown> {
    return this.#frame.updateComplete
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

  /** That of the last drawing: each row reads it many times. */
  get locale(): Locale {
    return this.#locale ?? this.localize()
  }

  /** Follows the language around the tab, and its settings. */
  localize(): Locale {
    const { timeZone, strings } = this.settings
    const settings = {
      lang: languageOf(this.#frame),
      dir: directionFor(this.#frame),
      timeZone: timeZone || undefined,
      strings,
    }
    this.#locale = this.#locale?.madeFrom(settings) ? this.#locale : createLocale(settings)
    return this.#locale
  }

  get refused(): ReadonlySet<Action> {
    const { allowedOperations } = this.list.plan
    const isAllowed = (action: Action) => allowedOperations?.includes(`${action}Key`) ?? true
    return new Set(actions.filter((action) => this.#refused.has(action) || !isAllowed(action)))
  }

  get creationBlock(): { readonly reason: string | null } | null {
    if (this.list.locked) return { reason: 'lock-title' }
    if (this.list.limitReached) return { reason: 'limit-title' }
    const allowed = !this.settings.readonly && !this.refused.has('create')
    const open = this.list.phase === 'ready' && allowed
    return open ? null : { reason: null }
  }

  /** Begins anew: the page has set where the keys come from. */
  start(): void {
    void this.list.load()
    void this.catalogue.load()
  }

  /** The page names another place to get keys from: of the former one only secrets stay. */
  changeSource(): void {
    this.#startAfresh()
    this.notify(null)
  }

  changeWorkspace(leads: readonly Sentence[] = []): void {
    const hadDialog = this.#dialogs.open
    this.#startAfresh()
    this.notify({ id: 'why.workspace', leads })
    if (hadDialog) this.focusOn(places.notice)
    this.start()
  }

  /** Leaves nothing behind: no request, no timer, no draft, no secret. */
  stop(): void {
    this.list.stop()
    this.catalogue.stop()
    clearTimeout(this.#saying)
    clearTimeout(this.#countdown)
    this.lazy.parts?.creating.reset()
    this.#closeQuestions()
    this.reveals?.wipe()
    this.#resetView()
    this.#dialogs.leave()
  }

  /** Brings dialogs and focus in line with what was just drawn. */
  rendered(): void {
    const { root } = this
    this.#dialogs.sync(root)
    this.lazy.parts?.rendered(root)
    const useful = !this.settings.readonly || this.view.searchable
    if (this.list.phase === 'ready' && useful) this.lazy.preloadWhenIdle()
    this.#countDown(root)
    const wanted = this.#focusNext
    this.#focusNext = []
    if (!this.#focusWasIn && !mayMoveFocus(this.#frame)) return
    const target = wanted
      .map((selector) => root.querySelector<HTMLElement>(selector))
      .find((one) => one !== null)
    if (target) focusInView(target)
  }

  /** Draws again in a second what counts down, and when the next key ends. */
  #countDown(root: ParentNode): void {
    clearTimeout(this.#countdown)
    const wait = root.querySelector('[data-until]') ? secondMs : this.list.nextEnd - Date.now()
    if (wait < dayMs) this.#countdown = setTimeout(() => this.requestUpdate(), Math.max(wait, 0))
  }

  beyond(error: unknown): string {
    return this.lazy.parts?.beyond(error) ?? ''
  }

  requestUpdate(): void {
    this.#frame.requestUpdate()
  }

  announce(sentence: string): void {
    clearTimeout(this.#saying)
    for (const region of this.root.querySelectorAll('[data-live]')) region.textContent = ''
    this.#saying = setTimeout(() => {
      const { root } = this
      const region = root.querySelector('dialog[open] [data-live]') ?? root.querySelector('#live')
      if (region) region.textContent = sentence
    }, sayingMs)
  }

  focusOn(...selectors: string[]): void {
    this.#focusNext = selectors
    this.#focusWasIn = mayMoveFocus(this.#frame)
    this.requestUpdate()
  }

  emit<Type extends keyof ApiKeysTabEvents>(type: Type, detail: ApiKeysTabEvents[Type]): boolean {
    const cancelable = /^(upgrade|session-expired|before-)/.test(type)
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

  expireSession(action?: Action): void {
    if (action) this.notify(nothingDone(action, 'why.session'))
    // Several calls may get a 401, and one of them may be a check whether the user has signed in
    // elsewhere.
    if (this.list.phase === 'session') return
    this.#closeQuestions()
    this.list.expire()
    if (!this.reveals?.items.length) this.focusOn(places.session)
    if (!action) this.announce(this.locale.text('session.title'))
    this.emit('session-expired', { trigger: 'response' })
  }

  openCreate(draft: CreateDraft = {}): void {
    if (this.creationBlock !== null) return
    void this.catalogue.load()
    this.moveOn()
    const show = ({ creating }: LazyParts) =>
      this.creationBlock === null && creating.showWith(draft)
    void this.lazy.open(show, 'create')
  }

  /** The key whose menu or details are open. */
  get openKey(): string | null {
    const { details, menu } = this.lazy.parts ?? {}
    return (menu?.key ?? details?.key)?.id ?? null
  }

  async openDetails(id: string): Promise<boolean> {
    await this.list.settled()
    const { source } = this
    const known = this.list.find(id)
    const key = known ?? (await this.management.getKey(id, source.tie).catch(() => null))
    if (key === null || source !== this.source || !this.isConnected) return false
    await this.lazy.open(({ details }) => details.show(key))
    return true
  }

  async refresh(): Promise<void> {
    // Try again goes away meanwhile: if it has the focus, that needs a new place.
    if (this.root.activeElement?.matches('#retry')) await this.retry()
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
    if (aged && !refreshing) void this.refresh()
  }

  signIn(event: Event): void {
    const goOn = this.emit('session-expired', { trigger: 'sign-in' })
    if (!goOn) event.preventDefault()
    else if (!this.settings.loginUrl) location.reload()
  }

  upgrade(event: Event, reason: 'capability' | 'limit'): void {
    if (!this.emit('upgrade', { reason })) event.preventDefault()
  }

  async #reload(): Promise<void> {
    void this.catalogue.load()
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
