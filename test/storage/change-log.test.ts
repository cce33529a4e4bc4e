import { describe, expect, test } from 'vitest'
import { sampleRevocation } from '../../adapters/storage/testing/samples.ts'
import type { KeyRecord } from '../../src/storage/index.ts'
import { DATABASES } from '../support/databases.ts'
import { inserted } from '../support/inserted.ts'
import { renewalsOn } from '../support/renewals.ts'

/* What the suite does not know of: a log that was restored, and what keys were used last. */

const LOGGED = DATABASES.filter(({ database }) => database !== 'SQLite')

describe.each(LOGGED)('the log of changes on $database', ({ isThere, places }) => {
  if (!isThere) return test.skip('needs a server')
  const place = places()

  /** An empty storage, with these nodes. */
  async function open(...nodes: readonly string[]) {
    const { open: openStorage, run, rows } = await place()
    const storage = openStorage()
    await storage.migrate()
    const { changes: log = expect.fail('there is no log') } = storage
    for (const node of nodes) await log.register({ node, leaseMs: 1_000 })
    const lagging = async (sequence: number) =>
      (await log.laggingNodes(sequence)).nodes.toSorted((a, b) => a.node.localeCompare(b.node))
    const numberIn = async (sql: string) => Number(Object.values((await rows(sql))[0] ?? {})[0])
    /** Runs a statement for each table of the log. */
    const each = (sql: (table: string) => string) =>
      run(['clock', 'log', 'nodes'].map((table) => sql(`miftah_${table}`)).join(';'))
    return { storage, log, lagging, numberIn, each, renewed: renewalsOn(log) }
  }

  test('names plans, of one workspace and of all', async () => {
    const { log, renewed } = await open('a')
    await log.changePlan('ws_1')
    await log.changePlan(null)
    expect(await log.laggingNodes(null)).toMatchObject({ head: 2, nodes: [{ node: 'a' }] })
    expect((await renewed('a')).changes).toEqual([
      { sequence: 1, kind: 'plan', workspaceId: 'ws_1' },
      { sequence: 2, kind: 'plan', workspaceId: null },
    ])
  })

  test('the keys used last come first, without those revoked and those never used', async () => {
    const { storage, log } = await open()
    const insert = () => inserted(storage)
    const [old, now, both] = [await insert(), await insert(), await insert()]
    const [revoked, refused] = [await insert(), await insert()]
    const hour = Math.floor(Date.now() / 3_600_000)
    const use = ({ id }: KeyRecord, ago: number) => ({
      ...{ id, hour: hour - ago, outcome: 'accepted' as const, count: 1 },
    })
    const counts = [
      ...[use(old, 5), use(now, 0), use(both, 0), use(both, 1), use(revoked, 0)],
      { ...use(refused, 0), outcome: 'expired' as const },
    ]
    const uses = [old, now, both, revoked].map(({ id }) => ({
      ...{ id, uses: 1, lastUsedAtMs: Date.now() },
    }))
    const history = { keepDays: 30, counts }
    await storage.addUses({ writer: 'w', sequence: 1, uses, history })
    await storage.write([sampleRevocation({ record: revoked, edition: 1 })])
    const recent = await log.recentHashes?.(10)
    expect(new Set(recent?.slice(0, 2))).toEqual(new Set([now.hash, both.hash]))
    expect(recent?.slice(2)).toEqual([old.hash])
    expect(await log.recentHashes?.(1)).toHaveLength(1)
  })

  test('a node that is not registered is evicted', async () => {
    const { log } = await open('a')
    expect(await log.renew({ node: 'other', renewal: 1, answered: 0, applied: 0 })).toEqual({
      outcome: 'evicted',
    })
  })

  test('a renewal is counted and acknowledges; an acknowledgement never goes back', async () => {
    const { storage, log, renewed, lagging } = await open('a', 'b')
    const record = await inserted(storage)
    await storage.write([sampleRevocation({ record, edition: 1 })])
    expect(await renewed('a', null)).toEqual({
      ...{ outcome: 'renewed', isSameLog: true, head: 1, changes: null },
    })
    expect(await lagging(1)).toEqual([
      { node: 'a', leaseMs: 1_000, renewal: 1 },
      { node: 'b', leaseMs: 1_000, renewal: 0 },
    ])
    expect(await renewed('a', 1)).toMatchObject({ changes: [] })
    await renewed('a', 0)
    expect(await lagging(1)).toEqual([{ node: 'b', leaseMs: 1_000, renewal: 0 }])
    expect(await lagging(0)).toEqual([])
    expect(await log.countNodes()).toEqual({ nodes: 2, lag: 1 })
    await renewed('b', 1)
    expect(await log.countNodes()).toEqual({ nodes: 2, lag: 0 })
  })

  test('a restored log acknowledges nothing before the node has applied an answer of it', async () => {
    const { log, numberIn, each } = await open('a')
    const acknowledged = () => numberIn('SELECT acknowledged FROM miftah_nodes')
    const renew = (renewal: number, answered: number, applied: number | null) =>
      log.renew({ node: 'a', renewal, answered, applied })
    await renew(1, 0, null)
    await each((table) => `CREATE TABLE saved_${table} AS SELECT * FROM ${table}`)
    for (let at = 0; at < 3; at += 1) await log.changePlan('ws')
    await renew(2, 1, 0)
    expect(await renew(3, 2, 3)).toMatchObject({ isSameLog: true, changes: [] })
    expect(await acknowledged()).toBe(3)
    await each((table) => `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM saved_${table}`)
    // Answers are lost, and entries get the numbers of those that the node has applied.
    for (const renewal of [4, 5]) {
      expect(await renew(renewal, 3, 3)).toMatchObject({ isSameLog: false, head: renewal - 4 })
      await log.changePlan('ws')
      expect(await acknowledged()).toBe(0)
    }
    // One that was given up before is carried out late.
    expect(await renew(4, 3, 3)).toMatchObject({ isSameLog: false })
    expect(await renew(6, 5, 1)).toMatchObject({ isSameLog: true, changes: [{ sequence: 2 }] })
    expect(await acknowledged()).toBe(1)
  })

  test('a lost answer is no restore', async () => {
    const { log, lagging } = await open('a')
    await log.renew({ node: 'a', renewal: 1, answered: 0, applied: null })
    await log.changePlan('ws')
    for (const renewal of [2, 3, 2]) {
      expect(await log.renew({ node: 'a', renewal, answered: 1, applied: 0 })).toMatchObject({
        ...{ isSameLog: true, changes: [{ sequence: 1 }] },
      })
    }
    expect(await lagging(1)).toEqual([{ node: 'a', leaseMs: 1_000, renewal: 3 }])
  })

  test('registering twice changes nothing', async () => {
    const { log, renewed, lagging } = await open('a')
    await renewed('a')
    await log.register({ node: 'a', leaseMs: 9 })
    expect(await lagging(1)).toEqual([{ node: 'a', leaseMs: 1_000, renewal: 1 }])
  })

  test('only a node that has neither renewed nor acknowledged is evicted', async () => {
    const { log, renewed, lagging } = await open('a')
    const [seen = expect.fail('no node lags')] = await lagging(1)
    await renewed('a', 0)
    await log.evict([seen], 1)
    expect(await lagging(1)).toHaveLength(1)
    await renewed('a', 1)
    await log.evict([{ ...seen, renewal: 2 }], 1)
    expect(await lagging(2)).toHaveLength(1)
    await log.evict([{ ...seen, renewal: 2 }], 2)
    expect(await lagging(2)).toEqual([])
  })

  test('a node that leaves is not waited for', async () => {
    const { log, lagging } = await open('a', 'b')
    await log.leave('a')
    expect((await lagging(1)).map(({ node }) => node)).toEqual(['b'])
  })

  test('1,000 entries are kept and few more; a node that is further behind gets none', async () => {
    const { log, numberIn, renewed } = await open('a')
    await Promise.all(Array.from({ length: 1_150 }, () => log.changePlan('ws')))
    // On MySQL, changes at once may all leave what is old to each other.
    for (let at = 0; at < 100; at += 1) await log.changePlan('ws')
    expect(await numberIn('SELECT COUNT(*) FROM miftah_log')).toBeLessThan(1_110)
    expect((await renewed('a', 250)).changes).toHaveLength(1_000)
    expect((await renewed('a', 249)).changes).toBeNull()
  })

  test('names and numbers that the database cannot store are refused', async () => {
    const { log } = await open()
    await expect(log.register({ node: 'a\u0000', leaseMs: 1 })).rejects.toThrow()
    await expect(log.register({ node: 'a', leaseMs: 1.5 })).rejects.toThrow()
    await expect(log.changePlan('a\u0000')).rejects.toThrow()
  })
})
