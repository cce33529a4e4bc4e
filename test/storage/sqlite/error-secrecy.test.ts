import { expect, test } from 'vitest'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRotateChange,
} from '../../../adapters/storage/testing/samples.ts'
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
  const text = textIn(new OutageError('insert', error))
  const hidden = records.flatMap(({ hash }) => [hash.slice(0, 32), hash.slice(32)])
  return [...hidden, NAME, PERSON].filter((part) => text.includes(part))
}

async function opened() {
  const path = freshPath()
  const storage = limited(storageAt(path), 2_000)
  const stored = record()
  await storage.insert(stored, null, sampleCreatedEvent(stored))
  return { path, storage, stored }
}

test.each<readonly [string, (stored: KeyRecord) => Partial<KeyRecord>]>([
  ['with a taken hash', ({ hash }) => ({ hash })],
  ['with a taken id', ({ id }) => ({ id })],
  ['with a hash that is too short', ({ hash }) => ({ hash: hash.slice(0, 40) })],
  ['with a name that is too long', () => ({ name: NAME.repeat(20) })],
  ['with a prefix that is too long', () => ({ prefix: 'x'.repeat(20) })],
  ['with another environment', () => ({ environment: 'prod' as 'live' })],
  ['with a successor and no revocation', () => ({ replacedBy: 'key_x' })],
])('no error quotes a refused row: %s', async (_name, fields) => {
  const { storage, stored } = await opened()
  const refused = record(fields(stored))
  const error = await rejection(storage.insert(refused, null, sampleCreatedEvent(refused)))
  expect(error).toBeInstanceOf(Error)
  expect(told(error, [stored, refused])).toEqual([])
})

test('no error quotes a refused replacement', async () => {
  const { storage, stored } = await opened()
  const change = sampleRotateChange(stored, { hash: stored.hash })
  const error = await rejection(storage.rotate(change))
  expect(told(error, [stored, change.replacement])).toEqual([])
})

test('errors of a locked, a broken and a closed database reveal no argument', async () => {
  const { path, storage, stored } = await opened()
  const next = record()
  const insert = () => rejection(storage.insert(next, null, sampleCreatedEvent(next)))
  const raw = rawAt(path)
  raw.exec('BEGIN EXCLUSIVE')
  const errors = [await insert()]
  raw.exec('ROLLBACK')
  raw.exec(`PRAGMA writable_schema = ON; DROP TRIGGER miftah_keys_keep_texts_for_scopes;
    UPDATE miftah_keys SET version = version + 1, scopes = '["${NAME}"'  || ']'`)
  raw.exec('DROP TABLE miftah_events')
  errors.push(await insert())
  await storage.close()
  errors.push(await insert())
  expect(errors).toHaveLength(3)
  for (const error of errors) expect(told(error, [stored, next])).toEqual([])
})

test('the content of an invalid row is not revealed', async () => {
  const { path, storage, stored } = await opened()
  const raw = rawAt(path)
  raw.exec('PRAGMA ignore_check_constraints = ON; DROP TRIGGER miftah_keys_keep_texts_for_scopes')
  raw.exec(`UPDATE miftah_keys SET version = version + 1, scopes = '["${NAME}'`)
  const error = await rejection(Promise.resolve().then(() => storage.findByHash(stored.hash)))
  expect(error).toMatchObject({ code: 'broken_row' })
  expect(told(error, [stored])).toEqual([])
})
