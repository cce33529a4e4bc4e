import {
  acknowledge,
  enter,
  forget,
  forgetAll,
  isLagging,
  less,
  reconnected,
  replaced,
  restored,
  saved,
  unregistered,
  withoutLookup,
  withoutMessage,
  withoutRow,
} from './effects.ts'
import { type Bounds, Fact, Lookup, Message, Phase, type State } from './state.ts'

/** Mistakes in the protocol, each of which the checker must find. */
export const BUGS = [
  'lease counted from the answer',
  'lease given before the changes are applied',
  'acknowledged before it is applied',
  'acknowledged after a restore without matching renewals',
  'acknowledged after a restore once the row has caught up',
  'kept after a restore',
  'lookup remembered although the key was changed',
  'a read of the storage counts without a lease',
  'callers join any lookup under way',
  'entry read, then a pause, then the lease checked',
  'lease ended by a timer',
  'nodes read before the commit',
  'resolved without waiting',
  'an entry is visible before its commit',
  'second revocation resolves at once',
  'sequence taken outside the order of commits',
  'eviction of a node that has renewed',
  'registered again without forgetting',
  'forgotten before the first renewal is sent, not after',
  'registration and head in one snapshot',
] as const

export type Bug = (typeof BUGS)[number]

/** Told of each step that can be taken: where it leads, its name, and the key or revoker. */
export type Stepper = (next: State, name: string, at: number) => void

/** The protocol as it is, or with one mistake. */
export class Rules {
  readonly #bounds: Bounds
  readonly #bug: Bug | null

  constructor(bounds: Bounds, bug: Bug | null) {
    this.#bounds = bounds
    this.#bug = bug
  }

  /** Every step that can be taken. */
  steps(s: State, step: Stepper): void {
    this.#ticks(s, step)
    this.#registration(s, step)
    this.#renewal(s, step)
    this.#restores(s, step)
    if (s.get(Fact.replacements) > 0) step(replaced(s.copy()), 'primary is replaced', 0)
    if (s.get(Fact.isReplaced) > 0) step(reconnected(s.copy()), 'node reconnects', 0)
    for (const key of new Set(this.#bounds.revokers)) this.#lookups(s, key, step)
    for (const r of this.#bounds.revokers.keys()) this.#revocation(s, r, step)
    if (this.#bounds.revokers.length === 2) this.#batch(s, step)
  }

  /** Whether a call that begins now could be accepted with a key whose revocation has resolved. */
  isViolated(s: State): boolean {
    const lease = this.#has('lease ended by a timer') ? Fact.flag : Fact.lease
    const joins = this.#has('callers join any lookup under way')
    return this.#bounds.revokers.some((key, r) => {
      if (s.get(Fact.phase, r) < Phase.evicting) return false
      const fromMemory = s.get(Fact.entry, key) + s.get(Fact.held, key) > 0 && s.get(lease) > 0
      const mayRead =
        s.get(Fact.lease) > 0 || this.#has('a read of the storage counts without a lease')
      if (mayRead && s.get(Fact.isAliveThere, key) > 0) return true
      return fromMemory || (joins && s.get(Fact.lookup, key) === Lookup.foundAlive)
    })
  }

  #has(bug: Bug): boolean {
    return this.#bug === bug
  }

  #ticks(s: State, step: Stepper): void {
    step(this.#tick(s.copy(), 1, 1), 'tick', 0)
    if (s.get(Fact.slowTicks) > 0) {
      const next = this.#tick(s.copy(), 0, 1)
      step(less(next, Fact.slowTicks), 'tick that the node misses', 0)
    }
    if (s.get(Fact.fastTicks) > 0) {
      const next = this.#tick(s.copy(), 1, 2)
      step(less(next, Fact.fastTicks), 'tick that revokers count twice', 0)
    }
    if (s.get(Fact.flag) > 0 && s.get(Fact.lease) === 0) {
      const next = s.copy()
      next.set(Fact.flag, 0)
      step(next, 'timer of the lease', 0)
    }
  }

  #tick(next: State, ofNode: number, ofRevokers: number): State {
    const { lease, wait, revokers } = this.#bounds
    next.set(Fact.lease, Math.max(0, next.get(Fact.lease) - ofNode))
    if (next.get(Fact.message) !== Message.none) {
      next.set(Fact.messageAge, Math.min(lease, next.get(Fact.messageAge) + ofNode))
    }
    for (const r of revokers.keys()) {
      if (next.get(Fact.phase, r) !== Phase.waiting) continue
      next.set(Fact.elapsed, Math.min(wait, next.get(Fact.elapsed, r) + ofRevokers), r)
    }
    return next
  }

