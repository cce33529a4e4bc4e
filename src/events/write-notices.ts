import {
  delay,
  OptionChecks,
  type OptionRules,
  optionalFunction,
  required,
} from '../lib/option-checks.ts'
import { PollLoop } from '../lib/poll-loop.ts'
import { silenced } from '../lib/tap.ts'
import { withinTime } from '../lib/within-time.ts'
import type { AuditEventRecord } from '../model/audit-event.ts'
import type { KeyRecord } from '../model/key-record.ts'
import { SYSTEM } from '../model/own-actors.ts'
import { leadsOf, nextNoticeAt } from '../model/status.ts'
import { keysAnswer } from '../storage/answers.ts'
import type { HeldKey, KeyStorage, WorkspaceWrite } from '../storage/contract.ts'
import { newEvent } from './new-event.ts'

/** How {@link writeNotices} works. */
export interface NoticeOptions {
  /** Where the keys are: the storage that `createApiKeys` works on. */
  readonly storage: KeyStorage
  /** How often to look for notices that are due, in milliseconds. Default 60,000. */
  readonly pollMs?: number
  /** After how long a storage call without an answer fails, in milliseconds. Default 5,000. */
  readonly storageTimeoutMs?: number
  /** The clock that says what is due. Default: the system's. */
  readonly now?: () => Date
  /** Notified when the storage or the clock has failed; the next look tries again. What it throws is ignored. */
  readonly onError?: (error: unknown) => void
}

/** A running writer of notices, made by {@link writeNotices}. */
export interface NoticeWriter {
  /** Stops; resolves when nothing is under way any more. */
  stop(): Promise<void>
}

/**
 * Writes into the audit log that keys end: `api_key.expiring` 7 days and 1 day before a key expires,
 * `api_key.expired` when it does, and `api_key.retired` when an overlap is over. Each once, whatever dies in
 * between; run it in as many processes as you like. A notice that the next has overtaken is left out, and an
 * expiry that moves later gets new notices. {@link relayEvents} delivers the events. Throws a `TypeError`
 * that names the option at fault.
 */
export function writeNotices(options: NoticeOptions): NoticeWriter {
  const checked = checkOptions(options)
  const { pollMs, onError } = checked
  const loop = new PollLoop({ pollMs, onError, round: () => writeDue(checked) })
  const running = loop.run()
  return Object.freeze({
    stop() {
      loop.stop()
      return running
    },
  })
}

const checks = new OptionChecks('writeNotices')

const RULES: OptionRules<NoticeOptions> = {
  storage: required(['due', 'write']),
  pollMs: delay(1),
  storageTimeoutMs: delay(1),
  now: optionalFunction,
  onError: optionalFunction,
}

function checkOptions(options: NoticeOptions): Required<NoticeOptions> {
  const { storage, ...own } = checks.object(options, RULES)
  const { pollMs = 60_000, storageTimeoutMs = 5_000, now = () => new Date() } = own
  return { storage, pollMs, storageTimeoutMs, now, onError: silenced(own.onError) }
}

const BATCH = 100

/** Writes what is due, up to a batch, and returns whether there may be more. */
async function writeDue(options: Required<NoticeOptions>): Promise<boolean> {
  const nowMs = options.now().getTime()
  checks.that(Number.isFinite(nowMs), 'option "now" must answer a valid Date.')
  const { storage, storageTimeoutMs: timeoutMs } = options
  const query = { atMs: nowMs, limit: BATCH }
  const found = await withinTime({ timeoutMs }, (limit) => storage.due(query, limit))
  const due = keysAnswer(found, BATCH)
  if (due.length === 0) return false
  const workspaces = new Set(due.map(({ record }) => record.workspaceId))
  const writes = [...workspaces].map((workspaceId) => {
    const keys = due.filter(({ record }) => record.workspaceId === workspaceId)
    return writeOf(workspaceId, keys, nowMs)
  })
  const outcomes = await withinTime({ timeoutMs }, (limit) => storage.write(writes, limit))
  // Nothing stored: others were faster, or a key has changed. Either way there is no hurry.
  return outcomes.some(({ outcome }) => outcome === 'stored')
}

/** The notices of one workspace: each is written only if its key has not changed since. */
function writeOf(workspaceId: string, keys: readonly HeldKey[], nowMs: number): WorkspaceWrite {
  const notices = keys.map(({ record, edition }) => {
    const { event, nextAtMs } = noticeFor(record, nowMs)
    return { event, key: { record: { ...record, noticeAtMs: nextAtMs }, ifEdition: edition } }
  })
  return {
    ...{ workspaceId, ifAddedAtMost: null, adds: 0 },
    keys: notices.map(({ key }) => key),
    events: notices.map(({ event }) => event),
  }
}

export interface Notice {
  readonly event: AuditEventRecord
  readonly nextAtMs: number | null
}

/**
 * The notice to write at an instant about a key whose notice is due. One that the next has overtaken is left
 * out: a notice that a key will expire is useless once it has.
 */
export function noticeFor(record: KeyRecord, nowMs: number): Notice {
  const { expiresAtMs, retiresAtMs, replacedBy, noticeAtMs } = record
  if (retiresAtMs !== null && replacedBy !== null) {
    const overlapEndsAt = new Date(retiresAtMs).toISOString()
    const more = { replacementId: replacedBy, overlapEndsAt }
    const change = { actor: SYSTEM, atMs: retiresAtMs }
    return { nextAtMs: null, event: newEvent('api_key.retired', record, change, more) }
  }
  if (expiresAtMs === null) {
    throw new TypeError('The storage answered with a notice for a key that has no end.')
  }
  const past = leadsOf(expiresAtMs).filter((instant) => instant <= nowMs)
  const hasExpired = expiresAtMs <= nowMs
  const atMs = hasExpired ? expiresAtMs : Math.max(Number(noticeAtMs), ...past)
  const nextAtMs = hasExpired ? null : nextNoticeAt(record, atMs)
  const expiresAt = new Date(expiresAtMs).toISOString()
  const type = hasExpired ? 'api_key.expired' : 'api_key.expiring'
  return { nextAtMs, event: newEvent(type, record, { actor: SYSTEM, atMs }, { expiresAt }) }
}
