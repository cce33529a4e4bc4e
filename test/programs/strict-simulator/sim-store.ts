import type {
  LoggedChange,
  NodeBehind,
  NodeRegistration,
  Renewal,
  RenewalRequest,
} from '../../../src/storage/change-log.ts'

interface NodeRow extends NodeRegistration {
  renewals: number
  acked: number
}

/** Mistakes of a storage that break the contract of `ChangeLog`. */
export type StoreBug = 'acknowledges_what_it_returns' | 'evicts_blindly' | 'leaves_gaps'

/** The database: each method is one atomic step. */
export class SimStore {
  readonly #bug: StoreBug | null
  readonly #revoked = new Set<string>()
  readonly #log: LoggedChange[] = []
  readonly #nodes = new Map<string, NodeRow>()
  #taken = 0

  constructor(bug: StoreBug | null = null) {
    this.#bug = bug
  }

  get head(): number {
    return this.#log.at(-1)?.sequence ?? 0
  }

  isRevoked(hash: string): boolean {
    return this.#revoked.has(hash)
  }

  /** Revokes a key, and answers what to wait for, also when it was revoked before. */
  revoke(hash: string, taken: number | null): { readonly sequence: number; readonly was: boolean } {
    if (this.#revoked.has(hash)) return { sequence: this.head, was: true }
    this.#revoked.add(hash)
    const sequence = taken ?? this.head + 1
    this.#log.push({ sequence, kind: 'key', hash })
    this.#log.sort((a, b) => a.sequence - b.sequence)
    return { sequence, was: false }
  }

  /** With the bug: the sequence that a revocation takes before it commits. */
  take(): number | null {
    if (this.#bug !== 'leaves_gaps') return null
    this.#taken += 1
    return this.#taken
  }

  register({ node, leaseMs }: NodeRegistration): void {
    if (!this.#nodes.has(node)) this.#nodes.set(node, { node, leaseMs, renewals: 0, acked: 0 })
  }

  renew({ node, applied }: RenewalRequest): Renewal {
    const row = this.#nodes.get(node)
    if (row === undefined) return { outcome: 'evicted' }
    const { head } = this
    row.renewals += 1
    const early = this.#bug === 'acknowledges_what_it_returns'
    row.acked = Math.max(row.acked, early ? head : (applied ?? 0))
    const since = this.#log.filter(({ sequence }) => sequence > (applied ?? 0))
    const changes = applied === null ? null : this.#filled(since, applied, head)
    return { outcome: 'renewed', renewals: row.renewals, head, changes, nodes: 1, slowest: 0 }
  }

  behind(sequence: number): readonly NodeBehind[] {
    const rows = [...this.#nodes.values()].filter(({ acked }) => acked < sequence)
    return rows.map(({ node, leaseMs, renewals }) => ({ node, leaseMs, renewals }))
  }

  /** Answers whether the node was removed. */
  evict({ node, renewals }: NodeBehind, sequence: number): boolean {
    const row = this.#nodes.get(node)
    if (row === undefined) return false
    const may = row.renewals === renewals && row.acked < sequence
    return (may || this.#bug === 'evicts_blindly') && this.#nodes.delete(node)
  }

  leave(node: string): void {
    this.#nodes.delete(node)
  }

  /** A storage with gaps hides them, or the node would notice that entries are missing. */
  #filled(found: readonly LoggedChange[], applied: number, head: number) {
    if (this.#bug !== 'leaves_gaps') return found
    return Array.from({ length: head - applied }, (_, at): LoggedChange => {
      const sequence = applied + 1 + at
      const filler: LoggedChange = { sequence, kind: 'plan', workspaceId: 'none' }
      return found.find((change) => change.sequence === sequence) ?? filler
    })
  }
}
