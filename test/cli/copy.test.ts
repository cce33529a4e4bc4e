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
import { deliver, fill, contentOf as partsOf } from '../support/copy/world.ts'
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

async function contentOf(storage: KeyStorage) {
  const parts: unknown[] = []
  for await (const part of partsOf(storage)) parts.push(part)
  return parts
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

/** What a SQLite file holds as JSON, as text. */
function cellsOf(path: string): unknown {
  return rawAt(path).prepare('SELECT id, scopes, networks FROM miftah_keys ORDER BY id').all()
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
    expect(cellsOf(from)).toEqual(cellsOf(path))
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
      const check = await copy(path, to, '--dry-run', '--json')
      expect(check.code).toBe(1)
      for (const id of changes) expect(check.out).toContain(id)
      const keys = JSON.parse(check.out).left.find(({ unit }: { unit: string }) => unit === 'keys')
      expect(keys.gone).toContain(changes.at(-1))
      const again = (await copy(path, to)).out
      expect(again).toMatch(/^workspaces: 1 copied\nkeys: 3 copied, 5 deleted\nevents: /)
      expect(again).toContain('The databases are equal.')
      expect(await contentOf(target)).toEqual(await contentOf(storage))
      if (kind === 'SQLite') expect(outboxOf(to)).toEqual(outboxOf(path))
      expect(await afterPurged(target, path)).toEqual(await afterPurged(storage, path))

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

function outboxOf(path: string): unknown {
  return rawAt(path).prepare('SELECT COUNT(*) AS events FROM miftah_outbox').get()
}

/** What follows the keys and events that were purged from the source. */
async function afterPurged(storage: KeyStorage, source: string): Promise<readonly unknown[]> {
  const notes = rawAt(source).prepare('SELECT kind, id FROM miftah_purged').all()
  const pages = (notes as { kind: string; id: string }[]).map(async ({ kind, id }) =>
    kind === 'key'
      ? (await pageOf(storage, id))?.records
      : storage.events('ws_ä', { after: id, limit: 100 }),
  )
  return Promise.all(pages)
}

async function pageOf(storage: KeyStorage, after: string | null = null) {
  const query = { status: null, environment: null, atMs: Date.now(), after, limit: 100 }
  return storage.list('ws_ä', query)
}

async function idsOf(storage: KeyStorage): Promise<readonly string[]> {
  return (await pageOf(storage))?.records.map(({ id }) => id) ?? []
}

async function activeKeysOf(storage: KeyStorage): Promise<number> {
  return (await pageOf(storage))?.activeKeys ?? 0
}

/** Changes whatever can change in a source whose copy is made; the ids of what has changed. */
async function change(storage: KeyStorage): Promise<readonly string[]> {
  const nowMs = Date.now()
  const record = sampleRecord({ workspaceId: 'ws_ä', createdAtMs: nowMs })
  await storage.insert(record, null, sampleCreatedEvent(record))
  const [, second = '', third = '', fourth = '', ...others] = await idsOf(storage)
  const oldest = others.at(-1) ?? ''
  const revoke = async (id: string, ...at: readonly number[]) => {
    const key = await storage.findById('ws_ä', id)
    if (key) await storage.revoke(sampleRevokeChange(key, ...at))
  }
  for (const id of [second, third]) await revoke(id, nowMs)
  const hour = Math.floor(nowMs / 3_600_000)
  const counts = [{ id: fourth, hour, outcome: 'accepted', count: 3 } as const]
  await storage.addUses({
    ...{ writer: 'w_later', sequence: 1, uses: [{ id: fourth, uses: 3, lastUsedAtMs: nowMs }] },
    history: { hourlyForDays: 7, dailyForDays: 90, counts },
  })
  // Keys and events that stood before purged ones are purged too.
  await revoke(oldest)
  await storage.purge({ endedBeforeMs: nowMs + 1, eventsBeforeMs: null, limit: 2 })
  await storage.purge({ endedBeforeMs: null, eventsBeforeMs: nowMs - 20 * 86_400_000, limit: 9 })
  await deliver(storage, 1)
  await storage.erasePerson({ personId: 'u_operator', limit: 1_000 })
  const erasure = { workspaceId: 'ws_b', erasedAtMs: nowMs, limit: 100 }
  while ((await storage.eraseWorkspace(erasure)).more);
  // An event of an erased workspace is deleted with its delivery.
  await deliver(storage, 100, ['ws_ä'])
  return [record.id, fourth, oldest]
}

test('a history is the same in whatever order a database keeps it', async () => {
  const { url, pool } = await databaseForTest()
  await miftah(['migrate', '-d', url])
  const name = new URL(url).pathname.slice(1)
  for (const way of ['indexscan', 'bitmapscan', 'indexonlyscan']) {
    await pool().query(`ALTER DATABASE "${name}" SET enable_${way} = off`)
  }
  const storage = await storageOf(url)
  const record = sampleRecord()
  await storage.insert(record, null, sampleCreatedEvent(record))
  const hour = Math.floor(Date.now() / 3_600_000)
  const counts = [
    ...([
      { hour, outcome: 'expired' },
      { hour, outcome: 'accepted' },
    ] as const),
    { hour: hour - 1, outcome: 'accepted' } as const,
  ]
  for (const [at, count] of counts.entries()) {
    const history = { counts: [{ id: record.id, count: 1, ...count }] }
    await storage.addUses({
      ...{ writer: 'w', sequence: at + 1, uses: [] },
      history: { hourlyForDays: 7, dailyForDays: 90, ...history },
    })
  }
  const to = freshPath()
  expect((await copy(url, to)).out).toContain('The databases are equal.')
})

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
  const OTHERS = 'the target holds keys or events that the source does not have'

  /** A target that was a copy, and has changed since. */
  async function changedTarget(changes: (target: KeyStorage, id: string) => Promise<unknown>) {
    const { path } = await filled()
    const to = freshPath()
    await copy(path, to)
    const target = await storageOf(to)
    const [id = ''] = await idsOf(target)
    await changes(target, id)
    const before = await contentOf(target)
    const { code, err } = await copy(path, to)
    expect(await contentOf(target)).toEqual(before)
    return { code, err, id }
  }

  test('a target that has keys of its own', async () => {
    const { path } = await filled()
    const other = await filled()
    const taken = await copy(path, other.path)
    expect(taken).toMatchObject({ code: 2, out: '' })
    expect(taken.err).toBe(
      `miftah: --to is not a copy of --from: ${OTHERS}. Nothing was written.\n`,
    )
  })

  test('a target in which keys were used or changed', async () => {
    const used = await changedTarget((target, id) =>
      target.addUses({ writer: 'w', sequence: 1, uses: [{ id, uses: 1, lastUsedAtMs: 1 }] }),
    )
    expect(used.err).toContain(`key ${used.id} has changed or was used in the target`)
    const changed = await changedTarget(async (target, id) => {
      const key = await target.findById('ws_ä', id)
      return key && target.revoke(sampleRevokeChange(key))
    })
    expect(changed.err).toContain(`key ${changed.id} has changed or was used in the target`)
  })

  test('a target in which keys or events were purged', async () => {
    const limits = { endedBeforeMs: null, eventsBeforeMs: null, limit: 9 }
    for (const change of [{ endedBeforeMs: Date.now() }, { eventsBeforeMs: Date.now() }]) {
      const purged = await changedTarget((target) => target.purge({ ...limits, ...change }))
      expect(purged.err).toContain(OTHERS)
    }
  })

  test('a target with the same ids for other keys, or in other workspaces', async () => {
    const { path, storage } = await filled()
    const [id = ''] = await idsOf(storage)
    const key = await storage.findById('ws_ä', id)
    if (key === null) throw new Error('the key is missing')
    const { hash } = sampleRecord()
    for (const fields of [{ hash }, { workspaceId: 'ws_other' }]) {
      const to = freshPath()
      await miftah(['migrate', '-d', to])
      const record = { ...key, ...fields, version: 1 }
      await (await storageOf(to)).insert(record, null, sampleCreatedEvent(record))
      expect((await copy(path, to)).err).toContain(OTHERS)
    }
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
