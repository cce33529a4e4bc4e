import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { mysqlStorage } from '../../adapters/storage/mysql.ts'
import { postgresStorage } from '../../adapters/storage/postgres.ts'
import {
  sampleInsertion,
  sampleRecord,
  sampleRevocation,
  sampleRotation,
} from '../../adapters/storage/testing/samples.ts'
import type { KeyStorage, WorkspaceWrite } from '../../src/storage/index.ts'
import { inserted } from '../support/inserted.ts'
import { limited } from '../support/limited.ts'
import * as mysql from '../support/mysql/server.ts'
import { databaseForFile } from '../support/postgres/own-database.ts'
import { postgresJsForFile } from '../support/postgres/postgres-js.ts'
import { findById, viewOf } from '../support/stored.ts'
import { type Cut, openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { rejection } from '../support/world.ts'

/* What becomes of a change whose answer is lost on the way. */

const PATIENCE_MS = 60_000

/** A proxy in front of the server of an address; `url` leads through it. */
function proxyTo(address: () => string, port: number, isAnswered?: () => boolean) {
  let proxy: TcpProxy
  beforeAll(async () => {
    const url = new URL(address())
    proxy = await openTcpProxy(url.hostname, Number(url.port || port), isAnswered)
  })
  beforeEach(() => proxy.use('pass'))
  afterAll(() => proxy.close())
  return {
    get url() {
      return Object.assign(new URL(address()), { port: String(proxy.port) }).href
    },
    use: (mode: Parameters<TcpProxy['use']>[0]) => proxy.use(mode),
    cutAll: () => proxy.cutAll(),
    cutNext: (text: string, cut: Cut) => proxy.cutNext(text, cut),
  }
}

function onPostgres(driver: 'pg' | 'Postgres.js') {
  const db = databaseForFile()
  const proxy = proxyTo(() => db.url, 5432)
  const postgresJs = postgresJsForFile(proxy)
  beforeAll(() => postgresStorage(db.pool).migrate())
  // So few connections that all of them are dead after a silence.
  const options = { max: 3, connectionTimeoutMillis: 1_500 }
  const pg = () => db.openPool({ connectionString: proxy.url, ...options })
  return {
    proxy,
    open: () => postgresStorage(driver === 'pg' ? pg() : postgresJs()),
    /** In the statement that commits a step. */
    commitOf: ({ workspaceId }: WorkspaceWrite) => workspaceId,
  }
}

function onMysql() {
  const db = mysql.tablesForFile()
  const proxy = proxyTo(
    () => db.url,
    3306,
    () => true,
  )
  const open = () => mysqlStorage(db.openPool({ uri: proxy.url }), { migrate: false })
  return { proxy, open, commitOf: () => 'COMMIT AND' }
}

/** Each makes a step in a workspace of its own; what is stored before is there. */
const STEPS: Readonly<
  Record<string, (storage: KeyStorage, of: string) => Promise<WorkspaceWrite>>
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

/** Whether a step is stored whole, or nothing of it. */
async function isStored(storage: KeyStorage, { workspaceId, keys, events }: WorkspaceWrite) {
  const [ids, eventIds] = [keys.map(({ record }) => record.id), events.map(({ id }) => id)]
  const view = await storage.read(viewOf(workspaceId, ids, eventIds))
  const versions = new Map(view.keys.map(({ record }) => [record.id, record.version]))
  const isChanged = keys.every(({ record }) => versions.get(record.id) === record.version)
  expect(view.eventIds).toEqual(isChanged ? eventIds : [])
  return isChanged
}

const CUTS: readonly Cut[] = ['before_it_is_sent', 'before_the_answer']

const SERVERS = [
  ['pg', () => onPostgres('pg'), true],
  ['Postgres.js', () => onPostgres('Postgres.js'), true],
  ['mysql2', onMysql, mysql.hasServer],
] as const

describe.each(SERVERS)('through %s', (_, server, isThere) => {
  if (!isThere) return test.skip('needs a server')
  const { proxy, open, commitOf } = server()

  test.each(CUTS.flatMap((cut) => Object.keys(STEPS).map((name) => [name, cut] as const)))(
    'the %s of a connection that is cut %s is open, and the same write again tells',
    async (name, cut) => {
      const storage = limited(open(), PATIENCE_MS)
      const step = await (STEPS[name] ?? expect.fail())(storage, `ws_${Math.random()}`)
      await storage.findByHash('0'.repeat(64))
      const done = proxy.cutNext(commitOf(step), cut)
      const error = rejection(storage.write([step]))
      await done
      expect(await error).toMatchObject({ name: 'StorageError', code: 'outcome_unknown' })
      const wasStored = cut === 'before_the_answer'
      await expect.poll(() => isStored(storage, step)).toBe(wasStored)
      const outcome = wasStored ? 'refused' : 'stored'
      expect(await storage.write([step])).toMatchObject([{ outcome }])
      expect(await isStored(storage, step)).toBe(true)
      const { events } = await storage.events(step.workspaceId, { after: null, limit: 9 })
      expect(events.filter(({ id }) => id === step.events[0]?.id)).toHaveLength(1)
    },
  )

  test.each(CUTS)('uses count once where the connection is cut %s', async (cut) => {
    const storage = limited(open(), PATIENCE_MS)
    const record = await inserted(storage, { workspaceId: `ws_${Math.random()}` })
    for (let sequence = 1; sequence <= 3; sequence += 1) {
      const done = proxy.cutNext(
        commitOf({ ...sampleInsertion(record), workspaceId: record.id }),
        cut,
      )
      const uses = [{ id: record.id, uses: 2, lastUsedAtMs: sequence }]
      await Promise.all([storage.addUses({ writer: `w_${cut}`, sequence, uses }), done])
    }
    expect(await findById(storage, record.workspaceId, record.id)).toMatchObject({ uses: 6 })
  })

  test('calls of a silent server end by the deadline, and work again afterwards', async () => {
    const storage = open()
    const [hasty, patient] = [limited(storage, 1_000), limited(storage, PATIENCE_MS)]
    const record = await inserted(patient, { workspaceId: `ws_${Math.random()}` })
    const look = () => rejection(Promise.resolve(hasty.findByHash(record.hash)))
    // Each opens a connection.
    const { workspaceId } = record
    await Promise.all([1, 2, 3].map(() => patient.read(viewOf(workspaceId))))
    proxy.use('black_hole')
    const step = sampleRevocation({ record, edition: 1 })
    const writing = rejection(hasty.write([step]))
    const errors = await Promise.all(Array.from({ length: 30 }, look))
    // On MySQL nothing is sent before COMMIT that could be stored.
    const code = server === onMysql ? 'timeout' : 'outcome_unknown'
    expect(await writing).toMatchObject({ code })
    for (const error of errors) expect(error).toBeInstanceOf(Error)
    proxy.cutAll()
    proxy.use('pass')
    expect(await patient.write([step])).toMatchObject([{ outcome: 'stored' }])
    expect((await patient.findByHash(record.hash))?.revokedAtMs).not.toBeNull()
  })
})

describe.skipIf(!mysql.hasServer)('a transaction of MySQL whose connection is lost', () => {
  const { proxy, open } = onMysql()

  test.each([
    'SET TRANSACTION',
    'START TRANSACTION',
    'miftah_workspaces',
    'miftah_keys',
    'miftah_events',
  ])('before COMMIT, at %s, is tried again', async (text) => {
    for (const cut of CUTS) {
      const storage = limited(open(), PATIENCE_MS)
      const record = await inserted(storage, { workspaceId: `ws_${Math.random()}` })
      const step = sampleRevocation({ record, edition: 1 })
      const done = proxy.cutNext(text, cut)
      expect(await storage.write([step])).toMatchObject([{ outcome: 'stored' }])
      await done
      expect(await isStored(storage, step)).toBe(true)
    }
  })

  test('in a list is unknown unless each member has failed', async () => {
    const storage = limited(open(), 5_000)
    const writes = ['a', 'b'].map((workspaceId) => sampleInsertion(sampleRecord({ workspaceId })))
    await storage.read(viewOf('a'))
    proxy.use('refuse')
    expect(await rejection(storage.write(writes))).toMatchObject({ code: 'unavailable' })
    proxy.use('pass')
    const done = proxy.cutNext('COMMIT AND', 'before_it_is_sent')
    const error = await rejection(storage.write(writes))
    await done
    expect(error).toMatchObject({ code: 'outcome_unknown' })
    const stored = await Promise.all(writes.map((write) => isStored(storage, write)))
    expect(stored.filter(Boolean)).toHaveLength(1)
  })
})
