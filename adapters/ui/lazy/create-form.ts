import { type CreateKeyBody, type IssuedKeyAnswer, ManagementError } from '../../client/index.ts'
import { eventDetailOf } from '../events.ts'
import type { CreateDraft } from '../page-input.ts'
import { codeOf, type Failure, lateFailure, lostAnswer } from '../state/failure.ts'
import type { KeySource } from '../state/key-source.ts'
import { explained, withPatience } from '../state/outcome.ts'
import { places } from '../state/places.ts'
import { bodyOf, type Draft, emptyDraft, errorsFrom, errorsOf } from './draft.ts'
import { DraftForm } from './draft-form.ts'
import type { ExpiryChoice } from './expiry.ts'

/** One request for a key. It is the form's as long as the form holds the same draft. */
interface Attempt {
  readonly draft: Draft
  readonly source: KeySource
}

/** The dialog that makes a key. What was typed stays until a key was made of it. */
export class CreateForm extends DraftForm {
  readonly id = 'create'
  readonly key = null
  #attempt: Attempt | null = null

  /** The name that was sent last. */
  get attempted(): string {
    return this.#attempt?.draft.name ?? ''
  }

  /** Whether nobody has filled anything in. */
  get #isUntouched(): boolean {
    const { name, note, scopes } = this.draft
    return name === '' && note === '' && scopes.size === 0
  }

  show(): void {
    if (!this.busy) this.failure = null
    const { defaultExpiry } = this.tab.settings
    if (this.#isUntouched) {
      const choice = defaultExpiry as ExpiryChoice
      this.draft = { ...emptyDraft, expiry: { choice, day: '' } }
    }
    this.#fitExpiry()
    this.#fitGrant()
    this.begin()
  }

  /** Opens with what a page wants filled in. */
  showWith({ name, environment, scopes, note }: CreateDraft): void {
    const given = {
      ...(name && { name }),
      ...(environment && { environment }),
      ...(scopes && { scopes: new Set(scopes) }),
      ...(note && { note }),
    }
    if (!this.busy && Object.keys(given).length > 0) this.draft = { ...emptyDraft, ...given }
    this.show()
  }

  /** Forgets what was typed. */
  reset(): void {
    Object.assign(this, { draft: emptyDraft, errors: {}, failure: null, open: false, busy: false })
    this.#attempt = null
  }

  /** Closes for keys of another place; what was typed stays unless a key is being made of it. */
  leave(): void {
    if (this.busy) this.reset()
    else this.close()
  }

  async submit(): Promise<void> {
    if (this.busy) return
    this.failure = null
    const { current, rules } = this
    this.errors = errorsOf(current, rules)
    const body = this.problemCount > 0 ? null : bodyOf(current, rules)
    if (body === null) this.refuse(this.errors)
    else await this.#create(body, { draft: this.draft, source: this.tab.source })
  }

  // What the plan allows may have changed since the choice was made.
  #fitExpiry(): void {
    const [first = 'never', ...others] = this.expiryChoices
    const { choice, day } = this.draft.expiry
    if (![first, ...others].includes(choice)) {
      this.draft = { ...this.draft, expiry: { choice: first, day } }
    }
  }

  /** Chooses nothing that may not be given. */
  #fitGrant(): void {
    const { grant } = this
    if (grant === null) return
    const { environment, networks, resources, scopes } = this.draft
    const types = grant.resources === 'all' ? [] : Object.keys(grant.resources)
    const reached = types.map((type) => {
      const ids = resources[type] ?? 'all'
      if (ids === 'all') return [type, this.mayReach(type, null) ? ids : []] as const
      return [type, ids.filter((id) => this.mayReach(type, id))] as const
    })
    this.draft = {
      ...this.draft,
      environment: environment && this.mayBeFor(environment) ? environment : null,
      scopes: new Set([...scopes].filter((scope) => this.mayHave(scope))),
      resources: { ...resources, ...Object.fromEntries(reached) },
      networks: networks ?? (this.mayBeUsedAnywhere() ? null : ''),
    }
  }

  async #create(body: CreateKeyBody, attempt: Attempt): Promise<void> {
    const { name, environment, scopes } = body
    if (!this.tab.emit('before-create', { name, environment, scopes })) return
    this.#attempt = attempt
    this.setBusy(true)
    try {
      const created = this.tab.management.createKey(body, attempt.source.tie)
      const change = this.tab.reveals?.unlessLeft(created) ?? created
      const late = () => this.#fail(lostAnswer('create'), attempt)
      this.#succeed(await withPatience(change, late), attempt)
    } catch (error) {
      this.#explain(error, attempt)
    } finally {
      if (this.#attempt === attempt) this.setBusy(false)
    }
  }

  #succeed(issued: IssuedKeyAnswer, attempt: Attempt): void {
    const { key } = issued
    if (this.#holds(attempt)) this.reset()
    else if (this.#attempt === attempt && this.failure !== null) this.#takeBack()
    if (attempt.source === this.tab.source) {
      this.tab.list.add(key)
      void this.tab.list.load()
    }
    this.tab.reveals?.show('created', issued, attempt.source)
    this.tab.announce(this.tab.locale.text('created.done', { name: key.name }))
    this.tab.emit('api-key-created', eventDetailOf(key))
  }

  /** The key whose answer was called lost is there, and the dialog would cover its secret. */
  #takeBack(): void {
    this.failure = null
    this.close()
  }

  #explain(error: unknown, attempt: Attempt): void {
    const { source } = attempt
    if (codeOf(error) === 'workspace_changed' && source === this.tab.source) this.busy = false
    const failure = explained(this.tab, error, { action: 'create', source })
    if (failure === null) return
    const issues = error instanceof ManagementError ? error.issues : []
    const errors = errorsFrom(issues)
    const isHere = this.#holds(attempt) && source === this.tab.source
    if (isHere && Object.keys(errors).length > 0) this.refuse(errors, issues)
    else this.#fail(failure, attempt)
  }

  #holds(attempt: Attempt): boolean {
    return this.#attempt === attempt && this.draft === attempt.draft
  }

  /** Says what went wrong: in the form while it is about this attempt, above the list after that. */
  #fail(failure: Failure, attempt: Attempt): void {
    if (this.open && this.#holds(attempt)) {
      this.failure = failure
      this.busy = false
      this.tab.focusOn(places.alert)
    } else this.tab.notify(lateFailure('create', attempt.draft.name, failure))
  }
}
