import type {
  Lag,
  LaggingNode,
  LoggedChange,
  NodeRegistration,
  Renewal,
  RenewalRequest,
} from '../../../src/storage/change-log.ts'

interface NodeRow extends NodeRegistration {
  renewal: number
  since: number
  acked: number
}

/** What a backup holds. */
interface Saved {
  readonly revoked: ReadonlyMap<string, number>
  readonly log: readonly LoggedChange[]
  readonly nodes: ReadonlyMap<string, NodeRow>
}

/** Mistakes of a storage that break the contract of `ChangeLog`. */
export type StoreBug =
  | 'acknowledges_what_it_returns'
  | 'acknowledges_without_matching_renewals'
  | 'trusts_a_row_that_has_caught_up'
  | 'evicts_blindly'
  | 'answers_an_old_head'

/** The database: each method is one atomic step. */
export class SimStore {
  readonly #bug: StoreBug | null
  /** The commit that revoked each key. */
  #revoked = new Map<string, number>()
  #log: LoggedChange[] = []
  #nodes = new Map<string, NodeRow>()
  /** Goes on after a restore. */
  #commits = 0

  constructor(bug: StoreBug | null = null) {
    this.#bug = bug
  }

  get head(): number {
    return this.#log.at(-1)?.sequence ?? 0
  }

  isRevoked(hash: string): boolean {
    return this.#revoked.has(hash)
  }

  /** The commit that has revoked a key, if this database has it. */
  revokedBy(hash: string): number | undefined {
    return this.#revoked.get(hash)
  }

  save(): Saved {
    return structuredClone({ revoked: this.#revoked, log: this.#log, nodes: this.#nodes })
  }

  /** Forgets what was committed since. */
  restore({ revoked, log, nodes }: Saved): void {
    this.#revoked = new Map(revoked)
    this.#log = [...log]
    this.#nodes = new Map(nodes)
  }

  /** A primary that is frozen now, while another one takes its place with all that it has answered. */
  frozen(): SimStore {
    const store = new SimStore(this.#bug)
    store.restore(this.save())
    return store
  }

  /** Revokes a key, and answers the commit that did: unique, also where a restore makes sequences repeat. */
  revoke(hash: string): number {
    const before = this.#revoked.get(hash)
    if (before !== undefined) return before
    this.#commits += 1
    this.#revoked.set(hash, this.#commits)
    this.#log.push({ sequence: this.head + 1, kind: 'key', hash })
    return this.#commits
  }

  register({ node, leaseMs }: NodeRegistration): void {
    if (this.#nodes.has(node)) return
    this.#nodes.set(node, { node, leaseMs, renewal: 0, since: 0, acked: 0 })
  }

  renew(request: RenewalRequest): Renewal {
    const { node, applied } = request
    const row = this.#nodes.get(node)
    if (row === undefined) return { outcome: 'evicted' }
    const { head } = this
    const isSameLog = this.#carryOut(row, request)
    const early = this.#bug === 'acknowledges_what_it_returns'
    const always = this.#bug === 'acknowledges_without_matching_renewals'
    if (isSameLog || always) row.acked = Math.max(row.acked, early ? head : (applied ?? 0))
    const changes = applied === null ? null : this.#log.filter(({ sequence }) => sequence > applied)
    return { outcome: 'renewed', isSameLog, head, changes }
  }

  /** Answers whether this log has carried out the renewal that the node names as answered. */
  #carryOut(row: NodeRow, { renewal, answered }: RenewalRequest): boolean {
    const trusts = this.#bug === 'trusts_a_row_that_has_caught_up'
    const isMissing = answered > row.renewal
    if (isMissing && !trusts) row.since = renewal
    row.renewal = Math.max(row.renewal, renewal)
    return trusts ? !isMissing : answered >= row.since
  }

  laggingNodes(sequence: number | null): Lag {
    const end = this.#bug === 'answers_an_old_head' ? this.head - 1 : this.head
    const head = sequence ?? end
    const rows = [...this.#nodes.values()].filter(({ acked }) => acked < head)
    return { head, nodes: rows.map(({ node, leaseMs, renewal }) => ({ node, leaseMs, renewal })) }
  }

  evict(nodes: readonly LaggingNode[], sequence: number): void {
    for (const { node, renewal } of nodes) {
      const row = this.#nodes.get(node)
      const may = row?.renewal === renewal && row.acked < sequence
      if (may || this.#bug === 'evicts_blindly') this.#nodes.delete(node)
    }
  }

  leave(node: string): void {
    this.#nodes.delete(node)
  }
}