  #registration(s: State, step: Stepper): void {
    const next = s.copy()
    if (s.get(Fact.isRegistered) === 0) {
      if (s.get(Fact.isReplaced) > 0) return
      next.set(Fact.isRegistered, 1)
      if (this.#has('registration and head in one snapshot')) {
        forgetAll(next)
        next.set(Fact.applied, next.get(Fact.head) + 1)
        next.set(Fact.isCommitting, 1)
      } else next.set(Fact.row, 1)
      step(next, 'register', 0)
    } else if (s.get(Fact.isCommitting) > 0) {
      next.set(Fact.isCommitting, 0)
      next.set(Fact.row, 1)
      next.set(Fact.lease, this.#bounds.lease)
      step(next, 'registration is committed', 0)
    }
  }

  #renewal(s: State, step: Stepper): void {
    const message = s.get(Fact.message)
    if (message === Message.none) this.#send(s, step)
    if (message === Message.sent) {
      if (s.get(Fact.isReplaced) === 0) {
        step(this.#carriedOut(s.copy()), 'renewal is carried out', 0)
      }
      step(withoutMessage(s.copy()), 'renewal is lost', 0)
    }
    if (message === Message.sent && s.get(Fact.lateRenewals) > 0 && s.get(Fact.late) === 0) {
      const next = less(withoutMessage(s.copy()), Fact.lateRenewals)
      next.set(Fact.late, s.get(Fact.messageApplied) + 1)
      next.set(Fact.lateSince, s.get(Fact.answeredSince))
      step(next, 'renewal is given up', 0)
    }
    if (message >= Message.answered) {
      step(this.#answered(s.copy(), message), 'answer arrives', 0)
      step(withoutMessage(s.copy()), 'answer is lost', 0)
    }
    if (s.get(Fact.late) > 0) {
      const next = s.copy()
      next.set(Fact.late, 0)
      next.set(Fact.lateSince, 0)
      // A renewal with a higher number may have been carried out: the row keeps that number.
      if (this.#mayAcknowledge(s, Fact.lateSince)) acknowledge(next, s.get(Fact.late) - 1)
      step(next, 'late renewal is carried out', 0)
    }
    if (s.get(Fact.unapplied) > 0) {
      const next = s.copy()
      next.set(Fact.unapplied, 0)
      step(this.#applied(next, s.get(Fact.unapplied) - 1), 'answer is applied', 0)
    }
  }

  #send(s: State, step: Stepper): void {
    const isBusy = s.get(Fact.isCommitting) + s.get(Fact.unapplied) > 0
    if (s.get(Fact.isRegistered) === 0 || isBusy) return
    const next = s.copy()
    next.set(Fact.message, Message.sent)
    next.set(Fact.messageApplied, s.get(Fact.applied))
    const early = this.#has('forgotten before the first renewal is sent, not after')
    if (early && s.get(Fact.applied) === 0) forgetAll(next)
    step(next, 'renewal is sent', 0)
  }

  #carriedOut(next: State): State {
    if (next.get(Fact.row) === 0) {
      next.set(Fact.message, Message.answeredEvicted)
      return next
    }
    const early = this.#has('acknowledged before it is applied')
    if (this.#mayAcknowledge(next, Fact.answeredSince)) {
      acknowledge(next, early ? next.get(Fact.head) + 1 : next.get(Fact.messageApplied))
    }
    for (const r of [0, 1]) next.set(Fact.isAsSeen, 0, r)
    next.set(Fact.isOtherLog, this.#isOtherLog(next, Fact.answeredSince) ? 1 : 0)
    next.set(Fact.hasCaughtUp, next.get(Fact.isOtherLog) | next.get(Fact.hasCaughtUp))
    next.set(Fact.messageSince, next.get(Fact.isSaved))
    next.set(Fact.message, Message.answered)
    next.set(Fact.messageApplied, 0)
    next.set(Fact.messageHead, next.get(Fact.head))
    return next
  }

  #answered(next: State, message: number): State {
    const [head, age] = [next.get(Fact.messageHead), next.get(Fact.messageAge)]
    const [since, isOther] = [next.get(Fact.messageSince), next.get(Fact.isOtherLog)]
    withoutMessage(next)
    if (message === Message.answeredEvicted) return unregistered(next)
    if (isOther > 0 && !this.#has('kept after a restore')) forgetAll(next)
    next.set(Fact.answeredSince, since)
    next.set(
      Fact.lease,
      this.#bounds.lease - (this.#has('lease counted from the answer') ? 0 : age),
    )
    next.set(Fact.flag, this.#has('lease ended by a timer') ? 1 : 0)
    if (!this.#has('lease given before the changes are applied')) return this.#applied(next, head)
    next.set(Fact.unapplied, head + 1)
    return next
  }

  #applied(next: State, head: number): State {
    const before = next.get(Fact.applied)
    const keeps =
      this.#has('registered again without forgetting') ||
      this.#has('forgotten before the first renewal is sent, not after')
    if (before === 0 && !keeps) forgetAll(next)
    for (const key of [0, 1]) {
      const at = next.get(Fact.revokedAt, key)
      if (before > 0 && at >= before && at <= head) forget(next, key)
    }
    next.set(Fact.applied, head + 1)
    return next
  }

  /** Whether the log was restored to a state before the renewal that the node names as answered. */
  #isOtherLog(s: State, answeredSince: number): boolean {
    const trusts = this.#has('acknowledged after a restore once the row has caught up')
    if (trusts && s.get(Fact.hasCaughtUp) > 0) return false
    return s.get(Fact.isRestored) + s.get(answeredSince) === 2
  }

  #mayAcknowledge(s: State, answeredSince: number): boolean {
    if (s.get(Fact.row) === 0) return false
    const always = this.#has('acknowledged after a restore without matching renewals')
    return always || !this.#isOtherLog(s, answeredSince)
  }

  /** A restore ends all connections, and takes as long as a lease. */
  #restores(s: State, step: Stepper): void {
    if (s.get(Fact.restores) === 0) return
    if (s.get(Fact.isSaved) === 0) {
      step(saved(s.copy()), 'backup', 0)
      return
    }
    const isAnswered = s.get(Fact.message) >= Message.answered
    const mayGiveLease = isAnswered && s.get(Fact.messageAge) < this.#bounds.lease
    const isBusy = s.get(Fact.isCommitting) + s.get(Fact.unapplied) + s.get(Fact.lease) > 0
    if (!mayGiveLease && !isBusy) step(restored(s.copy(), this.#bounds.revokers), 'restore', 0)
  }

  #lookups(s: State, key: number, step: Stepper): void {
    const lookup = s.get(Fact.lookup, key)
    const next = s.copy()
    if (lookup === Lookup.none) {
      next.set(Fact.lookup, Lookup.sent, key)
      step(next, 'lookup is sent', key)
    }
    const isAlive =
      s.get(Fact.isReplaced) > 0
        ? s.get(Fact.isAliveThere, key) > 0
        : s.get(Fact.revokedAt, key) === 0
    if (lookup === Lookup.sent && isAlive) {
      next.set(Fact.lookup, Lookup.foundAlive, key)
      step(next, 'lookup is carried out', key)
    }
    if (lookup === Lookup.foundAlive) {
      const ignores = this.#has('lookup remembered although the key was changed')
      if (ignores || s.get(Fact.isDirty, key) === 0) next.set(Fact.entry, 1, key)
      step(withoutLookup(next, key), 'answer of the lookup arrives', key)
    }
    // It failed, or was carried out after the revocation: nothing is remembered.
    if (lookup === Lookup.sent) step(withoutLookup(s.copy(), key), 'lookup ends', key)
    const pauses = this.#has('entry read, then a pause, then the lease checked')
    if (pauses && s.get(Fact.entry, key) > 0 && this.#isResolved(s, key)) {
      const holding = s.copy()
      holding.set(Fact.held, 1, key)
      step(holding, 'a call reads the entry and pauses', key)
    }
  }

  #isResolved(s: State, key: number): boolean {
    return this.#bounds.revokers.some(
      (revoked, r) => revoked === key && s.get(Fact.phase, r) >= Phase.evicting,
    )
  }

  #revocation(s: State, r: number, step: Stepper): void {
    const phase = s.get(Fact.phase, r)
    if (phase === Phase.idle) this.#begin(s, r, step)
    if (phase === Phase.early) step(this.#committed(s.copy(), r), 'revoker commits', r)
    if (phase === Phase.committed) {
      const next = s.copy()
      enter(next, r, Phase.resolved)
      if (isLagging(s, r)) this.#see(next, r)
      step(next, 'revoker reads the nodes', r)
    }
    if (phase === Phase.waiting && (s.get(Fact.isSameRow, r) === 0 || !isLagging(s, r))) {
      step(enter(s.copy(), r, Phase.resolved), 'revoker sees that all have acknowledged', r)
    }
    if (phase === Phase.waiting && s.get(Fact.elapsed, r) >= this.#bounds.wait) {
      const next = s.copy()
      next.set(Fact.phase, Phase.evicting, r)
      step(next, 'revoker has waited', r)
    }
    if (phase === Phase.evicting) {
      step(enter(this.#evicted(s.copy(), r), r, Phase.resolved), 'eviction is carried out', r)
      step(enter(s.copy(), r, Phase.resolved), 'eviction is lost', r)
    }
  }

  /** Both change something in one transaction: one commit, and an entry for each. */
  #batch(s: State, step: Stepper): void {
    if (s.get(Fact.phase, 0) + s.get(Fact.phase, 1) > Phase.idle) return
    step(this.#committed(this.#committed(s.copy(), 0), 1), 'revokers commit together', 0)
  }

  #begin(s: State, r: number, step: Stepper): void {
    const next = s.copy()
    if (this.#has('sequence taken outside the order of commits')) {
      const other = s.get(Fact.sequence, 1 - r)
      next.set(Fact.sequence, 1 + Math.max(s.get(Fact.head), other), r)
      next.set(Fact.phase, Phase.early, r)
      step(next, 'revoker takes a sequence', r)
    } else if (this.#has('an entry is visible before its commit')) {
      next.set(Fact.head, s.get(Fact.head) + 1)
      next.set(Fact.sequence, s.get(Fact.head) + 1, r)
      next.set(Fact.phase, Phase.early, r)
      step(next, 'revoker shows the entry', r)
    } else if (this.#has('nodes read before the commit')) {
      next.set(Fact.isSameRow, s.get(Fact.row), r)
      next.set(Fact.isAsSeen, s.get(Fact.row), r)
      next.set(Fact.phase, Phase.early, r)
      step(next, 'revoker reads the nodes', r)
    } else step(this.#committed(next, r), 'revoker commits', r)
  }

  #committed(next: State, r: number): State {
    const key = this.#bounds.revokers[r] as number
    const wasRevoked = next.get(Fact.revokedAt, key) > 0
    const taken = next.get(Fact.sequence, r)
    const sequence = taken || next.get(Fact.head) + (wasRevoked ? 0 : 1)
    if (!wasRevoked) next.set(Fact.revokedAt, sequence, key)
    next.set(Fact.head, Math.max(next.get(Fact.head), sequence))
    next.set(Fact.sequence, sequence, r)
    if (next.get(Fact.phase, r) === Phase.early && taken === 0) {
      return next.get(Fact.isSameRow, r) > 0 ? this.#see(next, r) : enter(next, r, Phase.resolved)
    }
    const atOnce =
      this.#has('resolved without waiting') ||
      (wasRevoked && this.#has('second revocation resolves at once'))
    if (atOnce) return enter(next, r, Phase.resolved)
    next.set(Fact.phase, Phase.committed, r)
    return next
  }

  #see(next: State, r: number): State {
    next.set(Fact.phase, Phase.waiting, r)
    next.set(Fact.isSameRow, 1, r)
    next.set(Fact.isAsSeen, 1, r)
    return next
  }

  #evicted(next: State, r: number): State {
    const blindly = this.#has('eviction of a node that has renewed')
    const guarded = next.get(Fact.isSameRow, r) + next.get(Fact.isAsSeen, r) === 2
    if (next.get(Fact.row) > 0 && (blindly || (guarded && isLagging(next, r)))) {
      withoutRow(next)
    }
    return next
  }
}
