import { describe, expect, test } from 'vitest'
import { postgresStorage } from '../../adapters/storage/postgres.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleRotateChange,
  sampleUpdateChange,
} from '../../adapters/storage/testing/samples.ts'
import type { KeyRecord, KeyStorage, StorageDiagnosis } from '../../src/storage/index.ts'
import { inserted } from '../support/inserted.ts'
import { databaseForFile } from '../support/postgres/own-database.ts'
import { freshPath, rawAt, storageAt } from '../support/sqlite-files.ts'

const db = databaseForFile()

/** A storage, and a way to change its tables by hand. */
interface Opened {
  readonly storage: KeyStorage & { diagnose(): Promise<StorageDiagnosis> }
  readonly keys: string
  readonly workspaces: string
  readonly run: (sql: string) => unknown
}

const STORAGES: Readonly<Record<string, () => Opened>> = {
  SQLite: () => {
    const path = freshPath()
    const run = (sql: string) => rawAt(path).exec(sql)
    return {
      storage: storageAt(path),
      keys: 'miftah_keys',
      workspaces: 'miftah_workspaces',
      run,
    }
  },
  PostgreSQL: () => {
    const { pool } = db
    return {
      storage: postgresStorage(pool),
      keys: 'miftah.keys',
      workspaces: 'miftah.workspaces',
      run: (sql) => pool.query(sql),
    }
  },
}

async function countOf(storage: KeyStorage, workspaceId: string) {
  const query = { status: null, environment: null, after: null, limit: 1, atMs: 0 } as const
  return (await storage.list(workspaceId, query))?.activeKeys
}

describe.each(Object.entries(STORAGES))('the count of active keys on %s', (_, open) => {
  test('follows changes that are made by hand, many at once as well', async () => {
    const { storage, keys, run } = open()
    for (let number = 0; number < 6; number += 1) {
      const _record = await inserted(storage, {
        id: `key_${number}`,
        workspaceId: `ws_${number % 2}`,
      })
    }
    await run(`UPDATE ${keys} SET revoked_at_ms = 1 WHERE id IN ('key_0', 'key_1', 'key_2')`)
    expect([await countOf(storage, 'ws_0'), await countOf(storage, 'ws_1')]).toEqual([1, 2])
    await run(`UPDATE ${keys} SET revoked_at_ms = 2 WHERE id = 'key_5'`)
    expect([await countOf(storage, 'ws_0'), await countOf(storage, 'ws_1')]).toEqual([1, 1])
    const record = sampleRecord({ workspaceId: 'ws_1' })
    const event = sampleCreatedEvent(record)
    const refused = { inserted: false, activeKeys: 1 }
    expect(await storage.insert(record, 1, event)).toEqual(refused)
    expect(await storage.insert(record, 2, event)).toEqual({ inserted: true })
    expect(await countOf(storage, 'ws_1')).toBe(2)
    expect(await countOf(storage, 'ws_none')).toBe(0)
  })

  /** Three keys of a workspace whose count says something else. */
  async function miscounted(workspaceId: string, count: number) {
    const { storage, workspaces, run } = open()
    const records = [0, 1, 2].map(() => sampleRecord({ workspaceId }))
    for (const record of records) await storage.insert(record, null, sampleCreatedEvent(record))
    await run(`UPDATE ${workspaces} SET keys_without_end = ${count}
      WHERE workspace_id = '${workspaceId}'`)
    const [first, second, third] = records as [KeyRecord, KeyRecord, KeyRecord]
    return { storage, run, first, second, third }
  }

  test('that is too low refuses no revocation, and is repaired', async () => {
    const { storage, first, second, third } = await miscounted('ws_low', 0)
    const before = (await storage.diagnose()).activeKeyCounts
    expect(before?.wrong).toBe(1)
    expect(await storage.revoke(sampleRevokeChange(first))).toMatchObject({ outcome: 'revoked' })
    expect(await countOf(storage, 'ws_low')).toBe(2)
    const after = (await storage.diagnose()).activeKeyCounts
    expect(after).toEqual({ ...before, wrong: 0, repaired: (before?.repaired ?? 0) + 1 })
    for (const record of [second, third]) await storage.revoke(sampleRevokeChange(record))
    expect(await countOf(storage, 'ws_low')).toBe(0)
  })

  test('that is a little too low is repaired when it shows', async () => {
    const { storage, first, second } = await miscounted('ws_lower', 1)
    await storage.revoke(sampleRevokeChange(first))
    expect(await countOf(storage, 'ws_lower')).toBe(0)
    await storage.revoke(sampleRevokeChange(second))
    expect(await countOf(storage, 'ws_lower')).toBe(1)
  })

  test('that is too low refuses no other change', async () => {
    const updated = await miscounted('ws_updated', 0)
    const change = sampleUpdateChange(updated.first, { expiresAtMs: Date.UTC(2027, 0, 1) })
    expect(await updated.storage.update(change)).toMatchObject({ outcome: 'updated' })
    expect(await countOf(updated.storage, 'ws_updated')).toBe(3)
    const rotated = await miscounted('ws_rotated', 0)
    const rotation = sampleRotateChange(rotated.first)
    expect(await rotated.storage.rotate(rotation)).toMatchObject({ outcome: 'rotated' })
    expect(await countOf(rotated.storage, 'ws_rotated')).toBe(3)
    const { storage, first } = await miscounted('ws_erased', 0)
    await storage.eraseWorkspace({ workspaceId: 'ws_erased', erasedAtMs: 5, limit: 500 })
    expect(await storage.findByHash(first.hash)).toBeNull()
  })

  test('is set right by the SQL of the diagnosis', async () => {
    const { storage, run } = await miscounted('ws_high', 7)
    expect(await countOf(storage, 'ws_high')).toBe(7)
    const { activeKeyCounts } = await storage.diagnose()
    expect(activeKeyCounts?.wrong).toBe(1)
    await run(activeKeyCounts?.repair ?? '')
    expect(await countOf(storage, 'ws_high')).toBe(3)
    expect((await storage.diagnose()).activeKeyCounts?.wrong).toBe(0)
  })
})
