import { type FindAll, keyOrError } from '../lookup-queue.ts'
import { KEY_COLUMNS } from '../sql/columns.ts'
import { bytesFromHash } from '../sql/hash-bytes.ts'
import { hashIn, keyRecordFrom } from '../sql/rows.ts'
import { raw, sql } from '../sql/sql.ts'
import { rowOf } from './dialect.ts'
import type { Runner } from './runner.ts'

const RECORD = raw(KEY_COLUMNS.map(({ name }) => `k.${name}`).join(', '))

/** Finds the keys of many hashes in one statement. An invalid row fails the callers of that key only. */
export function finderOn(runner: Runner): FindAll {
  return (hashes, { atMs }, call) =>
    runner.onReader(
      async (on) => {
        const { rows } = await on.readFirst(sql`SELECT ${RECORD} FROM miftah_keys AS k
        WHERE k.hash IN ${rowOf(hashes.map(bytesFromHash))}`)
        return new Map(
          rows.map((row) => [hashIn(row, 'hash'), keyOrError(() => keyRecordFrom(row))]),
        )
      },
      { atMs, ...(call && { signal: call.signal }) },
    )
}
