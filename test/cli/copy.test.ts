import { describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../adapters/cli/database.ts'
import { sampleInsertion, sampleRecord } from '../../adapters/storage/testing/samples.ts'
import { defineResources } from '../../src/index.ts'
import type { KeyStorage } from '../../src/storage/index.ts'
import { miftah } from '../support/command-line.ts'
import { inserted } from '../support/inserted.ts'
import {
  emptyTables,
  hasServer,
  databaseForFile as mysqlDatabase,
} from '../support/mysql/server.ts'
import { databaseForTest } from '../support/postgres/own-database.ts'
import { freshPath, rawAt } from '../support/sqlite-files.ts'
import { expectRefused, keysAt } from './world.ts'

const mysql = mysqlDatabase()

const HOUR_MS = 3_600_000
const ACTOR = { id: 'u_نورة', name: 'نورة' }
const WORKSPACES = ['ws_ä', 'ws_closed']
const KINDS = ['SQLite', 'PostgreSQL', ...(hasServer ? ['MySQL'] : [])]

const words = (from: string, to: string) => ['copy', '--from', from, '--to', to]
const copy = (from: string, to: string) => miftah(words(from, to))

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

const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])

const keysOn = (storage: KeyStorage, nowMs = Date.now()) =>
  keysAt('', { storage, resources, now: () => new Date(nowMs) })

/** A file with keys of every status, uses, refusals, and events of which some are delivered. */
async function filled() {
  const path = await emptyDatabase('SQLite')
  const storage = await storageOf(path)
  const nowMs = Date.now()
  const [keys, past] = [keysOn(storage, nowMs), keysOn(storage, nowMs - 2 * HOUR_MS)]
  for (const workspaceId of WORKSPACES) {
    const create = async (fields: object = {}) => {
      const own = { name: 'مفتاح 🔑', environment: 'live', scopes: ['contacts.read'] } as const
      const issued = await past.createKey({ workspaceId, creator: ACTOR, ...own, ...fields })
      return { ...issued, of: { workspaceId, id: issued.key.id, actor: ACTOR } }
    }
    const used = await create({ note: 'a note', metadata: { b: '1', aa: '2' } })
    const narrow = { networks: ['198.51.100.0/24'], resources: { project: ['p_2', 'p_1'] } }
    await create({ ...narrow, expiresAt: new Date(nowMs + HOUR_MS) })
    await create({ expiresAt: new Date(nowMs - HOUR_MS) })
    const revoked = await create()
    await keys.revokeKey(revoked.of)
    await keys.pauseKey((await create()).of)
    await keys.rotateKey({ ...(await create()).of, overlapSeconds: 86_400 })
    for (const by of [keys, past]) {
      await by.authenticate(`Bearer ${used.secret}`, 'contacts.read')
      await by.authenticate(`Bearer ${revoked.secret}`, 'contacts.read')
    }
  }
  await keys.close()
  await past.close()
  const claim = { relay: 'r', leaseMs: 60_000, limit: 7, except: ['ws_closed'] }
  const delivered = (await storage.claimEvents(claim)).map(({ id }) => id)
  await storage.acknowledgeEvents('r', delivered)
  await storage.releaseEvents('r')
  await storage.closeWorkspace('ws_closed')
  return { path, storage }
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
    const usage = [null, ...keys.map(({ id }) => id)].map(async (id) => {
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

const ROUND = ['PostgreSQL', ...(hasServer ? ['MySQL', 'PostgreSQL'] : []), 'SQLite']

test(`a copy from SQLite to ${ROUND.join(' to ')} answers as its source, and goes on by itself`, async () => {
  const { path, storage } = await filled()
  const expected = await contentOf(storage)
  expect(expected.pending.length).toBeGreaterThan(5)
  const page = { workspaceId: 'ws_ä', limit: 3 }
  const { nextCursor: cursor } = await keysOn(storage).listKeys(page)
  const next = await keysOn(storage).listKeys({ ...page, cursor })
  let from = path
  for (const kind of ROUND) {
    const to = await emptyDatabase(kind)
    const { code, out, err } = await copy(from, to)
    expect({ kind, code, err }).toEqual({ kind, code: 0, err: '' })
    expect(out).toMatch(/^workspaces: 2\nkeys: 14\nusage: 2\nhourly_usage: \d+\n/)
    const target = await storageOf(to)
    expect(await contentOf(target)).toEqual(expected)
    expect(await keysOn(target).listKeys({ ...page, cursor })).toEqual(next)
    from = to
  }
  const target = await storageOf(from)
  const record = await inserted(target, { workspaceId: 'ws_ä' })
  const closed = sampleInsertion(sampleRecord({ workspaceId: 'ws_closed' }))
  expect(await target.write([closed])).toEqual([{ outcome: 'refused' }])
  const { events } = await target.events('ws_ä', { after: null, limit: 1, newestFirst: true })
  expect(events[0]?.keyId).toBe(record.id)
})

describe('a copy is refused, with nothing written', () => {
  test.each(KINDS)('into a %s that is not empty', async (kind) => {
    const { path } = await filled()
    const to = await emptyDatabase(kind)
    const target = await storageOf(to)
    const record = await inserted(target)
    const message = 'miftah: --to is not empty: it has rows in miftah_workspaces.\n'
    await expectRefused(words(path, to), message)
    expect(await target.findByHash(record.hash)).toEqual(record)
  })

  test.each(KINDS)('from a %s with a relay or a cache at work', async (kind) => {
    const from = await emptyDatabase(kind)
    const source = await storageOf(from)
    await inserted(source)
    await source.claimEvents({ relay: 'r', leaseMs: 60_000, limit: 1, except: [] })
    const to = freshPath()
    await expectRefused(words(from, to), '--from is in use: a relay delivers its events.')
    await source.releaseEvents('r')
    await source.changes?.register({ node: 'n', leaseMs: 60_000 })
    const cached = '--from is in use: a process that answers from memory is registered.'
    if (source.changes) return expectRefused(words(from, to), cached)
    expect(await copy(from, to)).toMatchObject({ code: 0 })
  })

  test.each(KINDS)('into a %s that another copy fills', async (kind) => {
    const { path } = await filled()
    const to = await emptyDatabase(kind)
    const { onSide, close } = await openDatabase({ database: to }, {})
    onTestFinished(close)
    const message = 'miftah: --to is being written to, perhaps by another copy.\n'
    await onSide('target', () => expectRefused(words(path, to), message))
    expect(await copy(path, to)).toMatchObject({ code: 0 })
  })

  test('from a file that is missing, or has no tables', async () => {
    const missing = '--from is not the path of an existing SQLite file'
    await expectRefused(words(freshPath(), freshPath()), missing)
    const empty = freshPath()
    rawAt(empty).exec('CREATE TABLE other (x)')
    await expectRefused(words(empty, freshPath()), 'The schema version of --from is 0')
  })

  test('and leaves a target empty when it fails', async () => {
    const { path } = await filled()
    // PostgreSQL takes no uses of a key that is not there, and keys are copied before.
    rawAt(path).exec("INSERT INTO miftah_hourly_usage VALUES ('key_gone', 1, 0, 1)")
    const to = await emptyDatabase('PostgreSQL')
    await expectRefused(words(path, to), 'The key storage', { code: 1 })
    const target = await storageOf(to)
    const query = { workspaceId: 'ws_ä', ids: [], eventIds: [], countAtMs: 0, countUpTo: null }
    expect(await target.read(query)).toMatchObject({ added: 0, activeKeys: 0 })
  })
})
