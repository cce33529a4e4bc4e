import { describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../adapters/cli/database.ts'
import { copy as copyTables } from '../../adapters/storage/lib/copy/copy.ts'
import { sqliteTables } from '../../adapters/storage/lib/copy/sqlite.ts'
import type { Tables } from '../../adapters/storage/lib/copy/tables.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
} from '../../adapters/storage/testing/storage-contract.ts'
import type { KeyStorage } from '../../src/storage/index.ts'
import { miftah } from '../support/command-line.ts'
import { contentOf, fill } from '../support/copy/world.ts'
import {
  emptyTables,
  hasServer,
  databaseForFile as mysqlDatabase,
} from '../support/mysql/server.ts'
import { databaseForTest } from '../support/postgres/own-database.ts'
import { freshPath, rawAt } from '../support/sqlite-files.ts'

const mysql = mysqlDatabase()

async function storageOf(database: string) {
  const { storage, close } = await openDatabase({ database }, {})
  onTestFinished(close)
  return storage
}

async function filled() {
  const path = freshPath()
  await miftah(['migrate', '-d', path])
  const storage = await storageOf(path)
  await fill(storage)
  return { path, storage }
}

const copy = (from: string, to: string, ...more: string[]) =>
  miftah(['copy', '--from', from, '--to', to, ...more])

async function addressOf(kind: string) {
  if (kind === 'SQLite') return freshPath()
  if (kind === 'PostgreSQL') return (await databaseForTest()).url
  await miftah(['migrate', '-d', mysql.url])
  await emptyTables(mysql.pool)
  return mysql.url
}

describe('a copy answers all that its source does', () => {
  const ways = ['SQLite', 'PostgreSQL', ...(hasServer ? ['MySQL'] : [])]

  test(`from SQLite to ${ways.join(' to ')} and back`, async () => {
    const { path, storage } = await filled()
    const expected = await contentOf(storage)
    let from = path
    for (const kind of [...ways, 'PostgreSQL', 'SQLite']) {
      const to = await addressOf(kind)
      const { code, out, err } = await copy(from, to)
      expect({ kind, code, err }).toEqual({ kind, code: 0, err: '' })
      expect(out).toMatch(/^workspaces: 3 copied\nkeys: \d+ copied\n/)
      expect(out).toContain('The databases are equal.')
      expect(await contentOf(await storageOf(to))).toEqual(expected)
      from = to
    }
  })

  test.each(ways)(
    'to %s: again after changes, and what the target then does by itself',
    async (kind) => {
      const { path, storage } = await filled()
      const to = await addressOf(kind)
      await miftah(['migrate', '-d', to])
      const target = await storageOf(to)
      await target.changes?.register({ node: 'n', leaseMs: 60_000 })
      await copy(path, to)
      const following = { node: 'n', renewal: 1, answered: 0, applied: 0 }
      const renewed = await target.changes?.renew(following)
      expect(renewed ?? { changes: null }).toMatchObject({ changes: null })
      const changes = await change(storage)
      const check = await copy(path, to, '--dry-run')
      expect(check.code).toBe(1)
      for (const id of changes) expect(check.out).toContain(id)
      expect((await copy(path, to)).out).toContain('The databases are equal.')
      expect(await contentOf(target)).toEqual(await contentOf(storage))

      const before = await idsOf(target)
      const limit = 1 + (await activeKeysOf(storage))
      const record = sampleRecord({ workspaceId: 'ws_ä', createdAtMs: Date.now() })
      expect(await target.insert(record, limit, sampleCreatedEvent(record))).toEqual({
        inserted: true,
      })
      const another = sampleRecord({ workspaceId: 'ws_ä', createdAtMs: Date.now() })
      const full = await target.insert(another, limit, sampleCreatedEvent(another))
      expect(full).toEqual({ inserted: false, activeKeys: limit })
      expect(await idsOf(target)).toEqual([record.id, ...before])
      await target.revoke(sampleRevokeChange(record))
      const log = await target.events('ws_ä', { after: null, limit: 1_000 })
      expect(log?.at(-1)?.type).toBe('api_key.revoked')
      expect(await copy(path, to)).toMatchObject({
        code: 2,
        err: expect.stringContaining(
          'the target holds keys or events that the source does not have',
        ),
      })
      expect(await idsOf(target)).toEqual([record.id, ...before])
    },
  )
})

