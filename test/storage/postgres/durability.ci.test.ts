import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleRotateChange,
} from '../../../adapters/storage/testing/samples.ts'
import type { KeyRecord, KeyStorage } from '../../../src/storage/index.ts'
import { inserted } from '../../support/inserted.ts'
import { limited } from '../../support/limited.ts'
import { hasOwnServer } from '../../support/postgres/own-server.ts'
import { startStandby } from '../../support/postgres/standby.ts'
import { until } from '../../support/postgres/until.ts'
import { openPool } from '../../support/postgres-database.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts'
import { rejection } from '../../support/world.ts'

const PATIENCE_MS = 60_000

let server: PostgresServer
let pool: pg.Pool

/** A key in a workspace of its own, whose changes wait for nobody else's. */
const insertedApart = (storage: KeyStorage) =>
  inserted(storage, { workspaceId: `ws_${Math.random()}` })

async function codeOf(call: Promise<unknown>): Promise<unknown> {
  return Reflect.get(Object(await rejection(call)), 'code')
}

describe.skipIf(!hasOwnServer)('a crash after a revocation by hand that was not flushed', () => {
  beforeAll(async () => {
    // The log is written by commits that wait for it, and by nothing else for ten seconds.
    server = await startPostgres({ wal_writer_delay: '10s' })
    pool = openPool({ connectionString: server.url('postgres') })
  })

  afterAll(async () => {
    await pool.end()
    await server.dispose()
  })

  /** Revokes a key without waiting for the log, has it acknowledged, and crashes the server. */
  async function crashAfter(
    acknowledge: (storage: KeyStorage, record: KeyRecord) => Promise<{ readonly outcome?: string }>,
    options: string,
  ): Promise<KeyRecord | null> {
    const own = openPool({ connectionString: server.url('postgres'), options })
    const storage = limited(postgresStorage(own), PATIENCE_MS)
    const record = await insertedApart(storage)
    await pool.query('CREATE TABLE IF NOT EXISTS unflushed (n int)')
    const byHand = await pool.connect()
    byHand.on('error', () => undefined)
    await byHand.query('SET synchronous_commit = off')
    await byHand.query('UPDATE miftah.keys SET revoked_at_ms = 7 WHERE id = $1', [record.id])
    const { outcome } = await acknowledge(storage, record)
    expect(['already_revoked', 'stale', undefined]).toContain(outcome)
    // The control: what nobody has acknowledged is lost, so the crash was a real one.
    await byHand.query('INSERT INTO unflushed VALUES (1)')
    await server.stop('kill')
    byHand.release(true)
    await server.start()
    const { rows } = await pool.query('SELECT count(*)::int AS n FROM unflushed')
    expect(rows).toEqual([{ n: 0 }])
    const found = await storage.findByHash(record.hash)
    await own.end()
    return found
  }

  const acknowledgements = {
    revoke: (storage: KeyStorage, record: KeyRecord) => storage.revoke(sampleRevokeChange(record)),
    rotate: (storage: KeyStorage, record: KeyRecord) => storage.rotate(sampleRotateChange(record)),
    confirm: async (storage: KeyStorage, { workspaceId }: KeyRecord) => {
      await storage.confirm(workspaceId)
      return {}
    },
  }
  test.each([
    ['revoke', 'on'],
    ['revoke', 'off'],
    ['revoke', 'local'],
    ['rotate', 'off'],
    ['confirm', 'off'],
  ] as const)('%s, with synchronous_commit = %s: the key stays revoked', async (verb, level) => {
    const found = await crashAfter(acknowledgements[verb], `-c synchronous_commit=${level}`)
    expect(found?.revokedAtMs).toBe(7)
  })

  test('uses that were stored with synchronous_commit = off stay stored', async () => {
    const own = openPool({
      connectionString: server.url('postgres'),
      options: '-c synchronous_commit=off',
    })
    const storage = limited(postgresStorage(own), PATIENCE_MS)
    const record = await insertedApart(storage)
    const uses = [{ id: record.id, uses: 3, lastUsedAtMs: 5 }]
    await storage.addUses({ writer: 'w', sequence: 1, uses })
    await server.stop('kill')
    await server.start()
    expect((await storage.findById(record.workspaceId, record.id))?.uses).toBe(3)
    await own.end()
  })
})

describe.skipIf(!hasOwnServer)('a synchronous standby that disappears', () => {
  let standby: PostgresServer

  beforeAll(async () => {
    server = await startPostgres()
    standby = await startStandby(server)
    pool = openPool({ connectionString: server.url('postgres') })
    await postgresStorage(pool).migrate()
    await pool.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
    await pool.query('SELECT pg_reload_conf()')
    await until(pool, `EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')`)
  })

  afterAll(async () => {
    await pool.end()
    await standby.stop('immediate')
    await server.dispose()
  })

  const waiting = `(SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep')`

  test('no change is acknowledged before the standby has it, not by a repeat either', async () => {
    const storage = limited(postgresStorage(pool), 10_000)
    const revoked = await insertedApart(storage)
    const rotated = await insertedApart(storage)
    const created = sampleRecord({ workspaceId: 'ws_created' })
    const change = sampleRevokeChange(revoked)
    const rotation = sampleRotateChange(rotated)
    const creation = [created, null, sampleCreatedEvent(created)] as const
    const counted = await insertedApart(storage)
    const uses = {
      ...{ writer: 'w', sequence: 1 },
      uses: [{ id: counted.id, uses: 3, lastUsedAtMs: 5 }],
    }
    await pool.query(`UPDATE miftah.relay SET holder = 'relay'`)
    const { rows } = await pool.query('SELECT event_id FROM miftah.outbox')
    const settled = rows.map(({ event_id }) => String(event_id))
    await standby.stop('immediate')
    await until(pool, `NOT EXISTS (SELECT FROM pg_stat_replication)`)
    const calls = [
      ...[storage.revoke(change), storage.rotate(rotation), storage.insert(...creation)],
      ...[storage.addUses(uses), storage.acknowledgeEvents('relay', settled)],
    ]
    const faults = Promise.all(calls.map((call) => codeOf(call)))
    await until(pool, `${waiting} = 5`)
    // Ends the wait: the changes are now visible, and the answers are lost.
    await pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE wait_event = 'SyncRep'`)
    await until(pool, `(SELECT count(*) = 2 FROM miftah.keys WHERE revoked_at_ms IS NOT NULL)`)
    expect(await faults).toEqual(Array(5).fill('outcome_unknown'))
    // Nor is it to others who find it done.
    const others = [
      storage.revoke(sampleRevokeChange(revoked)),
      storage.rotate(sampleRotateChange(revoked)),
      storage.insert(sampleRecord({ workspaceId: 'ws_created' }), 1, sampleCreatedEvent(created)),
    ]
    const theirs = await Promise.all(others.map((call) => codeOf(call)))
    for (const code of theirs) expect(['outcome_unknown', 'timeout']).toContain(code)

    await standby.start()
    const patient = limited(postgresStorage(pool), PATIENCE_MS)
    await until(pool, `${waiting} = 0`)
    expect((await patient.revoke(change)).outcome).toBe('already_revoked')
    expect((await patient.rotate(rotation)).outcome).toBe('rotated')
    expect(await patient.insert(...creation)).toEqual({ inserted: true })
    await patient.addUses(uses)
    expect((await patient.findById(counted.workspaceId, counted.id))?.uses).toBe(3)
  })
})
