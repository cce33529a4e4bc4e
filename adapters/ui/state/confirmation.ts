import type { WireKey } from '../../client/index.ts'
import { eventDetailOf } from '../events.ts'
import { type Failure, lateFailure, lostAnswer } from './failure.ts'
import type { KeySource } from './key-source.ts'
import { explained, isGone, leaveGone, withPatience } from './outcome.ts'
import { places } from './places.ts'
import type { Tab } from './tab.ts'

/** An action that asks first. */
export type ConfirmedAction = 'rotate' | 'revoke' | 'pause' | 'resume'

/** How long a replaced key may go on working, in seconds: at once, an hour, a day, a week. */
const OVERLAPS = [0, 3_600, 86_400, 604_800] as const

/** One confirmation and its result. Each gets its own object, so a late answer cannot affect another. */
interface Question {
  readonly action: ConfirmedAction
  readonly key: WireKey
  readonly source: KeySource
  busy: boolean
  /** How long the old key goes on working after a rotation, in seconds. */
  overlap: number
  /** The change was made. */
  done: boolean
  failure: Failure | null
}

/** What is announced, and the event, when a change is made. */
const DONE = {
  revoke: { said: 'rev.done', event: 'api-key-revoked' },
  pause: { said: 'pause.done', event: 'api-key-paused' },
  resume: { said: 'resume.done', event: 'api-key-resumed' },
} as const

/** The dialog that asks before a key is changed. Nothing changes before the server says so. */
export class Confirmation {
  readonly #tab: Tab
  #question: Question | null = null

  constructor(tab: Tab) {
    this.#tab = tab
  }

  get open(): boolean {
    return this.#question !== null
  }

  get busy(): boolean {
    return this.#question?.busy ?? false
  }

  get action(): ConfirmedAction {
    return this.#question?.action ?? 'rotate'
  }

  get key(): WireKey | null {
    return this.#question?.key ?? null
  }

  get failure(): Failure | null {
    return this.#question?.failure ?? null
  }

  /** How long the old key goes on working, in seconds, and what else can be chosen. */
  get overlap(): number {
    return this.#question?.overlap ?? 0
  }

  set overlap(seconds: number) {
    if (this.#question !== null) this.#question.overlap = seconds
    this.#tab.requestUpdate()
  }

  get overlaps(): readonly number[] {
    const most = this.key?.status === 'active' ? this.#tab.list.plan.maxOverlapSeconds : 0
    return OVERLAPS.filter((seconds) => seconds === 0 || seconds <= most)
  }

  ask(action: ConfirmedAction, key: WireKey): void {
    if (this.busy) return
    const { source } = this.#tab
    this.#question = { action, key, source, overlap: 0, busy: false, done: false, failure: null }
    const { defaultOverlap } = this.#tab.settings
    if (this.overlaps.includes(defaultOverlap)) this.#question.overlap = defaultOverlap
    this.#tab.moveOn()
  }

  /** Pauses the key that was about to be revoked. */
  pauseInstead(): Promise<void> {
    if (this.key !== null) this.ask('pause', this.key)
    return this.confirm()
  }

  close(): void {
    this.#question = null
    this.#tab.requestUpdate()
  }

  async confirm(): Promise<void> {
    const question = this.#question
    if (question === null || question.busy) return
    const { action, key } = question
    const before = action === 'rotate' || action === 'revoke' ? (`before-${action}` as const) : null
    if (before && !this.#tab.emit(before, eventDetailOf(key))) return
    Object.assign(question, { busy: true, failure: null })
    this.#tab.requestUpdate()
    try {
      if (question.action === 'rotate') await this.#rotate(question)
      else await this.#change(question, question.action)
      if (this.#isCurrent(question)) void this.#tab.list.load()
    } catch (error) {
      await this.#explain(error, question)
    } finally {
      question.busy = false
      this.#tab.requestUpdate()
    }
  }

  async #rotate(question: Question): Promise<void> {
    const { key, source, overlap } = question
    const how = { ...source.tie, ...(overlap > 0 ? { overlapSeconds: overlap } : {}) }
    const reveals = this.#tab.reveals
    if (reveals === undefined) return
    const change = reveals.unlessLeft(this.#tab.management.rotateKey(key.id, how))
    const { replaced, ...issued } = await withPatience(change, () => this.#turnLate(question))
    question.done = true
    this.#finish(question)
    if (this.#isCurrent(question)) {
      this.#tab.list.replace(replaced)
      this.#tab.list.add(issued.key)
    }
    if (replaced.status === 'revoked') reveals.retire(key.id)
    reveals.show('rotated', issued, source, replaced)
    this.#tab.announce(this.#tab.locale.text('rot.done', { name: key.name }))
    this.#tab.emit('api-key-rotated', eventDetailOf(issued.key))
  }

  async #change(question: Question, action: Exclude<ConfirmedAction, 'rotate'>): Promise<void> {
    const { key, source } = question
    const change = this.#tab.management[`${action}Key`](key.id, source.tie)
    const changed = await withPatience(change, () => this.#turnLate(question))
    question.done = true
    if (this.#finish(question)) {
      this.#tab.focusOn(places.row(key.id), places.filter, places.ended, ...places.top)
    }
    if (this.#isCurrent(question)) this.#tab.list.replace(changed)
    if (action === 'revoke') this.#tab.reveals?.retire(key.id)
    this.#tab.announce(this.#tab.locale.text(DONE[action].said, { name: key.name }))
    this.#tab.emit(DONE[action].event, eventDetailOf(changed))
  }

  async #explain(error: unknown, question: Question): Promise<void> {
    const { action, done, key, source } = question
    // The question was put twice, after a long wait: one of the two answers is enough.
    if (done) return
    const failure = explained(this.#tab, error, { action, name: key.name, source })
    if (failure === null) return
    if (!isGone(error) || !this.#isCurrent(question)) this.#fail(question, failure)
    else await leaveGone(this.#tab, { ...question, failure }, () => this.#finish(question))
  }

  #turnLate(question: Question): void {
    if (!question.done) this.#fail(question, lostAnswer(question.action))
  }

  /** Says what went wrong: in the dialog while it asks this question, above the list after that. */
  #fail(question: Question, failure: Failure): void {
    const { action, key } = question
    Object.assign(question, { failure, busy: false })
    if (this.#question === question) this.#tab.focusOn(places.alert)
    else this.#tab.notify(lateFailure(action, key.name, failure))
  }

  /** Closes the dialog if it asks this question, and says whether it did. */
  #finish(question: Question): boolean {
    const isOpen = this.#question === question
    if (isOpen) this.close()
    return isOpen
  }

  #isCurrent({ source }: Question): boolean {
    return source === this.#tab.source
  }
}
