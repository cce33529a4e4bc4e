import { describe, expect, test } from 'vitest'
import { postgresStorage } from '../../adapters/storage/postgres.ts'
import { type KeyStorage, outcomeCode } from '../../src/storage/index.ts'
import { databaseForFile } from '../support/postgres/own-database.ts'
import { freshPath, rawAt, storageAt } from '../support/sqlite-files.ts'
import { keyInput, openWorld, WORKSPACE } from '../support/world.ts'

const db = databaseForFile()

/** Triggers of another program that refuse what is inserted where a condition holds, until they are dropped. */
interface Triggers {
  readonly refuse: (table: string, condition: string) => Promise<unknown>
  readonly drop: (table: string) => Promise<unknown>
}

const STORAGES: Readonly<Record<string, () => readonly [KeyStorage, Triggers]>> = {
  SQLite: () => {
    const path = freshPath()
    const raw = rawAt(path)
    const refuse = async (table: string, condition: string) =>
      raw.exec(`CREATE TRIGGER theirs BEFORE INSERT ON ${table} WHEN ${condition}
        BEGIN SELECT RAISE(ABORT, 'not today'); END`)
    return [storageAt(path), { refuse, drop: async () => raw.exec('DROP TRIGGER theirs') }]
  },
  PostgreSQL: () => {
    const schema = `refused_${++schemas}`
    const run = (sql: string) => db.pool.query(sql)
    const refuse = (table: string, condition: string) =>
      run(`CREATE OR REPLACE FUNCTION ${schema}.theirs() RETURNS trigger LANGUAGE plpgsql
          AS $$ BEGIN RAISE EXCEPTION 'not today'; END $$;
        CREATE TRIGGER theirs BEFORE INSERT ON ${schema}.${table}
          FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION ${schema}.theirs()`)
    const drop = (table: string) => run(`DROP TRIGGER theirs ON ${schema}.${table}`)
    return [postgresStorage(db.pool, { schema }), { refuse, drop }]
  },
}

let schemas = 0

describe.each(Object.entries(STORAGES))('on %s', (_, open) => {
  test('counts of a refused outcome are reported as lost, and all others are stored', async () => {
    let allowed = true
    const limiter = {
      take: () =>
        allowed ? { allowed: true as const } : { allowed: false as const, retryAfterMs: 1 },
    }
    const [storage, { refuse }] = open()
    const world = openWorld({ storage, limiter, storageTimeoutMs: 30_000 })
    world.nowMs = Date.now()
    const { keys } = world
    const { key, secret } = await keys.createKey(keyInput())
    await refuse('miftah_hourly_usage', `NEW.outcome = ${outcomeCode('rate_limited')}`)
    const authenticate = () => keys.authenticate(`Bearer ${secret}`, 'contacts.read')
    for (const round of [1, 2]) {
      allowed = true
      await authenticate()
      await keys.authenticate(`Bearer ${secret}`, 'contacts.write')
      allowed = false
      await authenticate()
      await keys.flush()
      const [from, to] = [new Date(world.nowMs), new Date(world.nowMs + 1)]
      const { buckets } = await keys.keyUsage({ workspaceId: WORKSPACE, id: key.id, from, to })
      const { accepted, denied } = buckets[0] ?? {}
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
    const [storage, { refuse, drop }] = open()
    const { keys, events } = openWorld({ storage, storageTimeoutMs: 30_000 })
    const { key, secret } = await keys.createKey(keyInput())
    await refuse('miftah_usage', 'NEW.uses > 0')
    await keys.authenticate(`Bearer ${secret}`, null)
    await keys.flush()
    const message = expect.stringMatching(/refused to count uses/)
    expect(events.filter(({ type }) => type === 'outage')).toMatchObject([
      { operation: 'addUses', error: { message } },
    ])
    await drop('miftah_usage')
    await keys.authenticate(`Bearer ${secret}`, null)
    await keys.flush()
    expect((await keys.getKey({ workspaceId: WORKSPACE, id: key.id })).uses).toBe(1)
  })
})
