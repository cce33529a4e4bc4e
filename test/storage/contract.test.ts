import { expect, test } from 'vitest'
import { sqliteStorage } from '../../adapters/storage/sqlite.ts'
import { storageContract } from '../../adapters/storage/testing/storage-contract.ts'
import type { KeyStorage } from '../../src/storage/index.ts'
import {
  with32Bits,
  withCachedLookups,
  withEmptyAsAll,
  withFirmRetiring,
  withForgottenWriters,
  withLateExcept,
  withLateSettling,
  withLaxCursor,
  withLimitOutside,
  withMovedRevocation,
  withOpenLease,
  withoutCreators,
  withoutRepeats,
  withoutWorkspaces,
  withShortEventPages,
  withShortPages,
  withStaleWriteBack,
  withStickyLease,
  withUpperCaseNames,
} from '../support/broken-storages.ts'

// A suite is worth what it catches: each of these storages breaks one promise, most of them in a
// way that some library of the field does, and a case about that promise must say so.
const BROKEN: Readonly<Record<string, readonly [RegExp, (good: KeyStorage) => KeyStorage]>> = {
  'counts uses by writing back the record it read': [
    /against use counting|uses of a revoked/,
    withStaleWriteBack,
  ],
  'checks the limit before the insert': [/limit: 100 parallel/, withLimitOutside],
  'refuses a repeated insert at the limit': [/repeats: one insert sent/, withoutRepeats],
  'moves revokedAtMs on a second revoke': [/life cycle: a second revoke/, withMovedRevocation],
  'finds keys of every workspace': [/isolation: a foreign key/, withoutWorkspaces],
  'counts a repeated batch twice': [/usage: one batch sent/, withForgottenWriters],
  'answers an unknown cursor with the first page': [/paging: a cursor that is/, withLaxCursor],
  'drops the last key of a page': [/paging: a walk over/, withShortPages],
  'answers fewer events than it could': [/events: a page is full/, withShortEventPages],
  'caches lookups for a while': [/races: a revocation that has answered/, withCachedLookups],
  'gives the lease to anyone': [/relay: a lease keeps/, withOpenLease],
  'lets a late relay settle': [/relay: a lease that ran out/, withLateSettling],
  'keeps a lease that was released': [/relay: a released lease/, withStickyLease],
  'leaves workspaces out of a page that is cut already': [/relay: a workspace/, withLateExcept],
  'changes the case of names': [/text: quotes|text: SQL text|text: names of/, withUpperCaseNames],
  'takes an empty list for none': [/restrictions: an empty list/, withEmptyAsAll],
  'lists keys of every creator': [/restrictions: list picks by creator/, withoutCreators],
  'narrows no retiring key': [/restrictions: a retiring key is narrowed/, withFirmRetiring],
  'takes 32 bits of a count': [/usage: counts go beyond/, with32Bits],
}

for (const [fault, [expected, breakIt]] of Object.entries(BROKEN)) {
  test(`the suite catches a storage that ${fault}`, async () => {
    const failed: string[] = []
    const open = () => breakIt(sqliteStorage(':memory:'))
    for (const { name, run } of storageContract(open)) {
      if (!expected.test(name)) continue
      await run().catch((error: Error) => failed.push(`${name}: ${error.message}`))
    }
    expect(failed).not.toEqual([])
    expect(failed.every((failure) => failure.includes('storage contract: '))).toBe(true)
  })
}

test('every case has a name of its own', () => {
  const names = storageContract(() => sqliteStorage(':memory:')).map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

test('the storage is closed after each case, kept or not', async () => {
  let open = 0
  const cases = storageContract(
    () => {
      open += 1
      return withUpperCaseNames(sqliteStorage(':memory:'))
    },
    () => {
      open -= 1
    },
  )
  const outcomes = await Promise.allSettled(cases.slice(0, 3).map(({ run }) => run()))
  expect(outcomes.map(({ status }) => status)).toContain('rejected')
  expect(open).toBe(0)
})
