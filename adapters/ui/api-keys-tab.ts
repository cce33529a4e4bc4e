import { type CSSResult, html, LitElement, type PropertyValues, type TemplateResult } from 'lit'
import { watchPageLanguage } from './format/language.ts'
import { tabTemplate } from './parts/tab-template.ts'
import { type ApiKeysTabSettings, defaultSettings } from './settings.ts'
import { TabModel } from './state/tab-model.ts'
import { type ApiKeysTabState, customStatesOf, stateOf } from './state/tab-states.ts'
import { styles } from './styles/index.ts'

/** Relative times ("2 minutes ago") are drawn anew so often. */
const tickMs = 60_000

/**
 * The API keys of a workspace: a table of them, and everything to create, rotate and revoke them.
 *
 * @tag api-keys-tab
 */
export class ApiKeysTabElement extends LitElement implements ApiKeysTabSettings {
  static override readonly styles: CSSResult[] = styles

  static override readonly properties = {
    baseUrl: { attribute: 'base-url' },
    upgradeUrl: { attribute: 'upgrade-url' },
    loginUrl: { attribute: 'login-url' },
    docsUrl: { attribute: 'docs-url' },
    userId: { attribute: 'user-id' },
    theme: { reflect: true },
    numerals: {},
    calendar: {},
    timeZone: { attribute: 'time-zone' },
    dismissGuard: { attribute: 'dismiss-guard' },
    headingLevel: { attribute: 'heading-level', type: Number },
    hideHeading: { attribute: 'hide-heading', type: Boolean },
    readonly: { type: Boolean },
    client: { attribute: false },
    getHeaders: { attribute: false },
    scopes: { attribute: false },
    strings: { attribute: false },
  }

  declare baseUrl: ApiKeysTabSettings['baseUrl']
  declare upgradeUrl: ApiKeysTabSettings['upgradeUrl']
  declare loginUrl: ApiKeysTabSettings['loginUrl']
  declare docsUrl: ApiKeysTabSettings['docsUrl']
  declare userId: ApiKeysTabSettings['userId']
  declare theme: ApiKeysTabSettings['theme']
  declare numerals: ApiKeysTabSettings['numerals']
  declare calendar: ApiKeysTabSettings['calendar']
  declare timeZone: ApiKeysTabSettings['timeZone']
  declare dismissGuard: ApiKeysTabSettings['dismissGuard']
  declare headingLevel: ApiKeysTabSettings['headingLevel']
  declare hideHeading: ApiKeysTabSettings['hideHeading']
  declare readonly: ApiKeysTabSettings['readonly']
  declare client: ApiKeysTabSettings['client']
  declare getHeaders: ApiKeysTabSettings['getHeaders']
  declare scopes: ApiKeysTabSettings['scopes']
  declare strings: ApiKeysTabSettings['strings']

  readonly #model: TabModel
  readonly #states: CustomStateSet
  #leave: AbortController | null = null

  constructor() {
    super()
    Object.assign(this, defaultSettings)
    this.#states = this.attachInternals().states
    this.#model = new TabModel(this)
  }

  static override get observedAttributes(): string[] {
    return [...super.observedAttributes, 'lang', 'dir']
  }

  /** Whether a secret is on screen that was not copied yet: a page can ask before it leaves. */
  get hasPendingSecret(): boolean {
    return this.#model.reveals.pending
  }

  /** How many keys of the workspace are active, as last loaded. */
  get activeCount(): number {
    return this.#model.list.plan.activeKeys
  }

  /** What the list area shows. */
  get state(): ApiKeysTabState {
    return stateOf(this.#model)
  }

  /** Loads the list again; shown keys and secrets stay in place meanwhile. */
  refresh(): Promise<void> {
    return this.#model.refresh()
  }

  /** Opens the create dialog, if a key can be created now. */
  openCreate(): void {
    this.#model.openCreate()
  }

  /** Focuses New key, or the title where there is no such button. */
  override focus(options?: FocusOptions): void {
    this.renderRoot.querySelector<HTMLElement>('#new-key, #title, #root')?.focus(options)
  }

  override connectedCallback(): void {
    super.connectedCallback()
    const { signal } = this.#watch()
    addEventListener('online', () => this.#model.connectionChanged(true), { signal })
    addEventListener('offline', () => this.#model.connectionChanged(false), { signal })
    // The page may be kept and shown again by the Back button, after a sign-out.
    addEventListener('pagehide', () => this.#model.reveals.wipe(), { signal })
    addEventListener('pageshow', (event) => event.persisted && this.refresh(), { signal })
    if (this.hasUpdated) this.#model.start()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#leave?.abort()
    this.#model.stop()
  }

  override attributeChangedCallback(name: string, old: string | null, value: string | null): void {
    super.attributeChangedCallback(name, old, value)
    if (name === 'lang' || name === 'dir') this.requestUpdate()
  }

  protected override render(): TemplateResult {
    return tabTemplate(this.#model)
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('client') || changed.has('baseUrl')) this.#model.start()
    this.#model.rendered()
    for (const [name, on] of Object.entries(customStatesOf(this.#model))) {
      if (on) this.#states.add(name)
      else this.#states.delete(name)
    }
  }

  #watch(): AbortController {
    const leave = new AbortController()
    const tick = setInterval(() => this.requestUpdate(), tickMs)
    const unwatch = watchPageLanguage(() => this.requestUpdate())
    leave.signal.addEventListener('abort', () => {
      clearInterval(tick)
      unwatch()
    })
    this.#leave = leave
    return leave
  }
}
