import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleRotateChange,
} from '../../../adapters/storage/testing/samples.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { inserted } from '../../support/inserted.ts'
import { limited } from '../../support/limited.ts'
import { openPool } from '../../support/postgres-database.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts'
import { openTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'
import { rejection } from '../../support/world.ts'

let server: PostgresServer
let proxy: TcpProxy
let database: string
let direct: pg.Pool
let roles = 0

beforeAll(async () => {
  server = await startPostgres()
  database = await server.createDatabase()
  proxy = await openTcpProxy(server.host, server.port)
  direct = openPool({ connectionString: server.url(database) })
  await postgresStorage(direct).migrate()
  await direct.query('CREATE ROLE powerless')
  // What a retry of a role with a statement time-out meets: a server that has become slow.
  await direct.query(`CREATE FUNCTION slow_down() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF current_setting('statement_timeout') <> '0' THEN PERFORM pg_sleep(60); END IF;
      RETURN NEW;
    END $$`)
  await direct.query(`CREATE TRIGGER slow_down BEFORE INSERT OR UPDATE ON miftah.workspaces
    FOR EACH ROW EXECUTE FUNCTION slow_down()`)
})

afterAll(async () => {
  await direct.end()
  await proxy.close()
  await server.dispose()
})

/** One connection at a time, of a role of its own, through the proxy. */
async function poolOfNewRole(): Promise<{ readonly pool: pg.Pool; readonly role: string }> {
  roles += 1
  const role = `outcome_${roles}_${Math.random().toString(36).slice(2)}`
  await direct.query(`CREATE ROLE ${role} LOGIN`)
  await direct.query(`GRANT powerless TO ${role}`)
  await direct.query(`GRANT USAGE ON SCHEMA miftah TO ${role}, powerless`)
  await direct.query(`GRANT SELECT ON ALL TABLES IN SCHEMA miftah TO ${role}`)
  await direct.query(`GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA miftah TO ${role}`)
  const url = new URL(server.url(database, role))
  url.port = String(proxy.port)
  return { pool: openPool({ connectionString: url.href, max: 1 }), role }
}

/** What the connection of a retry meets, and the first one does not. */
const LATER: Readonly<Record<string, (pool: pg.Pool, role: string) => Promise<unknown>>> = {
  'a statement time-out': (_, role) =>
    direct.query(`ALTER ROLE ${role} SET statement_timeout = '100ms'`),
  'a read-only default': (_, role) =>
    direct.query(`ALTER ROLE ${role} SET default_transaction_read_only = on`),
  'a missing privilege': (_, role) => direct.query(`ALTER ROLE ${role} SET role = powerless`),
  'a missing login': (_, role) => direct.query(`ALTER ROLE ${role} NOLOGIN`),
  'a closed pool': async (pool) => {
    pool.on('release', (error) => {
      if (error && !pool.ending) void pool.end()
    })
  },
}

const CHANGES = {
  insert_key: async (storage: KeyStorage) => {
    const record = sampleRecord({ workspaceId: `ws_${Math.random()}` })
    return {
      change: () => storage.insert(record, null, sampleCreatedEvent(record)),
      wasMade: async () => (await postgresStorage(direct).findByHash(record.hash)) !== null,
    }
  },
  rotate_key: async (storage: KeyStorage) => {
    const record = await inserted(storage, { workspaceId: `ws_${Math.random()}` })
    const rotation = sampleRotateChange(record)
    const { hash } = rotation.replacement
    return {
      change: () => storage.rotate(rotation),
      wasMade: async () => (await postgresStorage(direct).findByHash(hash)) !== null,
    }
  },
  revoke_key: async (storage: KeyStorage) => {
    const record = await inserted(storage, { workspaceId: `ws_${Math.random()}` })
    return {
      change: () => storage.revoke(sampleRevokeChange(record)),
      wasMade: async () =>
        (await postgresStorage(direct).findByHash(record.hash))?.revokedAtMs !== null,
    }
  },
} as const

describe.each(Object.keys(LATER))('the answer is lost after the commit, then comes %s', (later) => {
  test.each(['insert_key', 'rotate_key', 'revoke_key'] as const)(
    '%s: the outcome is unknown, and the change was made',
    async (name) => {
      const { pool, role } = await poolOfNewRole()
      const storage = limited(postgresStorage(pool), 3_000)
      const { change, wasMade } = await CHANGES[name](storage)
      // A connection is at hand, so that what comes later is met by the next one only.
      await storage.findByHash('0'.repeat(64))
      await LATER[later]?.(pool, role)
      const done = proxy.cutNext(name, 'before_the_answer')
      const error = rejection(change())
      await done
      expect(await error).toMatchObject({ name: 'StorageError', code: 'outcome_unknown' })
      expect(await wasMade()).toBe(true)
      if (!pool.ending) await pool.end()
    },
  )
})

test('a change that was refused and never lost is refused', async () => {
  const { pool, role } = await poolOfNewRole()
  const storage = limited(postgresStorage(pool), 3_000)
  await direct.query(`ALTER ROLE ${role} SET default_transaction_read_only = on`)
  const record = sampleRecord()
  const error = await rejection(storage.insert(record, null, sampleCreatedEvent(record)))
  expect(error).toMatchObject({ code: 'refused', cause: { code: '25006' } })
  expect(await postgresStorage(direct).findByHash(record.hash)).toBeNull()
  await pool.end()
})
