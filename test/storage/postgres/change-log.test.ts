import { describe, expect, test, vi } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { sampleInsertion, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { inserted } from '../../support/inserted.ts'
import { databaseForFile, during } from '../../support/postgres/own-database.ts'
import { until } from '../../support/postgres/until.ts'
import { renewalsOn } from '../../support/renewals.ts'

const db = databaseForFile()
let schemas = 0

/** A schema of its own; with a node, unless it must be unused. */
async function open(...nodes: readonly string[]) {
  schemas += 1
  const schema = `log_${schemas}`
  const storage = postgresStorage(db.pool, { schema })
  await storage.migrate()
  const { changes: log = expect.fail('there is no log') } = storage
  for (const node of nodes) await log.register({ node, leaseMs: 1_000 })
  return { storage, log, schema, renewed: renewalsOn(log), insert: () => inserted(storage) }
}

/** Waits until a statement of this form waits for another session. */
const waitsFor = (query: string) =>
  until(
    db.pool,
    `EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'
      AND datname = current_database() AND query LIKE '${query}')`,
  )

test('a registration waits for a change that has not seen it', async () => {
  const { schema, insert, log, renewed } = await open()
  await insert()
  await during(db, `UPDATE ${schema}.miftah_keys SET revoked_at_ms = 1`, async (commit) => {
    const registered = log.register({ node: 'a', leaseMs: 1_000 })
    await waitsFor(`%${schema}%miftah_nodes%`)
    await commit()
    await registered
  })
  expect((await renewed('a')).head).toBe(0)
})

test('a write that waited for a registration looks at the log again', async () => {
  const { schema, insert, storage, log } = await open()
  const record = await insert()
  await during(db, `UPDATE ${schema}.miftah_clock SET is_used = true`, async (commit) => {
    const step = sampleInsertion(record, { keys: [{ record, ifEdition: 1 }], adds: 0, events: [] })
    const writing = storage.write([step])
    // The server shows the beginning of a statement.
    await waitsFor('WITH settings%')
    await commit()
    expect(await writing).toEqual([{ outcome: 'stored', isLogged: true }])
  })
  expect(await log.laggingNodes(null)).toEqual({ head: 1, nodes: [] })
})

describe('what is logged', () => {
  test('changes made by hand', async () => {
    const place = await open('a')
    const { schema } = place
    const records = [await place.insert(), await place.insert()]
    await db.pool.query(`UPDATE ${schema}.miftah_keys SET revoked_at_ms = 5`)
    const live = await place.insert()
    await db.pool.query(`UPDATE ${schema}.miftah_keys SET revoked_at_ms = 5 WHERE false`)
    const { changes } = await place.renewed('a')
    const hashes = changes?.map((change) => change.kind === 'key' && change.hash)
    expect(hashes?.sort()).toEqual(records.map(({ hash }) => hash).sort())
    await db.pool.query(`DELETE FROM ${schema}.miftah_keys WHERE id = $1`, [live.id])
    // That a revoked key is deleted tells nobody anything new.
    await db.pool.query(`DELETE FROM ${schema}.miftah_keys WHERE id = $1`, [records[0]?.id])
    await db.pool.query(`TRUNCATE ${schema}.miftah_keys CASCADE`)
    expect((await place.renewed('a', 2)).changes).toEqual([
      { sequence: 3, kind: 'key', hash: live.hash },
      { sequence: 4, kind: 'everything' },
    ])
  })

  test('changes made by hand in a session that replicates', async () => {
    const place = await open('a')
    const { hash } = await place.insert()
    const client = await db.pool.connect()
    await client.query('SET session_replication_role = replica')
    await client.query(`UPDATE ${place.schema}.miftah_keys SET revoked_at_ms = 5`)
    client.release(true)
    expect((await place.renewed('a')).changes).toEqual([{ sequence: 1, kind: 'key', hash }])
  })

  test('a statement that changes more keys than the log keeps is one entry', async () => {
    const place = await open('a')
    const { schema } = place
    const keys = Array.from({ length: 1_001 }, () => ({ record: sampleRecord(), ifEdition: null }))
    await place.storage.write([sampleInsertion(sampleRecord(), { keys })])
    await db.pool.query(`UPDATE ${schema}.miftah_keys SET revoked_at_ms = 5`)
    expect((await place.renewed('a')).changes).toEqual([{ sequence: 1, kind: 'everything' }])
    await db.pool.query(`UPDATE ${schema}.miftah_keys SET revoked_at_ms = 5 WHERE place <= 1000`)
    const { head, changes } = await place.renewed('a', 1)
    const sequences = changes?.map(({ sequence }) => sequence)
    expect([head, sequences]).toEqual([1_001, Array.from({ length: 1_000 }, (_, at) => 2 + at)])
  })
})

describe('nodes', () => {
  test('an eviction takes many nodes at once, and does not wait for those that renew', async () => {
    const place = await open(...Array.from({ length: 50 }, (_, at) => `node_${at}`))
    const { nodes: seen } = await place.log.laggingNodes(1)
    const renewing = `SELECT FROM ${place.schema}.miftah_nodes WHERE node = 'node_7' FOR UPDATE`
    await during(db, renewing, () => place.log.evict(seen, 1))
    expect((await place.log.laggingNodes(1)).nodes).toMatchObject([{ node: 'node_7' }])
  })
})

describe('hints', () => {
  /** A storage with a pool of its own, which the server shows by the name of the schema. */
  function listener(schema: string, max: number) {
    const pool = db.openPool({ max, application_name: schema })
    return postgresStorage(pool, { schema }).changes?.listen
  }

  test('wake reaches the listeners of the same installation', async () => {
    const [place, other] = [await open('a'), await open('a')]
    const onHint = vi.fn()
    const arrived = (times: number) => expect.poll(() => onHint.mock.calls.length).toBe(times)
    const stop = listener(place.schema, 3)?.(onHint)
    await arrived(1)
    await other.log.wake?.()
    await place.log.wake?.()
    await arrived(2)
    stop?.()
    await until(
      db.pool,
      `NOT EXISTS (SELECT FROM pg_stat_activity WHERE query = 'LISTEN miftah' AND state = 'idle'
        AND datname = current_database() AND application_name = '${place.schema}')`,
    )
  })

  test('a pool of one connection, and one without connections, have none to spare', async () => {
    const { schema } = await open()
    expect(listener(schema, 1)).toBeUndefined()
    const plain = { query: (text: string, values?: string[]) => db.pool.query(text, values) }
    expect(postgresStorage(plain, { schema }).changes).not.toHaveProperty('listen')
  })
})
