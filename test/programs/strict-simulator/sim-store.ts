import type { Lag, LaggingNode, Renewal, RenewalRequest } from '../../../src/storage/change-log.ts'
import { LogRows, type NodeRow } from '../../support/memory-log.ts'

/** What a backup holds. */
type Saved = Pick<SimStore, 'revoked' | 'changes' | 'nodes'>

/** Mistakes of a storage that break the contract of `ChangeLog`. */
export type StoreBug =
  | 'acknowledges_what_it_returns'
  | 'acknowledges_without_matching_renewals'
  | 'trusts_a_row_that_has_caught_up'
  | 'evicts_blindly'
  | 'answers_an_old_head'

/** The database: keys and the log of their changes, with a mistake or without. */
export class SimStore extends LogRows {
  /** The commit that revoked each key. */
  revoked = new Map<string, number>()
  readonly #bug: StoreBug | null
  /** Goes on after a restore. */
  #commits = 0

  constructor(bug: StoreBug | null = null) {
    super()
    this.#bug = bug
  }

  save(): Saved {
    const { revoked, changes, nodes } = this
    return structuredClone({ revoked, changes, nodes })
  }

  /** Forgets what was committed since. */
  restore(saved: Saved): void {
    Object.assign(this, structuredClone(saved))
  }

  /** A primary that is frozen now, while another one takes its place with all that it has answered. */
  frozen(): SimStore {
    const store = new SimStore(this.#bug)
    store.restore(this.save())
    return store
  }

  /** Revokes a key, and answers the commit that did: unique, also where a restore makes sequences repeat. */
  revoke(hash: string): number {
    const before = this.revoked.get(hash)
    if (before !== undefined) return before
    this.#commits += 1
    this.revoked.set(hash, this.#commits)
    this.add({ kind: 'key', hash })
    return this.#commits
  }

  override renew(request: RenewalRequest): Renewal {
    const answer = super.renew(request)
    const row = this.nodes.get(request.node)
    if (answer.outcome === 'evicted' || row === undefined) return answer
    const { head, isSameLog } = answer
    if (this.#bug === 'acknowledges_what_it_returns' && isSameLog) row.acked = head
    if (this.#bug === 'acknowledges_without_matching_renewals') {
      row.acked = Math.max(row.acked, request.applied ?? 0)
    }
    return answer
  }

  override laggingNodes(sequence: number | null): Lag {
    const end = this.#bug === 'answers_an_old_head' ? this.head - 1 : this.head
    return super.laggingNodes(sequence ?? end)
  }

  override evict(nodes: readonly LaggingNode[], sequence: number): void {
    super.evict(nodes, sequence)
    if (this.#bug !== 'evicts_blindly') return
    for (const { node } of nodes) this.leave(node)
  }

  protected override carryOut(row: NodeRow, request: RenewalRequest): boolean {
    const isMissing = request.answered > row.renewal
    const { since } = row
    const isSameLog = super.carryOut(row, request)
    if (this.#bug !== 'trusts_a_row_that_has_caught_up') return isSameLog
    row.since = since
    return !isMissing
  }
}
