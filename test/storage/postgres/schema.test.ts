import { describe, expect, test } from 'vitest'
import { postgresSchema, postgresStorage } from '../../../adapters/storage/postgres.ts'
import { sampleInsertion, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { inserted } from '../../support/inserted.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'
import { rejection } from '../../support/world.ts'

const db = databaseForFile()

describe('the tables', () => {
  test.each(['read committed', 'repeatable read', 'serializable'])(
    'are made once by 16 pools at once at %s',
    async (level) => {
      const schema = `at_once_${level.replace(' ', '_')}`
      const options = `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`
      const pools = Array.from({ length: 16 }, () => db.openPool({ max: 1, options }))
      await Promise.all(pools.map((one) => postgresStorage(one, { schema }).migrate()))
      const { rows } = await db.pool.query(`SELECT version FROM ${schema}.miftah_schema`)
      expect(rows).toEqual([{ version: 1 }])
      await Promise.all(pools.map((one) => one.end()))
    },
  )

  test.each(['public', 'user', 'printed'])('are in the schema %s', async (schema) => {
    for (let times = 0; times < 2; times += 1) await db.pool.query(postgresSchema({ schema }))
    const storage = postgresStorage(db.pool, { schema, migrate: false })
    const record = await inserted(storage)
    expect(await storage.findByHash(record.hash)).toEqual(record)
    const { rows } = await db.pool.query(`SELECT count(*)::int AS n FROM "${schema}".miftah_keys`)
    expect(rows).toEqual([{ n: 1 }])
  })

  test.each([
    [
      'CREATE TABLE refused.schema_version (version integer)',
      'schema_foreign',
      'a version before 1',
    ],
    ['CREATE TABLE refused.miftah_schema_version ()', 'schema_foreign', 'a version before 1'],
    ['UPDATE refused.miftah_schema SET version = 99', 'schema_too_new', 'newer than 1'],
  ])('are refused after %s, also by the printed SQL', async (sql, code, printed) => {
    const schema = 'refused'
    await db.pool.query('DROP SCHEMA IF EXISTS refused CASCADE; CREATE SCHEMA refused')
    if (code === 'schema_too_new') await postgresStorage(db.pool, { schema }).migrate()
    await db.pool.query(sql)
    expect(await rejection(postgresStorage(db.pool, { schema }).migrate())).toMatchObject({ code })
    await expect(db.pool.query(postgresSchema({ schema }))).rejects.toThrow(printed)
  })

  test('have no text in the order of a locale', async () => {
    await postgresStorage(db.pool, { schema: 'bytewise' }).migrate()
    const { rows } = await db.pool.query(`SELECT attrelid::regclass::text, attname FROM pg_attribute
      JOIN pg_class c ON c.oid = attrelid AND relkind IN ('r', 'i')
      WHERE relnamespace = 'bytewise'::regnamespace
        AND attcollation NOT IN (0, '"C"'::regcollation)`)
    expect(rows).toEqual([])
  })

  test('keep the search path of the session that makes them', async () => {
    const own = db.openPool({ max: 1, options: '-c search_path=pg_temp' })
    await postgresStorage(own, { schema: 'pathless' }).migrate()
    expect((await own.query('SHOW search_path')).rows).toEqual([{ search_path: 'pg_temp' }])
  })
})

test('a write of which a trigger of the host swallows a part fails whole', async () => {
  const schema = 'swallowed'
  const storage = postgresStorage(db.pool, { schema })
  await storage.migrate()
  await db.pool.query(`CREATE FUNCTION swallowed.swallow() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN RETURN NULL; END'`)
  await db.pool.query(`CREATE TRIGGER swallow BEFORE INSERT ON swallowed.miftah_events
    FOR EACH ROW EXECUTE FUNCTION swallowed.swallow()`)
  const record = sampleRecord()
  expect(await rejection(storage.write([sampleInsertion(record)]))).toMatchObject({
    code: 'refused',
  })
  expect(await storage.findByHash(record.hash)).toBeNull()
})

test('a write waits for locks as long as its call, and sets nothing beyond its statement', async () => {
  const schema = 'patient'
  const own = db.openPool({ max: 1, options: '-c lock_timeout=7s -c synchronous_commit=off' })
  const storage = postgresStorage(own, { schema })
  await storage.migrate()
  await db.pool.query(`CREATE TABLE patient.seen (lock text, durable text)`)
  await db.pool.query(`CREATE FUNCTION patient.see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO patient.seen VALUES (current_setting('lock_timeout'), current_setting('synchronous_commit'));
    RETURN NEW; END $$`)
  await db.pool.query(`CREATE TRIGGER see BEFORE INSERT ON patient.miftah_keys
    FOR EACH ROW EXECUTE FUNCTION patient.see()`)
  await storage.write([sampleInsertion(sampleRecord())])
  expect((await db.pool.query('SELECT * FROM patient.seen')).rows).toEqual([
    { lock: '2s', durable: 'on' },
  ])
  const { rows } = await own.query(
    `SELECT current_setting('lock_timeout') AS lock, current_setting('synchronous_commit') AS durable`,
  )
  expect(rows).toEqual([{ lock: '7s', durable: 'off' }])
})

test('diagnose says which rights a role lacks', async () => {
  const schema = 'lacking'
  const role = `miftah_none_${Math.random().toString(36).slice(2, 10)}`
  await postgresStorage(db.pool, { schema }).migrate()
  await db.pool.query(`CREATE ROLE ${role} LOGIN`)
  const storage = postgresStorage(db.openPool({ user: role }), { schema, migrate: false })
  expect((await storage.diagnose()).missingRights).toContain(`USAGE ON SCHEMA ${schema}`)
  await db.pool.query(postgresSchema({ schema, runtimeRole: role }))
  await db.pool.query(`REVOKE INSERT ON lacking.miftah_keys FROM ${role}`)
  await db.pool.query(`REVOKE DELETE ON lacking.miftah_log FROM ${role}`)
  expect(await storage.diagnose()).toMatchObject({
    schemaVersion: 1,
    missingRights: ['INSERT ON lacking.miftah_keys', 'DELETE ON lacking.miftah_log'],
    pendingEvents: { count: 0, oldestAtMs: null },
  })
  await db.pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
})
