import { describe, expect, test } from 'vitest'
import { mysqlStorage } from '../../../adapters/storage/mysql.ts'
import {
  sampleInsertion,
  sampleRecord,
  sampleRevocation,
} from '../../../adapters/storage/testing/samples.ts'
import { inserted } from '../../support/inserted.ts'
import { emptyTables, hasServer, tablesForFile } from '../../support/mysql/server.ts'
import { watchedPool } from '../../support/mysql/watched-pool.ts'
import { renewalsOn } from '../../support/renewals.ts'

const db = tablesForFile()

/** An empty storage, with these nodes. */
async function open(...nodes: readonly string[]) {
  await emptyTables(db.pool)
  const storage = mysqlStorage(db.pool, { pollMs: 10 })
  const { changes: log = expect.fail('there is no log') } = storage
  for (const node of nodes) await log.register({ node, leaseMs: 1_000 })
  return { storage, log, renewed: renewalsOn(log) }
}

const numberIn = async (sql: string) => {
  const [rows] = await db.pool.query(sql)
  return Number(Object.values((rows as object[])[0] ?? {})[0])
}

describe.skipIf(!hasServer)('the log of changes on MySQL', () => {
  test('a registration waits for a write that has not seen it', async () => {
    const place = await open()
    const record = await inserted(place.storage)
    let registered = Promise.resolve()
    const { pool } = watchedPool(db.pool, {
      query: async (query, on) => {
        if (query.sql.startsWith('COMMIT')) {
          registered = place.log.register({ node: 'a', leaseMs: 1_000 })
          await expect.poll(() => waiting()).toBe(1)
        }
        return on.query(query)
      },
    })
    const waiting = () =>
      numberIn(`SELECT COUNT(*) FROM information_schema.processlist
        WHERE db = '${db.name}' AND info LIKE '%is_used = 1%' AND info LIKE 'UPDATE%'`)
    const storage = mysqlStorage(pool, { migrate: false })
    const write = sampleRevocation({ record, edition: 1 })
    expect(await storage.write([write])).toEqual([{ outcome: 'stored', isLogged: false }])
    await registered
    expect((await place.renewed('a')).head).toBe(1)
  })

  test('every write that changes a key moves the head, an insertion does not', async () => {
    const { storage } = await open()
    const head = () => numberIn('SELECT head FROM miftah_clock')
    const record = await inserted(storage)
    expect(await head()).toBe(0)
    await storage.write([sampleRevocation({ record, edition: 1 })])
    expect([await head(), await numberIn('SELECT COUNT(*) FROM miftah_log')]).toEqual([1, 0])
  })

  test('lists the keys of a write in one order, and what a purge deletes', async () => {
    const { storage, renewed } = await open('a')
    const records = Array.from({ length: 3 }, () => sampleRecord({ expiresAtMs: 2, note: 'n' }))
    const [first = sampleRecord()] = records
    const write = (ifEdition: number | null) => {
      const keys = records.map((record) => ({ record, ifEdition }))
      return storage.write([{ ...sampleInsertion(first), keys, events: [] }])
    }
    await write(null)
    expect(await write(1)).toEqual([{ outcome: 'stored', isLogged: true }])
    const hashes = async () =>
      (await renewed('a')).changes?.map((change) => change.kind === 'key' && change.hash)
    const sorted = records.toSorted((one, other) => (one.id < other.id ? -1 : 1))
    expect(await hashes()).toEqual(sorted.map(({ hash }) => hash))
    await storage.write([sampleRevocation({ record: first, edition: 2 })])
    await db.pool.query('UPDATE miftah_keys SET written_at_ms = 0')
    const purge = { endedBeforeMs: 10, eventsBeforeMs: null, limit: 10 }
    expect(await storage.purge(purge)).toMatchObject({ keys: 3, isLogged: true })
    const deleted = sorted.filter(({ id }) => id !== first.id).map(({ hash }) => hash)
    expect((await hashes())?.slice(3)).toEqual([first.hash, ...deleted])
  })

  test('a listener hears of a change, and of nothing once it has stopped', async () => {
    const { log } = await open('a')
    let hints = 0
    const stop = log.listen?.(() => {
      hints += 1
    })
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(hints).toBe(0)
    await log.changePlan('ws')
    await expect.poll(() => hints).toBe(1)
    stop?.()
    await log.changePlan('ws')
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(hints).toBe(1)
  })
})
