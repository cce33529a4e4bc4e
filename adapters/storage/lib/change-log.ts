import type { ChangeLog, LaggingNode, LoggedChange, NodeCount } from '../../../src/storage/index.ts'
import { integerIn, oneOfIn, optionalTextIn, rowFrom, textIn } from './row.ts'
import { storable } from './storable.ts'

/**
 * The same log, which refuses what a database cannot hold. `onCache` is called when a cache in front of the
 * storage begins.
 */
export function storableLog(log: ChangeLog, onCache: () => void): ChangeLog {
  return {
    ...log,
    register: async (registration, call) => {
      storable(registration)
      onCache()
      await log.register(registration, call)
    },
    changePlan: async (workspaceId, call) => log.changePlan(storable(workspaceId), call),
  }
}

/** Reads an entry of the log. */
export function loggedChangeFrom(value: unknown): LoggedChange {
  const row = rowFrom(value)
  const sequence = integerIn(row, 'sequence')
  const kind = oneOfIn(row, 'kind', ['key', 'plan', 'everything'])
  if (kind === 'key') return { sequence, kind, hash: textIn(row, 'hash') }
  if (kind === 'everything') return { sequence, kind }
  return { sequence, kind, workspaceId: optionalTextIn(row, 'workspaceId') }
}

/** Reads a node that has not acknowledged a change. */
export function laggingNodeFrom(value: unknown): LaggingNode {
  const row = rowFrom(value)
  const [leaseMs, renewal] = [integerIn(row, 'leaseMs'), integerIn(row, 'renewal')]
  return { node: textIn(row, 'node'), leaseMs, renewal }
}

/** Reads the figures of the nodes. */
export function nodeCountFrom(value: unknown): NodeCount {
  const row = rowFrom(value)
  return { nodes: integerIn(row, 'nodes'), lag: integerIn(row, 'lag') }
}
