import type {
  LaggingNode,
  LoggedChange,
  NodeCount,
  Renewal,
} from '../../../../../src/storage/index.ts'
import { integerIn, oneOfIn, optionalTextIn, rowFrom, type SqlRow, textIn } from '../../row.ts'
import { listOf, parsed } from '../answers.ts'

/** Reads the answer of `renew_node`. */
export function renewal(answer: string | null): Renewal {
  const row = rowFrom(parsed(answer))
  const outcome = oneOfIn(row, 'outcome', ['renewed', 'evicted'])
  if (outcome === 'evicted') return { outcome }
  return {
    outcome,
    isSameLog: row['isSameLog'] === true,
    head: integerIn(row, 'head'),
    changes: row['changes'] === null ? null : listOf(row['changes']).map(change),
  }
}

/** Reads the nodes that have not acknowledged a change. */
export function laggingNodes(answer: string | null): readonly LaggingNode[] {
  return listOf(parsed(answer)).map((value) => {
    const row = rowFrom(value)
    return {
      node: textIn(row, 'node'),
      leaseMs: integerIn(row, 'leaseMs'),
      renewal: integerIn(row, 'renewal'),
    }
  })
}

/** Reads the figures of the nodes. */
export function nodeCount(answer: string | null): NodeCount {
  const row = rowFrom(parsed(answer))
  return { nodes: integerIn(row, 'nodes'), lag: integerIn(row, 'lag') }
}

/** Reads a list of hashes. */
export function hashes(answer: string | null): readonly string[] {
  return listOf(parsed(answer)).map((hash) => textIn({ hash }, 'hash'))
}

/** Reads the answer of `change_plan`. */
export function sequence(answer: string | null): number {
  return integerIn(rowFrom(parsed(answer)), 'sequence')
}

function change(value: unknown): LoggedChange {
  const row = rowFrom(value)
  return { sequence: integerIn(row, 'sequence'), ...whatChanged(row) }
}

function whatChanged(row: SqlRow) {
  const kind = oneOfIn(row, 'kind', ['key', 'plan', 'everything'])
  if (kind === 'key') return { kind, hash: textIn(row, 'hash') }
  return kind === 'plan' ? { kind, workspaceId: optionalTextIn(row, 'workspaceId') } : { kind }
}
