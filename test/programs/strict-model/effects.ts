import { Fact, Lookup, Message, Phase, type State } from './state.ts'

/* What the steps of the protocol change. */

/** Whether the node has not acknowledged what the revoker has committed. */
export function isLagging(s: State, r: number): boolean {
  return s.get(Fact.row) > 0 && s.get(Fact.acked) < s.get(Fact.sequence, r) + 1
}

export function acknowledge(next: State, applied: number): void {
  next.set(Fact.acked, Math.max(next.get(Fact.acked), applied))
}

export function unregistered(next: State): State {
  for (const fact of [Fact.isRegistered, Fact.applied, Fact.lease, Fact.flag]) next.set(fact, 0)
  for (const fact of [Fact.answeredSince, Fact.savedRow, Fact.savedAcked]) next.set(fact, 0)
  // A restore may have brought the row back. It is of a node that is no more.
  withoutRow(next)
  return next
}

export function withoutRow(next: State): void {
  next.set(Fact.row, 0)
  next.set(Fact.acked, 0)
  for (const r of [0, 1]) {
    next.set(Fact.isSameRow, 0, r)
    next.set(Fact.isAsSeen, 0, r)
  }
}

export function forget(next: State, key: number): void {
  next.set(Fact.entry, 0, key)
  // Without a lookup under way the mark would only tell equal states apart.
  if (next.get(Fact.lookup, key) !== Lookup.none) next.set(Fact.isDirty, 1, key)
}

export function forgetAll(next: State): void {
  for (const key of [0, 1]) forget(next, key)
}

export function withoutLookup(next: State, key: number): State {
  next.set(Fact.lookup, Lookup.none, key)
  next.set(Fact.isDirty, 0, key)
  return next
}

export function withoutMessage(next: State): State {
  for (const fact of [Fact.message, Fact.messageAge, Fact.messageApplied, Fact.messageHead]) {
    next.set(fact, 0)
  }
  for (const fact of [Fact.messageSince, Fact.isOtherLog]) next.set(fact, 0)
  return next
}

export function saved(next: State): State {
  next.set(Fact.isSaved, 1)
  next.set(Fact.savedHead, next.get(Fact.head))
  next.set(Fact.savedRow, next.get(Fact.row))
  next.set(Fact.savedAcked, next.get(Fact.acked))
  for (const key of [0, 1]) next.set(Fact.savedRevokedAt, next.get(Fact.revokedAt, key), key)
  return next
}

/** Goes back to the backup: nobody has a lease from since, and nothing sent before is carried out. */
export function restored(next: State, revokers: readonly number[]): State {
  next.set(Fact.restores, 0)
  next.set(Fact.isRestored, 1)
  next.set(Fact.head, next.get(Fact.savedHead))
  next.set(Fact.row, next.get(Fact.savedRow))
  next.set(Fact.acked, next.get(Fact.savedAcked))
  for (const key of [0, 1]) next.set(Fact.revokedAt, next.get(Fact.savedRevokedAt, key), key)
  withoutBackup(next)
  for (const fact of [Fact.late, Fact.lateSince]) next.set(fact, 0)
  if (next.get(Fact.message) === Message.sent) withoutMessage(next)
  for (const [r, key] of revokers.entries()) {
    if (next.get(Fact.revokedAt, key) === 0) undone(next, r)
    else next.set(Fact.isSameRow, next.get(Fact.isSameRow, r) & next.get(Fact.row), r)
    // Its last renewal may be the one that the revoker has seen.
    next.set(Fact.isAsSeen, next.get(Fact.isSameRow, r), r)
  }
  return next
}

/** A standby takes over with all that was answered. The node stays with the old primary. */
export function replaced(next: State): State {
  next.set(Fact.replacements, 0)
  next.set(Fact.isReplaced, 1)
  for (const key of [0, 1]) {
    next.set(Fact.isAliveThere, next.get(Fact.revokedAt, key) === 0 ? 1 : 0, key)
  }
  return next.get(Fact.message) === Message.sent ? withoutMessage(next) : next
}

/** Connected to the new primary again. */
export function reconnected(next: State): State {
  next.set(Fact.isReplaced, 0)
  for (const key of [0, 1]) next.set(Fact.isAliveThere, 0, key)
  return next
}

function withoutBackup(next: State): void {
  for (const fact of [Fact.isSaved, Fact.savedHead, Fact.savedRow, Fact.savedAcked]) {
    next.set(fact, 0)
  }
  for (const key of [0, 1]) next.set(Fact.savedRevokedAt, 0, key)
}

/** What a revoker has committed is gone: it may revoke again. */
function undone(next: State, r: number): void {
  enter(next, r, Phase.idle)
  next.set(Fact.sequence, 0, r)
}

export function enter(next: State, r: number, phase: number): State {
  next.set(Fact.phase, phase, r)
  // A revoker that has resolved does nothing more, whatever it knew.
  for (const fact of [Fact.elapsed, Fact.isSameRow, Fact.isAsSeen]) next.set(fact, 0, r)
  return next
}

export function less(next: State, fact: number): State {
  next.set(fact, next.get(fact) - 1)
  return next
}
