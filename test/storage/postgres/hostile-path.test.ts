import type pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import {
  type PostgresStorage,
  postgresSchema,
  postgresStorage,
} from '../../../adapters/storage/postgres.ts'
import { sampleRevokeChange } from '../../../adapters/storage/testing/samples.ts'
import { inserted } from '../../support/inserted.ts'
import { createHostileSchema, HOSTILE_PATH } from '../../support/postgres/hostile-path.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'

const db = databaseForFile()
let pool: pg.Pool
let storage: PostgresStorage

beforeAll(async () => {
  await createHostileSchema(db.pool)
  pool = db.openPool({ options: HOSTILE_PATH })
  storage = postgresStorage(pool)
  await storage.migrate()
})

test.each([
  'SELECT 1 = 1',
  `SELECT 'a' || 'b'::pg_catalog.text`,
  `SELECT ''::text`,
  `SELECT '{}'::jsonb`,
  'SELECT 1::bigint < 2::bigint',
  'SELECT max(1)',
])('the control: %s is hijacked', async (text) => {
  await expect(pool.query(text)).rejects.toThrow(/^hijacked by/)
})

// The contract, which runs on such a pool too, calls all other methods.
test('no statement calls what others put into the search path', async () => {
  const record = await inserted(storage)
  const log = storage.changes ?? expect.fail()
  await log.register({ node: 'a', leaseMs: 60_000 })
  await storage.revoke(sampleRevokeChange(record))
  expect(await log.laggingNodes(1)).toEqual([{ node: 'a', leaseMs: 60_000, renewal: 0 }])
  expect(await log.laggingNodes(0)).toEqual([])
  const renewal = { node: 'a', renewal: 1, answered: 0, applied: 1 }
  expect(await log.renew(renewal)).toMatchObject({ outcome: 'renewed', head: 1 })
  await log.changePlan('ws_1')
  await log.wake?.()
  await log.evict([], 1)
  await log.leave('a')
  expect(await storage.diagnose()).toMatchObject({
    schemaVersion: 1,
    mode: 'primary',
    missingRights: [],
    keys: { active: 0, revoked: 1 },
    pendingEvents: { count: 2 },
    sequenceRepair: null,
  })
  const late = postgresStorage(pool, { migrate: false })
  expect(await late.findByHash(record.hash)).toMatchObject({ id: record.id })
})

test('no trigger, constraint or index keeps what was in the path of the migration', async () => {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query(postgresSchema({ schema: 'inside', tablePrefix: 'k_' }))
    const { rows } = await client.query('SHOW search_path')
    expect(rows).toEqual([{ search_path: 'hostile,pg_catalog' }])
    await client.query('COMMIT')
  } finally {
    client.release(true)
  }
  // Without CASCADE it fails if anything depends on one of them.
  await db.pool.query(`DO $$ DECLARE v record; BEGIN
    FOR v IN
      SELECT 'OPERATOR ' || oid::regoperator AS name FROM pg_operator
      WHERE oprnamespace = 'hostile'::regnamespace
      UNION ALL SELECT 'DOMAIN ' || oid::regtype FROM pg_type
      WHERE typnamespace = 'hostile'::regnamespace AND typtype = 'd'
    LOOP EXECUTE 'DROP ' || v.name; END LOOP;
  END $$`)
})
