import { ManagementError } from '../../client/index.ts'
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
import { type Failure, failureOf, isSignedOut, lostAnswer } from './failure.ts'
import { type Host, places } from './host.ts'
import type { KeyList } from './key-list.ts'
import { withPatience } from './outcome.ts'
import type { Reveals } from './reveals.ts'

const fieldPlaces = {
  name: places.name,
  environment: places.environment,
  scopes: places.selectAll,
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
    Object.assign(this, { draft: emptyDraft, errors: {}, failure: null, open: false })
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
    this.#setBusy(true)
    try {
      const change = this.#host.management.createKey(body)
      const { key, secret } = await withPatience(change, () => this.#fail(lostAnswer('create')))
      this.reset()
      this.#list.add(key)
      this.#reveals.show('created', key, secret)
      this.#host.announce(this.#host.locale.text('created.done', { name: key.name }))
      this.#host.emit('api-key-created', eventDetailOf(key))
      void this.#list.load()
    } catch (error) {
      this.#explain(error)
    } finally {
      this.#setBusy(false)
    }
  }

  #explain(error: unknown): void {
    if (isSignedOut(error)) {
      this.#host.expireSession()
      return
    }
    const errors = error instanceof ManagementError ? errorsFrom(error.issues) : {}
    if (Object.keys(errors).length > 0) {
      this.#refuse(errors)
      return
    }
    const failure = failureOf(error, 'create')
    this.#fail(failure)
    // What the plan allows has changed elsewhere; nothing else is worth a request after a failure.
    if (failure.id === 'e.limit' || failure.id === 'e.capability') void this.#list.load()
  }

  #refuse(errors: DraftErrors): void {
    this.errors = errors
    const first = draftFields.find((field) => errors[field])
    if (first) this.#host.focusOn(fieldPlaces[first])
    this.#host.announce(this.#host.locale.text('v.summary', { n: this.problemCount }))
    this.#host.requestUpdate()
  }

  #fail(failure: Failure): void {
    this.failure = failure
    this.busy = false
    this.#host.focusOn(places.alert)
    this.#host.requestUpdate()
  }

  #setBusy(busy: boolean): void {
    this.busy = busy
    this.#host.requestUpdate()
  }
}
