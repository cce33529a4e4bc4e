import type { UsageCounts, UsageQuery } from '../../../../src/storage/index.ts'
import { integerIn, optionalIntegerIn, rowFrom } from '../row.ts'
import type { StorableBatch, StorableHistory } from '../storable-storage.ts'
import {
  keptAt,
  MOST_DELETED,
  newestKnownDay,
  periodCountFrom,
  type StoredHistory,
} from '../usage-history.ts'
import type { SqlStatements } from './statements.ts'
import { changesOf, rowsOf, type Work } from './work.ts'

/** How long a silent writer is remembered: a batch repeated later than this would count again. */
const WRITER_MEMORY_S = 30 * 24 * 60 * 60

/** See `KeyStorage.addUses`. */
export function* addUses(
  sql: SqlStatements,
  { writer, sequence, uses, history }: StorableBatch,
  clock: () => unknown,
): Work<void> {
  if (changesOf(yield sql.advanceWriter.run(writer, sequence)) === 0) return
  // Writers come and go with processes, so the first batch of one is when to forget the others.
  if (sequence === 1) yield sql.forgetWriters.run(WRITER_MEMORY_S)
  yield* sql.addUses(uses)
  if (history !== undefined) yield* addHistory(sql, history, Number(yield clock()))
}

function* addHistory(
  sql: SqlStatements,
  { counts, ...kept }: StorableHistory,
  nowMs: number,
): Work<void> {
  const stored = yield* storedHistory(sql, nowMs)
  const { firstHour, firstDay, currentHour } = keptAt(nowMs, kept, stored)
  const bounded = (hour: number) => Math.max(firstHour, Math.min(hour, currentHour))
  yield* sql.addCounts(counts.map((count) => ({ ...count, hour: bounded(count.hour) })))
  yield sql.keepHours.run(firstHour, firstHour)
  yield sql.forgetHours.run(firstHour, MOST_DELETED)
  yield sql.forgetDays.run(firstDay, MOST_DELETED)
}

function* storedHistory(sql: SqlStatements, nowMs: number): Work<StoredHistory> {
  const row = rowFrom(yield sql.storedHistory.get(newestKnownDay(nowMs)))
  return { firstHour: integerIn(row, 'first_hour'), knownDay: optionalIntegerIn(row, 'known_day') }
}

/** See `KeyStorage.usage`. */
export function* usage(
  sql: SqlStatements,
  workspaceId: string,
  { id, hours, days }: UsageQuery,
): Work<UsageCounts | null> {
  if (id !== null && !(yield sql.isKey.get(id, workspaceId))) return null
  const [hourly, daily, whose] =
    id === null
      ? [sql.hoursOfWorkspace, sql.daysOfWorkspace, workspaceId]
      : [sql.hoursOfKey, sql.daysOfKey, id]
  return {
    hours: rowsOf(yield hourly.all(whose, hours.from, hours.to)).map(periodCountFrom),
    days: rowsOf(yield daily.all(whose, days.from, days.to)).map(periodCountFrom),
  }
}
