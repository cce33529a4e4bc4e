import type { KeyRecord } from '../../../../src/storage/index.ts'
import { KeptRecords } from '../kept-records.ts'
import type { FindAll, Found } from '../lookup-queue.ts'
import type { SqlRow } from '../row.ts'
import { bytesFromHash, hashFromBytes } from '../sql/hash-bytes.ts'
import { recordFrom } from '../sql/keys.ts'
import { rowsIn } from './driver.ts'
import { notPrimary } from './errors.ts'
import { RECORD_COLUMNS } from './pages.ts'
import { Progress } from './progress.ts'
import { literal } from './query.ts'
import { type MysqlRunner, READ_COMMITTED } from './runner.ts'
import { IS_WRITABLE } from './writable.ts'

const COLUMNS = RECORD_COLUMNS.map((name) => `k.${name}`).join(', ')

/** Answers at least one row, which says whether this server takes changes. */
const textOf = (hashes: readonly string[]) => `SELECT ${IS_WRITABLE} AS is_writable, ${COLUMNS}
  FROM (SELECT 1) AS one LEFT JOIN miftah_keys AS k
  ON k.hash IN (${hashes.map((hash) => literal(bytesFromHash(hash))).join(', ')})`

/** Finds the keys of many hashes in one statement. An invalid row fails the callers of that key only. */
export function finderOn({ onReader }: Pick<MysqlRunner, 'onReader'>, records: Records): FindAll {
  return (hashes, deadline) =>
    onReader(async (connection, { causal, readsUncommitted }) => {
      if (readsUncommitted) await connection.run(READ_COMMITTED)
      return foundIn(records, hashes, rowsIn(await connection.run(causal + textOf(hashes))))
    }, new Progress(deadline))
}

function foundIn(records: Records, hashes: readonly string[], rows: readonly SqlRow[]): Found {
  const found = new Map<string, KeyRecord | Error | null>(hashes.map((hash) => [hash, null]))
  if (rows.length === 0 || rows.some((row) => Number(row['is_writable']) !== 1)) throw notPrimary()
  for (const row of rows) {
    if (row['hash'] === null) continue
    const hash = hashFromBytes(row['hash']) ?? ''
    found.set(hash, recordOrError(records, hash, row))
  }
  return found
}

function recordOrError(records: Records, hash: string, row: SqlRow): KeyRecord | Error {
  try {
    return records.read(hash, row)
  } catch (error) {
    return error instanceof Error ? error : new Error('the row could not be read')
  }
}

/** Reads rows; one that is the same in every column gives the same record. */
export class Records extends KeptRecords<SqlRow> {
  constructor() {
    super({ isSame, recordFrom })
  }
}

const COMPARED = RECORD_COLUMNS.filter((name) => name !== 'hash')

function isSame(one: SqlRow, other: SqlRow): boolean {
  return COMPARED.every((name) => one[name] === other[name])
}
