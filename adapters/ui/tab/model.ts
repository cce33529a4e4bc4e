import { html, nothing, type TemplateResult } from 'lit'
import {
  createManagementClient,
  ManagementError,
  type ManagementErrorCode,
  type WireKey,
} from '../../client/index.ts'
import type { Secrets } from '../banner/secrets.ts'
import { codeOf, Source, type TabClient } from '../calls/client.ts'
import {
  type Change,
  type Failure,
  failureOf,
  failureText,
  isStaleAbout,
  nothingDone,
} from '../calls/failure.ts'
import type { Context, Opening, Shell } from '../context.ts'
import type { KeyDetails } from '../details/details.ts'
import type { KeyForm } from '../form/form.ts'
import { createLocale, directionFor, type Locale, languageOf } from '../format/locale.ts'
import { type Catalogue, noCatalogue } from '../list/catalogue.ts'
import { KeyList } from '../list/key-list.ts'
import { places } from '../look/controls.ts'
import { Dialog } from '../look/dialog.ts'
import { focusInView, hideTip, mayMoveFocus, showTip } from '../look/focus.ts'
import { Part } from '../part.ts'
import type { Question } from '../question/question.ts'
import type { MessageId, MessageValues } from '../strings/messages.ts'
import type { ApiKeysTabElement } from './element.ts'
import type { ApiKeysTabEvents } from './events.ts'
import { header, notes, panel } from './panels.ts'

/** Older than this, the list is loaded again when the user comes back to the page. */
const agedMs = 30_000
/** A live region must be seen empty before it is filled, or nothing is said. */
const sayingMs = 50

type LaterFile = typeof import('../later.ts')

/**
 * What the list area of the tab shows: `limit` is a list to which the plan allows no further key, `locked`
 * the lock of a plan without the public API, and in `session` nobody is signed in.
 */
export type ApiKeysTabState =
  | ('loading' | 'error' | 'forbidden' | 'session')
  | ('list' | 'empty' | 'limit' | 'locked')

interface Parts {
  'api-keys-question': Question
  'api-keys-form': KeyForm
  'api-keys-details': KeyDetails
}

/** What the tab does as a whole: it draws the parts, opens them, and keeps list, focus and speech together. */
export class Model implements Shell {
  list: KeyList = new KeyList(this)
  source: Source = new Source()
  /** The secrets on screen; `null` until the later file is loaded. */
  secrets: Secrets | null = null

  readonly #frame: ApiKeysTabElement
  /** What the first screen does not need, once it is loaded. */
  #later: LaterFile | null = null
  #loading: Promise<void> | null = null
  /** What the user wants that needs it, while it is not there yet. */
  #wanted: unknown = null
  #catalogue: Catalogue = noCatalogue
  #notice: Failure | null = null
  #locale: Locale | null = null
  #readingScopes: AbortController | null = null
  #saying: ReturnType<typeof setTimeout> | undefined
  #focusNext: readonly string[] = []
  #focusWasIn = false
  /** For which place the console has said that its keys cannot be loaded. */
  #logged: Source | null = null

  constructor(frame: ApiKeysTabElement) {
    this.#frame = frame
  }

  get isConnected(): boolean {
    return this.#frame.isConnected
  }

  get client(): TabClient {
    const { baseUrl, client, getHeaders } = this.#frame
    try {
      return client ?? createManagementClient({ baseUrl, ...(getHeaders && { getHeaders }) })
    } catch (error) {
      // A mistake of the page, such as a query in `base-url`: the list can only say that it failed.
      reportError(error)
      throw error
    }
  }

  get state(): ApiKeysTabState {
    const { isEmpty, limitReached, locked, phase } = this.list
    if (phase !== 'ready') return phase
    if (locked) return 'locked'
    if (limitReached) return 'limit'
    return isEmpty ? 'empty' : 'list'
  }

  get openKey(): string | null {
    const menu = this.#frame.renderRoot.querySelector<HTMLElement>('.menu:popover-open')
    return menu?.dataset['menu'] ?? this.#part('api-keys-details')?.key?.id ?? null
  }

