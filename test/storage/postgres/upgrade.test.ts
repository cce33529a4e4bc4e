import { createHash } from 'node:crypto'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { namesOf } from '../../../adapters/storage/lib/postgres/names.ts'
import { version1 } from '../../../adapters/storage/lib/postgres/schema/1/version.ts'
import { SCHEMA_VERSION } from '../../../adapters/storage/lib/postgres/schema/versions.ts'
import { postgresSchema, postgresStorage } from '../../../adapters/storage/postgres.ts'
import { sampleRevokeChange } from '../../../adapters/storage/testing/samples.ts'
import type { StoredKey } from '../../../src/storage/index.ts'
import { until } from '../../support/postgres/until.ts'
import { createVersionOne, fillVersionOne, versionOne } from '../../support/postgres/version-one.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres-database.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts'
import { rejection } from '../../support/world.ts'

let server: PostgresServer
let database: TestDatabase
let pool: pg.Pool
let keys: readonly StoredKey[]

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.dispose())

beforeEach(async () => {
  database = await testDatabase(server)
  pool = database.pool()
  await createVersionOne(pool)
  keys = await fillVersionOne(pool)
})
afterEach(() => database.close())

async function versionOf(): Promise<number> {
  const { rows } = await pool.query('SELECT max(version) AS version FROM miftah.schema_version')
  return rows[0].version
}

/** Every row that the upgrade leaves as it was. */
async function otherRows(): Promise<readonly unknown[]> {
  const { rows } = await pool.query(`
    SELECT 'workspaces', to_jsonb(w) - '{keys_without_end,expired_to_ms,recounts,is_erased}'::text[] AS row FROM miftah.workspaces w
    UNION ALL SELECT 'events', to_jsonb(e) FROM miftah.events e
    UNION ALL SELECT 'outbox', to_jsonb(o) FROM miftah.outbox o
    UNION ALL SELECT 'writers', to_jsonb(w) FROM miftah.writers w
    UNION ALL SELECT 'relay', to_jsonb(r) - '{lease_ms,settled_to,next_settled_to,next_after}'::text[] FROM miftah.relay r
    ORDER BY 1, 2`)
  return rows
}

/** All that version 1 has stored is what the storage answers now. */
async function expectKeysKept(storage = postgresStorage(pool)): Promise<void> {
  for (const key of keys) {
    const { uses: _uses, lastUsedAtMs: _lastUsedAtMs, ...record } = key
    expect(await storage.findById(key.workspaceId, key.id)).toEqual(key)
    expect(await storage.findByHash(key.hash)).toEqual(record)
  }
}

test('version 1 stays as it was released', () => {
  const digest = createHash('sha256')
    .update(version1(namesOf({})))
    .digest('hex')
  expect(digest).toBe('ef2e32301b988e1af42fe06f28dbd73b49bbb867bcc570932be250ef85ad75b8')
})

