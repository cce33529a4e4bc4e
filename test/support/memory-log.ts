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

type NodeRow = NodeRegistration & { renewal: number; since: number; acked: number }

/** What changed, without its place in the log. */
export type Change = LoggedChange extends infer Entry
  ? Entry extends LoggedChange
    ? Omit<Entry, 'sequence'>
    : never
  : never

/** A log of changes in the memory of the test, with all that a test wants to see and to spoil. */
export class MemoryLog implements ChangeLog {
  readonly nodes = new Map<string, NodeRow>()
  readonly asked: string[] = []
  changes: LoggedChange[] = []
  /** What each call throws, while it is set. */
  outage: Error | null = null
  /** What was used last. */
  recent: readonly string[] = []
  /** Changes the answer to the next renewal. */
  spoil: (renewal: Renewal) => Renewal = (renewal) => renewal
  readonly #hints = new Set<() => void>()

  get head(): number {
    return this.changes.at(-1)?.sequence ?? 0
  }

  get hints(): number {
    return this.#hints.size
  }

  add(change: Change): number {
    const sequence = this.head + 1
    this.changes.push({ sequence, ...change } as LoggedChange)
    return sequence
  }

  async register(registration: NodeRegistration): Promise<void> {
    this.#ask('register')
    if (this.nodes.has(registration.node)) return
    this.nodes.set(registration.node, { ...registration, renewal: 0, since: 0, acked: 0 })
  }

  async renew({ node, renewal, answered, applied }: RenewalRequest): Promise<Renewal> {
    this.#ask('renew')
    const row = this.nodes.get(node)
    if (row === undefined) return { outcome: 'evicted' }
    if (answered > row.renewal) row.since = renewal
    row.renewal = Math.max(row.renewal, renewal)
    const isSameLog = answered >= row.since
    if (isSameLog) row.acked = Math.max(row.acked, applied ?? 0)
    const changes = this.changes.filter(({ sequence }) => sequence > (applied ?? 0))
    return this.spoil({
      ...{ outcome: 'renewed', isSameLog, head: this.head },
      ...{ changes: applied === null ? null : changes },
    })
  }

  async laggingNodes(sequence: number | null): Promise<Lag> {
    this.#ask('laggingNodes')
    const head = sequence ?? this.head
    const rows = [...this.nodes.values()].filter(({ acked }) => acked < head)
    return { head, nodes: rows.map(({ node, leaseMs, renewal }) => ({ node, leaseMs, renewal })) }
  }

  async recentHashes(): Promise<readonly string[]> {
    this.#ask('recentHashes')
    return this.recent
  }

  async countNodes(): Promise<NodeCount> {
    this.#ask('countNodes')
    const slowest = Math.min(this.head, ...[...this.nodes.values()].map(({ acked }) => acked))
    return { nodes: this.nodes.size, lag: this.head - slowest }
  }

  async evict(nodes: readonly LaggingNode[], sequence: number): Promise<void> {
    this.#ask('evict')
    for (const { node, renewal } of nodes) {
      const row = this.nodes.get(node)
      if (row?.renewal === renewal && row.acked < sequence) this.nodes.delete(node)
    }
  }

  async leave(node: string): Promise<void> {
    this.#ask('leave')
    this.nodes.delete(node)
  }

  async changePlan(workspaceId: string | null): Promise<void> {
    this.#ask('changePlan')
    this.add({ kind: 'plan', workspaceId })
  }

  async wake(): Promise<void> {
    this.#ask('wake')
    for (const hint of this.#hints) hint()
  }

  listen(onHint: () => void): () => void {
    this.#hints.add(onHint)
    return () => this.#hints.delete(onHint)
  }

  #ask(method: string): void {
    this.asked.push(method)
    if (this.outage !== null) throw this.outage
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
        if (ifEdition !== null) log.add({ kind: 'key', hash: record.hash })
      }
      return { outcome, isLogged: true }
    })
  }
  const purge: KeyStorage['purge'] = async (query) => {
    const progress = await stored.purge(query)
    if (progress.keys > 0) log.add({ kind: 'everything' })
    return { ...progress, isLogged: true }
  }
  const renameActor: KeyStorage['renameActor'] = async (query) => ({
    ...(await stored.renameActor(query)),
    isLogged: true,
  })
  return { storage: { ...stored, write, purge, renameActor, changes: log }, log }
}
