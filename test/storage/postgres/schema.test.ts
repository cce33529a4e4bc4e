import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keyJson } from '../../../adapters/storage/lib/postgres/key-json.ts'
import { SCHEMA_VERSION } from '../../../adapters/storage/lib/postgres/schema/index.ts'
import { postgresSchema, postgresStorage } from '../../../adapters/storage/postgres.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleRotateChange,
} from '../../../adapters/storage/testing/samples.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { inserted } from '../../support/inserted.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres-database.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

let server: PostgresServer
let database: TestDatabase
let pool: pg.Pool

beforeAll(async () => {
  server = await startPostgres()
  database = await testDatabase(server)
  pool = database.pool()
})

afterAll(async () => {
  await database.close()
  await server.dispose()
})

/** A create, a rotation, a revocation, a flush, a page, the log and its delivery. */
async function wholeLife(storage: KeyStorage): Promise<void> {
  const record = sampleRecord({ workspaceId: `ws_${Math.random()}` })
  const change = sampleRotateChange(record)
  await storage.insert(record, 5, sampleCreatedEvent(record))
  const uses = [{ id: record.id, uses: 2, lastUsedAtMs: 5 }]
  await storage.addUses({ writer: `w_${record.id}`, sequence: 1, uses })
  expect((await storage.rotate(change)).outcome).toBe('rotated')
  expect((await storage.revoke(sampleRevokeChange(change.replacement))).outcome).toBe('revoked')
  expect(await storage.findById(record.workspaceId, record.id)).toMatchObject({
    ...{ uses: 2, replacedBy: change.replacement.id },
  })
  const query = { status: null, environment: null, atMs: 0, after: null, limit: 5 }
  expect((await storage.list(record.workspaceId, query))?.records).toHaveLength(2)
  const events = await storage.events(record.workspaceId, { after: null, limit: 5 })
  expect(events).toHaveLength(3)
  const claim = { relay: 'relay', leaseMs: 10, limit: 1_000, except: [] }
  const claimed = await storage.claimEvents(claim)
  expect(claimed).toEqual(expect.arrayContaining([...(events ?? [])]))
  await storage.acknowledgeEvents(
    'relay',
    claimed.map(({ id }) => id),
  )
}

async function codeOf(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    () => expect.fail('answered'),
    (reason: unknown) => reason,
  )
  return Reflect.get(Object(error), 'code')
}

describe('where the tables live', () => {
  test.each([
    [{ schema: 'auth' }, 'auth', 'keys'],
    [{ schema: 'auth', tablePrefix: 'api_' }, 'auth', 'api_keys'],
    [{ schema: 'public' }, 'public', 'miftah_keys'],
    [{ schema: 'user', tablePrefix: 'order_' }, 'user', 'order_keys'],
  ])('%j', async (naming, schema, table) => {
    await wholeLife(postgresStorage(pool, naming))
    const { rows } = await pool.query(`SELECT count(*)::int AS n FROM "${schema}"."${table}"`)
    expect(rows).toEqual([{ n: 2 }])
  })
})

describe('migrations', () => {
  test('16 pools at once leave one schema, under every isolation level', async () => {
    for (const level of ['read committed', 'repeatable read', 'serializable']) {
      const schema = `at_once_${level.replace(' ', '_')}`
      const options = `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`
      const pools = Array.from({ length: 16 }, () => database.pool({ max: 1, options }))
      await Promise.all(pools.map((one) => postgresStorage(one, { schema }).migrate()))
      const { rows } = await pool.query(`SELECT version FROM ${schema}.schema_version`)
      expect(rows).toEqual([{ version: SCHEMA_VERSION }])
      await Promise.all(pools.map((one) => one.end()))
    }
  })
})

test('what stands on guard has a name that a later version can find', async () => {
  const naming = { schema: 'named', tablePrefix: 'k_' }
  await postgresStorage(pool, naming).migrate()
  const { rows } = await pool.query(`SELECT tgname FROM pg_trigger
    WHERE NOT tgisinternal AND tgrelid::regclass::text LIKE 'named.%' ORDER BY tgname COLLATE "C"`)
  expect(rows.map(({ tgname }) => tgname)).toEqual([
    ...['k_events_append_only', 'k_events_kept', 'k_events_never_emptied', 'k_keys_counted'],
    ...['k_keys_counted_again', 'k_keys_identity', 'k_keys_kept'],
    ...['k_keys_logged_delete', 'k_keys_logged_truncate', 'k_keys_logged_update'],
    ...['k_keys_never_emptied', 'k_keys_notice', 'k_keys_notice_again'],
    ...['k_keys_replacement', 'k_keys_retirement'],
    ...['k_keys_revocation', 'k_keys_version', 'k_keys_widening', 'k_usage_forward'],
    ...['k_usage_never_emptied', 'k_workspaces_forward'],
    ...['k_workspaces_kept', 'k_workspaces_never_emptied'],
  ])
})

