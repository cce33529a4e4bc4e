import type { ChangeLog, StorageCall } from '../../../../src/storage/index.ts'
import type { Dialect } from './dialect.ts'
import * as log from './log.ts'
import type { Work } from './work.ts'

type Run = <T>(work: () => Work<T>, call: StorageCall | undefined) => Promise<T>

/** How a database runs the work of a log. */
export interface LogRunner {
  readonly read: Run
  readonly change: Run
  /** A change that does not wait for others: behind a burst, the lease of the process would run out. */
  readonly changeAtOnce: Run
}

/**
 * The log of changes of a database without notifications: a process looks at the head of the log in one
 * indexed read, every `pollMs`, and renews when it has moved.
 */
export function changeLogOn(
  of: Dialect,
  { read, change, changeAtOnce }: LogRunner,
  pollMs: number,
): ChangeLog {
  return {
    register: (node, call) => changeAtOnce(() => log.register(of, node), call),
    renew: (request, call) => changeAtOnce(() => log.renew(of, request), call),
    laggingNodes: (sequence, call) => read(() => log.laggingNodes(of, sequence), call),
    countNodes: (call) => read(() => log.countNodes(of), call),
    recentHashes: (limit, call) => read(() => log.recentHashes(of, limit), call),
    evict: (nodes, sequence, call) => change(() => log.evict(of, nodes, sequence), call),
    leave: (node, call) => change(() => log.leave(of, node), call),
    changePlan: (workspaceId, call) => change(() => log.logPlan(of, workspaceId), call),
    listen: (onHint) => {
      const head = async () => (await read(() => log.headOf(of), undefined)).head
      return pollEvery(pollMs, head, onHint)
    },
  }
}

/** Calls `onHint` when an answer differs from the one before it. Failures are left to the renewals. */
function pollEvery(ms: number, ask: () => Promise<number>, onHint: () => void): () => void {
  let last: number | null = null
  let isStopped = false
  const look = async () => {
    const now = await ask().catch(() => last)
    if (isStopped) return
    if (now !== last && last !== null) onHint()
    last = now
    schedule()
  }
  const schedule = () => {
    timer = setTimeout(look, ms)
    timer.unref?.()
  }
  let timer: ReturnType<typeof setTimeout>
  schedule()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}
