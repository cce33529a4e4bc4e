import type { KeyRecord } from '../../../../src/storage/index.ts'
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
export function finderOn({ onReader }: Pick<MysqlRunner, 'onReader'>): FindAll {
  const records = new Records()
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
    const [hash, key] = records.read(row)
    found.set(hash, key)
  }
  return found
}

/** How many records are kept before the one that was read first is dropped. */
const MOST_KEPT = 100_000

/** A row and what it says. */
interface Kept {
  readonly row: SqlRow
  readonly record: KeyRecord
}

/**
 * Reads rows. A row that is the same in every column gives the same frozen record, which saves reading it
 * again and lets the core recognise it. Nothing stale can come of that: any difference is read anew.
 */
class Records {
  readonly #kept = new Map<string, Kept>()

  /** The hash of a row, and its record or why there is none. */
  read(row: SqlRow): readonly [string, KeyRecord | Error] {
    const hash = hashFromBytes(row['hash']) ?? ''
    const known = this.#kept.get(hash)
    if (known !== undefined && isSame(known.row, row)) return [hash, known.record]
    try {
      const record = deeplyFrozen(recordFrom(row))
      this.#keep(hash, { row, record })
      return [hash, record]
    } catch (error) {
      return [hash, error instanceof Error ? error : new Error('the row could not be read')]
    }
  }

  #keep(hash: string, kept: Kept): void {
    this.#kept.set(hash, kept)
    if (this.#kept.size <= MOST_KEPT) return
    const [first = ''] = this.#kept.keys()
    this.#kept.delete(first)
  }
}

const COMPARED = RECORD_COLUMNS.filter((name) => name !== 'hash')

function isSame(one: SqlRow, other: SqlRow): boolean {
  return COMPARED.every((name) => one[name] === other[name])
}

function deeplyFrozen<T extends object>(value: T): T {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) deeplyFrozen(inner)
  }
  return Object.freeze(value)
}
