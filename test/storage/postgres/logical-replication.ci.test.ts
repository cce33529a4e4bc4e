import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type PostgresStorage, postgresStorage } from '../../../adapters/storage/postgres.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
} from '../../../adapters/storage/testing/samples.ts'
import { hasOwnServer } from '../../support/postgres/own-server.ts'
import { until } from '../../support/postgres/until.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres-database.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

const CLAIM = { relay: 'relay', leaseMs: 60_000, limit: 100, except: [] }

describe.skipIf(!hasOwnServer)('a switch by logical replication', () => {
  let server: PostgresServer
  let former: TestDatabase
  let next: TestDatabase
  let source: pg.Pool
  let target: pg.Pool
  let storage: PostgresStorage

  beforeAll(async () => {
    server = await startPostgres({ wal_level: 'logical' })
  })

  afterAll(() => server.dispose())

  beforeEach(async () => {
    ;[former, next] = [await testDatabase(server), await testDatabase(server)]
    ;[source, target] = [former.pool(), next.pool()]
    storage = postgresStorage(source)
    await Promise.all([storage.migrate(), postgresStorage(target).migrate()])
    return async () => {
      await former.close()
      await next.close()
    }
  })

  async function insert(on: PostgresStorage) {
    const record = sampleRecord()
    const event = sampleCreatedEvent(record)
    await on.insert(record, null, event)
    return { record, event }
  }

  async function relay(on: PostgresStorage): Promise<readonly string[]> {
    const ids = (await on.claimEvents(CLAIM)).map(({ id }) => id)
    await on.acknowledgeEvents(CLAIM.relay, ids)
    return ids
  }

  /** Moves to the other database while `meanwhile` changes the first one, as the guide describes. */
  async function switchOver(meanwhile: () => Promise<unknown>): Promise<PostgresStorage> {
    for (const table of ['schema_version', 'relay', 'change_clock', 'usage_retention']) {
      await target.query(`DELETE FROM miftah.${table}`)
    }
    await source.query('CREATE PUBLICATION moved FOR ALL TABLES')
    await source.query(`SELECT pg_create_logical_replication_slot('${next.name}', 'pgoutput')`)
    // On one server, a subscription that made its own slot would wait for itself.
    await target.query(`CREATE SUBSCRIPTION moved CONNECTION '${former.url}' PUBLICATION moved
    WITH (create_slot = false, slot_name = '${next.name}')`)
    await until(target, `NOT EXISTS (SELECT FROM pg_subscription_rel WHERE srsubstate <> 'r')`)
    await meanwhile()
    const { rows } = await source.query('SELECT pg_current_wal_lsn() AS lsn')
    await until(
      source,
      `(SELECT confirmed_flush_lsn >= '${rows[0].lsn}' FROM pg_replication_slots
      WHERE slot_name = '${next.name}')`,
    )
    await target.query('DROP SUBSCRIPTION moved')
    return postgresStorage(target)
  }

  test('new events are delivered, although it copies no sequence', async () => {
    for (let rounds = 0; rounds < 8; rounds += 1) {
      await insert(storage)
      await relay(storage)
    }
    const { record } = await insert(storage)
    const moved = await switchOver(() => storage.revoke(sampleRevokeChange(record)))
    const { rows } = await target.query('SELECT acknowledged_to::int AS to FROM miftah.relay')
    expect(rows[0].to).toBeGreaterThan(5)
    expect(await moved.findByHash(record.hash)).toMatchObject({ revokedAtMs: expect.any(Number) })
    const added = [await insert(moved), await insert(moved)].map(({ event }) => event.id)
    const before = [await relay(moved), await relay(moved)].flat()
    expect(before).toHaveLength(4)
    expect(before).toEqual(expect.arrayContaining(added))
    const { event } = await insert(moved)
    expect(await relay(moved)).toEqual([event.id])
  })

  test('the doctor says how to set the sequence, and then new events come after the earlier ones', async () => {
    const first = await insert(storage)
    const second = await insert(storage)
    const moved = await switchOver(async () => {})
    const { sequenceRepair } = await moved.diagnose()
    expect(sequenceRepair).toMatch(
      /^SELECT pg_catalog\.setval\('miftah\.outbox_position_seq', 2\)$/,
    )
    await expect(insert(moved)).rejects.toMatchObject({ code: 'refused' })
    await target.query(String(sequenceRepair))
    expect((await moved.diagnose()).sequenceRepair).toBeNull()
    const third = await insert(moved)
    expect(await relay(moved)).toEqual([first, second, third].map(({ event }) => event.id))
    expect((await moved.diagnose()).sequenceRepair).toBeNull()
    expect((await storage.diagnose()).sequenceRepair).toBeNull()
  })
})
