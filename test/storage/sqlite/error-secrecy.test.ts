import { expect, test } from 'vitest'
import { sampleInsertion, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { OutageError } from '../../../src/index.ts'
import type { KeyRecord } from '../../../src/storage/index.ts'
import { limited } from '../../support/limited.ts'
import { textIn } from '../../support/reachable.ts'
import { freshPath, rawAt, storageAt } from '../../support/sqlite-files.ts'
import { rejection } from '../../support/world.ts'

const NAME = 'اسم لا يقال'
const PERSON = 'Zaynab bint Ali'

const record = (fields: Partial<KeyRecord> = {}) =>
  sampleRecord({ name: NAME, creator: { id: 'u_zaynab', name: PERSON }, ...fields })

function told(error: unknown, records: readonly KeyRecord[]): readonly string[] {
  const text = textIn(new OutageError('write', error))
  const hidden = records.flatMap(({ hash }) => [hash.slice(0, 32), hash.slice(32)])
  return [...hidden, NAME, PERSON].filter((part) => text.includes(part))
}

async function opened() {
  const path = freshPath()
  const storage = limited(storageAt(path), 1_000)
  const stored = record()
  await storage.write([sampleInsertion(stored)])
  return { path, storage, stored }
}

test.each<readonly [string, Partial<KeyRecord>]>([
  ['a hash that is too short', { hash: '0'.repeat(40) }],
  ['another environment', { environment: 'prod' as 'live' }],
  ['a version of nothing', { version: 0 }],
  ['half a character', { note: '\ud800' }],
])('no error quotes a refused row: %s', async (_name, fields) => {
  const { storage, stored } = await opened()
  const refused = record(fields)
  const error = await rejection(storage.write([sampleInsertion(refused)]))
  expect(error).toMatchObject({ code: 'unstorable_value' })
  expect(told(error, [stored, refused])).toEqual([])
})

test('errors of a locked, a broken and a closed database reveal no argument', async () => {
  const { path, storage, stored } = await opened()
  const next = record()
  const insert = () => rejection(storage.write([sampleInsertion(next)]))
  const raw = rawAt(path)
  raw.exec('BEGIN EXCLUSIVE')
  const errors = [await insert()]
  raw.exec('ROLLBACK')
  raw.exec(`CREATE TRIGGER theirs BEFORE INSERT ON miftah_keys
    BEGIN SELECT RAISE(ABORT, '${stored.hash} is known'); END`)
  errors.push(await insert())
  raw.exec('DROP TABLE miftah_keys')
  errors.push(await insert())
  await storage.close()
  errors.push(await insert())
  const codes = ['busy', 'unstorable_value', 'unavailable', 'closed']
  expect(errors.map((error) => Object(error).code)).toEqual(codes)
  for (const error of errors) expect(told(error, [stored, next])).toEqual([])
})

test('the content of an invalid row is not revealed', async () => {
  const { path, storage, stored } = await opened()
  rawAt(path).exec(
    `PRAGMA ignore_check_constraints = ON; UPDATE miftah_keys SET scopes = '["${NAME}'`,
  )
  const error = await rejection(Promise.resolve().then(() => storage.findByHash(stored.hash)))
  expect(error).toMatchObject({ code: 'broken_row' })
  expect(told(error, [stored])).toEqual([])
})
