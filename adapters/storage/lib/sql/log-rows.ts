import type { LaggingNode, LoggedChange } from '../../../../src/storage/index.ts'
import { integerIn, oneOfIn, optionalTextIn, type SqlRow, textIn } from './cells.ts'
import { hashIn } from './rows.ts'

/** Reads an entry of the log. */
export function loggedChangeFrom(row: SqlRow): LoggedChange {
  const sequence = integerIn(row, 'sequence')
  const kind = oneOfIn(row, 'kind', ['key', 'plan', 'everything'])
  if (kind === 'key') return { sequence, kind, hash: hashIn(row, 'hash') }
  if (kind === 'everything') return { sequence, kind }
  return { sequence, kind, workspaceId: optionalTextIn(row, 'workspace_id') }
}

/** Reads a node that has not acknowledged an entry. */
export function laggingNodeFrom(row: SqlRow): LaggingNode {
  const [leaseMs, renewal] = [integerIn(row, 'lease_ms'), integerIn(row, 'renewal')]
  return { node: textIn(row, 'node'), leaseMs, renewal }
}
