import type { Notice, NoticeDue, NoticeQuery } from '../../../../src/storage/index.ts'
import { integerIn, rowFrom } from '../row.ts'
import { insertEvent } from './events.ts'
import { recordFrom } from './keys.ts'
import type { SqlStatements } from './statements.ts'
import { assertOneRow, rowsOf, type Work } from './work.ts'

/** See `KeyStorage.dueNotices`. */
export function* dueNotices(
  sql: SqlStatements,
  { atMs, limit }: NoticeQuery,
): Work<readonly NoticeDue[]> {
  const rows = rowsOf(yield sql.dueNotices.all(atMs, limit))
  return rows.map((row) => {
    return { record: recordFrom(row), dueAtMs: integerIn(rowFrom(row), 'due_at_ms') }
  })
}

/** See `KeyStorage.storeNotices`. */
export function* storeNotices(sql: SqlStatements, notices: readonly Notice[]): Work<number> {
  let stored = 0
  for (const notice of notices) if (yield* storeNotice(sql, notice)) stored += 1
  return stored
}

function* storeNotice(sql: SqlStatements, notice: Notice): Work<boolean> {
  const { workspaceId, id, version, dueAtMs, nextAtMs, event } = notice
  if (!(yield sql.isNoticeDue.get(id, dueAtMs, workspaceId, version))) return false
  const moved = nextAtMs === null ? sql.endNotice.run(id) : sql.moveNotice.run(nextAtMs, id)
  assertOneRow(yield moved)
  yield* insertEvent(sql, event)
  return true
}
