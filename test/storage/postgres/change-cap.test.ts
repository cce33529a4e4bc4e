import type pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { type PostgresPool, postgresStorage } from '../../../adapters/storage/postgres.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
} from '../../../adapters/storage/testing/samples.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { inserted } from '../../support/inserted.ts'
import { limited } from '../../support/limited.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'
import { rejection, settled } from '../../support/world.ts'

const db = databaseForFile()
/** The connections of other programs. */
let strays: pg.Pool

beforeAll(async () => {
  strays = db.openPool()
  await postgresStorage(db.pool).migrate()
})

/** Long before a change counts as slow: then others may be sent beside it. */
const PROMPT_MS = 150

/** The pool, and how many prompt changes it ran at once, of all and of one workspace. */
function watched() {
  const most = { changes: 0, ofWorkspace: 0 }
  const running = new Set<{ readonly workspace: string; readonly atMs: number }>()
  const query = async (text: string, values: string[] = []) => {
    const change = text.includes('insert_key') ? values[0] : undefined
    if (change === undefined) return db.pool.query(text, values)
    const { workspace_id: workspace } = JSON.parse(change).record
    const begun = { workspace, atMs: performance.now() }
    running.add(begun)
    const prompt = [...running].filter(({ atMs }) => begun.atMs - atMs < PROMPT_MS)
    const own = prompt.filter((one) => one.workspace === workspace)
    most.changes = Math.max(most.changes, prompt.length)
    most.ofWorkspace = Math.max(most.ofWorkspace, own.length)
    try {
      return await db.pool.query(text, values)
    } finally {
      running.delete(begun)
    }
  }
  return { most, pool: { query } satisfies PostgresPool }
}

function insert(storage: KeyStorage, workspaceId: string) {
  const record = sampleRecord({ workspaceId })
  return storage.insert(record, null, sampleCreatedEvent(record))
}

test('300 changes of 30 workspaces use four connections at most, and all are made', async () => {
  const { most, pool: seen } = watched()
  const storage = postgresStorage(seen)
  const inserts = Array.from({ length: 300 }, (_, at) => insert(storage, `ws_cap_${at % 30}`))
  const outcomes = await Promise.all(inserts)
  expect(outcomes.filter(({ inserted }) => inserted)).toHaveLength(300)
  expect(most.changes).toBeLessThanOrEqual(4)
  expect(most.changes).toBeGreaterThanOrEqual(2)
  expect(most.ofWorkspace).toBeLessThanOrEqual(2)
})

test('a change of another workspace is made while 300 of one wait', async () => {
  const storage = postgresStorage(watched().pool)
  const order: string[] = []
  const many = Array.from({ length: 300 }, async () => {
    await insert(storage, 'ws_busy')
    order.push('busy')
  })
  await insert(storage, 'ws_quiet')
  const before = order.length
  await Promise.all(many)
  expect(before).toBeLessThan(30)
})

/** Locks a workspace as a stray program does, until the answer is called. */
async function locked(workspaceId: string): Promise<() => Promise<void>> {
  const client = await strays.connect()
  await client.query('BEGIN')
  await client.query('SELECT FROM miftah.workspaces WHERE workspace_id = $1 FOR UPDATE', [
    workspaceId,
  ])
  return async () => {
    await client.query('ROLLBACK')
    client.release()
  }
}

test('locked workspaces leave connections for lookups and for other workspaces', async () => {
  const storage = limited(postgresStorage(db.pool), 60_000)
  const key = await inserted(storage, { workspaceId: 'ws_locked_0' })
  for (const at of [1, 2, 3]) await insert(storage, `ws_locked_${at}`)
  const unlocks = await Promise.all([0, 1, 2, 3].map((at) => locked(`ws_locked_${at}`)))
  const stuck = Array.from({ length: 40 }, (_, at) => insert(storage, `ws_locked_${at % 4}`))
  await settled(300)
  const waits = Array.from({ length: 50 }, () => storage.findByHash(key.hash))
  expect((await Promise.all(waits)).every((found) => found?.id === key.id)).toBe(true)
  await Promise.all(unlocks.map((unlock) => unlock()))
  expect((await Promise.all(stuck)).every(({ inserted }) => inserted)).toBe(true)
})

test('a change whose time ends in the queue was not made', async () => {
  const storage = limited(postgresStorage(db.pool), 3_000)
  // As many as are ever in flight at once, and none of them gives up meanwhile.
  const patient = limited(postgresStorage(db.pool), 60_000)
  const key = await inserted(patient, { workspaceId: 'ws_late' })
  const unlock = await locked('ws_late')
  const sent = Array.from({ length: 8 }, () => insert(patient, 'ws_late'))
  const outcome = await rejection(storage.revoke(sampleRevokeChange(key)))
  await unlock()
  await Promise.all(sent)
  expect(outcome).toMatchObject({ name: 'StorageError', code: 'timeout' })
  await settled(200)
  expect((await patient.findByHash(key.hash))?.revokedAtMs).toBe(null)
  expect((await patient.revoke(sampleRevokeChange(key))).outcome).toBe('revoked')
})