describe('an upgrade from version 1', () => {
  test('keeps every key, its usage, and all that waits to be delivered', async () => {
    await pool.query(`UPDATE miftah.relay SET holder = 'relay', until_ms = 1`)
    const { rows } = await pool.query('SELECT event_id FROM miftah.outbox ORDER BY position')
    await versionOne(pool).settle([rows[0].event_id])
    const before = await otherRows()
    expect(before.length).toBeGreaterThan(12)
    const storage = postgresStorage(pool)
    await storage.migrate()
    expect(await versionOf()).toBe(SCHEMA_VERSION)
    expect(await otherRows()).toEqual(before)
    await expectKeysKept(storage)
    const page = await storage.list('ws_one', {
      ...{ status: null, environment: null, atMs: 0, after: null, limit: 9 },
    })
    expect(page).toMatchObject({ activeKeys: 3, more: false })
    expect(page?.records).toEqual(expect.arrayContaining([...keys]))
    const claim = { relay: 'relay', leaseMs: 10, limit: 99, except: [] }
    expect((await storage.claimEvents(claim)).map(({ id }) => id)).toEqual(
      rows.slice(1).map(({ event_id }) => event_id),
    )
  })

  test('goes on where the writers were', async () => {
    const storage = postgresStorage(pool)
    const [, used = expect.fail()] = keys
    const uses = [{ id: used.id, uses: 1, lastUsedAtMs: 6 }]
    await storage.addUses({ writer: `w_${used.id}`, sequence: 1, uses })
    await expectKeysKept(storage)
    await storage.addUses({ writer: `w_${used.id}`, sequence: 2, uses })
    const now = await storage.findById(used.workspaceId, used.id)
    expect(now).toEqual({ ...used, uses: 8, lastUsedAtMs: 6 })
  })

  test('works with the printed SQL, twice, and gives the role its rights', async () => {
    const runtimeRole = `app_${Math.random().toString(36).slice(2)}`
    await pool.query(`CREATE ROLE ${runtimeRole} LOGIN`)
    await pool.query(postgresSchema({ runtimeRole }))
    await pool.query(postgresSchema({ runtimeRole }))
    const app = postgresStorage(database.pool({ user: runtimeRole }), { migrate: false })
    await expectKeysKept(app)
    const [active = expect.fail()] = keys
    expect((await app.revoke(sampleRevokeChange(active))).outcome).toBe('revoked')
  })

  test('does not happen with migrate: false', async () => {
    const storage = postgresStorage(pool, { migrate: false })
    expect(await rejection(storage.findById('ws_one', 'key'))).toMatchObject({
      code: 'schema_missing',
      message: expect.stringMatching(/^the schema is at version 1; version 2 is needed/),
    })
    expect(await versionOf()).toBe(1)
  })

  test('fails whole over a row that the library could not read, and says which rule', async () => {
    await versionOne(pool).insert({ creator: { id: '', name: 'N' } })
    expect(await rejection(postgresStorage(pool).migrate())).toMatchObject({
      code: 'refused',
      cause: { code: '23514', constraint: 'keys_creator_id_length' },
    })
    expect(await versionOf()).toBe(1)
    const [active = expect.fail()] = keys
    await versionOne(pool).use(active, 1, 1)
  })

  test.each(['read committed', 'repeatable read', 'serializable'])(
    'happens once for 8 pools at once, under %s, and loses nothing that is stored meanwhile',
    async (level) => {
      const options = `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`
      const [active = expect.fail()] = keys
      const one = versionOne(pool)
      let isOver = false
      // A process of the first release, until its functions are gone.
      const busy = (async () => {
        let uses = 0
        const inserted = []
        for (let sequence = 1; !isOver; sequence += 1) {
          try {
            await one.use(active, 1, sequence)
            uses += 1
            inserted.push(await one.insert({ workspaceId: `ws_${sequence}` }))
            // At the stricter levels an upgrade fails, and is tried again, when something was stored
            // while it waited for a lock. It needs a moment without changes to get through.
            if (level !== 'read committed') await new Promise((resolve) => setTimeout(resolve, 500))
          } catch {
            isOver = true
          }
        }
        return { uses, inserted }
      })()
      await new Promise((resolve) => setTimeout(resolve, 100))
      const pools = Array.from({ length: 8 }, () => database.pool({ max: 1, options }))
      await Promise.all(pools.map((each) => postgresStorage(each).migrate()))
      const { uses, inserted } = await busy
      expect(inserted.length).toBeGreaterThan(0)
      const storage = postgresStorage(pool)
      expect((await storage.findById(active.workspaceId, active.id))?.uses).toBe(uses)
      for (const record of inserted) {
        expect(await storage.findById(record.workspaceId, record.id)).toMatchObject(record)
      }
      const { rows } = await pool.query('SELECT count(*)::int AS n FROM miftah.schema_version')
      expect(rows).toEqual([{ n: SCHEMA_VERSION }])
    },
  )

  test.each([
    [
      'uses',
      '40001',
      async () => void (await versionOne(pool).use(keys[0] ?? expect.fail(), 1, 1)),
    ],
    ['a key', '23503', async () => void (await versionOne(pool).insert())],
  ])('that reads the time before %s fails with %s', async (_, code, store) => {
    const client = await pool.connect()
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await client.query('SELECT FROM miftah.keys')
    await store()
    await expect(client.query(postgresSchema())).rejects.toMatchObject({ code })
    await client.query('ROLLBACK')
    client.release()
    expect(await versionOf()).toBe(1)
  })

  test('that is interrupted at its end leaves version 1, and is tried again', async () => {
    const blocker = await pool.connect()
    await blocker.query('BEGIN')
    await blocker.query('LOCK TABLE miftah.schema_version IN SHARE MODE')
    const migrating = postgresStorage(database.pool()).migrate()
    const waiting = `SELECT pid FROM pg_locks
      WHERE relation = 'miftah.schema_version'::regclass AND NOT granted`
    await until(pool, `EXISTS (${waiting})`)
    await pool.query(`SELECT pg_terminate_backend(pid) FROM (${waiting}) w`)
    await until(pool, `NOT EXISTS (SELECT FROM pg_tables WHERE tablename = 'usage')`)
    await pool.query('SELECT uses, last_used_at_ms FROM miftah.keys')
    expect(await versionOf()).toBe(1)
    await blocker.query('ROLLBACK')
    blocker.release()
    await migrating
    await expectKeysKept()
  })
})