  draw(): TemplateResult {
    const { list } = this
    const context = this.#context()
    const { dir, lang } = context.locale.settings
    const { renderRoot, theme } = this.#frame
    const tip = (event: Event) => showTip(renderRoot, event)
    const untip = () => hideTip(renderRoot)
    const busy = list.phase === 'loading' || list.refreshing || this.#wanted !== null
    return html`
      <div class="reset"><div id="root" part="root" lang=${lang} dir=${dir} data-theme=${theme}
        tabindex="-1" @pointerover=${tip} @pointerout=${untip} @focusin=${tip} @focusout=${untip}>
        ${header(context)}
        ${this.#later ? html`<api-keys-banners .context=${context} .secrets=${this.secrets}></api-keys-banners>` : nothing}
        ${notes(context)}
        ${list.phase === 'ready' || list.phase === 'loading' ? html`<api-keys-bar .context=${context}></api-keys-bar>` : nothing}
        <div class="list" aria-busy=${busy}>
          ${busy ? html`<div class="progress" aria-hidden="true"></div>` : nothing}
          ${panel(context) ?? html`<api-keys-table .context=${context}></api-keys-table>`}
        </div>
        ${this.#later ? this.#dialogsIn(context) : nothing}
        <div id="tip" class="tip" popover="manual" aria-hidden="true"></div>
        <div id="live" class="sr" role="status" data-live></div>
      </div></div>
    `
  }

