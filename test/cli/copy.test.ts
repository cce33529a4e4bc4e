import { describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../adapters/cli/database.ts'
import { sampleInsertion, sampleRecord } from '../../adapters/storage/testing/samples.ts'
import { createApiKeys, defineResources, plans } from '../../src/index.ts'
import type { KeyStorage } from '../../src/storage/index.ts'
import { miftah } from '../support/command-line.ts'
import {
  emptyTables,
  hasServer,
  databaseForFile as mysqlDatabase,
} from '../support/mysql/server.ts'
import { databaseForTest } from '../support/postgres/own-database.ts'
import { freshPath, rawAt } from '../support/sqlite-files.ts'

const mysql = mysqlDatabase()

const HOUR_MS = 3_600_000
const DAY_S = 86_400
const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])
const ACTOR = { id: 'u_نورة', name: 'نورة' }
const FIELDS = { environment: 'live', scopes: ['contacts.read', 'flows.read'] } as const
const WORKSPACES = ['ws_ä', 'ws_b', 'ws_closed']

const copy = (from: string, to: string) => miftah(['copy', '--from', from, '--to', to])

async function storageOf(database: string) {
  const { storage, close } = await openDatabase({ database }, {})
  onTestFinished(close)
  return storage
}

async function emptyDatabase(kind: string): Promise<string> {
  const addresses: Readonly<Record<string, () => Promise<string> | string>> = {
    SQLite: freshPath,
    PostgreSQL: async () => (await databaseForTest()).url,
    MySQL: () => mysql.url,
  }
  const url = (await addresses[kind]?.()) ?? ''
  await miftah(['migrate', '-d', url])
  if (kind === 'MySQL') await emptyTables(mysql.pool)
  return url
}

/** A file with keys of every status, uses, refusals, and events of which some are delivered. */
async function filled() {
  const path = await emptyDatabase('SQLite')
  const storage = await storageOf(path)
  await fill(storage)
  return { path, storage }
}

function keysOn(storage: KeyStorage, nowMs = Date.now()) {
  return createApiKeys({
    storage,
    entitlements: () => plans.enterprise,
    now: () => new Date(nowMs),
    resources,
  })
}

async function fill(storage: KeyStorage): Promise<void> {
  const nowMs = Date.now()
  const [keys, past] = [keysOn(storage, nowMs), keysOn(storage, nowMs - 2 * HOUR_MS)]
  const create = (workspaceId: string, fields: object = {}) =>
    past.createKey({ workspaceId, creator: ACTOR, name: 'مفتاح 🔑', ...FIELDS, ...fields })
  const on = (workspaceId: string, id: string) => ({ workspaceId, id, actor: ACTOR })
  for (const workspaceId of WORKSPACES) {
    const used = await create(workspaceId, { note: 'a note', metadata: { b: '1', aa: '2' } })
    await create(workspaceId, {
      ...{ networks: ['198.51.100.0/24'], resources: { project: ['p_2', 'p_1'] } },
      expiresAt: new Date(nowMs + HOUR_MS),
    })
    await create(workspaceId, { expiresAt: new Date(nowMs - HOUR_MS) })
    const [paused, revoked, rotated] = [
      await create(workspaceId),
      await create(workspaceId),
      await create(workspaceId),
    ]
    await keys.pauseKey(on(workspaceId, paused.key.id))
    await keys.revokeKey(on(workspaceId, revoked.key.id))
    await keys.rotateKey({ ...on(workspaceId, rotated.key.id), overlapSeconds: DAY_S })
    for (const by of [keys, past]) {
      await by.authenticate(`Bearer ${used.secret}`, 'contacts.read')
      await by.authenticate(`Bearer ${revoked.secret}`, 'contacts.read')
    }
  }
  await keys.close()
  await past.close()
  const claim = { relay: 'r', leaseMs: 60_000, limit: 7, except: ['ws_closed'] }
  const delivered = await storage.claimEvents(claim)
  await storage.acknowledgeEvents(
    'r',
    delivered.map(({ id }) => id),
  )
  await storage.releaseEvents('r')
  await storage.closeWorkspace('ws_closed')
}

/** All that a storage answers. It takes and ends the lease of a relay. */
async function contentOf(storage: KeyStorage) {
  const hour = Math.floor(Date.now() / HOUR_MS)
  const atMs = hour * HOUR_MS
  const ofWorkspace = async (workspaceId: string) => {
    const page = { after: null, limit: 1_000 }
    const filters = { status: null, environment: null, atMs }
    const list = await storage.list(workspaceId, { ...page, ...filters, countUpTo: 1_000 })
    const keys = list.keys.map(({ record }) => record)
    const ids = [null, ...keys.map(({ id }) => id)]
    const usage = ids.map(async (id) => {
      const range = { id, fromHour: hour - 10, toHour: hour + 1 }
      const counts = (await storage.usage(workspaceId, range)) ?? []
      return counts.map((one) => JSON.stringify(Object.entries(one).sort())).sort()
    })
    const query = { workspaceId, ids: [], eventIds: [], countAtMs: atMs, countUpTo: null }
    return {
      list,
      view: await storage.read(query),
      usage: await Promise.all(usage),
      events: await storage.events(workspaceId, page),
      found: await Promise.all(keys.map(({ hash }) => storage.findByHash(hash))),
    }
  }
  const claim = { relay: 'c', leaseMs: 60_000, limit: 1_000, except: [] }
  const pending = (await storage.claimEvents(claim)).map(({ id }) => id)
  await storage.releaseEvents('c')
  const due = await storage.due({ atMs: Date.now() + 100 * HOUR_MS, limit: 1_000 })
  const parts = []
  for (const workspaceId of WORKSPACES) parts.push(await ofWorkspace(workspaceId))
  return { parts, pending, due: due.map(({ record }) => record.id).sort() }
}

