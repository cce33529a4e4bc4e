import type { TemplateResult } from 'lit/html.js'
import { DrawnElement } from './drawn-element.ts'
import { watchPageLanguage } from './format/language.ts'
import { tabTemplate } from './parts/tab-template.ts'
import {
  type ApiKeysTabSettings,
  defaultSettings,
  fromAttribute,
  settingOfAttribute,
} from './settings.ts'
import { TabModel } from './state/tab-model.ts'
import { type ApiKeysTabState, customStatesOf, stateOf } from './state/tab-states.ts'

/** Relative times ("2 minutes ago") are drawn anew so often. */
const tickMs = 60_000

/**
 * The API keys of a workspace: a table of them, and everything to create, rotate and revoke them.
 *
 * @tag api-keys-tab
 */
export class ApiKeysTabElement extends DrawnElement implements ApiKeysTabSettings {
  static readonly observedAttributes: readonly string[] = [
    ...settingOfAttribute.keys(),
    'lang',
    'dir',
  ]

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

  readonly #settings: Record<string, unknown> = { ...defaultSettings }
  readonly #model: TabModel
  readonly #states: CustomStateSet
  #leave: AbortController | null = null
  #startDue = true

  static {
    for (const name of Object.keys(defaultSettings)) {
      Object.defineProperty(ApiKeysTabElement.prototype, name, {
        get(this: ApiKeysTabElement) {
          return this.#settings[name]
        },
        set(this: ApiKeysTabElement, value: unknown) {
          this.#set(name, value)
        },
      })
    }
  }

  constructor() {
    super()
    this.#states = this.attachInternals().states
    this.#model = new TabModel(this)
    this.#adoptEarlySettings()
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

  connectedCallback(): void {
    const leave = new AbortController()
    const { signal } = leave
    this.#leave = leave
    addEventListener('online', () => this.#model.connectionChanged(true), { signal })
    addEventListener('offline', () => this.#model.connectionChanged(false), { signal })
    // The page may be kept and shown again by the Back button, after a sign-out.
    addEventListener('pagehide', () => this.#model.reveals.wipe(), { signal })
    addEventListener('pageshow', (event) => event.persisted && this.refresh(), { signal })
    const tick = setInterval(() => this.requestUpdate(), tickMs)
    const unwatch = watchPageLanguage(() => this.requestUpdate())
    signal.addEventListener('abort', () => {
      clearInterval(tick)
      unwatch()
    })
    this.#startDue = true
    this.requestUpdate()
  }

  disconnectedCallback(): void {
    this.#leave?.abort()
    this.#model.stop()
  }

  attributeChangedCallback(attribute: string, _old: string | null, value: string | null): void {
    const name = settingOfAttribute.get(attribute)
    if (name === undefined) this.requestUpdate()
    else this.#set(name, fromAttribute(name, value))
  }

  protected override render(): TemplateResult {
    return tabTemplate(this.#model)
  }

  protected override updated(): void {
    // Not before the first drawing: what a page sets right after making the element counts.
    if (this.#startDue) {
      this.#startDue = false
      this.#model.start()
    }
    this.#model.rendered()
    for (const [name, on] of Object.entries(customStatesOf(this.#model))) {
      if (on) this.#states.add(name)
      else this.#states.delete(name)
    }
  }

  #set(name: string, value: unknown): void {
    if (this.#settings[name] === value) return
    this.#settings[name] = value
    if (name === 'client' || name === 'baseUrl') this.#startDue = true
    this.requestUpdate()
  }

  // Properties that were set before the element was defined hide the accessors.
  #adoptEarlySettings(): void {
    for (const name of Object.keys(defaultSettings)) {
      if (!Object.hasOwn(this, name)) continue
      const value = Reflect.get(this, name)
      Reflect.deleteProperty(this, name)
      this.#set(name, value)
    }
  }
}
