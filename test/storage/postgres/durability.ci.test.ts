import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import {
  sampleInsertion,
  sampleRecord,
  sampleRevocation,
  sampleRotation,
} from '../../../adapters/storage/testing/samples.ts'
import type { KeyRecord, KeyStorage } from '../../../src/storage/index.ts'
import { inserted } from '../../support/inserted.ts'
import { limited } from '../../support/limited.ts'
import { hasOwnServer } from '../../support/postgres/own-server.ts'
import { startStandby } from '../../support/postgres/standby.ts'
import { until } from '../../support/postgres/until.ts'
import { openPool } from '../../support/postgres-database.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts'
import { findById, viewOf } from '../../support/stored.ts'
import { rejection } from '../../support/world.ts'

const PATIENCE_MS = 60_000

let server: PostgresServer
let pool: pg.Pool

/** A key in a workspace of its own, whose changes wait for nobody else's. */
const insertedApart = (storage: KeyStorage) =>
  inserted(storage, { workspaceId: `ws_${Math.random()}` })

/** The step that makes durable what was read before. */
const emptyIn = (workspaceId: string) => ({
  ...{ workspaceId, ifAddedAtMost: null, adds: 0, keys: [], events: [] },
})

const usesOf = async (storage: KeyStorage, { workspaceId, id }: KeyRecord) =>
  (await findById(storage, workspaceId, id))?.uses

describe.skipIf(!hasOwnServer)('a crash after what was not flushed', () => {
  beforeAll(async () => {
    // The log is written by commits that wait for it, and by nothing else for ten seconds.
    server = await startPostgres({ wal_writer_delay: '10s' })
    pool = poolAt('off')
    await pool.query('CREATE TABLE unflushed (n int)')
  })

  afterAll(async () => {
    await pool.end()
    await server.dispose()
  })

  const poolAt = (level: string) =>
    openPool({
      connectionString: server.url('postgres'),
      options: `-c synchronous_commit=${level}`,
    })

  function openAt(level: string) {
    const own = poolAt(level)
    onTestFinished(() => own.end())
    return limited(postgresStorage(own), PATIENCE_MS)
  }

  /** Crashes the server; what nobody has acknowledged is lost, so the crash is a real one. */
  async function crash(): Promise<void> {
    await pool.query('INSERT INTO unflushed VALUES (1)')
    await server.stop('kill')
    await server.start()
    expect((await pool.query('SELECT FROM unflushed')).rowCount).toBe(0)
  }

  test.each(['on', 'off', 'local'])(
    'a revocation by hand that was read stays after an empty write, with synchronous_commit = %s',
    async (level) => {
      const storage = openAt(level)
      const { id, hash, workspaceId } = await insertedApart(storage)
      await pool.query('UPDATE miftah.miftah_keys SET revoked_at_ms = 7 WHERE id = $1', [id])
      const empty = await storage.write([emptyIn(workspaceId)])
      expect(empty).toMatchObject([{ outcome: 'stored' }])
      await crash()
      expect((await storage.findByHash(hash))?.revokedAtMs).toBe(7)
    },
  )

  test('writes, uses and a closed workspace stay with synchronous_commit = off', async () => {
    const storage = openAt('off')
    const record = await insertedApart(storage)
    await storage.write([sampleRevocation({ record, edition: 1 }, 9)])
    await crash()
    expect((await storage.findByHash(record.hash))?.revokedAtMs).toBe(9)
    const uses = [{ id: record.id, uses: 3, lastUsedAtMs: 5 }]
    await storage.addUses({ writer: 'w', sequence: 1, uses })
    await crash()
    expect(await usesOf(storage, record)).toBe(3)
    await storage.closeWorkspace(record.workspaceId)
    await crash()
    expect((await storage.read(viewOf(record.workspaceId))).isErased).toBe(true)
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

  test('no change is answered before the standby has it, not by a repeat or an empty write either', async () => {
    const storage = limited(postgresStorage(pool), 10_000)
    const revoked = await insertedApart(storage)
    const rotated = await insertedApart(storage)
    const counted = await insertedApart(storage)
    const { workspaceId } = rotated
    const steps = [
      sampleRevocation({ record: revoked, edition: 1 }),
      sampleRotation({ record: rotated, edition: 1 }, sampleRecord({ workspaceId })),
      sampleInsertion(sampleRecord({ workspaceId: 'ws_created' })),
    ]
    const uses = { writer: 'w', sequence: 1, uses: [{ id: counted.id, uses: 3, lastUsedAtMs: 5 }] }
    await standby.stop('immediate')
    await until(pool, `NOT EXISTS (SELECT FROM pg_stat_replication)`)
    const calls = [...steps.map((step) => storage.write([step])), storage.addUses(uses)]
    const faults = Promise.all(calls.map((call) => rejection(call)))
    await until(pool, `${waiting} = 4`)
    // Ends the wait: the changes are now visible, and the answers are lost.
    await pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE wait_event = 'SyncRep'`)
    await until(
      pool,
      `(SELECT count(*) = 2 FROM miftah.miftah_keys WHERE revoked_at_ms IS NOT NULL)`,
    )
    expect(await faults).toMatchObject(Array(4).fill({ code: 'outcome_unknown' }))
    // Nor is it to others who find it done.
    const short = limited(postgresStorage(pool), 1_000)
    const empty = rejection(short.write([emptyIn(revoked.workspaceId)]))
    expect(await empty).toMatchObject({ code: 'outcome_unknown' })
    const patient = limited(postgresStorage(pool), PATIENCE_MS)
    const confirmed = patient.write([emptyIn(revoked.workspaceId)])
    await standby.start()
    expect(await confirmed).toMatchObject([{ outcome: 'stored' }])
    await until(pool, `${waiting} = 0`)
    for (const step of steps) expect(await patient.write([step])).toEqual([{ outcome: 'refused' }])
    await patient.addUses(uses)
    expect(await usesOf(patient, counted)).toBe(3)
  })
})
