import { KEY_COLUMNS } from '../key-columns.ts'
import { foundIn, type KeyLines } from '../key-line.ts'
import type { FindAll } from '../lookup-queue.ts'
import { optionalTextIn, type SqlRow } from '../row.ts'
import { bytesFromHash } from '../sql/hash-bytes.ts'
import { rowsIn } from './driver.ts'
import { notPrimary } from './errors.ts'
import { literal } from './query.ts'
import { type MysqlRunner, READ_COMMITTED } from './runner.ts'
import { IS_WRITABLE } from './writable.ts'

/** Bytes would be written as base64. */
const CELLS = KEY_COLUMNS.map(({ name, kind }) =>
  /^(?:count|version|instant)/.test(kind) ? `k.${name}` : `CONVERT(k.${name} USING utf8mb4)`,
)

/** One text for each key costs the driver a quarter of what its columns do. MySQL would parse JSON itself. */
const LINE = `CONVERT(JSON_ARRAY(LOWER(HEX(k.hash)), ${CELLS.join(', ')}) USING utf8mb4)`

/** Answers at least one row, which says whether this server takes changes. One hash needs no join. */
function textOf(hashes: readonly string[]): string {
  const [first = '', ...others] = hashes.map((hash) => literal(bytesFromHash(hash)))
  if (others.length === 0) {
    const one = `SELECT ${LINE} FROM miftah_keys AS k WHERE k.hash = ${first}`
    return `SELECT ${IS_WRITABLE} AS is_writable, (${one}) AS line`
  }
  return `SELECT one.is_writable, IF(k.hash IS NULL, NULL, ${LINE}) AS line
    FROM (SELECT ${IS_WRITABLE} AS is_writable) AS one LEFT JOIN miftah_keys AS k
    ON k.hash IN (${[first, ...others].join(', ')})`
}

/** Finds the keys of many hashes in one statement. An invalid row fails the callers of that key only. */
export function finderOn({ onReader }: Pick<MysqlRunner, 'onReader'>, lines: KeyLines): FindAll {
  return (hashes, deadline) =>
    onReader(async (connection, { causal, readsUncommitted }) => {
      if (readsUncommitted) await connection.run(READ_COMMITTED)
      const rows = rowsIn(await connection.run(causal + textOf(hashes)))
      return foundIn(lines, hashes, linesIn(rows))
    }, deadline)
}

function linesIn(rows: readonly SqlRow[]): readonly string[] {
  if (rows.length === 0 || rows.some((row) => Number(row['is_writable']) !== 1)) throw notPrimary()
  return rows.flatMap((row) => optionalTextIn(row, 'line') ?? [])
}
