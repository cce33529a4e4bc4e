import type pg from 'pg'
import { expect, test } from 'vitest'
import { type PostgresStorageOptions, postgresStorage } from '../../../adapters/storage/postgres.ts'
import { sampleInsertion, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { createApiKeys, plans } from '../../../src/index.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { inserted } from '../../support/inserted.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'
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

const PAGE = { status: null, environment: null, atMs: 0, after: null, limit: 5, countUpTo: 9 }
const VIEW = { workspaceId: 'ws', ids: ['key'], eventIds: [], countAtMs: 0, countUpTo: 9 }
const CLAIM = { relay: 'a', leaseMs: 60_000, limit: 5, except: [] }
const step = () => sampleInsertion(sampleRecord({ workspaceId: `ws_${Math.random()}` }))

const CALLS: Readonly<Record<string, readonly [number, (storage: KeyStorage) => unknown]>> = {
  read: [1, (all) => all.read(VIEW)],
  'a write': [1, (all) => all.write([step()])],
  'a write of 50 workspaces': [1, (all) => all.write(Array.from({ length: 50 }, step))],
  'a write of 51 workspaces': [2, (all) => all.write(Array.from({ length: 51 }, step))],
  list: [1, (all) => all.list('ws', PAGE)],
  events: [1, (all) => all.events('ws', { after: null, limit: 5 })],
  addUses: [1, (all) => all.addUses({ writer: 'w', sequence: 1, uses: [] })],
  usage: [1, (all) => all.usage('ws', { id: null, fromHour: 0, toHour: 1 })],
  'claimEvents with events': [2, (all) => all.claimEvents(CLAIM)],
  'claimEvents without': [
    1,
    (all) => all.claimEvents({ ...CLAIM, except: ['ws_sample'], relay: 'b' }),
  ],
  acknowledgeEvents: [1, (all) => all.acknowledgeEvents('a', [])],
  releaseEvents: [1, (all) => all.releaseEvents('a')],
  due: [1, (all) => all.due({ atMs: 0, limit: 5 })],
  keysOfPerson: [1, (all) => all.keysOfPerson({ personId: 'u', limit: 5 })],
  renameActor: [1, (all) => all.renameActor({ personId: 'u', limit: 5 })],
  closeWorkspace: [1, (all) => all.closeWorkspace('ws_closed')],
  deleteWorkspace: [1, (all) => all.deleteWorkspace({ workspaceId: 'ws_closed', limit: 5 })],
  purge: [1, (all) => all.purge({ endedBeforeMs: 0, eventsBeforeMs: 0, limit: 5 })],
  register: [1, (all) => all.changes?.register({ node: 'a', leaseMs: 1_000 })],
  renew: [1, (all) => all.changes?.renew({ node: 'a', renewal: 1, answered: 0, applied: null })],
  laggingNodes: [1, (all) => all.changes?.laggingNodes(null)],
  changePlan: [1, (all) => all.changes?.changePlan('ws')],
  evict: [1, (all) => all.changes?.evict([{ node: 'a', leaseMs: 1_000, renewal: 1 }], 1)],
}

test.each(Object.entries(CALLS))('%s', async (_, [trips, call]) => {
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
