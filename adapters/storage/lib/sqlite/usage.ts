import type {
  UsageBatch,
  UsageCounts,
  UsageHistoryBatch,
  UsageQuery,
} from '../../../../src/storage/index.ts'
import { integerIn, optionalIntegerIn, rowFrom } from '../row.ts'
import { checkIntegers, checkTexts, isStorableText } from '../storable.ts'
import { StorageError } from '../storage-error.ts'
import {
  keptAt,
  MOST_DELETED,
  newestKnownDay,
  periodCountFrom,
  type StoredHistory,
  storableCount,
} from '../usage-history.ts'
import { isConstraint } from './driver.ts'
import type { Statements } from './statements.ts'
import { snapshot } from './transaction.ts'

/** How long a silent writer is remembered: a batch repeated later than this would count again. */
const WRITER_MEMORY_S = 30 * 24 * 60 * 60

/** See `KeyStorage.addUses`. */
export function addUses(sql: Statements, batch: UsageBatch): void {
  try {
    addBatch(sql, batch)
  } catch (cause) {
    if (!isConstraint(cause)) throw cause
    const { message } = cause as Error
    throw new StorageError('unstorable_value', `SQLite refused the batch: ${message}`, { cause })
  }
}

function addBatch(sql: Statements, { writer, sequence, uses, history }: UsageBatch): void {
  checkTexts([writer])
  checkIntegers([sequence])
  if (Number(sql.advanceWriter.run(writer, sequence).changes) === 0) return
  // Writers come and go with processes, so the first batch of one is when to forget the others.
  if (sequence === 1) sql.forgetWriters.run(WRITER_MEMORY_S)
  for (const { id, uses: count, lastUsedAtMs } of uses) {
    checkIntegers([count, lastUsedAtMs])
    if (count < 1) throw new StorageError('unstorable_value', 'uses to add must be at least 1')
    if (isStorableText(id)) sql.addUses.run(count, lastUsedAtMs, id)
  }
  if (history !== undefined) addHistory(sql, history)
}

function addHistory(sql: Statements, { counts, ...kept }: UsageHistoryBatch): void {
  // The clock of this process is that of the database, which is in it.
  const nowMs = Date.now()
  const { firstHour, firstDay, currentHour } = keptAt(nowMs, kept, storedHistory(sql, nowMs))
  for (const { id, hour, outcome, count } of counts.map(storableCount)) {
    const bounded = Math.max(firstHour, Math.min(hour, currentHour))
    if (!isStorableText(id)) continue
    sql.addHour.run(bounded, outcome, count, id)
    sql.addDay.run(Math.floor(bounded / 24), outcome, count, id)
  }
  sql.keepHours.run(firstHour, firstHour)
  sql.forgetHours.run(firstHour, MOST_DELETED)
  sql.forgetDays.run(firstDay, MOST_DELETED)
}

function storedHistory(sql: Statements, nowMs: number): StoredHistory {
  const row = rowFrom(sql.storedHistory.get(newestKnownDay(nowMs)))
  return { firstHour: integerIn(row, 'first_hour'), knownDay: optionalIntegerIn(row, 'known_day') }
}

/** See `KeyStorage.usage`. */
export function usage(
  sql: Statements,
  workspaceId: string,
  { id, hours, days }: UsageQuery,
): UsageCounts | null {
  if (![workspaceId, id ?? ''].every(isStorableText)) return id === null ? NOTHING : null
  return snapshot(sql, () => {
    if (id !== null && !sql.isKey.get(id, workspaceId)) return null
    const [hourly, daily, whose] =
      id === null
        ? [sql.hoursOfWorkspace, sql.daysOfWorkspace, workspaceId]
        : [sql.hoursOfKey, sql.daysOfKey, id]
    return {
      hours: hourly.all(whose, hours.from, hours.to).map(periodCountFrom),
      days: daily.all(whose, days.from, days.to).map(periodCountFrom),
    }
  })
}

const NOTHING: UsageCounts = { hours: [], days: [] }
