import type pg from 'pg'
import { beforeEach, expect, test } from 'vitest'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { type PostgresStorageOptions, postgresStorage } from '../../../adapters/storage/postgres.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleRotateChange,
  sampleUpdateChange,
} from '../../../adapters/storage/testing/samples.ts'
import { createApiKeys, plans } from '../../../src/index.ts'
import { inserted } from '../../support/inserted.ts'
import { databaseForTest } from '../../support/postgres/own-database.ts'
import type { TestDatabase } from '../../support/postgres-database.ts'
import { keyInput } from '../../support/world.ts'

let database: TestDatabase
let header: string

beforeEach(async () => {
  database = await databaseForTest()
  const { keys } = processOn()
  header = `Bearer ${(await keys.createKey(keyInput())).secret}`
})

/** Keys as a new process opens them, and how often the server has answered it. */
function processOn(options: PostgresStorageOptions = {}) {
  const seen = { answers: 0 }
  const pool = database.pool()
  pool.on('connect', (client) => {
    // The server says it at the end of each round trip, for the first time when it has connected.
    const { connection } = client as pg.PoolClient & { connection: NodeJS.EventEmitter }
    connection.on('readyForQuery', () => {
      seen.answers += 1
    })
  })
  const storage = postgresStorage(pool, options)
  return { seen, storage, keys: createApiKeys({ storage, entitlements: () => plans.business }) }
}

test.each([
  [2, {}],
  [1, { migrate: false }],
])(
  'a first authentication takes %i round trips with %j, later ones one',
  async (trips, options) => {
    const { seen, keys } = processOn(options)
    expect(await keys.authenticate(header, null)).toMatchObject({ ok: true })
    expect(seen.answers).toBe(trips)
    expect(await keys.authenticate(header, null)).toMatchObject({ ok: true })
    expect(seen.answers).toBe(trips + 1)
  },
)

test('a first authentication with an unknown key sends no more statements', async () => {
  const { seen, keys } = processOn({ migrate: false })
  const elsewhere = createApiKeys({
    storage: memoryStorage(),
    entitlements: () => plans.business,
  })
  const other = await elsewhere.createKey(keyInput())
  const unknown = await keys.authenticate(`Bearer ${other.secret}`, null)
  expect(unknown).toMatchObject({ ok: false, reason: 'unknown' })
  expect(seen.answers).toBe(1)
})

test('a change of a key takes one round trip', async () => {
  const { seen, storage } = processOn()
  const [first, second] = [await inserted(storage), await inserted(storage)]
  const record = sampleRecord()
  for (const change of [
    () => storage.insert(record, 7, sampleCreatedEvent(record)),
    () => storage.update(sampleUpdateChange(first)),
    () => storage.rotate(sampleRotateChange(second)),
    () => storage.revoke(sampleRevokeChange(first)),
  ]) {
    const before = seen.answers
    await change()
    expect(seen.answers - before).toBe(1)
  }
})

test.each([
  ['DROP SCHEMA miftah CASCADE', 'schema_missing'],
  ['DROP TABLE miftah.schema_version', 'schema_missing'],
  ['DELETE FROM miftah.schema_version', 'schema_missing'],
  ['INSERT INTO miftah.schema_version (version) VALUES (99)', 'schema_too_new'],
])('with migrate: false, %s fails the first lookup, and every one after it', async (sql, code) => {
  const { keys } = processOn({ migrate: false })
  await database.pool().query(sql)
  for (let times = 0; times < 2; times += 1) {
    await expect(keys.authenticate(header, null)).rejects.toMatchObject({ cause: { code } })
  }
})
