import type { LaggingNode, NodeCount, Renewal } from '../../../../../src/storage/index.ts'
import { laggingNodeFrom, loggedChangeFrom, nodeCountFrom } from '../../change-log.ts'
import { integerIn, oneOfIn, rowFrom, textIn } from '../../row.ts'
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
    changes: row['changes'] === null ? null : listOf(row['changes']).map(loggedChangeFrom),
  }
}

/** Reads the nodes that have not acknowledged a change. */
export function laggingNodes(answer: string | null): readonly LaggingNode[] {
  return listOf(parsed(answer)).map(laggingNodeFrom)
}

/** Reads the figures of the nodes. */
export function nodeCount(answer: string | null): NodeCount {
  return nodeCountFrom(parsed(answer))
}

/** Reads a list of hashes. */
export function hashes(answer: string | null): readonly string[] {
  return listOf(parsed(answer)).map((hash) => textIn({ hash }, 'hash'))
}

/** Reads the answer of `change_plan`. */
export function sequence(answer: string | null): number {
  return integerIn(rowFrom(parsed(answer)), 'sequence')
}
