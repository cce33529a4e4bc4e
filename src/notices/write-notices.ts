import { Demands } from '../lib/option-checks.ts'
import { silenced } from '../lib/tap.ts'
import { unref, withinTime } from '../lib/within-time.ts'
import { noticesAnswer } from '../storage/answers.ts'
import type { KeyStorage, StorageCall } from '../storage/contract.ts'
import { noticeFor } from './notice.ts'

/** How {@link writeNotices} works. */
export interface NoticeOptions {
  /** Where the keys are: the storage that `createApiKeys` works on. */
  readonly storage: KeyStorage
  /** How often to look for notices that are due, in milliseconds. Default 60,000. */
  readonly pollMs?: number
  /** How many are written at once. Default 100. */
  readonly batch?: number
  /** After how long a storage call without an answer fails, in milliseconds. Default 5,000. */
  readonly storageTimeoutMs?: number
  /** The clock that says what is due. Default: the system's. */
  readonly now?: () => Date
  /** Told when the storage or the clock failed; the next look tries again. What it throws is ignored. */
  readonly onError?: (error: unknown) => void
}

/** A writer of notices that is at work, made by {@link writeNotices}. */
export interface NoticeWriter {
  /** Stops; resolves when nothing is under way any more. */
  stop(): Promise<void>
}

/**
 * Writes into the audit log that keys end: `api_key.expiring` 7 days and 1 day before a key expires,
 * `api_key.expired` when it does, and `api_key.retired` when an overlap is over. Each once, whatever
 * dies in between; run it in as many processes as you like. A notice that the next has overtaken is
 * left out, and an expiry that moves later is told of anew. {@link relayEvents} delivers the events.
 * Throws a `TypeError` that names the option at fault.
 *
 * @example
 * ```ts
 * import { writeNotices } from 'miftah'
 * import { memoryStorage } from 'miftah/memory'
 *
 * const notices = writeNotices({ storage: memoryStorage() })
 * await notices.stop()
 * ```
 */
export function writeNotices(options: NoticeOptions): NoticeWriter {
  const writer = new Writer(checkOptions(options))
  const running = writer.run()
  return Object.freeze({
    stop() {
      writer.stop()
      return running
    },
  })
}

const demands = new Demands('writeNotices')

const KNOWN: Readonly<Record<keyof NoticeOptions, true>> = {
  storage: true,
  pollMs: true,
  batch: true,
  storageTimeoutMs: true,
  now: true,
  onError: true,
}

function checkOptions(options: NoticeOptions): Required<NoticeOptions> {
  demands.object(options, KNOWN)
  const { storage, pollMs = 60_000, batch = 100, storageTimeoutMs = 5_000, now, onError } = options
  demands.methods('storage', storage, ['dueNotices', 'storeNotices'])
  demands.that(
    Number.isSafeInteger(batch) && batch >= 1,
    'option "batch" must be a positive whole number.',
  )
  demands.optionalFunction('now', now)
  demands.optionalFunction('onError', onError)
  return {
    storage,
    pollMs: demands.delay('pollMs', pollMs, 1),
    batch,
    storageTimeoutMs: demands.delay('storageTimeoutMs', storageTimeoutMs, 1),
    now: now ?? (() => new Date()),
    onError: silenced(onError),
  }
}

class Writer {
  readonly #options: Required<NoticeOptions>
  #stopped = false
  #wake: () => void = () => {}

  constructor(options: Required<NoticeOptions>) {
    this.#options = options
  }

  stop(): void {
    this.#stopped = true
    this.#wake()
  }

  async run(): Promise<void> {
    while (!this.#stopped) {
      const mayBeMore = await this.#round()
      if (!mayBeMore && !this.#stopped) await this.#pause()
    }
  }

  /** Writes what is due, up to a batch; whether there may be more. */
  async #round(): Promise<boolean> {
    const { now, batch, onError } = this.#options
    try {
      const nowMs = now().getTime()
      const query = { atMs: nowMs, limit: batch }
      const answer = await this.#ask((storage, call) => storage.dueNotices(query, call))
      const notices = noticesAnswer(answer, query).map((due) => noticeFor(due, nowMs))
      if (notices.length === 0) return false
      const stored = await this.#ask((storage, call) => storage.storeNotices(notices, call))
      // Nothing stored: others were faster, or a key has changed. Either way there is no hurry.
      return notices.length === batch && stored > 0
    } catch (error) {
      onError(error)
      return false
    }
  }

  #ask<T>(work: (storage: KeyStorage, call: StorageCall) => Promise<T>): Promise<T> {
    const { storage, storageTimeoutMs } = this.#options
    const limit = { timeoutMs: storageTimeoutMs }
    return Promise.resolve(withinTime(limit, (call) => work(storage, call)))
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#options.pollMs)
      unref(timer)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
