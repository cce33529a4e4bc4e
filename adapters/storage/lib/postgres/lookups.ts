import type { KeyRecord, StorageCall } from '../../../../src/storage/index.ts'
import { KnownRecords } from '../known-records.ts'
import { type FindAll, type Found, lookupsWith } from '../lookup-queue.ts'
import { KEY_COLUMNS } from '../sql/columns.ts'
import { keyRecordFrom } from '../sql/rows.ts'
import { StorageError } from '../storage-error.ts'
import type { Ask } from './ask.ts'
import { named } from './driver.ts'
import { stateIn } from './errors.ts'
import { FAILS_ON_REPLICA, listOf, parsed } from './sql.ts'

const COLUMNS = KEY_COLUMNS.map(({ name }) => name).filter((name) => name !== 'hash')

/** A key `k` as a line: a JSON array of its hash in hex digits and its columns. An object takes the server longer. */
const LINE = `json_build_array(encode(k.hash, 'hex'), ${COLUMNS.map((name) => `k.${name}`).join(', ')})`

const OPENING = '["'

export function lookupsOf({
  at,
  rows,
}: Ask): (hash: string, call?: StorageCall) => Promise<KeyRecord | null> {
  const select = (where: string) =>
    named(`SELECT ${FAILS_ON_REPLICA} AS answer WHERE pg_is_in_recovery()
UNION ALL SELECT ${LINE}::text FROM ${at('keys')} k WHERE k.hash ${where}`)
  const one = select('= $1::text::bytea')
  const many = select('= ANY ($1::text::bytea[])')
  const known = new KnownRecords(keyIn)
  const find: FindAll = async (hashes, deadline, call) => {
    const isOne = hashes.length === 1
    const value = isOne ? `\\x${hashes[0]}` : `{"\\\\x${hashes.join('","\\\\x')}"}`
    const statement = { ...(isOne ? one : many), values: [value] }
    try {
      return foundIn(known, hashes, await rows(statement, deadline, call))
    } catch (error) {
      if (isOne || !isAboutOneRow(error)) throw error
      const alone = hashes.map((hash) =>
        find([hash], deadline, call).catch((reason) => new Map([[hash, reason]])),
      )
      return new Map((await Promise.all(alone)).flatMap((found) => [...found]))
    }
  }
  return lookupsWith(find)
}

const HASH_LENGTH = 64

/** A line that cannot be read fails its own callers only; one that no lookup was for may belong to any of them. */
function foundIn(
  known: KnownRecords,
  hashes: readonly string[],
  lines: readonly (string | null)[],
): Found {
  const found = new Map<string, KeyRecord | Error | null>(hashes.map((hash) => [hash, null]))
  let isStray = false
  for (const answer of lines) {
    const line = answer ?? ''
    const hash = line.slice(OPENING.length, OPENING.length + HASH_LENGTH)
    if (!found.has(hash)) isStray = true
    else found.set(hash, known.recordOf(hash, line))
  }
  if (!isStray) return found
  const stray = new StorageError('broken_row', 'the server returned a key that was not requested')
  for (const [hash, key] of found) if (key === null) found.set(hash, stray)
  return found
}

function keyIn(line: string): KeyRecord {
  const cells = listOf(parsed(line))
  return keyRecordFrom(
    Object.fromEntries(['hash', ...COLUMNS].map((name, at) => [name, cells[at]])),
  )
}

/** Data exceptions, damaged rows and indexes, and blocks that cannot be read from disk. */
function isAboutOneRow(error: unknown): boolean {
  return /^(?:22...|XX001|XX002|58030)$/.test(stateIn(error))
}
