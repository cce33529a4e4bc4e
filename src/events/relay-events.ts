import {
  aFunction,
  delay,
  OptionChecks,
  type OptionRules,
  optionalFunction,
  required,
} from '../lib/option-checks.ts'
import { PollLoop } from '../lib/poll-loop.ts'
import { silenced } from '../lib/tap.ts'
import { type StorageCall, withinTime } from '../lib/within-time.ts'
import type { AuditEvent, AuditEventRecord } from '../model/audit-event.ts'
import { mintId } from '../secret/mint.ts'
import type { KeyStorage } from '../storage/contract.ts'
import { toAuditEvent } from './api-key-event.ts'
import { BackedOffWorkspaces } from './backed-off-workspaces.ts'

/** How {@link relayEvents} works. */
export interface RelayOptions {
  /** Where the events are: the storage that `createApiKeys` works on. */
  readonly storage: KeyStorage
  /**
   * Takes one event; the next of its workspace comes only after it has resolved. It refuses the event by
   * throwing, or by not resolving within half of `leaseMs`; `signal` is aborted then: pass it on, so that a
   * late delivery ends before the next attempt begins.
   */
  readonly deliver: (event: AuditEvent, signal: AbortSignal) => void | Promise<void>
  /** How often to look for events when there were none, in milliseconds. Default 1,000. */
  readonly pollMs?: number
  /** How long a relay that falls silent keeps others away, in milliseconds by the storage's clock. Default 30,000. */
  readonly leaseMs?: number
  /** Notified when `deliver` or the storage has failed. What it throws is ignored. */
  readonly onError?: (error: unknown) => void
}

/** A running relay, made by {@link relayEvents}. */
export interface EventRelay {
  /**
   * Stops after the event under way, acknowledges what was delivered and releases the lease, so that another
   * relay takes over at once. Resolves when nothing is under way any more, at the latest after half of
   * `leaseMs` and two calls of the storage.
   */
  stop(): Promise<void>
}

/**
 * Delivers the audit events of a storage to the host's own sink, each at least once and in order within its
 * workspace. Run it in as many processes as you like: one delivers at a time, and when it dies another takes
 * over after `leaseMs`. Delivered events are acknowledged in groups, about every 100 ms or after the delivery
 * then under way: `deliver` should know an event by its `id` when it sees it twice. Throws a `TypeError` that
 * names the option at fault.
 *
 * A refused event is tried again before any later one of its workspace: after `pollMs`, then after twice the
 * time before, up to a minute. Other workspaces do not wait for it.
 */
export function relayEvents(options: RelayOptions): EventRelay {
  const relay = new Relay(checkOptions(options))
  const running = relay.run()
  return Object.freeze({
    stop() {
      relay.stop()
      return running
    },
  })
}

const checks = new OptionChecks('relayEvents')

const RULES: OptionRules<RelayOptions> = {
  storage: required(['claimEvents', 'acknowledgeEvents', 'releaseEvents']),
  deliver: aFunction,
  pollMs: delay(1),
  leaseMs: delay(2),
  onError: optionalFunction,
}

function checkOptions(options: RelayOptions): Required<RelayOptions> {
  const { storage, deliver, ...own } = checks.object(options, RULES)
  // Storages count in whole milliseconds.
  const leaseMs = Math.ceil(own.leaseMs ?? 30_000)
  return { storage, deliver, leaseMs, pollMs: own.pollMs ?? 1_000, onError: silenced(own.onError) }
}

/**
 * How long a delivered event may wait for others to be acknowledged with: one commit for each event keeps a relay
 * behind 16 creators on PostgreSQL. A process that is killed delivers again what it delivered in this time.
 */
const SETTLE_MS = 100

/**
 * How long after a claim its events are delivered, in milliseconds. They are read again then: a person may
 * have been erased.
 */
const FRESH_MS = 1_000

const BATCH = 100

interface Claim {
  readonly events: readonly AuditEventRecord[]
  /** An instant of `performance.now()`: no later delivery outlasts the lease or is out of date. */
  readonly lastStartMs: number
}