test('all triggers but those that write to replicated tables hold in every session', async () => {
  await postgresStorage(pool, { schema: 'always' }).migrate()
  const { rows } = await pool.query(`SELECT tgname FROM pg_trigger WHERE NOT tgisinternal
    AND tgenabled <> 'A' AND tgrelid::regclass::text LIKE 'always.%' ORDER BY tgname COLLATE "C"`)
  expect(rows.map(({ tgname }) => tgname)).toEqual([
    ...['keys_counted', 'keys_counted_again', 'keys_notice', 'keys_notice_again'],
  ])
})

test('no text is in the order of a locale', async () => {
  await postgresStorage(pool, { schema: 'bytewise' }).migrate()
  const { rows } = await pool.query(`SELECT attrelid::regclass::text, attname FROM pg_attribute
    JOIN pg_class c ON c.oid = attrelid AND relkind IN ('r', 'i')
    WHERE relnamespace = 'bytewise'::regnamespace
      AND attcollation NOT IN (0, '"C"'::regcollation)`)
  expect(rows).toEqual([])
})

test('a call waits for locks as long as it says, and two seconds by default', async () => {
  const schema = 'patient'
  await postgresStorage(pool, { schema }).migrate()
  await pool.query(`CREATE FUNCTION patient.tell() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE 'lock_timeout is %', current_setting('lock_timeout'); END $$`)
  await pool.query(`CREATE TRIGGER tell BEFORE INSERT ON patient.workspaces
    FOR EACH ROW EXECUTE FUNCTION patient.tell()`)
  const record = sampleRecord()
  const event = sampleCreatedEvent(record)
  const call = (fields: object) =>
    pool.query('SELECT patient.insert_key($1)', [
      JSON.stringify({ record: keyJson(record), event, ...fields }),
    ])
  await expect(call({ lockTimeoutMs: '1234' })).rejects.toThrow('lock_timeout is 1234ms')
  await expect(call({ lockTimeoutMs: '2147483647' })).rejects.toThrow('is 2147483647ms')
  await expect(call({})).rejects.toThrow('lock_timeout is 2s')
})

describe('a role that may not change tables', () => {
  const naming = { schema: 'apart', tablePrefix: 'k_' }
  const runtimeRole = `App "${Math.random()}"`
  let app: pg.Pool

  beforeAll(async () => {
    await pool.query(`CREATE ROLE "${runtimeRole.replaceAll('"', '""')}" LOGIN`)
    app = database.pool({ user: runtimeRole })
  })

  test('gets an error with what is missing, and works with the printed SQL', async () => {
    const early = postgresStorage(app, { ...naming, migrate: false })
    expect(await codeOf(early.findById('ws', 'key'))).toBe('schema_missing')
    expect(await codeOf(postgresStorage(app, naming).findById('ws', 'key'))).toBe('refused')
    const sql = postgresSchema({ ...naming, runtimeRole })
    await pool.query(sql)
    await pool.query(sql)
    await wholeLife(early)
    await wholeLife(postgresStorage(app, naming))
  })

  test.each([
    'UPDATE apart.k_keys SET revoked_at_ms = NULL',
    'UPDATE apart.k_workspaces SET keys_without_end = 0',
    'INSERT INTO apart.k_workspaces VALUES (1, 1)',
    'DELETE FROM apart.k_outbox',
    'TRUNCATE apart.k_events',
    'ALTER TABLE apart.k_keys DISABLE TRIGGER ALL',
    `SELECT apart.k_store_event('{}', 'ws', 1)`,
    `SELECT apart.k_lock_workspace('ws', true)`,
    `SELECT apart.k_erase_person('{}')`,
    `SELECT apart.k_erase_workspace('{}')`,
    `SELECT apart.k_purge('{}')`,
  ])('cannot %s', async (sql) => {
    await expect(app.query(sql)).rejects.toMatchObject({ code: '42501' })
  })

  test('may erase and purge with the grants of an erasureRole, and no more', async () => {
    const erasureRole = `eraser_${Math.random().toString(36).slice(2)}`
    await pool.query(`CREATE ROLE ${erasureRole} LOGIN`)
    await pool.query(postgresSchema({ ...naming, erasureRole }))
    const eraser = database.pool({ user: erasureRole })
    const storage = postgresStorage(eraser, { ...naming, migrate: false })
    await wholeLife(storage)
    const limit = 1_000
    const person = { personId: 'u_creator', limit }
    expect((await storage.erasePerson(person)).keys).toBeGreaterThan(1)
    const _record = await inserted(storage, { workspaceId: 'ws_gone' })
    const workspace = { workspaceId: 'ws_gone', erasedAtMs: 5, limit }
    expect(await storage.eraseWorkspace(workspace)).toMatchObject({ keys: 1, more: true })
    const now = Date.now()
    const purged = await storage.purge({ endedBeforeMs: now, eventsBeforeMs: now, limit })
    expect(purged).toMatchObject({ keys: expect.any(Number), more: true })
    expect(purged.keys).toBeGreaterThan(1)
    for (const table of ['keys', 'usage', 'events', 'purged', 'workspaces']) {
      const sql = `DELETE FROM apart.k_${table}`
      await expect(eraser.query(sql)).rejects.toMatchObject({ code: '42501' })
    }
    const refused = postgresStorage(app, { ...naming, migrate: false })
    expect(await codeOf(refused.erasePerson(person))).toBe('refused')
  })

  test('cannot put its own objects in the way of the functions', async () => {
    const client = await app.connect()
    await client.query('CREATE TEMP TABLE k_keys (id text)')
    await client.query('CREATE TEMP TABLE pg_class (oid oid)')
    await client.query(`SET search_path = pg_temp, apart`)
    await wholeLife(postgresStorage(client, { ...naming, migrate: false }))
    client.release(true)
  })
})

