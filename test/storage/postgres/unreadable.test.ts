import type pg from 'pg'
import { describe, expect, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { sampleCreatedEvent, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import type { KeyRecord } from '../../../src/storage/index.ts'
import { inserted } from '../../support/inserted.ts'
import { databaseForFile, databaseForTest } from '../../support/postgres/own-database.ts'

const db = databaseForFile()

/** Some keys of which the one in the middle has these fields. */
async function keysWithOne(fields: Partial<KeyRecord>) {
  const storage = postgresStorage(db.pool)
  const records = Array.from({ length: 21 }, (_, at) => sampleRecord(at === 10 ? fields : {}))
  for (const record of records) await storage.insert(record, null, sampleCreatedEvent(record))
  const odd = records[10] ?? expect.fail()
  return { odd, others: records.filter((record) => record !== odd) }
}

/** Looks all keys up at once, so that they share statements, and the odd one again and again. */
async function lookedUp(from: pg.Pool, odd: KeyRecord, others: readonly KeyRecord[]) {
  const storage = postgresStorage(from)
  await storage.migrate()
  const failing = Array.from({ length: 5 }, () => Promise.resolve(storage.findByHash(odd.hash)))
  const working = others.map((record) => storage.findByHash(record.hash))
  const missing = storage.findByHash(sampleRecord().hash)
  const failed = await Promise.allSettled(failing)
  return {
    odd: failed.map((one) => (one.status === 'rejected' ? one.reason.code : one.value)),
    others: await Promise.all(working),
    missing: await missing,
  }
}

describe('a key that cannot be read fails its own callers only', () => {
  test('because its row is invalid', async () => {
    const { odd, others } = await keysWithOne({})
    await db.pool.query('ALTER TABLE miftah.keys DROP CONSTRAINT keys_revoked_at')
    await db.pool.query('UPDATE miftah.keys SET revoked_at_ms = 9007199254740992 WHERE id = $1', [
      odd.id,
    ])
    const found = await lookedUp(db.pool, odd, others)
    expect(found).toEqual({ odd: Array(5).fill('broken_row'), others, missing: null })
  })

  test('because the server refuses the whole statement for its sake', async () => {
    const { odd, others } = await keysWithOne({ name: 'مفتاح' })
    // A client encoding that has no Arabic.
    const narrow = db.openPool({
      max: 1,
      onConnect: async (client) => {
        await client.query(`SET client_encoding = 'LATIN1'`)
      },
    })
    const found = await lookedUp(narrow, odd, others)
    expect(found).toEqual({ odd: Array(5).fill('refused'), others, missing: null })
  })
})

test('a key that was used as often as can be counted does not hold up the uses of others', async () => {
  const { odd, others } = await keysWithOne({})
  const [other = expect.fail()] = others
  await db.pool.query('UPDATE miftah.usage SET uses = 9007199254740991 WHERE id = $1', [odd.id])
  const storage = postgresStorage(db.pool)
  const uses = [odd, other].map(({ id }) => ({ id, uses: 2, lastUsedAtMs: 5 }))
  await storage.addUses({ writer: 'w', sequence: 1, uses })
  const usesOf = async ({ workspaceId, id }: KeyRecord) =>
    (await storage.findById(workspaceId, id))?.uses
  expect(await usesOf(odd)).toBe(Number.MAX_SAFE_INTEGER)
  expect(await usesOf(other)).toBe(2)
})

describe('an error about a prepared statement', () => {
  /** Puts a view in place of the table: its keys are read through a function that counts. */
  async function counted(condition: string) {
    const own = await databaseForTest()
    const through = own.pool({ max: 1 })
    const storage = postgresStorage(through)
    const record = await inserted(storage)
    await through.query('CREATE SEQUENCE public.reads')
    await through.query(`CREATE FUNCTION public.counted(bytea) RETURNS bytea LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM nextval('public.reads');
        IF ${condition} THEN
          RAISE 'cached plan must not change result type' USING ERRCODE = '0A000';
        END IF;
        RETURN $1;
      END $$`)
    await through.query('ALTER TABLE miftah.keys RENAME TO rows')
    await through.query(`CREATE VIEW miftah.keys AS SELECT (r.copy).* FROM (
      SELECT jsonb_populate_record(r, jsonb_build_object('hash', public.counted(r.hash))) AS copy
      FROM miftah.rows r OFFSET 0) r`)
    const attempts = async () => {
      const { rows } = await through.query('SELECT last_value::int AS n FROM public.reads')
      return rows[0].n
    }
    return { storage, record, attempts }
  }

  test('that comes without a name too is reported after one more attempt', async () => {
    const { storage, record, attempts } = await counted('true')
    const error = await Promise.resolve(storage.findByHash(record.hash)).catch((reason) => reason)
    expect(error).toMatchObject({ code: 'refused', cause: { code: '0A000' } })
    expect(await attempts()).toBe(2)
  })

  test('that comes only with a name costs one more attempt, once', async () => {
    const names = `EXISTS (SELECT FROM pg_prepared_statements WHERE name LIKE 'miftah%')`
    const { storage, record, attempts } = await counted(names)
    expect(await storage.findByHash(record.hash)).toEqual(record)
    const before = await attempts()
    expect(await storage.findByHash(record.hash)).toEqual(record)
    expect(await attempts()).toBeLessThanOrEqual(before * 2)
  })
})
