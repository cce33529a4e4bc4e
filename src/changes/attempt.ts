import type { WorkspaceView, WorkspaceWrite } from '../storage/contract.ts'
import { isBusy, lateError, type Member, unknownError } from './member.ts'

/** What has become of a batch so far. */
export class Attempt {
  members: readonly Member[]
  /** The write that was sent last. */
  sent: WorkspaceWrite | null = null
  /** Whether nobody knows if that is stored. */
  isOpen = false
  error: unknown
  /** Whether the batch is to be halved. */
  isTooLarge = false
  /** The view of the refusal before. */
  #refusedView = ''

  constructor(members: readonly Member[]) {
    this.members = members
  }

  /** When the first of the members has to know. */
  get endMs(): number {
    return Math.min(...this.members.map(({ endMs }) => endMs))
  }

  /** Members whose time is up leave. */
  dropLate(): void {
    const nowMs = performance.now()
    const late = this.members.filter(({ endMs }) => endMs <= nowMs)
    if (late.length === 0) return
    this.members = this.members.filter(({ endMs }) => endMs > nowMs)
    const error = this.isOpen ? unknownError(this.error) : (this.error ?? lateError())
    for (const member of late) member.fail(error)
  }

  /** The read has failed, or a write of which nothing is stored. */
  fail(error: unknown, operation?: 'read'): void {
    this.error = error
    // Only a read can say what became of an open write.
    if (this.isOpen) return
    const isForAll = !isBusy(error) && Object(error).code !== 'unstorable_value'
    if (isForAll || (this.members.length === 1 && !isBusy(error))) {
      for (const member of this.members) member.fail(error, operation)
      this.members = []
    }
    this.isTooLarge = this.members.length > 1
  }

  /** The storage has refused the write that was sent. Only a read can say that no earlier copy of it is stored. */
  refuse(view: WorkspaceView): void {
    this.isTooLarge = this.members.length > 1
    this.error = undefined
    const seen = JSON.stringify(view)
    if (seen === this.#refusedView && !this.isOpen) {
      for (const member of this.members) member.taken()
      this.members = []
    }
    this.#refusedView = seen
    this.isOpen = true
  }

  /** Whether a view shows that the write that was sent is stored. A refused one is open no more. */
  wasStored({ eventIds }: WorkspaceView): boolean {
    this.isOpen = false
    return eventIds.length > 0
  }

  finish(stored: { readonly isLogged: boolean } | null): void {
    for (const member of this.members) member.finish(stored)
  }
}
