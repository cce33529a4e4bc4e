import {
  LitElement,
  type PropertyDeclaration,
  type PropertyValues,
  type TemplateResult,
  unsafeCSS,
} from 'lit'
import { styles } from '../styles/first.ts'
import { type ApiKeysTabState, Model } from './model.ts'
import {
  type ApiKeysTabSettings,
  attributeOf,
  type CreateDraft,
  defaultSettings,
  fromAttribute,
  type SettingName,
  settingFrom,
} from './settings.ts'

const settingNames = Object.keys(defaultSettings) as SettingName[]

/** Attributes that every element has, and one that frameworks set while they render on a server. */
const ownAttributes = ['lang', 'dir', 'defer-hydration']

/** How often relative times ("2 minutes ago") are redrawn. */
const tickMs = 60_000

/**
 * The API keys of a workspace: a table of them, and everything to create, change, rotate and revoke
 * them.
 *
 * @tag api-keys-tab
 *
 * @attr {string} lang - Language of the tab. Default: the `lang` of the nearest ancestor.
 * @attr {'ltr' | 'rtl'} dir - Direction; that of the language without it.
 * @attr {boolean} defer-hydration - Draws and loads nothing until it is removed.
 *
 * @slot empty - In place of what an empty list shows.
 * @slot menu - In the menu of a key, after its actions; `openKey` is that key.
 * @slot details - At the end of the details of a key; `openKey` is that key.
 * @slot form - At the end of the create dialog.
 * @slot banner - At the end of the banner of a new key.
 *
 * @csspart root - All of the tab.
 * @csspart header - Title, introduction and New key.
 * @csspart title - The title.
 * @csspart intro - The introduction.
 * @csspart new-button - New key.
 * @csspart toolbar - Search, the choice of keys and the allowance.
 * @csspart search - The search field.
 * @csspart filter - Which keys are shown.
 * @csspart allowance - Active keys against the allowance.
 * @csspart allowance-value - The two numbers.
 * @csspart table - The table of keys.
 * @csspart column-head - The head of a column.
 * @csspart row - One key.
 * @csspart name - The name of a key.
 * @csspart creator - Who created it.
 * @csspart scopes - How many permissions it has.
 * @csspart key - The prefix.
 * @csspart badge - Live or test.
 * @csspart badge-live - Live.
 * @csspart badge-test - Test.
 * @csspart status - The status of a key.
 * @csspart status-active - That of an active one.
 * @csspart status-retiring - That of one being replaced.
 * @csspart status-paused - That of a paused one.
 * @csspart status-expired - That of an expired one.
 * @csspart status-revoked - That of a revoked one.
 * @csspart last-used - When a key was last used.
 * @csspart uses - How often.
 * @csspart rotate-button - Rotate.
 * @csspart revoke-button - Revoke.
 * @csspart stop-button - Stop now, of a key that is being replaced.
 * @csspart menu-button - The button of the menu.
 * @csspart menu - The menu of a key.
 * @csspart menu-item - One of its actions.
 * @csspart banner - A secret on screen.
 * @csspart banner-created - The amber one.
 * @csspart banner-rotated - The blue one.
 * @csspart secret - The secret; must stay visible.
 * @csspart copy-button - Copy.
 * @csspart dismiss-button - Dismiss.
 * @csspart first-call - The first call, ready to paste.
 * @csspart copy-code-button - Copy code.
 * @csspart dialog - A dialog.
 * @csspart dialog-title - Its title.
 * @csspart dialog-body - What it says or asks.
 * @csspart dialog-footer - Its buttons.
 * @csspart name-input - The name field.
 * @csspart expiry-select - The expiry, to choose.
 * @csspart env-option - Live or test, to choose.
 * @csspart scope-list - All permissions.
 * @csspart scope-group - One group of them.
 * @csspart scope - One permission.
 * @csspart scope-code - Its code.
 * @csspart select-all - Select all.
 * @csspart primary-button - Every main button.
 * @csspart secondary-button - Every Cancel.
 * @csspart warning-button - Rotate and Pause in their dialogs.
 * @csspart danger-button - Revoke in its dialog.
 * @csspart upgrade-link - Upgrade.
 * @csspart error-message - What went wrong.
 * @csspart locked - The lock panel.
 * @csspart empty - The empty list.
 * @csspart forbidden - Who may not manage keys sees this.
 * @csspart session - Who must sign in sees this.
 * @csspart skeleton - Rows that stand in while loading.
 *
 * @cssprop --apikeys-font - Font of all text but codes.
 * @cssprop --apikeys-font-mono - Font of codes.
 * @cssprop --apikeys-font-size - Size that every size of the tab rests on; text has seven eighths of it.
 * @cssprop --apikeys-radius - Roundness of buttons and fields; boxes have half as much again.
 * @cssprop --apikeys-density - Height of rows, as a factor.
 * @cssprop --apikeys-control-height - Height of buttons and fields.
 * @cssprop --apikeys-shadow - Shadow of dialogs and menus.
 * @cssprop --apikeys-space - Space between the sections.
 * @cssprop --apikeys-bg - Page.
 * @cssprop --apikeys-surface - Dialogs and menus.
 * @cssprop --apikeys-soft-bg - Notes and what is off.
 * @cssprop --apikeys-field-bg - Buttons and fields.
 * @cssprop --apikeys-fg - Text.
 * @cssprop --apikeys-muted - Text of less weight.
 * @cssprop --apikeys-line - Lines.
 * @cssprop --apikeys-control-border - Edges of fields.
 * @cssprop --apikeys-primary - Main buttons and links.
 * @cssprop --apikeys-on-primary - Text on them.
 * @cssprop --apikeys-active - The dot of active keys.
 * @cssprop --apikeys-due - Words about what is due.
 * @cssprop --apikeys-danger - Revoke and errors.
 * @cssprop --apikeys-focus - Focus ring.
 * @cssprop --apikeys-amber-bg - Banner of a created key.
 * @cssprop --apikeys-amber-fg - Text on it.
 * @cssprop --apikeys-amber-border - Its edge.
 * @cssprop --apikeys-amber-strong - Its Copy button.
 * @cssprop --apikeys-on-amber-strong - Text on that.
 * @cssprop --apikeys-blue-bg - Banner of a rotated key.
 * @cssprop --apikeys-blue-fg - Text on it.
 * @cssprop --apikeys-blue-border - Its edge.
 * @cssprop --apikeys-blue-strong - Its Copy button, and Rotate in its dialog.
 * @cssprop --apikeys-on-blue-strong - Text on that.
 *
 * @cssState loading - The list is being loaded for the first time.
 * @cssState empty - There are no keys yet, and one can be made.
 * @cssState error - The list could not be loaded.
 * @cssState locked - The plan has no API access.
 * @cssState limit - The plan allows no further active key.
 * @cssState pending-secret - A secret is on screen that was not copied yet.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: each setting gets an accessor below.
export class ApiKeysTabElement extends LitElement {
  static override readonly styles = unsafeCSS(styles)
  static override readonly properties = Object.fromEntries(settingNames.map(declarationOf))

  static override get observedAttributes(): string[] {
    // biome-ignore lint/complexity/noThisInStatic: Lit reads the properties of the class at hand.
    return [...super.observedAttributes, ...ownAttributes]
  }

  /** @private */
  declare renderRoot: ShadowRoot

  readonly #settings: Record<string, unknown> = { ...defaultSettings }
  readonly #model: Model
  readonly #states: CustomStateSet
  #leave: AbortController | null = null
  #startDue = true

  static {
    for (const name of settingNames) {
      Object.defineProperty(ApiKeysTabElement.prototype, name, {
        configurable: true,
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
    // At once: a page may call a method before it adds the element.
    this.renderRoot = this.createRenderRoot() as ShadowRoot
    this.#states = this.attachInternals().states
    this.#model = new Model(this)
  }

  /** Whether a secret is on screen that was not copied yet: a page can ask before it leaves. */
  get hasPendingSecret(): boolean {
    return this.#model.secrets?.pending ?? false
  }

  /** How many keys of the workspace are active, as last loaded. */
  get activeCount(): number {
    return this.#model.list.plan.activeKeys
  }

  /** What the list area shows. */
  get state(): ApiKeysTabState {
    return this.#model.state
  }

  /** Loads the list again; shown keys and secrets stay in place meanwhile. */
  refresh(): Promise<void> {
    return this.#model.refresh()
  }

  /** Opens the create dialog, if a key can be created now, with what is given filled in. */
  openCreate(draft: CreateDraft = {}): void {
    this.#model.create(draft)
  }

  /** Opens the details of a key; resolves to whether there is such a key. */
  openDetails(id: string): Promise<boolean> {
    return this.#model.openDetails(id)
  }

  /** The id of the key whose menu or details are open. */
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
    const tick = setInterval(() => this.requestUpdate(), tickMs)
    const page = new MutationObserver(() => this.requestUpdate())
    page.observe(document.documentElement, { attributeFilter: ['lang', 'dir'] })
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

  override attributeChangedCallback(
    attribute: string,
    before: string | null,
    value: string | null,
  ): void {
    super.attributeChangedCallback(attribute, before, value)
    if (ownAttributes.includes(attribute)) this.requestUpdate()
  }

  /** @private */
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

/** Its settings are properties: those of `ApiKeysTabSettings`, which the manifest reads there. */
export interface ApiKeysTabElement extends ApiKeysTabSettings {}

function declarationOf(name: SettingName): [SettingName, PropertyDeclaration] {
  const attribute = attributeOf(name) ?? false
  const converter = { fromAttribute: (value: string | null) => fromAttribute(name, value) }
  return [name, { attribute, converter, noAccessor: true }]
}