class Relay {
  readonly #options: Required<RelayOptions>
  readonly #deliverTimeoutMs: number
  readonly #id = mintId('rly')
  readonly #backedOff: BackedOffWorkspaces
  readonly #loop: PollLoop

  constructor(options: Required<RelayOptions>) {
    const { pollMs, onError } = options
    this.#options = options
    // The lease outlasts every delivery.
    this.#deliverTimeoutMs = options.leaseMs / 2
    this.#backedOff = new BackedOffWorkspaces(pollMs)
    this.#loop = new PollLoop({ pollMs, onError, round: () => this.#round() })
  }

  stop(): void {
    this.#loop.stop()
  }

  async run(): Promise<void> {
    await this.#loop.run()
    try {
      await this.#call((storage, call) => storage.releaseEvents(this.#id, call))
    } catch (error) {
      this.#options.onError(error)
    }
  }

  /**
   * Claims and delivers for as long as a claim leaves events that are out of date; whether there may be more
   * to deliver at once. Only the first claim retries a workspace: a slow one must not keep the others to a
   * second in between.
   */
  async #round(): Promise<boolean> {
    const endMs = performance.now() + this.#deliverTimeoutMs
    const retried = this.#backedOff.retry()
    let claim = await this.#claim(retried)
    if (retried !== null) this.#backedOff.release(retried)
    while ((await this.#deliver(claim)) && performance.now() <= endMs)
      claim = await this.#claim(null)
    return claim.events.length > 0 || this.#backedOff.anyDue
  }

  async #claim(retried: string | null): Promise<Claim> {
    const { leaseMs } = this.#options
    const lastStartMs = performance.now() + Math.min(this.#deliverTimeoutMs, FRESH_MS)
    const except = this.#backedOff.except(retried)
    const claim = { relay: this.#id, leaseMs, limit: BATCH, except }
    return {
      lastStartMs,
      events: await this.#call((storage, call) => storage.claimEvents(claim, call)),
    }
  }

  /** Delivers the events and acknowledges them; whether some are left that have to be claimed again. */
  async #deliver({ events, lastStartMs }: Claim): Promise<boolean> {
    let isOutOfDate = false
    let acknowledgeMs = Infinity
    const refused = new Set<string>()
    const delivered: string[] = []
    for (const [at, event] of events.entries()) {
      const { id, workspaceId } = event
      if (this.#loop.isStopped) break
      // The first event goes ahead, or a slow storage would stop all.
      isOutOfDate = at > 0 && performance.now() > lastStartMs
      if (isOutOfDate) break
      if (refused.has(workspaceId)) continue
      if (await this.#isDelivered(event)) {
        if (delivered.length === 0) acknowledgeMs = performance.now() + SETTLE_MS
        delivered.push(id)
        this.#backedOff.free(workspaceId)
      } else {
        refused.add(workspaceId)
        this.#backedOff.hold(workspaceId)
      }
      if (performance.now() >= acknowledgeMs) await this.#acknowledge(delivered.splice(0))
    }
    await this.#acknowledge(delivered)
    return isOutOfDate
  }

  async #acknowledge(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    await this.#call((storage, call) => storage.acknowledgeEvents(this.#id, ids, call))
  }

  async #isDelivered(record: AuditEventRecord): Promise<boolean> {
    const { deliver } = this.#options
    const timeoutMs = this.#deliverTimeoutMs
    const message = `deliver did not resolve within ${timeoutMs} ms`
    const limit = { timeoutMs, keepsAlive: true, message }
    const work = async ({ signal }: StorageCall) => deliver(toAuditEvent(record), signal)
    try {
      await withinTime(limit, work)
      return true
    } catch (error) {
      this.#options.onError(error)
      return false
    }
  }

  /** An answer that comes after the lease has ended is of no use. */
  async #call<T>(work: (storage: KeyStorage, call: StorageCall) => Promise<T>): Promise<T> {
    const { storage, leaseMs } = this.#options
    return withinTime({ timeoutMs: leaseMs }, (call) => work(storage, call))
  }
}
