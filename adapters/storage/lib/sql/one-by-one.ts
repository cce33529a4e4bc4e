import type { KeyUses } from '../../../../src/storage/index.ts'
import type { StorableCount } from '../storable-storage.ts'
import type { DeletedRow, SqlBatches } from './statements.ts'
import { assertOneRow, changesOf, type SqlStatement, type Work } from './work.ts'

/** Statements that concern one row at a time. */
type OneByOne = Readonly<
  Record<
    | 'addUse'
    | 'addHour'
    | 'addDay'
    | 'deleteKey'
    | 'deleteUsage'
    | 'deleteEvent'
    | 'noteOnePurged'
    | 'acknowledgeEvent'
    | 'deleteErasedEvent',
    SqlStatement
  >
>

/** Batches for a database in this process, where a statement costs little: one row after another. */
export function oneByOne(sql: OneByOne): SqlBatches {
  return {
    *addUses(all: readonly KeyUses[]) {
      for (const { id, uses, lastUsedAtMs } of all) yield sql.addUse.run(uses, lastUsedAtMs, id)
    },
    *addCounts(counts: readonly StorableCount[]) {
      for (const { id, hour, outcome, count } of counts) {
        yield sql.addHour.run(hour, outcome, count, id)
        yield sql.addDay.run(Math.floor(hour / 24), outcome, count, id)
      }
    },
    *deleteKeys(rows) {
      for (const { id, position } of rows) {
        assertOneRow(yield sql.deleteKey.run(position))
        assertOneRow(yield sql.deleteUsage.run(id))
      }
    },
    *deleteEvents(rows) {
      for (const { position } of rows) assertOneRow(yield sql.deleteEvent.run(position))
    },
    *notePurged(kind, rows): Work<void> {
      for (const row of rows) yield* noted(sql, kind, row)
    },
    *acknowledge(ids) {
      for (const id of ids) {
        if (changesOf(yield sql.acknowledgeEvent.run(id)) > 0) yield sql.deleteErasedEvent.run(id)
      }
    },
  }
}

function* noted(
  sql: OneByOne,
  kind: string,
  { id, workspaceId, position }: DeletedRow,
): Work<void> {
  yield sql.noteOnePurged.run(kind, id, workspaceId, position)
}
