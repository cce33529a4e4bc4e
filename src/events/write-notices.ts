import { OptionChecks } from '../lib/option-checks.ts'
import { PollLoop } from '../lib/poll-loop.ts'
import { silenced } from '../lib/tap.ts'
import { type StorageCall, withinTime } from '../lib/within-time.ts'
import { noticesAnswer } from '../storage/answers.ts'
import type { KeyStorage } from '../storage/contract.ts'
import { noticeFor } from './notice.ts'

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
 * Writes into the audit log that keys end: `api_key.expiring` 7 days and 1 day before a key
 * expires, `api_key.expired` when it does, and `api_key.retired` when an overlap is over. Each
 * once, whatever dies in between; run it in as many processes as you like. A notice that the next
 * has overtaken is left out, and an expiry that moves later gets new notices. {@link relayEvents}
 * delivers the events. Throws a `TypeError` that names the option at fault.
 *
 * @example
 * ```ts
 * import { writeNotices } from 'miftah/events'
 * import { memoryStorage } from 'miftah/memory'
 *
 * const notices = writeNotices({ storage: memoryStorage() })
 * await notices.stop()
 * ```
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

const KNOWN: Readonly<Record<keyof NoticeOptions, true>> = {
  storage: true,
  pollMs: true,
  storageTimeoutMs: true,
  now: true,
  onError: true,
}

function checkOptions(options: NoticeOptions): Required<NoticeOptions> {
  const own = checks.object(options, KNOWN)
  const { storage, pollMs = 60_000, storageTimeoutMs = 5_000, now, onError } = own
  checks.methods('storage', storage, ['dueNotices', 'storeNotices'])
  checks.optionalFunction('now', now)
  checks.optionalFunction('onError', onError)
  return {
    storage,
    pollMs: checks.delay('pollMs', pollMs, 1),
    storageTimeoutMs: checks.delay('storageTimeoutMs', storageTimeoutMs, 1),
    now: now ?? (() => new Date()),
    onError: silenced(onError),
  }
}

/** How many notices are written at once. */
const BATCH = 100

/** Writes what is due, up to a batch, and returns whether there may be more. */
async function writeDue(options: Required<NoticeOptions>): Promise<boolean> {
  const nowMs = options.now().getTime()
  checks.that(Number.isFinite(nowMs), 'option "now" must answer a valid Date.')
  const query = { atMs: nowMs, limit: BATCH }
  const answer = await call(options, (storage, limit) => storage.dueNotices(query, limit))
  const notices = noticesAnswer(answer, query).map((due) => noticeFor(due, nowMs))
  if (notices.length === 0) return false
  const stored = await call(options, (storage, limit) => storage.storeNotices(notices, limit))
  // Nothing stored: others were faster, or a key has changed. Either way there is no hurry.
  return stored > 0
}

async function call<T>(
  { storage, storageTimeoutMs }: Required<NoticeOptions>,
  work: (storage: KeyStorage, call: StorageCall) => Promise<T>,
): Promise<T> {
  return withinTime({ timeoutMs: storageTimeoutMs }, (limit) => work(storage, limit))
}
