import { folded } from '../../../src/model/folded.ts'
import type { Environment, KeyResources } from '../../../src/model/key.ts'
import type { WireIssue, WireKey } from '../../client/index.ts'
import type { Failure } from '../state/failure.ts'
import { hasEnded, isReadable, type ListedKey } from '../state/listed-key.ts'
import type { Tab } from '../state/tab.ts'
import { type Draft, type DraftErrors, draftFields, emptyDraft, restrictionsOf } from './draft.ts'
import { choicesFor, type ExpiryChoice, type ExpiryRules } from './expiry.ts'
import { type Grant, givable } from './grant.ts'
import type { Resources } from './resources.ts'

/** A dialog in which the fields of a key are filled in. */
export abstract class DraftForm {
  open = false
  busy = false
  draft: Draft = emptyDraft
  errors: DraftErrors = {}
  failure: Failure | null = null
  /** What the server objects to, in its words. */
  issues: readonly WireIssue[] = []
  /** What is looked for among the scopes. */
  scopeSearch = ''
  /** The groups of scopes that are not as they are at first: folded, or with many scopes unfolded. */
  readonly folded: Set<string> = new Set()
  /** Direction marks were just taken out of the name. */
  unmarked = false
  /** Begins the ids of its fields. */
  abstract readonly id: 'create' | 'edit'
  /** The key that is changed, as far as is known; `null` for one that is new. */
  abstract readonly key: WireKey | null
  protected readonly tab: Tab
  readonly resources: Resources

  constructor(tab: Tab, resources: Resources) {
    this.tab = tab
    this.resources = resources
  }

  get problemCount(): number {
    return Object.keys(this.errors).length
  }

  /** When the key may end: by the plan, and not later than now where it has more than the user may give. */
  get rules(): ExpiryRules {
    const now = Date.now()
    const { maxLifetimeSeconds: most } = this.tab.list.plan
    const from = this.key === null ? now : Date.parse(this.key.createdAt)
    const planned = typeof most === 'number' ? from + most * 1_000 : Infinity
    const end = this.widens ? Infinity : Date.parse(this.end ?? '') || Infinity
    const latest = Math.min(planned, end)
    return { dates: this.tab.locale.dates, now, latest: latest === Infinity ? null : latest }
  }

  get expiryChoices(): readonly ExpiryChoice[] {
    return choicesFor(this.rules, this.end)
  }

  /** The scopes on offer: those of the catalogue, and what the key has beside them. */
  get offered(): readonly string[] {
    return [...this.tab.catalogue.all, ...this.others]
  }

  /** The scopes of the key that the catalogue does not have. */
  get others(): readonly string[] {
    const { all } = this.tab.catalogue
    return this.scopesBefore.filter((scope) => !all.includes(scope))
  }

  /** The draft without scopes that are no longer on offer; before anybody knows, as it is. */
  protected get current(): Draft {
    if (this.tab.catalogue.groups === null) return this.draft
    const scopes = this.offered.filter((scope) => this.draft.scopes.has(scope))
    return { ...this.draft, scopes: new Set(scopes) }
  }

  /** Whether the routes know notes and restrictions: those of an earlier release do not. */
  get restricts(): boolean {
    return this.tab.list.plan.grantable !== undefined
  }

  get grant(): Grant {
    return this.tab.list.plan.grantable ?? null
  }

  /** Whether the key may be given more than it has: not when it has more than the user may give. */
  get widens(): boolean {
    return this.key?.withinGrant !== false
  }

  /** The end that the key has already; `undefined` for one that is new. */
  get end(): string | null | undefined {
    return this.key?.expiresAt
  }

  /** The scopes that the key has already. */
  get scopesBefore(): readonly string[] {
    return this.key?.scopes ?? []
  }

  /** What the key reaches already; `null` for one that is new. */
  get resourcesBefore(): KeyResources | null {
    return this.key && restrictionsOf(this.key).resources
  }

  /** Whether a scope may be chosen: it may be given, or the key has it already. */
  mayHave(scope: string): boolean {
    const given = this.grant?.scopes.includes(scope) ?? true
    return this.scopesBefore.includes(scope) || (this.widens && given)
  }

  /** Whether a resource may be chosen, or all of a type. */
  mayReach(type: string, id: string | null): boolean {
    const reached = this.resourcesBefore?.[type] ?? (this.resourcesBefore ? 'all' : [])
    const isIn = (ids: 'all' | readonly string[]) =>
      ids === 'all' || (id !== null && ids.includes(id))
    return isIn(reached) || (this.widens && isIn(givable(this.grant, type)))
  }

  mayBeUsedAnywhere(): boolean {
    const before = this.key ? (this.key.networks ?? 'any') : null
    return before === 'any' || (this.widens && (this.grant?.networks ?? 'any') === 'any')
  }

  mayBeFor(environment: Environment): boolean {
    return this.grant?.environments.includes(environment) ?? true
  }

  /** The chosen scopes that are on offer. */
  get scopes(): ReadonlySet<string> {
    return this.current.scopes
  }

  /** Whether another key that works has the name. */
  get isNameTaken(): boolean {
    const name = folded(this.draft.name)
    const same = (key: ListedKey) =>
      isReadable(key) && !hasEnded(key) && key.id !== this.key?.id && folded(key.name) === name
    return name !== '' && this.tab.list.keys.some(same)
  }

  abstract submit(): Promise<void>

  /** Changes the draft; the objections to the changed fields go away. */
  edit(change: Partial<Draft>): void {
    this.draft = { ...this.draft, ...change }
    const { errors } = this
    this.errors = Object.fromEntries(
      draftFields
        .filter((field) => !(field in change) && errors[field])
        .map((field) => [field, errors[field]]),
    )
    this.tab.requestUpdate()
  }

  /** Folds a group of scopes, or unfolds it. */
  fold(group: string): void {
    if (!this.folded.delete(group)) this.folded.add(group)
    this.tab.requestUpdate()
  }

  searchScopes(text: string): void {
    this.scopeSearch = text
    this.tab.requestUpdate()
  }

  close(): void {
    this.open = false
    this.tab.requestUpdate()
  }

  protected begin(): void {
    Object.assign(this, { open: true, errors: {}, issues: [], scopeSearch: '', unmarked: false })
    this.resources.reset()
    this.tab.focusOn(`#${this.id}-name`)
  }

  protected refuse(errors: DraftErrors, issues: readonly WireIssue[] = []): void {
    Object.assign(this, { errors, issues })
    if (errors.scopes === 'v.scopes.unknown') void this.tab.catalogue.reload()
    const first = draftFields.find((field) => errors[field])
    if (first) this.tab.focusOn(...this.#placesOf(first))
    this.tab.announce(this.tab.locale.text('v.summary', { n: this.problemCount }))
    this.tab.requestUpdate()
  }

  protected setBusy(busy: boolean): void {
    this.busy = busy
    this.tab.requestUpdate()
  }

  #placesOf(field: (typeof draftFields)[number]): readonly string[] {
    if (field === 'environment') return ['#env-live:enabled', '#env-test']
    // Without a catalogue there is no box to focus.
    if (field === 'scopes') return ['#scopes-all:enabled', '#scopes-error']
    const place = `#${this.id}-${field}`
    return field === 'expiry' ? [`#${this.id}-day`, place] : [place]
  }
}
