import type { KeyRecord } from '../../../../src/storage/index.ts'
import type { KeptRecords } from '../kept-records.ts'
import { keyRecordFrom } from '../key-row.ts'
import { asError, type FindAll, type Found } from '../lookup-queue.ts'
import { brokenColumn, rowFrom, type SqlRow, textIn } from '../row.ts'
import { RECORD_COLUMNS } from '../sql/common-statements.ts'
import { bytesFromHash, hashFromBytes } from '../sql/hash-bytes.ts'
import { decoded, listIn } from './driver.ts'
import { notPrimary } from './errors.ts'
import { literal } from './query.ts'
import { type MysqlRunner, READ_COMMITTED } from './runner.ts'
import { IS_WRITABLE } from './writable.ts'

const COLUMNS = ['fingerprint', ...RECORD_COLUMNS].map((name) => `k.${name}`).join(', ')

/** Runs a statement that reads what is committed. */
type Ask = (sql: string) => Promise<readonly SqlRow[]>

/**
 * Finds the keys of many hashes: those that are kept by their fingerprints alone, and by their rows what
 * is new or has changed. An invalid row fails the callers of that key only.
 */
export function finderOn({ onReader }: Pick<MysqlRunner, 'onReader'>, kept: KeptRecords): FindAll {
  return (hashes, deadline) =>
    onReader(async (connection, { causal, readsUncommitted }) => {
      const ask: Ask = async (sql) => {
        if (readsUncommitted) await connection.run(READ_COMMITTED)
        return listIn(await connection.run(causal + sql)).map(rowFrom)
      }
      if (!hashes.some((hash) => kept.get(hash))) return keysIn(ask, kept, hashes)
      const fingerprints = await fingerprintsIn(ask, hashes)
      const found = new Map<string, KeyRecord>()
      for (const hash of hashes) {
        const known = kept.get(hash)
        if (known && fingerprints.has(known.content)) found.set(hash, known.record)
      }
      // Each row is that of a key that was found, so the other hashes have none.
      if (found.size > 0 && found.size === fingerprints.size) return found
      const others = hashes.filter((hash) => !found.has(hash))
      return new Map([...found, ...(await keysIn(ask, kept, others))])
    }, deadline)
}

/** Answers no row on a server that takes no changes. */
async function fingerprintsIn(ask: Ask, hashes: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await ask(`SELECT fingerprint FROM miftah_keys
    WHERE hash IN (${literalsOf(hashes)}) AND ${IS_WRITABLE}`)
  return new Set(rows.map((row) => textIn(row, 'fingerprint')))
}

/** The statement answers at least one row, which says whether this server takes changes. */
async function keysIn(ask: Ask, kept: KeptRecords, hashes: readonly string[]): Promise<Found> {
  const rows = await ask(`SELECT one.is_writable, ${COLUMNS}
    FROM (SELECT ${IS_WRITABLE} AS is_writable) AS one LEFT JOIN miftah_keys AS k
    ON k.hash IN (${literalsOf(hashes)})`)
  if (rows.length === 0 || rows.some((row) => Number(row['is_writable']) !== 1)) throw notPrimary()
  const found = new Map<string, KeyRecord | Error>()
  for (const row of rows) {
    if (row['hash'] === null) continue
    const hash = hashFromBytes(row['hash']) ?? brokenColumn('hash')
    found.set(hash, keyOrError(kept, row, hash))
  }
  return found
}

function keyOrError(kept: KeptRecords, bytes: SqlRow, hash: string): KeyRecord | Error {
  try {
    const row = decoded(bytes)
    return kept.keep(textIn(row, 'fingerprint'), keyRecordFrom(row, hash))
  } catch (error) {
    return asError(error)
  }
}

function literalsOf(hashes: readonly string[]): string {
  return hashes.map((hash) => literal(bytesFromHash(hash))).join(', ')
}
