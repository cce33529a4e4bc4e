import type { Notice, NoticeDue, NoticeQuery } from '../../../../src/storage/index.ts'
import { integerIn, rowFrom } from '../row.ts'
import { checkIntegers, isStorableText } from '../storable.ts'
import { insertEvent } from './events.ts'
import { recordFrom } from './keys.ts'
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
  const guard = [id, dueAtMs, workspaceId, version]
  const { changes } = sql.moveNotice.run(nextAtMs ?? dueAtMs, ...guard)
  if (Number(changes) === 0) return false
  if (nextAtMs === null) sql.endNotice.run(id)
  insertEvent(sql, event)
  return true
}