describe('a copy', () => {
  const kinds = ['PostgreSQL', ...(hasServer ? ['MySQL', 'PostgreSQL'] : []), 'SQLite']

  test(`from SQLite to ${kinds.join(' to ')} answers as its source, and goes on by itself`, async () => {
    const { path, storage } = await filled()
    const expected = await contentOf(storage)
    expect(expected.pending.length).toBeGreaterThan(10)
    const cursor = (await keysOn(storage).listKeys({ workspaceId: 'ws_ä', limit: 3 })).nextCursor
    const next = await keysOn(storage).listKeys({ workspaceId: 'ws_ä', limit: 3, cursor })
    let from = path
    for (const kind of kinds) {
      const to = await emptyDatabase(kind)
      const { code, out, err } = await copy(from, to)
      expect({ kind, code, err }).toEqual({ kind, code: 0, err: '' })
      expect(out).toMatch(/^workspaces: 3\nkeys: 21\nusage: 3\nhourly_usage: \d+\n/)
      const target = await storageOf(to)
      expect(await contentOf(target)).toEqual(expected)
      const page = { workspaceId: 'ws_ä', limit: 3, cursor }
      expect(await keysOn(target).listKeys(page)).toEqual(next)
      from = to
    }
    const target = await storageOf(from)
    const record = sampleRecord({ workspaceId: 'ws_ä' })
    expect(await target.write([sampleInsertion(record)])).toEqual([{ outcome: 'stored' }])
    const closed = sampleInsertion(sampleRecord({ workspaceId: 'ws_closed' }))
    expect(await target.write([closed])).toEqual([{ outcome: 'refused' }])
    const { events } = await target.events('ws_ä', { after: null, limit: 1, newestFirst: true })
    expect(events[0]?.keyId).toBe(record.id)
  })
})

describe('is refused, with nothing written', () => {
  test.each(kindsOfTarget())('into a %s that is not empty', async (kind) => {
    const { path } = await filled()
    const to = await emptyDatabase(kind)
    const record = sampleRecord()
    const target = await storageOf(to)
    await target.write([sampleInsertion(record)])
    const { code, err } = await copy(path, to)
    expect({ code, err }).toEqual({
      code: 2,
      err: 'miftah: --to is not empty: it has rows in miftah_workspaces.\n',
    })
    expect(await target.findByHash(record.hash)).toEqual(record)
  })

  test.each(kindsOfTarget())('from a %s with a relay at work', async (kind) => {
    const from = await emptyDatabase(kind)
    const source = await storageOf(from)
    await source.write([sampleInsertion(sampleRecord())])
    const claim = { relay: 'r', leaseMs: 60_000, limit: 1, except: [] }
    expect(await source.claimEvents(claim)).toHaveLength(1)
    const to = freshPath()
    const { code, err } = await copy(from, to)
    expect(code).toBe(2)
    expect(err).toContain('--from is in use: a relay delivers its events.')
    await source.releaseEvents('r')
    expect(await copy(from, to)).toMatchObject({ code: 0 })
  })

  test.each(kindsOfTarget().filter((kind) => kind !== 'SQLite'))(
    'from a %s whose keys a process answers from memory',
    async (kind) => {
      const from = await emptyDatabase(kind)
      const source = await storageOf(from)
      await source.changes?.register({ node: 'n', leaseMs: 60_000 })
      const { code, err } = await copy(from, freshPath())
      expect(code).toBe(2)
      expect(err).toContain('--from is in use: a process that answers from memory is registered.')
    },
  )

  test.each(kindsOfTarget())('into a %s that another copy fills', async (kind) => {
    const { path } = await filled()
    const to = await emptyDatabase(kind)
    const { onSide, close } = await openDatabase({ database: to }, {})
    onTestFinished(close)
    const second = await onSide('target', () => copy(path, to))
    expect(second).toEqual({
      ...{ code: 2, out: '' },
      err: 'miftah: --to is being written to, perhaps by another copy.\n',
    })
    expect(await copy(path, to)).toMatchObject({ code: 0 })
  })

  test('from a file that is missing, has no tables, or has those of a version before 1', async () => {
    const missing = await copy(freshPath(), freshPath())
    expect(missing.code).toBe(2)
    expect(missing.err).toContain('--from is not the path of an existing SQLite file')
    const empty = freshPath()
    rawAt(empty).exec('CREATE TABLE other (x)')
    expect((await copy(empty, freshPath())).err).toContain('The schema version of --from is 0')
    expect(await miftah(['copy', '--to', empty])).toMatchObject({ code: 2 })
  })

  test('and leaves a target empty when it fails', async () => {
    const { path } = await filled()
    // PostgreSQL takes no uses of a key that is not there, and keys are copied before.
    rawAt(path).exec("INSERT INTO miftah_hourly_usage VALUES ('key_gone', 1, 0, 1)")
    const to = await emptyDatabase('PostgreSQL')
    expect(await copy(path, to)).toMatchObject({ code: 1, out: '' })
    const target = await storageOf(to)
    const query = { workspaceId: 'ws_ä', ids: [], eventIds: [], countAtMs: 0, countUpTo: null }
    expect(await target.read(query)).toMatchObject({ added: 0, activeKeys: 0 })
  })
})

function kindsOfTarget(): readonly string[] {
  return ['SQLite', 'PostgreSQL', ...(hasServer ? ['MySQL'] : [])]
}
