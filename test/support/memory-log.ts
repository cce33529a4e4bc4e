import { memoryStorage } from '../../adapters/storage/memory.ts'
import type {
  ChangeLog,
  KeyStorage,
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

  async laggingNodes(sequence: number): Promise<readonly LaggingNode[]> {
    this.#ask('laggingNodes')
    const rows = [...this.nodes.values()].filter(({ acked }) => acked < sequence)
    return rows.map(({ node, leaseMs, renewal }) => ({ node, leaseMs, renewal }))
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

  async changePlan(workspaceId: string | null): Promise<number> {
    this.#ask('changePlan')
    return this.add({ kind: 'plan', workspaceId })
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
  const storage = new Proxy(stored, {
    get(target, name: Exclude<keyof KeyStorage, 'diagnose'>) {
      if (name === 'changes') return log
      if (name === 'revoke') {
        return async (change: Parameters<KeyStorage['revoke']>[0]) => {
          const answer = await target.revoke(change)
          if (answer.outcome === 'not_found') return answer
          if (answer.outcome === 'revoked') log.add({ kind: 'key', hash: answer.record.hash })
          return { ...answer, sequence: log.head }
        }
      }
      if (name === 'revokeMany') {
        return async (change: Parameters<KeyStorage['revokeMany']>[0]) => {
          const answer = await target.revokeMany(change)
          for (const id of answer.revoked) {
            const record = await target.findById(change.workspaceId, id)
            if (record !== null) log.add({ kind: 'key', hash: record.hash })
          }
          return answer
        }
      }
      if (name === 'confirm') return async () => ({ sequence: log.head })
      if (name === 'update') {
        return async (change: Parameters<KeyStorage['update']>[0]) => {
          const answer = await target.update(change)
          if (answer.outcome !== 'updated') return answer
          return { ...answer, sequence: log.add({ kind: 'key', hash: answer.record.hash }) }
        }
      }
      if (name === 'rotate') {
        return async (change: Parameters<KeyStorage['rotate']>[0]) => {
          const answer = await target.rotate(change)
          if (answer.outcome !== 'rotated') return answer
          return { ...answer, sequence: log.add({ kind: 'key', hash: answer.replaced.hash }) }
        }
      }
      if (name === 'erasePerson' || name === 'eraseWorkspace') {
        return async (erasure: never) => {
          const answer = await target[name](erasure)
          return { ...answer, sequence: log.add({ kind: 'everything' }) }
        }
      }
      return target[name].bind(target)
    },
  })
  return { storage, log }
}