  #dialogsIn(context: Context): TemplateResult {
    return html`
      <api-keys-question .context=${context} .secrets=${this.secrets}></api-keys-question>
      <api-keys-form .context=${context} .secrets=${this.secrets}></api-keys-form>
      <api-keys-details .context=${context}></api-keys-details>
    `
  }

  async drawn(): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.updateComplete))
  }

  /** Begins anew: the page has set where the keys come from. */
  start(): void {
    void this.list.load()
    this.loadScopes()
  }

  /** The page names another place to get keys from: of the former one only secrets stay. */
  changeSource(): void {
    this.#startAfresh()
    this.notify(null)
  }

  /** Leaves nothing behind: no request, no timer, no draft, no secret. */
  stop(): void {
    this.list.stop()
    clearTimeout(this.#saying)
    this.#part('api-keys-form')?.reset()
    this.#closeAll()
    this.secrets?.wipe()
  }

  /** Brings the focus in line with what was just drawn, and then loads what was not needed for it. */
  rendered(): void {
    void this.#settle()
    if (this.list.phase !== 'ready' || this.#loading !== null) return
    const whenIdle = globalThis.requestIdleCallback ?? setTimeout
    // A failure is reported once something needs the file.
    whenIdle(() => this.#load().catch(() => {}))
  }

  create(): void {
    if (this.#block !== null) return
    this.loadScopes()
    this.moveOn()
    void this.#open(() => this.#block === null && this.#part('api-keys-form')?.create())
  }

  async openDetails(id: string): Promise<boolean> {
    await this.list.settled()
    const { source } = this
    const known = this.list.find(id)
    const key = known ?? (await this.client.getKey(id, source.tie).catch(() => null))
    if (key === null || source !== this.source || !this.isConnected) return false
    await this.#open(() => this.#part('api-keys-details')?.view(key))
    return true
  }

  /** Time goes by: what has ended meanwhile is for the server to say. */
  tick(): void {
    const isOver = (end: string | null) => end !== null && Date.parse(end) <= Date.now()
    const { keys } = this.list.live
    if (keys.some(({ expiresAt, retiresAt }) => isOver(expiresAt) || isOver(retiresAt)))
      void this.list.load()
    else this.changed()
  }

  /** The user is back at the page, where others may have changed something meanwhile. */
  returned(): void {
    const { loadedAt, phase, refreshing } = this.list
    const over = phase === 'error' || phase === 'session'
    const aged = over || (phase === 'ready' && Date.now() - loadedAt > agedMs)
    if (aged && !refreshing) void this.reload()
  }

  // Called by the parts

  say(id: MessageId, values?: MessageValues): void {
    this.#announce(this.#localize().text(id, values))
  }

  #announce(sentence: string): void {
    clearTimeout(this.#saying)
    const { renderRoot } = this.#frame
    for (const region of renderRoot.querySelectorAll('[data-live]')) region.textContent = ''
    this.#saying = setTimeout(() => {
      const inDialog = renderRoot.querySelector('dialog[open] [data-live]')
      const region = inDialog ?? renderRoot.querySelector('#live')
      if (region) region.textContent = sentence
    }, sayingMs)
  }

  focusOn(...selectors: string[]): void {
    this.#focusNext = selectors
    this.#focusWasIn = mayMoveFocus(this.#frame)
    this.changed()
  }

  catchFocus(...selectors: string[]): void {
    if (this.#focusNext.length === 0) this.focusOn(...selectors)
  }

  emit<Type extends keyof ApiKeysTabEvents>(type: Type, detail: ApiKeysTabEvents[Type]): boolean {
    const cancelable = /^(upgrade|session-expired|before-)/.test(type)
    const event = new CustomEvent(type, { detail, cancelable, bubbles: true, composed: true })
    return this.#frame.dispatchEvent(event)
  }

  notify(notice: Failure | null): void {
    this.#notice = notice
    if (notice !== null) this.#announce(failureText(this.#localize(), notice))
    this.changed()
  }

  moveOn(): void {
    if (!this.#notice?.unknown) this.notify(null)
  }

  keep(key: WireKey, isNew = false): void {
    this.list.keep(key, isNew)
    if (key.status === 'revoked') this.secrets?.retire(key.id)
  }

  async reload(
    again = this.#frame.renderRoot.activeElement?.matches(places.retry) ?? false,
  ): Promise<void> {
    // Try again goes away meanwhile: if it has the focus, that needs a new place.
    if (again && this.list.phase === 'error') this.focusOn(...places.top)
    this.loadScopes()
    await this.list.load()
    if (!again) return
    this.focusOn(places.retry, ...(this.list.looking ? [places.search] : []), ...places.top)
  }

  /** Reads the scopes unless that was done; `anew` also then, where they have changed. */
  loadScopes(anew = false): void {
    const { groups, failed } = this.#catalogue
    const needed = groups === null || failed || anew
    if (needed && this.#readingScopes === null && this.isConnected) void this.#readScopes()
  }

  refused(error: unknown, change: Change): Failure | null {
    const failure = failureOf(error, change)
    if (change.source !== this.source) return failure
    const code = codeOf(error)
    if (code === 'unauthenticated') {
      this.notify(nothingDone('session.body'))
      this.expire(false)
      return null
    }
    if (code === 'workspace_changed') {
      this.changeWorkspace(failure)
      return null
    }
    // Nothing else is worth a request after a failure.
    if (isStaleAbout(error)) void this.list.load()
    return failure
  }

  expire(aloud = true): void {
    // Several calls may get a 401, and one of them may be a check whether the user has signed in
    // elsewhere.
    if (this.list.phase === 'session') return
    const hadDialog = this.#closeAll()
    this.list.expire()
    const { wasSignedIn } = this.list
    if ((wasSignedIn || hadDialog) && !this.secrets?.items.length) this.focusOn('#session-panel')
    if (aloud) this.say(wasSignedIn ? 'session.title' : 'session.first')
    this.emit('session-expired', { trigger: 'response' })
  }

  signedOut(error: unknown): boolean {
    const isSo = codeOf(error) === 'unauthenticated'
    if (isSo) this.expire()
    return isSo
  }

  open(what: Opening, key: WireKey): void {
    void this.#open(() => {
      if (what === 'details') this.#part('api-keys-details')?.view(key)
      else if (what === 'edit') this.#part('api-keys-form')?.edit(key)
      else this.#part('api-keys-question')?.ask(what, key)
    })
  }

  changed(): void {
    this.#frame.requestUpdate()
  }

  listFailed(code: ManagementErrorCode, error: unknown): void {
    const { list } = this
    this.emit('api-keys-error', { code, requestId: list.requestId })
    if (list.phase === 'error') this.#log(code, error)
    if (code === 'unauthenticated') this.expire()
    else if (list.more?.failed) this.say('load.failed')
    else if (list.stale) this.say('err.stale', { time: this.#localize().dates.time(list.loadedAt) })
  }

  changeWorkspace(notice: Failure = { id: 'why.workspace' }): void {
    const hadDialog = this.#startAfresh()
    this.notify(notice)
    if (hadDialog) this.focusOn(places.notice)
    this.start()
  }

  #context(): Context {
    const { list } = this
    return {
      locale: this.#localize(),
      settings: this.#frame,
      list,
      catalogue: this.#catalogue,
      notice: this.#notice,
      block: this.#block,
      waiting: this.#wanted !== null,
      may: (action) => list.plan.allowedOperations.includes(`${action}Key`),
      shell: this,
    }
  }

  get #block(): Context['block'] {
    const { list } = this
    if (list.locked) return { reason: 'lock-title' }
    if (list.limitReached) return { reason: 'limit-title' }
    const allowed = list.plan.allowedOperations.includes('createKey')
    return list.phase === 'ready' && allowed && !this.#frame.readonly ? null : { reason: null }
  }

  /** Follows the language around the tab, and its settings. */
  #localize(): Locale {
    const frame = this.#frame
    const { strings, timeZone } = frame
    const settings = { lang: languageOf(frame), dir: directionFor(frame), timeZone, strings }
    this.#locale = this.#locale?.madeFrom(settings) ? this.#locale : createLocale(settings)
    return this.#locale
  }

  get #parts(): readonly Part[] {
    return [...this.#frame.renderRoot.querySelectorAll('*')].filter((one) => one instanceof Part)
  }

  #part<Tag extends keyof Parts>(tag: Tag): Parts[Tag] | null {
    const found = this.#frame.renderRoot.querySelector(tag)
    return found instanceof Part ? (found as Parts[Tag]) : null
  }

  /** Does what needs the later file, once all of it is drawn. The details give the focus back before that. */
  async #open(run: () => unknown): Promise<void> {
    this.#wanted = run
    this.changed()
    try {
      await this.#load()
    } catch {
      if (this.#wanted !== run) return
      this.#wanted = null
      this.notify({ id: 'e.part' })
      return this.focusOn(places.notice)
    }
    const details = this.#part('api-keys-details')
    if (details?.open) details.close()
    await this.#frame.updateComplete
    if (this.#wanted !== run) return
    this.#wanted = null
    run()
    this.changed()
  }

  #load(): Promise<void> {
    this.#loading ??= import('../later.ts').then((file) => {
      // Files of one build share one Lit.
      if (file.html !== html) throw new Error('settings-tab-lazy.js is of another build')
      this.#later = file
      this.secrets = new file.Secrets(this)
      this.changed()
    })
    return this.#loading
  }

  async #readScopes(): Promise<void> {
    const reading = new AbortController()
    this.#readingScopes = reading
    this.#catalogue = { ...this.#catalogue, failed: false }
    try {
      const options = { signal: reading.signal, ...this.source.tie }
      const { groups, resources: types = [], brand = '' } = await this.client.listScopes(options)
      if (this.#readingScopes !== reading) return
      this.#catalogue = { groups, types, brand, failed: false }
    } catch (error) {
      if (this.#readingScopes !== reading) return
      this.#catalogue = { ...this.#catalogue, failed: true }
      this.signedOut(error)
    }
    this.#readingScopes = null
    this.changed()
  }

  /** Returns whether a dialog was open. */
  #startAfresh(): boolean {
    this.source = new Source()
    const hadDialog = this.#closeAll()
    const { wasSignedIn } = this.list
    this.list.stop()
    this.list = Object.assign(new KeyList(this), { wasSignedIn })
    this.#catalogue = noCatalogue
    return hadDialog
  }

  /** Aborts what is being read and closes what is open. Returns whether a dialog was open. */
  #closeAll(): boolean {
    this.#wanted = null
    this.#readingScopes?.abort()
    this.#readingScopes = null
    const dialogs = this.#parts.filter((part) => part instanceof Dialog).filter(({ open }) => open)
    for (const dialog of dialogs) dialog.close()
    return dialogs.length > 0
  }

  /** Who runs the page finds out what is wrong with the address that it has set. */
  #log(code: ManagementErrorCode, error: unknown): void {
    if (this.#logged === this.source) return
    this.#logged = this.source
    const status = error instanceof ManagementError ? error.status : undefined
    const { client, baseUrl } = this.#frame
    const place = client ? 'the client of the page' : `${new URL(baseUrl, document.baseURI)}/keys`
    // biome-ignore lint/suspicious/noConsole: the screen says only that it went wrong.
    console.warn(`api-keys-tab: ${place} answered ${status ?? 'nothing'} (${code})`)
  }

  /** Moves the focus once the parts are drawn. */
  async #settle(): Promise<void> {
    await this.drawn()
    const { renderRoot } = this.#frame
    const wanted = this.#focusNext
    this.#focusNext = []
    if (!this.#focusWasIn && !mayMoveFocus(this.#frame)) return
    const target = wanted
      .map((selector) => renderRoot.querySelector<HTMLElement>(selector))
      .find((one) => one !== null)
    if (target) focusInView(target)
  }
}
