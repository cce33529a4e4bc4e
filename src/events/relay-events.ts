import { unref } from '../lib/deadline.ts'
import { Demands } from '../lib/option-checks.ts'
import { silenced } from '../lib/tap.ts'
import { mintId } from '../secret/mint.ts'
import type { KeyStorage } from '../storage/contract.ts'
import { toAuditEvent } from './api-key-event.ts'
import type { AuditEvent } from './audit-event.ts'

/** How {@link relayEvents} works. */
export interface RelayOptions {
  /** Where the events are: the storage that `createApiKeys` works on. */
  readonly storage: KeyStorage
  /** Takes one event; the next of its workspace comes only after it has resolved. */
  readonly deliver: (event: AuditEvent) => void | Promise<void>
  /** How often to look for events when there were none, in milliseconds. Default 1,000. */
  readonly pollMs?: number
  /**
   * For how long a relay that falls silent keeps others away, in milliseconds. Default 30,000. Keep
   * it at more than twice the time one `deliver` takes: a slower one may be called by two processes.
   */
  readonly leaseMs?: number
  /** How many events are taken at once. Default 100. */
  readonly batch?: number
  /**
   * Told when `deliver` or the storage failed; the relay tries again after `pollMs`. What it throws
   * is ignored.
   */
  readonly onError?: (error: unknown) => void
}

/** A relay that is at work, made by {@link relayEvents}. */
export interface EventRelay {
  /** Stops after the event under way; resolves when nothing is under way any more. */
  stop(): Promise<void>
}

/**
 * Delivers the audit events of a storage to the host's own sink, each at least once and in order
 * within its workspace. Run it in as many processes as you like: one delivers at a time, and when it
 * dies another takes over after `leaseMs`. An event whose delivery failed is tried again before any
 * later one, so `deliver` should know an event by its `id` when it sees it twice. Throws a `TypeError`
 * that names the option at fault.
 *
 * @example
 * ```ts
 * import { type AuditEvent, relayEvents } from 'miftah'
 * import { memoryStorage } from 'miftah/memory'
 *
 * const log: AuditEvent[] = []
 * const relay = relayEvents({
 *   storage: memoryStorage(),
 *   deliver: (event) => void log.push(event),
 * })
 * await relay.stop()
 * ```
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

const demands = new Demands('relayEvents')

const KNOWN: Readonly<Record<keyof RelayOptions, true>> = {
  storage: true,
  deliver: true,
  pollMs: true,
  leaseMs: true,
  batch: true,
  onError: true,
}

function checkOptions(options: RelayOptions): Required<RelayOptions> {
  demands.object(options, KNOWN)
  const { storage, deliver, pollMs = 1_000, leaseMs = 30_000, batch = 100, onError } = options
  demands.methods('storage', storage, ['claimEvents', 'settleEvents'])
  demands.that(typeof deliver === 'function', 'option "deliver" must be a function.')
  demands.that(
    Number.isSafeInteger(batch) && batch >= 1,
    'option "batch" must be a positive whole number.',
  )
  demands.optionalFunction('onError', onError)
  return {
    storage,
    deliver,
    pollMs: demands.delay('pollMs', pollMs, 1),
    leaseMs: demands.delay('leaseMs', leaseMs, 1),
    batch,
    onError: silenced(onError),
  }
}

class Relay {
  readonly #options: Required<RelayOptions>
  readonly #id = mintId('rly')
  #stopped = false
  #wake: () => void = () => {}

  constructor(options: Required<RelayOptions>) {
    this.#options = options
  }

  stop(): void {
    this.#stopped = true
    this.#wake()
  }

  async run(): Promise<void> {
    while (!this.#stopped) {
      const delivered = await this.#round()
      if (delivered === 0 && !this.#stopped) await this.#pause()
    }
  }

  /** How many events one round has delivered; 0 also when it failed, so that a pause follows. */
  async #round(): Promise<number> {
    const { storage, deliver, leaseMs, batch, onError } = this.#options
    const renewalMs = performance.now() + leaseMs / 2
    let delivered = 0
    try {
      const claim = { relay: this.#id, leaseMs, limit: batch, nowMs: Date.now() }
      for (const event of await storage.claimEvents(claim)) {
        // A new round renews the lease, so that others stay away however long the batch takes.
        const leaseIsOld = delivered > 0 && performance.now() > renewalMs
        if (this.#stopped || leaseIsOld) break
        await deliver(toAuditEvent(event))
        await storage.settleEvents(this.#id, [event.id])
        delivered += 1
      }
      return delivered
    } catch (error) {
      onError(error)
      return 0
    }
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
