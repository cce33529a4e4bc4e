import { describe, expect, test } from 'vitest'
import { postgresStorage } from '../../adapters/storage/postgres.ts'
import { sampleCreatedEvent, sampleRecord } from '../../adapters/storage/testing/samples.ts'
import type { KeyStorage } from '../../src/storage/index.ts'
import { databaseForFile } from '../support/postgres/own-database.ts'
import { freshPath, rawAt, storageAt } from '../support/sqlite-files.ts'

const db = databaseForFile()

/** A storage, and a way to change its tables by hand. */
interface Opened {
  readonly storage: KeyStorage
  readonly keys: string
  readonly run: (sql: string) => unknown
}

const STORAGES: Readonly<Record<string, () => Opened>> = {
  SQLite: () => {
    const path = freshPath()
    const run = (sql: string) => rawAt(path).exec(sql)
    return { storage: storageAt(path), keys: 'miftah_keys', run }
  },
  PostgreSQL: () => {
    const { pool } = db
    return { storage: postgresStorage(pool), keys: 'miftah.keys', run: (sql) => pool.query(sql) }
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
      const record = sampleRecord({ id: `key_${number}`, workspaceId: `ws_${number % 2}` })
      await storage.insert(record, null, sampleCreatedEvent(record))
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
})
