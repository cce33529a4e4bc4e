import type pg from 'pg'
import { expect, test } from 'vitest'
import { type PostgresStorageOptions, postgresStorage } from '../../../adapters/storage/postgres.ts'
import { sampleInsertion, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { createApiKeys, plans } from '../../../src/index.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { inserted } from '../../support/inserted.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'
import { CHANGES, READS } from '../../support/storage-calls.ts'
import { action, keyInput } from '../../support/world.ts'

const db = databaseForFile()

/** A storage as a new process opens it, and how often the server has answered it. */
function processOn(options: PostgresStorageOptions = {}) {
  const seen = { answers: 0 }
  const pool = db.openPool({ max: 1 })
  pool.on('connect', (client) => {
    // The server says it at the end of each round trip, for the first time when it has connected.
    const { connection } = client as pg.PoolClient & { connection: NodeJS.EventEmitter }
    connection.on('readyForQuery', () => {
      seen.answers += 1
    })
  })
  const during = async (work: () => unknown) => {
    const before = seen.answers
    await work()
    return seen.answers - before
  }
  return { storage: postgresStorage(pool, options), during }
}

test.each([
  [2, {}],
  [1, { migrate: false }],
])('a first read takes %i round trips with %j, later ones one', async (trips, options) => {
  const record = await inserted(postgresStorage(db.pool))
  for (const look of [
    (storage: KeyStorage) => storage.findByHash(record.hash),
    (storage: KeyStorage) => storage.read({ ...VIEW, ids: [record.id] }),
  ]) {
    const { storage, during } = processOn(options)
    expect(await during(() => look(storage))).toBe(trips)
    expect(await during(() => look(storage))).toBe(1)
    expect(await storage.findByHash(record.hash)).toEqual(record)
  }
})

test.each([
  ['DROP SCHEMA told CASCADE', 'schema_missing'],
  ['DROP TABLE told.miftah_schema', 'schema_missing'],
  ['UPDATE told.miftah_schema SET version = 99', 'schema_too_new'],
])('with migrate: false, %s fails the first read, and every one after it', async (sql, code) => {
  await db.pool.query('DROP SCHEMA IF EXISTS told CASCADE')
  await postgresStorage(db.pool, { schema: 'told' }).migrate()
  await db.pool.query(sql)
  const { storage } = processOn({ schema: 'told', migrate: false })
  for (let times = 0; times < 2; times += 1) {
    await expect(storage.findByHash('0'.repeat(64))).rejects.toMatchObject({ code })
    await expect(storage.read(VIEW)).rejects.toMatchObject({ code })
    await expect(storage.write([step()])).rejects.toMatchObject({ code })
  }
})

const VIEW = { workspaceId: 'ws', ids: ['key'], eventIds: [], countAtMs: 0, countUpTo: 9 }
const CLAIM = { relay: 'b', leaseMs: 60_000, limit: 5, except: [] }
const step = () => sampleInsertion(sampleRecord({ workspaceId: `ws_${Math.random()}` }))
const steps = (count: number) => Array.from({ length: count }, step)

test.each([
  ...Object.entries({ ...READS, ...CHANGES }).map(([name, call]) => [1, name, call] as const),
  [1, 'a write of 50 workspaces', (all: KeyStorage) => all.write(steps(50))] as const,
  [2, 'a write of 51 workspaces', (all: KeyStorage) => all.write(steps(51))] as const,
  [2, 'a claim that finds events', (all: KeyStorage) => all.claimEvents(CLAIM)] as const,
])('%i for %s', async (trips, _, call) => {
  const { storage, during } = processOn()
  await inserted(storage)
  expect(await during(() => call(storage))).toBe(trips)
})

test('a list with an id that is taken is sent apart', async () => {
  const { storage, during } = processOn()
  const record = await inserted(storage)
  const taken = sampleInsertion({ ...record, workspaceId: 'ws_other' })
  expect(await during(() => storage.write([step(), taken, step()]))).toBeGreaterThanOrEqual(4)
})

test('what a change of a key costs its caller', async () => {
  const { storage, during } = processOn({ schema: 'without_nodes' })
  const keys = createApiKeys({ storage, entitlements: () => plans.business })
  const { key } = await keys.createKey(keyInput())
  expect(await during(() => keys.createKey(keyInput()))).toBe(2)
  expect(await during(() => keys.revokeKey(action(key.id)))).toBe(2)
  await keys.close()
})
