import { mintId } from '../secret/mint.ts'
import type { KeyStorage } from '../storage/contract.ts'
import { unref } from '../storage/deadline.ts'
import { toAuditEvent } from './api-key-event.ts'
import type { AuditEvent } from './audit-event.ts'

/** How {@link relayEvents} works. */
export interface RelayOptions {
  readonly storage: KeyStorage
  /** Takes one event; the next of its workspace comes only after it has resolved. */
  readonly deliver: (event: AuditEvent) => void | Promise<void>
  /** How often to look for events when there were none, in milliseconds. Default 1,000. */
  readonly pollMs?: number
  /** For how long a relay that falls silent keeps others away, in milliseconds. Default 30,000. */
  readonly leaseMs?: number
  /** How many events are taken at once. Default 100. */
  readonly batch?: number
  /** Told when `deliver` or the storage failed; the relay tries again after `pollMs`. */
  readonly onError?: (error: unknown) => void
}

/** A running relay. */
export interface EventRelay {
  /** Stops after the event under way; resolves when nothing is under way any more. */
  stop(): Promise<void>
}

/**
 * Delivers the audit events of a storage to the host's own sink, each at least once and in order
 * within its workspace. Run it in as many processes as you like: one delivers at a time, and when it
 * dies another takes over after `leaseMs`. An event whose delivery failed is tried again before any
 * later one, so `deliver` should know an event by its `id` when it sees it twice. `deliver` should
 * take less than `leaseMs` for a batch; a slower one may see an event from two processes.
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
  const relay = new Relay(options)
  const running = relay.run()
  return {
    stop() {
      relay.stop()
      return running
    },
  }
}

class Relay {
  readonly #options: RelayOptions
  readonly #id = mintId('rly')
  #stopped = false
  #wake: () => void = () => {}

  constructor(options: RelayOptions) {
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
    const { storage, leaseMs = 30_000, batch = 100, onError } = this.#options
    try {
      const claim = { relay: this.#id, leaseMs, limit: batch, nowMs: Date.now() }
      const events = await storage.claimEvents(claim)
      let delivered = 0
      for (const event of events) {
        if (this.#stopped) break
        await this.#options.deliver(toAuditEvent(event))
        await storage.settleEvents(this.#id, [event.id])
        delivered += 1
      }
      return delivered
    } catch (error) {
      onError?.(error)
      return 0
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
      unref(setTimeout(resolve, this.#options.pollMs ?? 1_000))
    })
  }
}