async function pageOf(storage: KeyStorage) {
  const query = { status: null, environment: null, atMs: Date.now(), after: null, limit: 100 }
  return storage.list('ws_ä', query)
}

async function idsOf(storage: KeyStorage): Promise<readonly string[]> {
  return (await pageOf(storage))?.records.map(({ id }) => id) ?? []
}

async function activeKeysOf(storage: KeyStorage): Promise<number> {
  return (await pageOf(storage))?.activeKeys ?? 0
}

/** Changes a source whose copy is made; the ids of what has changed. */
async function change(storage: KeyStorage): Promise<readonly string[]> {
  const record = sampleRecord({ workspaceId: 'ws_ä', createdAtMs: Date.now() })
  await storage.insert(record, null, sampleCreatedEvent(record))
  const [, second = '', third = '', fourth = ''] = await idsOf(storage)
  for (const id of [second, third]) {
    const key = await storage.findById('ws_ä', id)
    if (key) await storage.revoke(sampleRevokeChange(key, Date.now()))
  }
  const uses = [{ id: fourth, uses: 3, lastUsedAtMs: Date.now() }]
  await storage.addUses({ writer: 'w_later', sequence: 1, uses })
  await storage.purge({ endedBeforeMs: Date.now() + 1, eventsBeforeMs: null, limit: 1 })
  const events = await storage.claimEvents({ relay: 'x', leaseMs: 1, limit: 1, except: [] })
  await storage.acknowledgeEvents(
    'x',
    events.map(({ id }) => id),
  )
  return [record.id]
}

test('a copy that was interrupted goes on, and before that nothing is lost or twice there', async () => {
  const { path, storage } = await filled()
  const to = freshPath()
  await miftah(['migrate', '-d', to])
  const source = await sqliteTables(path)
  let interruptions = 0
  for (let isOver = false; !isOver; ) {
    const target = await sqliteTables(to)
    let left = 2
    const interrupted: Tables = {
      ...target,
      change: (work) =>
        target.change(async (writer) => {
          await work(writer)
          left -= 1
          if (left < 0) throw new Error('killed')
        }),
    }
    isOver = await copyTables({ source, target: interrupted }).then(
      () => true,
      () => false,
    )
    interruptions += Number(!isOver)
    if (interruptions > 20) throw new Error('the copy comes no further')
  }
  expect(interruptions).toBeGreaterThanOrEqual(3)
  expect((await copy(path, to)).out).toContain('The databases are equal.')
  expect(await contentOf(await storageOf(to))).toEqual(await contentOf(storage))
})

describe('refused, with nothing written', () => {
  test('a target that has keys of its own, the same keys with a life of their own, or events alone', async () => {
    const { path } = await filled()
    const other = await filled()
    const taken = await copy(path, other.path)
    expect(taken).toMatchObject({ code: 2, out: '' })
    expect(taken.err).toBe(
      'miftah: --to is not a copy of --from: the target holds keys or events that the source does not have. Nothing was written.\n',
    )
    const to = freshPath()
    await copy(path, to)
    const target = await storageOf(to)
    const [id = ''] = await idsOf(target)
    await target.addUses({ writer: 'w', sequence: 1, uses: [{ id, uses: 1, lastUsedAtMs: 1 }] })
    expect((await copy(path, to)).err).toContain(`key ${id} has changed or was used in the target`)
  })

  test('a source that is missing, has no tables, or is not named', async () => {
    const missing = await copy(freshPath(), freshPath())
    expect(missing).toMatchObject({
      code: 2,
      err: expect.stringContaining('--from is not the path'),
    })
    const empty = freshPath()
    rawAt(empty).exec('CREATE TABLE other (x)')
    const without = await copy(empty, freshPath())
    expect(without.err).toContain('The schema version of --from is 0, and 1 is needed')
    expect(await miftah(['copy', '--to', empty])).toMatchObject({ code: 2 })
  })
})
