import { beforeAll, describe, expect, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { sampleInsertion, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { OutageError } from '../../../src/index.ts'
import type { KeyRecord } from '../../../src/storage/index.ts'
import { limited } from '../../support/limited.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'
import { textIn } from '../../support/reachable.ts'
import { rejection } from '../../support/world.ts'

const NAME = 'اسم لا يقال'
const PERSON = 'Zaynab bint Ali'

const db = databaseForFile()
let stored: KeyRecord

beforeAll(async () => {
  stored = record()
  await postgresStorage(db.pool).write([sampleInsertion(stored)])
})

function record(fields: Partial<KeyRecord> = {}): KeyRecord {
  return sampleRecord({ name: NAME, creator: { id: 'u_zaynab', name: PERSON }, ...fields })
}

/** What of a record may be in no error: any half of its hash, and the names. */
function told(error: unknown, { hash, name, creator }: KeyRecord): readonly string[] {
  const text = textIn(new OutageError('insert', error))
  const hidden = [hash, stored.hash].flatMap((hex) => [hex.slice(0, 32), hex.slice(32)])
  return [...hidden, name, creator.name].filter((part) => part !== '' && text.includes(part))
}

async function insertFails(fields: Partial<KeyRecord>, storage = postgresStorage(db.pool)) {
  const refused = record(fields)
  const error = await rejection(storage.write([sampleInsertion(refused)]))
  return { error, told: told(error, refused) }
}

describe('no error quotes a refused row', () => {
  const cases: readonly (readonly [string, () => Partial<KeyRecord>])[] = [
    ['with a hash that is too short', () => ({ hash: sampleRecord().hash.slice(0, 40) })],
    ['with a hash that is no hex', () => ({ hash: `${stored.hash.slice(0, 62)}zz` })],
    ['with another environment', () => ({ environment: 'prod' as 'live' })],
    ['with a version that is too low', () => ({ version: 0 })],
  ]

  test('the control: the driver quotes it', async () => {
    const copied = `INSERT INTO miftah.miftah_keys
      SELECT (jsonb_populate_record(k, '{"id":"x","place":9}')).* FROM miftah.miftah_keys k`
    // The server logs no row that it refuses.
    const terse = db.openPool({ options: '-c log_error_verbosity=terse' })
    const error = await rejection(terse.query(copied))
    expect(told(error, stored)).toContain(stored.hash.slice(0, 32))
  })

  test.each(cases)('%s', async (_name, fields) => {
    const { error, told } = await insertFails(fields())
    expect(error).toMatchObject({ name: 'StorageError' })
    expect(told).toEqual([])
  })
})

describe('no error quotes what others say of a row', () => {
  const QUOTED = `'row ' || NEW.name || ' ' || NEW.creator_name || ' ' || encode(NEW.hash, 'hex')`

  test.each(['P0001', '23514', '40001', '53100'])('a trigger, by %s', async (state) => {
    await db.pool.query(`CREATE FUNCTION public.tell() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION USING ERRCODE = '${state}', MESSAGE = ${QUOTED}, DETAIL = ${QUOTED},
        HINT = ${QUOTED}, TABLE = ${QUOTED}, SCHEMA = ${QUOTED}, CONSTRAINT = ${QUOTED}; END $$`)
    await db.pool.query(`CREATE TRIGGER tell BEFORE INSERT ON miftah.miftah_keys
      FOR EACH ROW EXECUTE FUNCTION public.tell()`)
    const { error, told } = await insertFails({}, limited(postgresStorage(db.pool), 1_000))
    await db.pool.query('DROP FUNCTION public.tell CASCADE')
    expect(error).toMatchObject({ name: 'StorageError' })
    expect(told).toEqual([])
  })
})
