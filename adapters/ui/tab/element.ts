import {
  LitElement,
  type PropertyDeclaration,
  type PropertyValues,
  type TemplateResult,
  unsafeCSS,
} from 'lit'
import { styles } from '../styles/sheet.ts'
import { type ApiKeysTabState, Model } from './model.ts'
import {
  type ApiKeysTabSettings,
  defaultSettings,
  type SettingName,
  settingFrom,
} from './settings.ts'

const settingNames = Object.keys(defaultSettings) as SettingName[]

/** Attributes that every element has, and one that frameworks set while they render on a server. */
const attributeFilter = ['lang', 'dir', 'defer-hydration']

/** How often relative times ("2 minutes ago") are redrawn. */
const tickMs = 60_000

/** The API keys of a workspace, and everything to create, change, rotate and revoke them. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: Lit makes an accessor of each setting.
export class ApiKeysTabElement extends LitElement {
  static override readonly styles = unsafeCSS(styles)
  static override readonly properties = Object.fromEntries(settingNames.map(declarationOf))

  declare renderRoot: ShadowRoot

  readonly #settings: Record<string, unknown> = { ...defaultSettings }
  readonly #model: Model
  readonly #states: CustomStateSet
  #leave: AbortController | null = null
  #startDue = true

  protected static override getPropertyDescriptor(name: SettingName): PropertyDescriptor {
    return {
      configurable: true,
      get(this: ApiKeysTabElement) {
        return this.#settings[name]
      },
      set(this: ApiKeysTabElement, value: unknown) {
        this.#set(name, value)
      },
    }
  }

  constructor() {
    super()
    // At once: a page may call a method before it adds the element.
    this.renderRoot = this.createRenderRoot() as ShadowRoot
    this.#states = this.attachInternals().states
    this.#model = new Model(this)
  }

  get hasPendingSecret(): boolean {
    return this.#model.secrets?.pending ?? false
  }

  get activeCount(): number {
    return this.#model.list.plan.activeKeys
  }

  get state(): ApiKeysTabState {
    return this.#model.state
  }

  refresh(): Promise<void> {
    return this.#model.reload()
  }

  openCreate(): void {
    this.#model.create()
  }

  openDetails(id: string): Promise<boolean> {
    return this.#model.openDetails(id)
  }

  get openKey(): string | null {
    return this.#model.openKey
  }

  /** Focuses New key, or the title where there is no such button. */
  override focus(options?: FocusOptions): void {
    this.renderRoot.querySelector<HTMLElement>('#new-key, #title, #root')?.focus(options)
  }

  override connectedCallback(): void {
    super.connectedCallback()
    const leave = new AbortController()
    const { signal } = leave
    this.#leave = leave
    // The page may be kept and shown again by the Back button, after a sign-out.
    addEventListener('pagehide', () => this.#model.secrets?.wipe(), { signal })
    addEventListener('pageshow', (event) => event.persisted && this.refresh(), { signal })
    addEventListener('focus', () => this.#model.returned(), { signal })
    const tick = setInterval(() => this.#model.tick(), tickMs)
    const page = new MutationObserver(() => this.requestUpdate())
    page.observe(document.documentElement, { attributeFilter })
    page.observe(this, { attributeFilter })
    signal.addEventListener('abort', () => {
      clearInterval(tick)
      page.disconnect()
    })
    this.#startDue = true
    this.requestUpdate()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#leave?.abort()
    this.#model.stop()
  }

  protected override async getUpdateComplete(): Promise<boolean> {
    const complete = await super.getUpdateComplete()
    await this.#model?.drawn()
    return complete
  }

  protected override shouldUpdate(): boolean {
    return this.isConnected && !this.hasAttribute('defer-hydration')
  }

  protected override update(changed: PropertyValues): void {
    try {
      if (this.hasUpdated && !this.renderRoot.querySelector('#root')) this.#beginAnew()
      super.update(changed)
    } catch (error) {
      // Page translation and other extensions move nodes that Lit holds on to: begin with none.
      reportError(error)
      this.#beginAnew()
      super.update(changed)
    }
  }

  protected override render(): TemplateResult {
    return this.#model.draw()
  }

  protected override updated(): void {
    // Not before the first drawing: what a page sets right after making the element counts.
    if (this.#startDue) {
      this.#startDue = false
      this.#model.start()
    }
    this.#model.rendered()
    this.#states.clear()
    this.#states.add(this.state)
    if (this.hasPendingSecret) this.#states.add('pending-secret')
  }

  #set(name: SettingName, given: unknown): void {
    const value = settingFrom(name, given)
    if (this.#settings[name] === value) return
    this.#settings[name] = value
    if (name === 'client' || name === 'baseUrl') {
      this.#startDue = true
      this.#model.changeSource()
    }
    this.requestUpdate()
  }

  /** Lit keeps what it has drawn with the node that it draws before: a new one makes it forget. */
  #beginAnew(): void {
    const end = document.createComment('')
    this.renderRoot.replaceChildren(end)
    this.renderOptions.renderBefore = end
  }
}

/** Its settings are properties. */
export interface ApiKeysTabElement extends ApiKeysTabSettings {}

/** A plain value has an attribute: `time-zone` is `timeZone`. Removing it restores the default. */
function declarationOf(name: SettingName): [SettingName, PropertyDeclaration] {
  const kind = typeof defaultSettings[name]
  const hyphened = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const fromAttribute = (value: string | null) => (kind === 'boolean' ? value !== null : value)
  const attribute = kind !== 'object' && hyphened
  return [name, { attribute, converter: { fromAttribute } }]
}
