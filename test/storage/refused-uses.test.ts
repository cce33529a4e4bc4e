import { describe, expect, test } from 'vitest'
import { postgresStorage } from '../../adapters/storage/postgres.ts'
import { sqliteSchema } from '../../adapters/storage/sqlite.ts'
import type { KeyStorage } from '../../src/storage/index.ts'
import { databaseForFile } from '../support/postgres/own-database.ts'
import { freshPath, rawAt, storageAt } from '../support/sqlite-files.ts'
import { keyInput, openWorld, WORKSPACE } from '../support/world.ts'

/* A schema that does not know the last outcome, as an earlier release would have installed it. */

const db = databaseForFile()

/** Runs SQL on the database of a storage. */
type Exec = (sql: string) => unknown
interface Opened {
  readonly storage: KeyStorage
  readonly exec: Exec
}

const STORAGES: Readonly<Record<string, () => Promise<Opened>>> = {
  SQLite: async () => {
    const path = freshPath()
    const raw = rawAt(path)
    raw.exec(sqliteSchema().replaceAll('outcome BETWEEN 0 AND 8', 'outcome BETWEEN 0 AND 7'))
    return { storage: storageAt(path, { migrate: false }), exec: (sql) => raw.exec(sql) }
  },
  PostgreSQL: async () => {
    await db.pool.query('DROP SCHEMA IF EXISTS earlier CASCADE')
    await postgresStorage(db.pool, { schema: 'earlier' }).migrate()
    for (const table of ['usage_hours', 'usage_days']) {
      await db.pool.query(`ALTER TABLE earlier.${table} DROP CONSTRAINT ${table}_outcome,
        ADD CONSTRAINT ${table}_outcome CHECK (outcome BETWEEN 0 AND 7)`)
    }
    const storage = postgresStorage(db.pool, { schema: 'earlier', migrate: false })
    return { storage, exec: (sql) => db.pool.query(sql) }
  },
}

/** A trigger of another program that refuses to count uses. */
const TRIGGER: Readonly<Record<string, string>> = {
  SQLite: `CREATE TRIGGER theirs BEFORE UPDATE ON miftah_usage
    BEGIN SELECT RAISE(ABORT, 'not today'); END`,
  PostgreSQL: `CREATE FUNCTION earlier.theirs() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE EXCEPTION 'not today'; END $$;
    CREATE TRIGGER theirs BEFORE UPDATE ON earlier.usage
      FOR EACH ROW EXECUTE FUNCTION earlier.theirs()`,
}

describe.each(Object.entries(STORAGES))('on %s', (name, open) => {
  test('counts of an unknown outcome are reported as lost, and all others are stored', async () => {
    let allowed = true
    const limiter = {
      take: () =>
        allowed ? { allowed: true as const } : { allowed: false as const, retryAfterMs: 1 },
    }
    const { storage } = await open()
    const world = openWorld({ storage, limiter, storageTimeoutMs: 30_000 })
    world.nowMs = Date.now()
    const { keys } = world
    const { key, secret } = await keys.createKey(keyInput())
    const authenticate = () => keys.authenticate(`Bearer ${secret}`, 'contacts.read')
    for (const round of [1, 2]) {
      allowed = true
      await authenticate()
      await keys.authenticate(`Bearer ${secret}`, 'contacts.write')
      allowed = false
      await authenticate()
      await keys.flush()
      const from = new Date(world.nowMs - 1)
      const to = new Date(world.nowMs + 1)
      const query = { workspaceId: WORKSPACE, id: key.id, from, to, by: 'day' } as const
      const { accepted, denied } = (await keys.keyUsage(query)).buckets.at(-1) ?? {}
      expect(accepted).toBe(round)
      expect(denied).toMatchObject({ insufficient_scope: round, rate_limited: 0 })
      expect((await keys.getKey({ workspaceId: WORKSPACE, id: key.id })).uses).toBe(round)
    }
    const loss = {
      ...{ type: 'outage', operation: 'addUses' },
      error: {
        message: expect.stringMatching(/refused to count .*"rate_limited".*schema may be too old/),
        cause: { name: 'StorageError', code: 'unstorable_value' },
      },
    }
    expect(world.events.filter(({ type }) => type === 'outage')).toMatchObject([loss, loss])
  })

  test('uses that a trigger refuses are reported as lost, and later ones are stored', async () => {
    const { storage, exec } = await open()
    const { keys, events } = openWorld({ storage, storageTimeoutMs: 30_000 })
    const { key, secret } = await keys.createKey(keyInput())
    await exec(TRIGGER[name] ?? '')
    await keys.authenticate(`Bearer ${secret}`, null)
    await keys.flush()
    const message = expect.stringMatching(/refused to count uses/)
    expect(events.filter(({ type }) => type === 'outage')).toMatchObject([
      { operation: 'addUses', error: { message } },
    ])
    await exec(name === 'SQLite' ? 'DROP TRIGGER theirs' : 'DROP TRIGGER theirs ON earlier.usage')
    await keys.authenticate(`Bearer ${secret}`, null)
    await keys.flush()
    expect((await keys.getKey({ workspaceId: WORKSPACE, id: key.id })).uses).toBe(1)
  })
})
