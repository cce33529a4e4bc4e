import type { AuditEventRecord, EventClaim } from '../../../../src/index.ts'

/** Events that no relay has settled yet, and the lease of the relay that delivers them. */
export class Outbox {
  readonly #events = new Map<string, AuditEventRecord>()
  #holder: string | null = null
  #leaseEndsMs = 0

  add(event: AuditEventRecord): void {
    this.#events.set(event.id, event)
  }

  claim({ relay, leaseMs, limit, nowMs }: EventClaim): readonly AuditEventRecord[] {
    if (this.#holder !== null && this.#holder !== relay && nowMs < this.#leaseEndsMs) return []
    this.#holder = relay
    this.#leaseEndsMs = nowMs + leaseMs
    return [...this.#events.values()].slice(0, limit)
  }

  settle(relay: string, eventIds: readonly string[]): void {
    if (relay !== this.#holder) return
    for (const id of eventIds) this.#events.delete(id)
  }
}
