import type pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { type PostgresPool, postgresStorage } from '../../../adapters/storage/postgres.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
} from '../../../adapters/storage/testing/samples.ts'
import type { KeyRecord, KeyStorage } from '../../../src/storage/index.ts'
import { limited } from '../../support/limited.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'

const db = databaseForFile()
/** The connections of other programs. */
let strays: pg.Pool

beforeAll(async () => {
  strays = db.openPool()
  await postgresStorage(db.pool).migrate()
})

/** The pool, the changes in each statement that makes several, and what happens to its answer. */
function watched() {
  const together: string[][] = []
  const seen = { together, onAnswer: async () => {} }
  const query = async (text: string, values: string[] = []) => {
    if (!text.includes('change_keys')) return db.pool.query(text, values)
    const { changes } = JSON.parse(values[0] ?? '')
    together.push(changes.map(({ argument }: { argument: { id: string } }) => argument.id))
    const answer = await db.pool.query(text, values)
    await seen.onAnswer()
    return answer
  }
  return Object.assign(seen, { pool: { query } satisfies PostgresPool })
}

async function inserted(storage: KeyStorage, count: number): Promise<readonly KeyRecord[]> {
  const records = Array.from({ length: count }, (_, at) =>
    sampleRecord({ workspaceId: `ws_batch_${at % 7}` }),
  )
  for (const record of records) await storage.insert(record, null, sampleCreatedEvent(record))
  return records
}

const outcomesOf = (storage: KeyStorage, records: readonly KeyRecord[]) =>
  Promise.all(
    records.map(async (record) => (await storage.revoke(sampleRevokeChange(record))).outcome),
  )

// It depends on the speed of the machine, and goes with the statements that changes share.
test.skip('revocations that wait share statements, and each has its own outcome', async () => {
  const { pool, together } = watched()
  const storage = postgresStorage(pool)
  const records = await inserted(storage, 60)
  const unknown = sampleRecord({ workspaceId: 'ws_batch_1' })
  const [twice = unknown] = records.slice(40)
  const outcomes = await outcomesOf(storage, [...records, unknown, twice])
  expect(outcomes).toEqual([...records.map(() => 'revoked'), 'not_found', 'already_revoked'])
  expect(together.flat().length).toBeGreaterThan(50)
  expect(together.length).toBeLessThan(6)
})

test('a lone change is a statement of its own', async () => {
  const { pool, together } = watched()
  const storage = postgresStorage(pool)
  const records = await inserted(storage, 3)
  for (const record of records) expect(await outcomesOf(storage, [record])).toEqual(['revoked'])
  expect(together).toEqual([])
})

test('a key that a stray program has locked fails none of its neighbours', async () => {
  const { pool } = watched()
  const storage = postgresStorage(pool)
  const records = await inserted(storage, 12)
  const [locked = sampleRecord()] = records.slice(6)
  const client = await strays.connect()
  await client.query('BEGIN')
  await client.query('SELECT FROM miftah.keys WHERE id = $1 FOR UPDATE', [locked.id])
  const ofLocked = outcomesOf(storage, [locked])
  const others = records.filter((record) => record !== locked)
  expect(await outcomesOf(storage, others)).toEqual(others.map(() => 'revoked'))
  await client.query('ROLLBACK')
  client.release()
  expect(await ofLocked).toEqual(['revoked'])
})

test('where the answer is lost, the outcome of all of them is unknown', async () => {
  const seen = watched()
  const records = await inserted(postgresStorage(seen.pool), 20)
  const storage = limited(postgresStorage(seen.pool), 4_000)
  await storage.findById('ws', 'key')
  seen.onAnswer = () => new Promise(() => {})
  const codeOf = (error: unknown) => (error as { code?: string }).code
  const codes = await Promise.all(
    records.map((record) => storage.revoke(sampleRevokeChange(record)).then(() => null, codeOf)),
  )
  const lost = new Set(seen.together.flat())
  expect(lost.size).toBeGreaterThan(10)
  for (const [at, { id }] of records.entries()) {
    if (lost.has(id)) expect(codes[at]).toBe('outcome_unknown')
  }
})
