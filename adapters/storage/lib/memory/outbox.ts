import type { AuditEventRecord, EventClaim } from '../../../../src/storage/index.ts'

/** Events that no relay has acknowledged yet, and the lease of the relay that delivers them. */
export class Outbox {
  readonly #events = new Map<string, AuditEventRecord>()
  #holder: string | null = null
  /** By the monotonic clock of this process. */
  #leaseEndsMs = 0

  add(event: AuditEventRecord): void {
    this.#events.set(event.id, event)
  }

  /** Whether no relay has acknowledged the event yet. */
  has(id: string): boolean {
    return this.#events.has(id)
  }

  /** Puts another state of an event in its place, if it is here. */
  replace(event: AuditEventRecord): void {
    if (this.#events.has(event.id)) this.#events.set(event.id, event)
  }

  claim({ relay, leaseMs, limit, except }: EventClaim): readonly AuditEventRecord[] {
    const nowMs = performance.now()
    if (this.#holder !== null && this.#holder !== relay && nowMs < this.#leaseEndsMs) return []
    this.#holder = relay
    this.#leaseEndsMs = nowMs + leaseMs
    return this.#oldest(limit, new Set(except))
  }

  release(relay: string): void {
    if (relay === this.#holder) this.#holder = null
  }

  /** Acknowledges events and returns those that it has acknowledged. */
  acknowledge(relay: string, eventIds: readonly string[]): readonly AuditEventRecord[] {
    if (relay !== this.#holder) return []
    const acknowledged = eventIds.flatMap((id) => this.#events.get(id) ?? [])
    for (const { id } of acknowledged) this.#events.delete(id)
    return acknowledged
  }

  #oldest(limit: number, except: ReadonlySet<string>): readonly AuditEventRecord[] {
    const found: AuditEventRecord[] = []
    for (const event of this.#events.values()) {
      if (found.length === limit) break
      if (!except.has(event.workspaceId)) found.push(event)
    }
    return found
  }
}
