import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import {
  sampleInsertion,
  sampleRecord,
  sampleRevocation,
  sampleRotation,
} from '../../../adapters/storage/testing/samples.ts'
import type { KeyStorage, WorkspaceWrite } from '../../../src/storage/index.ts'
import { inserted } from '../../support/inserted.ts'
import { limited } from '../../support/limited.ts'
import { databaseForFile, type FileDatabase } from '../../support/postgres/own-database.ts'
import { postgresJsForFile } from '../../support/postgres/postgres-js.ts'
import { findById, viewOf } from '../../support/stored.ts'
import { type Cut, openTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'
import { rejection } from '../../support/world.ts'

const PATIENCE_MS = 60_000

const db: FileDatabase = databaseForFile()
let proxy: TcpProxy
let pool: pg.Pool

/** The address of the database behind the proxy. */
const behind = {
  get url() {
    const url = new URL(db.url)
    url.port = String(proxy.port)
    return url.href
  },
}

beforeAll(async () => {
  const { hostname, port } = new URL(db.url)
  proxy = await openTcpProxy(hostname, Number(port || 5432))
  pool = db.openPool({ connectionString: behind.url, connectionTimeoutMillis: 1_500 })
  await postgresStorage(pool).migrate()
})

afterAll(async () => {
  await pool.end()
  await proxy.close()
})

beforeEach(() => proxy.use({ kind: 'pass' }))

const CUTS: readonly Cut[] = ['before_it_is_sent', 'before_the_answer']

/** Each makes a step in a workspace of its own; what is stored before is there. */
const STEPS: Readonly<
  Record<string, (storage: KeyStorage, workspaceId: string) => Promise<WorkspaceWrite>>
> = {
  insertion: async (_, workspaceId) => sampleInsertion(sampleRecord({ workspaceId })),
  rotation: async (storage, workspaceId) => {
    const record = await inserted(storage, { workspaceId })
    return sampleRotation({ record, edition: 1 }, sampleRecord({ workspaceId }))
  },
  revocation: async (storage, workspaceId) => {
    const record = await inserted(storage, { workspaceId })
    return sampleRevocation({ record, edition: 1 })
  },
}

/** Whether the events of a step are stored. */
async function isStored(storage: KeyStorage, { workspaceId, events }: WorkspaceWrite) {
  const eventIds = events.map(({ id }) => id)
  return (await storage.read(viewOf(workspaceId, [], eventIds))).eventIds.length > 0
}

describe.each(CUTS)('a write whose connection is cut %s', (cut) => {
  const postgresJs = postgresJsForFile(behind)
  const drivers = { pg: () => pool, 'Postgres.js': postgresJs }

  test.each(
    Object.keys(STEPS).flatMap((step) =>
      Object.keys(drivers).map((driver) => [step, driver] as const),
    ),
  )('%s on %s: it is open, and the same write again tells', async (name, driver) => {
    const storage = limited(postgresStorage(drivers[driver as 'pg']()), PATIENCE_MS)
    for (let round = 0; round < 5; round += 1) {
      const step = await (STEPS[name] ?? expect.fail())(storage, `ws_${Math.random()}`)
      await storage.findByHash('0'.repeat(64))
      const done = proxy.cutNext(step.workspaceId, cut)
      const error = rejection(storage.write([step]))
      await done
      expect(await error).toMatchObject({ name: 'StorageError', code: 'outcome_unknown' })
      const wasStored = await isStored(storage, step)
      expect(wasStored).toBe(cut === 'before_the_answer')
      const again = await storage.write([step])
      expect(again).toMatchObject([{ outcome: wasStored ? 'refused' : 'stored' }])
      const { events } = await storage.events(step.workspaceId, { after: null, limit: 9 })
      expect(events.filter(({ id }) => id === step.events[0]?.id)).toHaveLength(1)
    }
  })

  test('a flush: every use counts once, and its caller gets an answer', async () => {
    const storage = limited(postgresStorage(pool), PATIENCE_MS)
    const { id, workspaceId } = await inserted(storage, { workspaceId: `ws_${Math.random()}` })
    for (let sequence = 1; sequence <= 10; sequence += 1) {
      const done = proxy.cutNext(id, cut)
      const uses = [{ id, uses: 2, lastUsedAtMs: sequence }]
      await Promise.all([storage.addUses({ writer: `w_${cut}`, sequence, uses }), done])
    }
    expect(await findById(storage, workspaceId, id)).toMatchObject({ uses: 20 })
  })
})

describe('a session that is ended while a write runs', () => {
  test.each([
    ['pg_terminate_backend(pid)', 'outcome_unknown'],
    ['pg_cancel_backend(pid)', 'timeout'],
  ])('by %s: %s', async (end, code) => {
    const storage = limited(postgresStorage(pool), PATIENCE_MS)
    const step = sampleInsertion(sampleRecord({ workspaceId: `ws_${Math.random()}` }))
    const client = await db.pool.connect()
    await client.query('BEGIN; LOCK TABLE miftah.miftah_workspaces IN EXCLUSIVE MODE')
    const error = rejection(storage.write([step]))
    await expect
      .poll(async () => {
        const { rows } = await db.pool.query(`SELECT ${end} FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND datname = current_database()`)
        return rows.length
      })
      .toBe(1)
    expect(await error).toMatchObject({ code })
    await client.query('ROLLBACK')
    client.release()
    expect(await isStored(storage, step)).toBe(false)
    expect(await storage.write([step])).toMatchObject([{ outcome: 'stored' }])
  })
})

describe('a write that did not get as far', () => {
  const stepOf = () => sampleInsertion(sampleRecord({ workspaceId: `ws_${Math.random()}` }))

  test('because the workspace was locked is busy or late, and not stored', async () => {
    const storage = postgresStorage(pool)
    const step = stepOf()
    await storage.write([step])
    const client = await db.pool.connect()
    await client.query('BEGIN')
    await client.query('SELECT FROM miftah.miftah_workspaces WHERE id = $1 FOR UPDATE', [
      step.workspaceId,
    ])
    const next = { ...stepOf(), workspaceId: step.workspaceId }
    const error = await rejection(limited(storage, 1_000).write([next]))
    expect(error).toMatchObject({ code: 'busy', cause: { code: '55P03' } })
    expect(await limited(storage, PATIENCE_MS).write([stepOf()])).toMatchObject([
      { outcome: 'stored' },
    ])
    await client.query('ROLLBACK')
    client.release()
    expect(await isStored(storage, next)).toBe(false)
  })

  test('because the server has no connection left waits or is unavailable', async () => {
    const role = `crowded_${Math.random().toString(36).slice(2)}`
    await db.pool.query(`CREATE ROLE ${role} LOGIN CONNECTION LIMIT 2`)
    await db.pool.query(`GRANT ALL ON SCHEMA miftah TO ${role}`)
    await db.pool.query(`GRANT ALL ON ALL TABLES IN SCHEMA miftah TO ${role}`)
    const crowded = db.openPool({ user: role, max: 10, connectionTimeoutMillis: PATIENCE_MS })
    const storage = limited(postgresStorage(crowded), PATIENCE_MS)
    const settled = await Promise.allSettled(
      Array.from({ length: 40 }, () => storage.write([stepOf()])),
    )
    const codes = settled.map((one) => (one.status === 'fulfilled' ? 'ok' : one.reason.code))
    expect(new Set([...codes, 'unavailable'])).toEqual(new Set(['ok', 'unavailable']))
    await crowded.end()
    await db.pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
  })
})

describe('a server that falls silent', () => {
  test('lookups and writes end by the deadline, and work again afterwards', async () => {
    // So few connections that all of them are dead afterwards.
    const few = db.openPool({
      connectionString: behind.url,
      max: 3,
      connectionTimeoutMillis: 1_500,
    })
    const storage = postgresStorage(few)
    const [hasty, patient] = [limited(storage, 1_000), limited(storage, PATIENCE_MS)]
    const record = await inserted(patient, { workspaceId: `ws_${Math.random()}` })
    await Promise.all([1, 2, 3].map(() => few.query('SELECT pg_sleep(0.02)')))
    proxy.use({ kind: 'black_hole' })
    const revocation = sampleRevocation({ record, edition: 1 })
    const writing = rejection(hasty.write([revocation]))
    const found = Array.from({ length: 30 }, () =>
      rejection(Promise.resolve(hasty.findByHash(record.hash))),
    )
    expect(await writing).toMatchObject({ code: 'outcome_unknown' })
    await Promise.all(found)
    proxy.use({ kind: 'pass' })
    expect(await patient.write([revocation])).toMatchObject([{ outcome: 'stored' }])
    expect((await patient.findByHash(record.hash))?.revokedAtMs).not.toBeNull()
    await few.end()
  })
})
