import { beforeAll, describe, expect, test } from 'vitest'
import { mysqlStorage } from '../../adapters/storage/mysql.ts'
import { postgresStorage } from '../../adapters/storage/postgres.ts'
import { sampleInsertion, sampleRecord } from '../../adapters/storage/testing/samples.ts'
import { OutageError } from '../../src/index.ts'
import type { KeyRecord } from '../../src/storage/index.ts'
import { DATABASES } from '../support/databases.ts'
import { limited } from '../support/limited.ts'
import * as mysql from '../support/mysql/server.ts'
import { databaseForFile } from '../support/postgres/own-database.ts'
import { textIn } from '../support/reachable.ts'
import { freshPath, rawAt, storageAt } from '../support/sqlite-files.ts'
import { rejection } from '../support/world.ts'

const NAME = 'اسم لا يقال'
const PERSON = 'Zaynab bint Ali'

const record = (fields: Partial<KeyRecord> = {}) =>
  sampleRecord({ name: NAME, creator: { id: 'u_zaynab', name: PERSON }, ...fields })

/** What an error tells of the records: any half of a hash, and the names. */
function told(error: unknown, records: readonly KeyRecord[]): readonly string[] {
  const text = textIn(new OutageError('write', error))
  const hidden = records.flatMap(({ hash, name }) => [hash.slice(0, 32), hash.slice(32), name])
  return [...hidden, PERSON].filter((part) => part !== '' && text.includes(part))
}

const postgres = databaseForFile()
const onMysql = mysql.databaseForFile()
const stored = record()

beforeAll(() => postgresStorage(postgres.pool).write([sampleInsertion(stored)]))

const UNSTORABLE: readonly (readonly [string, Partial<KeyRecord>])[] = [
  ['a hash that is too short', { hash: sampleRecord().hash.slice(0, 40) }],
  ['a hash that is no hex', { hash: `${sampleRecord().hash.slice(0, 62)}zz` }],
  ['another environment', { environment: 'prod' as 'live' }],
  ['a version that is too low', { version: 0 }],
  ['half a character', { note: '\ud800' }],
]

describe.each(DATABASES)('no error of $database quotes a refused row', ({ isThere, places }) => {
  const place = places()

  test.skipIf(!isThere).each(UNSTORABLE)('with %s', async (_name, fields) => {
    const refused = record(fields)
    const { open } = await place()
    const error = await rejection(open().write([sampleInsertion(refused)]))
    expect(error).toMatchObject({ name: 'StorageError', code: 'unstorable_value' })
    expect(told(error, [refused])).toEqual([])
  })
})

test.skipIf(!mysql.hasServer)('nor does MySQL quote a name that is too long', async () => {
  const storage = mysqlStorage(onMysql.pool)
  const refused = record({ name: 'x'.repeat(70_000) })
  const error = await rejection(storage.write([sampleInsertion(refused)]))
  expect(error).toMatchObject({ code: 'unstorable_value' })
  expect(textIn(error)).not.toMatch(/xxx|7878/)
  expect(textIn(error)).not.toContain(refused.id)
  expect(await storage.findByHash(refused.hash)).toBeNull()
})

describe('on PostgreSQL', () => {
  const QUOTED = `'row ' || NEW.name || ' ' || NEW.creator_name || ' ' || encode(NEW.hash, 'hex')`

  test('the control: the driver quotes a refused row', async () => {
    const copied = `INSERT INTO miftah.miftah_keys
      SELECT (jsonb_populate_record(k, '{"id":"x","place":9}')).* FROM miftah.miftah_keys k`
    // The server logs no row that it refuses.
    const terse = postgres.openPool({ options: '-c log_error_verbosity=terse' })
    const error = await rejection(terse.query(copied))
    expect(told(error, [stored])).toContain(stored.hash.slice(0, 32))
  })

  test.each(['P0001', '23514', '40001', '53100'])(
    'a trigger tells nothing, by %s',
    async (state) => {
      const { pool } = postgres
      await pool.query(`CREATE FUNCTION public.tell() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION USING ERRCODE = '${state}', MESSAGE = ${QUOTED}, DETAIL = ${QUOTED},
        HINT = ${QUOTED}, TABLE = ${QUOTED}, SCHEMA = ${QUOTED}, CONSTRAINT = ${QUOTED}; END $$`)
      await pool.query(`CREATE TRIGGER tell BEFORE INSERT ON miftah.miftah_keys
      FOR EACH ROW EXECUTE FUNCTION public.tell()`)
      const refused = record()
      const storage = limited(postgresStorage(pool), 1_000)
      const error = await rejection(storage.write([sampleInsertion(refused)]))
      await pool.query('DROP FUNCTION public.tell CASCADE')
      expect(error).toMatchObject({ name: 'StorageError' })
      expect(told(error, [refused])).toEqual([])
    },
  )
})

describe('on SQLite', () => {
  async function opened() {
    const path = freshPath()
    const storage = limited(storageAt(path), 1_000)
    await storage.write([sampleInsertion(stored)])
    return { raw: rawAt(path), storage }
  }

  test('errors of a locked, a broken and a closed database reveal no argument', async () => {
    const { raw, storage } = await opened()
    const next = record()
    const insert = () => rejection(storage.write([sampleInsertion(next)]))
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
    const { raw, storage } = await opened()
    raw.exec(`PRAGMA ignore_check_constraints = ON; UPDATE miftah_keys SET scopes = '["${NAME}'`)
    const error = await rejection(Promise.resolve().then(() => storage.findByHash(stored.hash)))
    expect(error).toMatchObject({ code: 'broken_row' })
    expect(told(error, [stored])).toEqual([])
  })
})
