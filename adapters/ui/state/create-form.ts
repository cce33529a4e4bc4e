import { type CreateKeyBody, type IssuedKeyAnswer, ManagementError } from '../../client/index.ts'
import { eventDetailOf } from '../events.ts'
import {
  bodyOf,
  type Draft,
  type DraftErrors,
  draftFields,
  emptyDraft,
  errorsFrom,
  errorsOf,
} from './draft.ts'
import { codeOf, type Failure, failureOf, lateFailure, lostAnswer } from './failure.ts'
import { type Host, places } from './host.ts'
import type { KeyList } from './key-list.ts'
import type { KeySource } from './key-source.ts'
import { withPatience } from './outcome.ts'
import type { Reveals } from './reveals.ts'

const fieldPlaces = {
  name: [places.name],
  environment: [places.environment],
  // Without a catalogue there is no box to focus.
  scopes: [places.selectAll, places.scopesError],
}

/** One request for a key. It is the form's as long as the form holds the same draft. */
interface Attempt {
  readonly draft: Draft
  readonly source: KeySource
}

/** The dialog that makes a key. What was typed stays until a key was made of it. */
export class CreateForm {
  open = false
  busy = false
  draft: Draft = emptyDraft
  errors: DraftErrors = {}
  failure: Failure | null = null

  readonly #host: Host
  readonly #list: KeyList
  readonly #reveals: Reveals
  #attempt: Attempt | null = null

  constructor(host: Host, list: KeyList, reveals: Reveals) {
    this.#host = host
    this.#list = list
    this.#reveals = reveals
  }

  get problemCount(): number {
    return Object.keys(this.errors).length
  }

  show(): void {
    this.open = true
    this.errors = {}
    if (!this.busy) this.failure = null
    this.#host.focusOn(places.name)
    this.#host.requestUpdate()
  }

  close(): void {
    this.open = false
    this.#host.requestUpdate()
  }

  /** Changes the draft; the objections to the changed fields go away. */
  edit(change: Partial<Draft>): void {
    this.draft = { ...this.draft, ...change }
    const { errors } = this
    this.errors = Object.fromEntries(
      draftFields
        .filter((field) => !(field in change) && errors[field])
        .map((field) => [field, errors[field]]),
    )
    this.#host.requestUpdate()
  }

  /** Forgets what was typed. */
  reset(): void {
    Object.assign(this, { draft: emptyDraft, errors: {}, failure: null, open: false, busy: false })
    this.#attempt = null
  }

  /** Closes for keys of another place; what was typed stays unless a key is being made of it. */
  leave(): void {
    if (this.busy) this.reset()
    this.close()
  }

  async submit(): Promise<void> {
    if (this.busy) return
    this.failure = null
    const body = bodyOf(this.draft)
    const errors = errorsOf(this.draft)
    if (body === null || Object.keys(errors).length > 0) {
      this.#refuse(errors)
      return
    }
    this.errors = {}
    await this.#create(body, { draft: this.draft, source: this.#host.source })
  }

  async #create(body: CreateKeyBody, attempt: Attempt): Promise<void> {
    this.#attempt = attempt
    this.#setBusy(true)
    try {
      const created = this.#host.management.createKey(body, attempt.source.tie)
      const change = this.#reveals.unlessLeft(created)
      const late = () => this.#fail(lostAnswer('create'), attempt)
      this.#succeed(await withPatience(change, late), attempt)
    } catch (error) {
      this.#explain(error, attempt)
    } finally {
      if (this.#attempt === attempt) this.#setBusy(false)
    }
  }

  #succeed(issued: IssuedKeyAnswer, attempt: Attempt): void {
    const { key } = issued
    if (this.#holds(attempt)) this.reset()
    if (attempt.source === this.#host.source) {
      this.#list.add(key)
      void this.#list.load()
    }
    this.#reveals.show('created', issued, attempt.source)
    this.#host.announce(this.#host.locale.text('created.done', { name: key.name }))
    this.#host.emit('api-key-created', eventDetailOf(key))
  }

  #explain(error: unknown, attempt: Attempt): void {
    const failure = failureOf(error, 'create')
    const code = codeOf(error)
    const errors = error instanceof ManagementError ? errorsFrom(error.issues) : {}
    if (attempt.source !== this.#host.source) this.#fail(failure, attempt)
    else if (code === 'unauthenticated') this.#host.expireSession()
    else if (code === 'workspace_changed') {
      this.busy = false
      this.#host.changeWorkspace(failure.leads)
    } else if (this.#holds(attempt) && Object.keys(errors).length > 0) this.#refuse(errors)
    else {
      this.#fail(failure, attempt)
      // What the plan allows has changed elsewhere; nothing else is worth a request after a failure.
      if (failure.id === 'e.limit' || failure.id === 'e.capability') void this.#list.load()
    }
  }

  #holds(attempt: Attempt): boolean {
    return this.#attempt === attempt && this.draft === attempt.draft
  }

  #refuse(errors: DraftErrors): void {
    this.errors = errors
    const first = draftFields.find((field) => errors[field])
    if (first) this.#host.focusOn(...fieldPlaces[first])
    this.#host.announce(this.#host.locale.text('v.summary', { n: this.problemCount }))
    this.#host.requestUpdate()
  }

  /** Says what went wrong: in the form while it is about this attempt, above the list after that. */
  #fail(failure: Failure, attempt: Attempt): void {
    if (this.open && this.#holds(attempt)) {
      this.failure = failure
      this.busy = false
      this.#host.focusOn(places.alert)
    } else this.#host.notify(lateFailure('create', attempt.draft.name, failure))
  }

  #setBusy(busy: boolean): void {
    this.busy = busy
    this.#host.requestUpdate()
  }
}
