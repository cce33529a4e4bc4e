import type { Deadline } from '../deadline.ts'
import { asError, type Found } from '../lookup-queue.ts'
import { StorageError } from '../storage-error.ts'
import type { Calls } from './calls.ts'
import { sqlStateOf } from './errors.ts'
import { foundIn, type KeyLines } from './key-line.ts'
import type { Statements } from './statements.ts'

/** Finds the keys of at least one hash, in one statement unless one of them cannot be read. */
export type Finder = (hashes: readonly string[], deadline: Deadline) => Promise<Found>

/**
 * A key that cannot be read fails its own callers only. Callers that share the statement get their
 * answers, even if the server refuses the whole statement because of one row.
 */
export function finderOf(
  calls: Pick<Calls, 'readAll'>,
  { statements, lines }: { readonly statements: Statements; readonly lines: KeyLines },
): Finder {
  const find: Finder = async (hashes, deadline) => {
    const [hash = ''] = hashes
    const isOne = hashes.length === 1
    try {
      const statement = isOne ? statements.findOne(hash) : statements.findMany(hashes)
      return foundIn(lines, hashes, await calls.readAll(statement, deadline))
    } catch (error) {
      if (isOne || !isAboutOneRow(error)) throw error
      const middle = Math.ceil(hashes.length / 2)
      const early = await findOrFail(find, hashes.slice(0, middle), deadline)
      const late = await findOrFail(find, hashes.slice(middle), deadline)
      return new Map([...early, ...late])
    }
  }
  return find
}

/** As `find`, with a failure as the answer for each hash. */
async function findOrFail(
  find: Finder,
  hashes: readonly string[],
  deadline: Deadline,
): Promise<Found> {
  try {
    return await find(hashes, deadline)
  } catch (error) {
    return new Map(hashes.map((hash) => [hash, asError(error)]))
  }
}

/** Data exceptions, damaged rows and indexes, and blocks that cannot be read from disk. */
const ABOUT_ONE_ROW = /^(?:22...|XX001|XX002|58030)$/

function isAboutOneRow(error: unknown): boolean {
  const state = error instanceof StorageError ? sqlStateOf(error.cause) : null
  return state !== null && ABOUT_ONE_ROW.test(state)
}
