import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import {
  sampleInsertion,
  sampleRecord,
  sampleRevocation,
} from '../../../adapters/storage/testing/samples.ts'
import type { KeyRecord } from '../../../src/storage/index.ts'
import { hasOwnServer } from '../../support/postgres/own-server.ts'
import { demote, startStandby } from '../../support/postgres/standby.ts'
import { until } from '../../support/postgres/until.ts'
import { openPool } from '../../support/postgres-database.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts'
import { viewOf } from '../../support/stored.ts'
import { openTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'
import { rejection } from '../../support/world.ts'

const CONNECTIONS = 6

// The name of the database leads to the former primary, which has come back as a standby, and then to
// the promoted one: what a host sees while its resolver or its proxy has not heard of the failover yet.
describe.skipIf(!hasOwnServer)('a failover', () => {
  let former: PostgresServer
  let promoted: PostgresServer
  let proxy: TcpProxy
  let record: KeyRecord
  const pools: pg.Pool[] = []

  beforeAll(async () => {
    former = await startPostgres()
    promoted = await startStandby(former)
    proxy = await openTcpProxy(former.host, former.port)
    record = sampleRecord()
    const primary = openPool({ connectionString: former.url('postgres') })
    await postgresStorage(primary).write([sampleInsertion(record)])
    const replica = openPool({ connectionString: promoted.url('postgres') })
    const { rows } = await primary.query('SELECT pg_current_wal_lsn() AS lsn')
    await until(replica, `pg_last_wal_replay_lsn() >= '${rows[0].lsn}'`)
    await primary.end()
    await former.stop('kill')
    await replica.query('SELECT pg_promote()')
    await replica.end()
    await demote(former)
    await former.start()
  })

  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()))
    await proxy.close()
    await promoted.stop('immediate')
    await former.dispose()
  })

  function pooled(): pg.Pool {
    const pool = openPool({
      connectionString: `postgres://postgres@127.0.0.1:${proxy.port}/postgres`,
      max: CONNECTIONS,
      // Never closed for being idle, so that nothing but the storage has them closed.
      idleTimeoutMillis: 0,
    })
    pools.push(pool)
    return pool
  }

  /** Takes all connections that the pool may have: those that are missing lead to the standby. */
  async function fillFromStandby(pool: pg.Pool): Promise<void> {
    proxy.lead(former.port)
    const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => pool.connect()))
    for (const client of clients) client.release()
    const { rows } = await pool.query('SELECT pg_is_in_recovery() AS is_standby')
    expect(rows).toEqual([{ is_standby: true }])
  }

  /** Calls until one gets an answer; each that fails costs the pool a connection or more. */
  async function failuresBefore(call: () => unknown): Promise<readonly unknown[]> {
    const codes: unknown[] = []
    for (let calls = 0; calls <= CONNECTIONS; calls += 1) {
      const error = await Promise.resolve(call()).then(
        () => null,
        (reason: { code: unknown }) => reason,
      )
      if (error === null) return codes
      codes.push(error.code)
    }
    return expect.fail(`no answer after ${codes}`)
  }

  type Call = (storage: ReturnType<typeof postgresStorage>) => unknown
  const reads: Readonly<Record<string, Call>> = {
    'look a key up': (storage) => storage.findByHash(record.hash),
    'read a workspace': (storage) => storage.read(viewOf(record.workspaceId, [record.id])),
    'read events': (storage) => storage.events(record.workspaceId, { after: null, limit: 1 }),
  }
  const change = (storage: ReturnType<typeof postgresStorage>) =>
    storage.write([sampleRevocation({ record, edition: 1 })])

  test.each(Object.entries(reads))('a process that starts on the standby: %s', async (_, read) => {
    const pool = pooled()
    const storage = postgresStorage(pool)
    await fillFromStandby(pool)
    const empty = postgresStorage(pool, { schema: 'empty' })
    for (const call of [() => read(storage), storage.migrate, empty.migrate])
      expect(await rejection(Promise.resolve(call()))).toMatchObject({ code: 'not_primary' })
    expect(await storage.diagnose()).toMatchObject({ mode: 'replica', schemaVersion: 1 })
    proxy.lead(promoted.port)
    expect(new Set(await failuresBefore(() => read(storage)))).not.toContain('unavailable')
    expect(await read(storage)).not.toBeNull()
  })

  test.each([...Object.entries(reads), ['change a key', change] as const])(
    'a process that runs, with connections to the standby: %s',
    async (_, call) => {
      proxy.lead(promoted.port)
      const pool = pooled()
      const storage = postgresStorage(pool)
      await storage.migrate()
      // One connection to the primary stays, behind those to the standby.
      await fillFromStandby(pool)
      proxy.lead(promoted.port)
      const codes = await failuresBefore(() => call(storage))
      expect(new Set(codes)).toEqual(new Set([call === change ? 'refused' : 'not_primary']))
      expect(codes.length).toBeLessThanOrEqual(CONNECTIONS / 3)
      expect(await storage.findByHash(record.hash)).toMatchObject({ id: record.id })
    },
  )
})
