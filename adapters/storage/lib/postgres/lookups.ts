import type { KeyRecord, StorageCall } from '../../../../src/storage/index.ts'
import { lookupsWith } from '../lookup-queue.ts'
import type { Calls } from './calls.ts'
import { finderOf } from './finder.ts'
import type { KeyLines } from './key-line.ts'
import type { Readiness } from './readiness.ts'
import type { Statements } from './statements.ts'

interface LookupParts {
  readonly statements: Statements
  readonly lines: KeyLines
  readonly readiness: Pick<Readiness, 'ensure'>
}

/** Looks keys up by hash; callers share statements. */
export function lookupsOf(
  calls: Pick<Calls, 'readAll'>,
  { readiness, ...parts }: LookupParts,
): (hash: string, call?: StorageCall) => Promise<KeyRecord | null> {
  const find = finderOf(calls, parts)
  return lookupsWith(async (hashes, deadline, call) => {
    // Each await that is spared, and a plain query object, count for one caller: +8 % together.
    const notReady = readiness.ensure(call)
    if (notReady !== undefined) await notReady
    return find(hashes, deadline)
  })
}
