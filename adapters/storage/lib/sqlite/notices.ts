import type { Notice, NoticeDue, NoticeQuery } from '../../../../src/storage/index.ts'
import { integerIn, rowFrom } from '../row.ts'
import { checkIntegers, isStorableText } from '../storable.ts'
import { insertEvent } from './events.ts'
import { recordFrom } from './keys.ts'
import { assertOneRow } from './one-row.ts'
import type { Statements } from './statements.ts'

/** See `KeyStorage.dueNotices`. */
export function dueNotices(sql: Statements, { atMs, limit }: NoticeQuery): readonly NoticeDue[] {
  return sql.dueNotices
    .all(atMs, limit)
    .map((row) => ({ record: recordFrom(row), dueAtMs: integerIn(rowFrom(row), 'due_at_ms') }))
}

/** See `KeyStorage.storeNotices`. */
export function storeNotices(sql: Statements, notices: readonly Notice[]): number {
  return notices.filter((notice) => storeNotice(sql, notice)).length
}

function storeNotice(sql: Statements, notice: Notice): boolean {
  const { workspaceId, id, version, dueAtMs, nextAtMs, event } = notice
  checkIntegers([version, dueAtMs, nextAtMs ?? 0])
  if (!isStorableText(workspaceId) || !isStorableText(id)) return false
  if (!sql.isNoticeDue.get(id, dueAtMs, workspaceId, version)) return false
  assertOneRow(nextAtMs === null ? sql.endNotice.run(id) : sql.moveNotice.run(nextAtMs, id))
  insertEvent(sql, event)
  return true
}
