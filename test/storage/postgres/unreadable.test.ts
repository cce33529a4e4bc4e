import type pg from 'pg'
import { describe, expect, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import type { KeyRecord } from '../../../src/storage/index.ts'
import { inserted } from '../../support/inserted.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'
import { findById } from '../../support/stored.ts'

const db = databaseForFile()

/** Some keys, and one that has these fields. */
async function keysWithOne(fields: Partial<KeyRecord>) {
  const storage = postgresStorage(db.pool)
  const others: KeyRecord[] = []
  while (others.length < 20) others.push(await inserted(storage))
  return { odd: await inserted(storage, fields), others }
}

/** Looks all keys up at once, so that they share statements, and the odd one again and again. */
async function lookedUp(from: pg.Pool, odd: KeyRecord, others: readonly KeyRecord[]) {
  const storage = postgresStorage(from)
  await storage.migrate()
  const failing = Array.from({ length: 5 }, () => Promise.resolve(storage.findByHash(odd.hash)))
  const working = others.map((record) => storage.findByHash(record.hash))
  const missing = storage.findByHash(sampleRecord().hash)
  const failed = await Promise.allSettled(failing)
  return {
    odd: failed.map((one) => (one.status === 'rejected' ? one.reason.code : one.value)),
    others: await Promise.all(working),
    missing: await missing,
  }
}

describe('a key that cannot be read fails its own callers only', () => {
  test('because its row is invalid', async () => {
    const { odd, others } = await keysWithOne({})
    const change = 'UPDATE miftah.miftah_keys SET revoked_at_ms = 9007199254740992 WHERE id = $1'
    await db.pool.query(change, [odd.id])
    const found = await lookedUp(db.pool, odd, others)
    expect(found).toEqual({ odd: Array(5).fill('broken_row'), others, missing: null })
  })

  test('because the server refuses the whole statement for its sake', async () => {
    const { odd, others } = await keysWithOne({ name: 'مفتاح' })
    // A client encoding that has no Arabic.
    const onConnect = async (client: pg.ClientBase) => {
      await client.query(`SET client_encoding = 'LATIN1'`)
    }
    const narrow = db.openPool({ max: 1, onConnect })
    const found = await lookedUp(narrow, odd, others)
    expect(found).toEqual({ odd: Array(5).fill('refused'), others, missing: null })
  })
})

test('a key that was used as often as can be counted does not hold up the uses of others', async () => {
  const { odd, others } = await keysWithOne({})
  const [other = expect.fail()] = others
  const storage = postgresStorage(db.pool)
  const most = [{ id: odd.id, uses: Number.MAX_SAFE_INTEGER, lastUsedAtMs: 5 }]
  await storage.addUses({ writer: 'w', sequence: 1, uses: most })
  const uses = [odd, other].map(({ id }) => ({ id, uses: 2, lastUsedAtMs: 5 }))
  await storage.addUses({ writer: 'w', sequence: 2, uses })
  const usesOf = async ({ workspaceId, id }: KeyRecord) =>
    (await findById(storage, workspaceId, id))?.uses
  expect(await usesOf(odd)).toBe(Number.MAX_SAFE_INTEGER)
  expect(await usesOf(other)).toBe(2)
})