// Beside what test/storage/constraints.test.ts has.
describe('what a stray program cannot do', () => {
  const key = sampleRecord({ workspaceId: 'ws_guarded' })
  const revoked = sampleRecord({ workspaceId: 'ws_guarded' })

  beforeAll(async () => {
    const storage = postgresStorage(pool)
    await storage.insert(key, null, sampleCreatedEvent(key))
    await storage.insert(revoked, null, sampleCreatedEvent(revoked))
    await storage.revoke(sampleRevokeChange(revoked))
    await pool.query(`UPDATE miftah.usage SET uses = 3 WHERE id = '${key.id}'`)
    await pool.query(`INSERT INTO miftah.usage VALUES ('key_stray', 0)`)
  })

  const insertWith = (column: string, value: string) =>
    `INSERT INTO miftah.keys SELECT (jsonb_populate_record(k, jsonb_build_object(
      'id', 'key_stray', 'seq', 1000, 'hash', '\\x${'0'.repeat(64)}', '${column}', ${value}))).*
    FROM miftah.keys k WHERE id = '${key.id}'`

  test.each([
    ['scopes', `'[0:0]={a}'::text`, '23514'],
    ['id', `'key_without_usage'`, '23503'],
  ])('insert a key with the %s %s', async (column, value, code) => {
    await expect(pool.query(insertWith(column, value))).rejects.toMatchObject({ code })
  })

  test.each([
    `UPDATE miftah.keys SET hash = '\\x${'1'.repeat(64)}' WHERE id = '${key.id}'`,
    'TRUNCATE miftah.keys CASCADE',
    `UPDATE miftah.usage SET id = 'key_other' WHERE id = 'key_stray'`,
    `UPDATE miftah.workspaces SET is_erased = NOT is_erased, changes = changes - 1`,
    'TRUNCATE miftah.usage CASCADE',
    'TRUNCATE miftah.events',
    'UPDATE miftah.workspaces SET changes = 0',
    'DELETE FROM miftah.workspaces',
  ])('%s, in a session that replicates neither', async (sql) => {
    await expect(pool.query(sql)).rejects.toMatchObject({ code: '23001' })
    const replicating = database.pool({ options: '-c session_replication_role=replica' })
    await expect(replicating.query(sql)).rejects.toMatchObject({ code: '23001' })
    await replicating.end()
  })

  test.each([
    [
      'keys',
      `UPDATE miftah.keys SET seq = 77 WHERE id = '${key.id}'`,
      'a key keeps what it was created with',
    ],
    [
      'keys',
      `UPDATE miftah.keys SET revoked_at_ms = 1 WHERE id = '${revoked.id}'`,
      'a revocation is final',
    ],
    [
      'usage',
      `UPDATE miftah.usage SET uses = 2 WHERE id = '${key.id}'`,
      'uses are only counted up',
    ],
    [
      'workspaces',
      'UPDATE miftah.workspaces SET changes = 0',
      'changes are only counted up, and an erased workspace is closed for good',
    ],
    ['events', 'UPDATE miftah.events SET seq = -seq', 'the audit log is only added to'],
    ['keys', 'DELETE FROM miftah.keys', 'a key that is not dead is kept'],
    ['events', 'DELETE FROM miftah.events', 'an event is kept until it is delivered'],
    ['events', 'TRUNCATE miftah.events', 'its rows are kept'],
  ])('and is told why: %s, %s', async (table, sql, why) => {
    const [verb] = sql.split(' ')
    await expect(pool.query(sql)).rejects.toThrow(`miftah: ${verb} of ${table} is refused: ${why}`)
  })

  test('the usage of a key is not deleted before the key', async () => {
    const sql = `DELETE FROM miftah.usage WHERE id = '${key.id}'`
    await expect(pool.query(sql)).rejects.toMatchObject({ code: '23503' })
  })

  test('revoke through a trigger of its own that puts the key back to life', async () => {
    await pool.query(`CREATE FUNCTION public.revive() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN NEW.revoked_at_ms := NULL; RETURN NEW; END'`)
    await pool.query(`CREATE TRIGGER zzz BEFORE UPDATE ON miftah.keys
      FOR EACH ROW WHEN (OLD.revoked_at_ms IS NOT NULL) EXECUTE FUNCTION public.revive()`)
    const sql = `UPDATE miftah.keys SET replaced_by = replaced_by WHERE id = '${revoked.id}'`
    await expect(pool.query(sql)).rejects.toMatchObject({ code: '23001' })
    await pool.query('DROP TRIGGER zzz ON miftah.keys')
  })
})
