import fc from 'fast-check'
import { expect, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { sampleCreatedEvent, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'
import { runs } from '../../support/runs.ts'

const db = databaseForFile()

/** Texts of characters that a literal escapes, and of any others. */
const text = fc.oneof(
  fc.string({
    unit: fc.constantFrom('"', '\\', ',', '(', ')', '{', '}', ' ', '\n', 'a', 'NULL', 'م', '😀'),
  }),
  fc.string({ unit: 'grapheme' }).filter((any) => !any.includes('\0')),
)

test('a key of any texts comes out of a lookup as it went in', async () => {
  const storage = postgresStorage(db.pool)
  await fc.assert(
    fc.asyncProperty(text, fc.array(text), fc.dictionary(text, text), async (...given) => {
      const [name, scopes, metadata] = given
      const record = sampleRecord({
        name: 'n',
        scopes: scopes.filter((scope) => scope !== ''),
        creator: { id: `u${name}`, name: `N${name}` },
        metadata,
      })
      await storage.insert(record, null, sampleCreatedEvent(record))
      expect(await storage.findByHash(record.hash)).toEqual(record)
    }),
    { numRuns: runs(100) },
  )
})
