import { memoryStorage } from '../../adapters/storage/memory.ts'
import type {
  ChangeLog,
  KeyStorage,
  Lag,
  LaggingNode,
  LoggedChange,
  NodeCount,
  NodeRegistration,
  Renewal,
  RenewalRequest,
} from '../../src/storage/index.ts'

export type NodeRow = NodeRegistration & { renewal: number; since: number; acked: number }

/** What changed, without its place in the log. */
export type Change = LoggedChange extends infer Entry
  ? Entry extends LoggedChange
    ? Omit<Entry, 'sequence'>
    : never
  : never

/** The database of a log: each method is one atomic step. */
export class LogRows {
  nodes = new Map<string, NodeRow>()
  changes: LoggedChange[] = []

  get head(): number {
    return this.changes.at(-1)?.sequence ?? 0
  }

  add(change: Change): number {
    const sequence = this.head + 1
    this.changes.push({ sequence, ...change } as LoggedChange)
    return sequence
  }

  register(registration: NodeRegistration): void {
    if (this.nodes.has(registration.node)) return
    this.nodes.set(registration.node, { ...registration, renewal: 0, since: 0, acked: 0 })
  }

  renew(request: RenewalRequest): Renewal {
    const { node, applied } = request
    const row = this.nodes.get(node)
    if (row === undefined) return { outcome: 'evicted' }
    const isSameLog = this.carryOut(row, request)
    if (isSameLog) row.acked = Math.max(row.acked, applied ?? 0)
    const changes = this.changes.filter(({ sequence }) => sequence > (applied ?? 0))
    return {
      ...{ outcome: 'renewed', isSameLog, head: this.head },
      changes: applied === null ? null : changes,
    }
  }

  laggingNodes(sequence: number | null): Lag {
    const head = sequence ?? this.head
    const rows = [...this.nodes.values()].filter(({ acked }) => acked < head)
    return { head, nodes: rows.map(({ node, leaseMs, renewal }) => ({ node, leaseMs, renewal })) }
  }

  evict(nodes: readonly LaggingNode[], sequence: number): void {
    for (const { node, renewal } of nodes) {
      const row = this.nodes.get(node)
      if (row?.renewal === renewal && row.acked < sequence) this.nodes.delete(node)
    }
  }

  leave(node: string): void {
    this.nodes.delete(node)
  }

  /** Answers whether this log has carried out the renewal that the node names as answered. */
  protected carryOut(row: NodeRow, { renewal, answered }: RenewalRequest): boolean {
    if (answered > row.renewal) row.since = renewal
    row.renewal = Math.max(row.renewal, renewal)
    return answered >= row.since
  }
}

/** A log of changes in the memory of the test, with all that a test wants to see and to spoil. */
export class MemoryLog implements ChangeLog {
  readonly rows = new LogRows()
  readonly nodes = this.rows.nodes
  readonly asked: string[] = []
  /** What each call throws, while it is set. */
  outage: Error | null = null
  /** What was used last. */
  recent: readonly string[] = []
  /** Changes the answer to the next renewal. */
  spoil: (renewal: Renewal) => Renewal = (renewal) => renewal
  readonly #hints = new Set<() => void>()

  get hints(): number {
    return this.#hints.size
  }

  register(registration: NodeRegistration): Promise<void> {
    return this.#ask('register', () => this.rows.register(registration))
  }

  renew(request: RenewalRequest): Promise<Renewal> {
    return this.#ask('renew', () => this.spoil(this.rows.renew(request)))
  }

  laggingNodes(sequence: number | null): Promise<Lag> {
    return this.#ask('laggingNodes', () => this.rows.laggingNodes(sequence))
  }

  recentHashes(): Promise<readonly string[]> {
    return this.#ask('recentHashes', () => this.recent)
  }

  countNodes(): Promise<NodeCount> {
    const { head, nodes } = this.rows
    const slowest = Math.min(head, ...[...nodes.values()].map(({ acked }) => acked))
    return this.#ask('countNodes', () => ({ nodes: nodes.size, lag: head - slowest }))
  }

  evict(nodes: readonly LaggingNode[], sequence: number): Promise<void> {
    return this.#ask('evict', () => this.rows.evict(nodes, sequence))
  }

  leave(node: string): Promise<void> {
    return this.#ask('leave', () => this.rows.leave(node))
  }

  changePlan(workspaceId: string | null): Promise<void> {
    return this.#ask('changePlan', () => void this.rows.add({ kind: 'plan', workspaceId }))
  }

  wake(): Promise<void> {
    return this.#ask('wake', () => {
      for (const hint of this.#hints) hint()
    })
  }

  listen(onHint: () => void): () => void {
    this.#hints.add(onHint)
    return () => this.#hints.delete(onHint)
  }

  async #ask<T>(method: string, step: () => T): Promise<T> {
    this.asked.push(method)
    if (this.outage !== null) throw this.outage
    return step()
  }
}

/** Keys in memory, whose changes are logged, as several processes would share them. */
export function loggedStorage(): { readonly storage: KeyStorage; readonly log: MemoryLog } {
  const stored = memoryStorage()
  const log = new MemoryLog()
  const write: KeyStorage['write'] = async (writes) => {
    const outcomes = await stored.write(writes)
    return outcomes.map(({ outcome }, at) => {
      if (outcome === 'refused') return { outcome }
      for (const { record, ifEdition } of writes[at]?.keys ?? []) {
        if (ifEdition !== null) log.rows.add({ kind: 'key', hash: record.hash })
      }
      return { outcome, isLogged: true }
    })
  }
  const purge: KeyStorage['purge'] = async (query) => {
    const progress = await stored.purge(query)
    if (progress.keys > 0) log.rows.add({ kind: 'everything' })
    return { ...progress, isLogged: true }
  }
  const renameActor: KeyStorage['renameActor'] = async (query) => ({
    ...(await stored.renameActor(query)),
    isLogged: true,
  })
  return { storage: { ...stored, write, purge, renameActor, changes: log }, log }
}
