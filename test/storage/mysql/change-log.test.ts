import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type MysqlPool, mysqlStorage } from '../../../adapters/storage/mysql.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleRotateChange,
  sampleUpdateChange,
} from '../../../adapters/storage/testing/samples.ts'
import { createApiKeys, plans } from '../../../src/index.ts'
import type { ChangeLog, KeyRecord } from '../../../src/storage/index.ts'
import { databaseForFile, emptyTables, hasServer } from '../../support/mysql/server.ts'

const db = databaseForFile()

beforeAll(async () => {
  if (hasServer) await mysqlStorage(db.pool).migrate()
})

/** An empty storage, with these nodes. */
async function open(...nodes: readonly string[]) {
  await emptyTables(db.pool)
  const storage = mysqlStorage(db.pool, { pollMs: 10 })
  const { changes: log } = storage
  if (log === undefined) throw new Error('there is no log')
  for (const node of nodes) await log.register({ node, leaseMs: 1_000 })
  return { storage, log }
}

type Place = Awaited<ReturnType<typeof open>>

async function insert({ storage }: Place, fields: Partial<KeyRecord> = {}): Promise<KeyRecord> {
  const record = sampleRecord(fields)
  await storage.insert(record, null, sampleCreatedEvent(record))
  return record
}

/** SQL for the numbers from 1 to one below 10,000. */
function upTo(last: number): string {
  const digit = Array.from({ length: 10 }, (_, at) => `SELECT ${at} AS d`).join(' UNION ALL ')
  return `SELECT at FROM (SELECT a.d + 10 * b.d + 100 * c.d + 1000 * e.d AS at
    FROM (${digit}) AS a, (${digit}) AS b, (${digit}) AS c, (${digit}) AS e) AS n
    WHERE at BETWEEN 1 AND ${last}`
}

const renewals = new WeakMap<ChangeLog, Record<string, number>>()

/** A renewal of a node that has had an answer to each one before. */
const renewed = async ({ log }: Place, node: string, applied: number | null = 0) => {
  const { [node]: answered = 0, ...others } = renewals.get(log) ?? {}
  renewals.set(log, { ...others, [node]: answered + 1 })
  const renewal = await log.renew({ node, renewal: answered + 1, answered, applied })
  if (renewal.outcome !== 'renewed') throw new Error('evicted')
  return renewal
}

const numberIn = async (sql: string) => {
  const [rows] = await db.pool.query(sql)
  return Number(Object.values((rows as object[])[0] ?? {})[0])
}

describe.skipIf(!hasServer)('the log of changes on MySQL', () => {
  test('is empty until a node has registered, and there is nothing to wait for', async () => {
    const place = await open()
    const record = await insert(place)
    expect(await place.storage.revoke(sampleRevokeChange(record))).not.toHaveProperty('sequence')
    expect(await place.log.changePlan('ws')).toBe(0)
    expect(await numberIn('SELECT COUNT(*) FROM miftah_changes')).toBe(0)
  })

  test('a registration waits for a change that has not seen it', async () => {
    const place = await open()
    const connection = await db.pool.getConnection()
    await connection.query('START TRANSACTION')
    await connection.query('SELECT is_used FROM miftah_change_clock LOCK IN SHARE MODE')
    let isRegistered = false
    const registered = place.log.register({ node: 'a', leaseMs: 1_000 }).then(() => {
      isRegistered = true
    })
    await expect
      .poll(() =>
        numberIn(`SELECT COUNT(*) FROM information_schema.processlist
        WHERE db = '${db.name}' AND info LIKE '%is_used = 1%' AND info LIKE 'UPDATE%'`),
      )
      .toBe(1)
    expect(isRegistered).toBe(false)
    await connection.query('COMMIT')
    connection.release()
    await registered
  })

  test('names what to wait for after a revocation, a rotation, an update and a repeat', async () => {
    const place = await open('a')
    const [one, two, three] = [await insert(place), await insert(place), await insert(place)]
    expect(await place.storage.revoke(sampleRevokeChange(one))).toMatchObject({ sequence: 1 })
    expect(await place.storage.rotate(sampleRotateChange(two))).toMatchObject({ sequence: 2 })
    expect(await place.storage.update(sampleUpdateChange(three))).toMatchObject({ sequence: 3 })
    expect(await place.storage.revoke(sampleRevokeChange(one))).toMatchObject({
      ...{ outcome: 'already_revoked', sequence: 3 },
    })
    expect(await place.storage.confirm(one.workspaceId)).toEqual({ sequence: 3 })
    expect((await renewed(place, 'a')).changes).toEqual(
      [one, two, three].map(({ hash }, at) => ({ sequence: at + 1, kind: 'key', hash })),
    )
  })

  test('names the keys of an erasure, and of a purge those that were not revoked', async () => {
    const place = await open('a')
    const person = { id: 'person', name: 'P' }
    const own = await insert(place, { creator: person })
    const gone = await insert(place, { workspaceId: 'ws_gone' })
    const [expired, revoked] = [await insert(place, { expiresAtMs: 2 }), await insert(place)]
    await place.storage.erasePerson({ personId: 'person', limit: 10 })
    await place.storage.eraseWorkspace({ workspaceId: 'ws_gone', erasedAtMs: 5, limit: 10 })
    await place.storage.revoke(sampleRevokeChange(revoked))
    const purged = { endedBeforeMs: Date.now(), eventsBeforeMs: null, limit: 10 }
    expect(await place.storage.purge(purged)).toMatchObject({ keys: 2, sequence: 4 })
    const { changes } = await renewed(place, 'a')
    expect(changes?.map((change) => change.kind === 'key' && change.hash)).toEqual(
      [own, gone, revoked, expired].map(({ hash }) => hash),
    )
  })

  test('plans, of one workspace and of all', async () => {
    const place = await open('a')
    expect(await place.log.changePlan('ws_1')).toBe(1)
    expect(await place.log.changePlan(null)).toBe(2)
    expect((await renewed(place, 'a')).changes).toEqual([
      { sequence: 1, kind: 'plan', workspaceId: 'ws_1' },
      { sequence: 2, kind: 'plan', workspaceId: null },
    ])
  })

  test('keeps 1,000 entries and few more; a node that is further behind gets none', async () => {
    const place = await open('a')
    await db.pool.query(
      `INSERT INTO miftah_changes (sequence, kind) SELECT at, 'plan' FROM (${upTo(1_199)}) AS n`,
    )
    await db.pool.query('UPDATE miftah_change_clock SET head = 1199')
    for (let at = 0; at < 11; at += 1) await place.log.changePlan('ws')
    expect(await numberIn('SELECT COUNT(*) FROM miftah_changes')).toBe(1_010)
    expect((await renewed(place, 'a', 210)).changes).toHaveLength(1_000)
    expect((await renewed(place, 'a', 209)).changes).toBeNull()
  }, 30_000)

  test('more keys than it keeps in one change are one entry', async () => {
    const place = await open('a')
    await db.pool.query(`INSERT INTO miftah_keys (hash, id, workspace_id, name, environment, scopes,
        resources, networks, prefix, creator_id, creator_name, created_at_ms, version, updated_at_ms, metadata)
      SELECT UNHEX(SHA2(at, 256)), CONCAT('key_', at), 'ws', 'n', 'live', '["a"]', '{}', '"any"',
        'svc_live_abc', 'u', 'U', 1, 1, 1, '{}' FROM (${upTo(1_001)}) AS n`)
    await db.pool.query('INSERT INTO miftah_usage SELECT id, 0, NULL FROM miftah_keys')
    await place.storage.eraseWorkspace({ workspaceId: 'ws', erasedAtMs: 5, limit: 2_000 })
    expect((await renewed(place, 'a')).changes).toEqual([{ sequence: 1, kind: 'everything' }])
  }, 30_000)

  test('sequences have no gaps and follow the commits, under any isolation', async () => {
    for (const level of ['READ UNCOMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE']) {
      const place = await open('a')
      const pool = db.openPool({ connectionLimit: 6 })
      const isolated: MysqlPool = {
        getConnection: async () => {
          const connection = await pool.getConnection()
          await connection.query(`SET SESSION TRANSACTION ISOLATION LEVEL ${level}`)
          return connection
        },
      }
      const storage = mysqlStorage(isolated)
      const records = await Promise.all(
        Array.from({ length: 20 }, (_, at) => insert(place, { workspaceId: `ws_${at % 7}` })),
      )
      const answers = await Promise.all(
        records.map((record) => storage.revoke(sampleRevokeChange(record))),
      )
      const sequences = answers.map((answer) => Reflect.get(answer, 'sequence'))
      expect(sequences.sort((a, b) => a - b)).toEqual(records.map((_, at) => at + 1))
      expect((await renewed(place, 'a')).changes).toHaveLength(20)
    }
  }, 30_000)

  test('a node that is not registered is evicted', async () => {
    const { log } = await open('a')
    expect(await log.renew({ node: 'other', renewal: 1, answered: 0, applied: 0 })).toEqual({
      outcome: 'evicted',
    })
  })

  test('a renewal is counted and acknowledges; an acknowledgement never goes back', async () => {
    const place = await open('a', 'b')
    const record = await insert(place)
    await place.storage.revoke(sampleRevokeChange(record))
    expect(await renewed(place, 'a', null)).toEqual({
      ...{ outcome: 'renewed', isSameLog: true, head: 1, changes: null },
    })
    expect(await place.log.laggingNodes(1)).toEqual([
      { node: 'a', leaseMs: 1_000, renewal: 1 },
      { node: 'b', leaseMs: 1_000, renewal: 0 },
    ])
    expect(await renewed(place, 'a', 1)).toMatchObject({ changes: [] })
    await renewed(place, 'a', 0)
    expect(await place.log.laggingNodes(1)).toEqual([{ node: 'b', leaseMs: 1_000, renewal: 0 }])
    expect(await place.log.countNodes()).toEqual({ nodes: 2, lag: 1 })
    await renewed(place, 'b', 1)
    expect(await place.log.countNodes()).toEqual({ nodes: 2, lag: 0 })
  })

  test('the keys used last come first, without those revoked and those never used', async () => {
    const place = await open()
    const made = [await insert(place), await insert(place), await insert(place)] as const
    const [old, now, revoked] = made
    const refused = await insert(place)
    const hour = Math.floor(Date.now() / 3_600_000)
    const use = ({ id }: KeyRecord, ago: number) => ({
      ...{ id, hour: hour - ago, outcome: 'accepted' as const, count: 1 },
    })
    const counts = [use(old, 5), use(now, 0), use(now, 1), use(revoked, 0)]
    const uses = [old, now, revoked].map(({ id }) => ({ id, uses: 1, lastUsedAtMs: Date.now() }))
    const history = {
      ...{ hourlyForDays: 30, dailyForDays: 400 },
      counts: [...counts, { ...use(refused, 0), outcome: 'expired' as const }],
    }
    await place.storage.addUses({ writer: 'w', sequence: 1, uses, history })
    await place.storage.revoke(sampleRevokeChange(revoked))
    expect(await place.log.recentHashes?.(10)).toEqual([now.hash, old.hash])
    expect(await place.log.recentHashes?.(1)).toEqual([now.hash])
  })

  test('a restored log acknowledges nothing before the node has applied an answer of it', async () => {
    const { log } = await open('a')
    const renew = (renewal: number, answered: number, applied: number | null) =>
      log.renew({ node: 'a', renewal, answered, applied })
    const acked = () => numberIn('SELECT acked FROM miftah_nodes')
    await renew(1, 0, null)
    const restore = async () => {
      await db.pool.query('DELETE FROM miftah_changes')
      await db.pool.query('UPDATE miftah_change_clock SET head = 0')
      await db.pool.query('UPDATE miftah_nodes SET renewal = 1, since = 0, acked = 0')
    }
    for (let at = 0; at < 3; at += 1) await log.changePlan('ws')
    await renew(2, 1, 0)
    expect(await renew(3, 2, 3)).toMatchObject({ isSameLog: true, changes: [] })
    expect(await acked()).toBe(3)
    await restore()
    for (const renewal of [4, 5]) {
      expect(await renew(renewal, 3, 3)).toMatchObject({ isSameLog: false, head: renewal - 4 })
      await log.changePlan('ws')
      expect(await acked()).toBe(0)
    }
    expect(await renew(4, 3, 3)).toMatchObject({ isSameLog: false })
    expect(await renew(6, 5, 1)).toMatchObject({ isSameLog: true, changes: [{ sequence: 2 }] })
    expect(await acked()).toBe(1)
  })

  test('registering twice changes nothing', async () => {
    const place = await open('a')
    await renewed(place, 'a')
    await place.log.register({ node: 'a', leaseMs: 9 })
    expect(await place.log.laggingNodes(1)).toEqual([{ node: 'a', leaseMs: 1_000, renewal: 1 }])
  })

  test('only a node that has neither renewed nor acknowledged is evicted', async () => {
    const place = await open('a')
    const [seen] = await place.log.laggingNodes(1)
    if (seen === undefined) throw new Error('no node lags')
    await renewed(place, 'a', 0)
    await place.log.evict([seen], 1)
    expect(await place.log.laggingNodes(1)).toHaveLength(1)
    await renewed(place, 'a', 1)
    await place.log.evict([{ ...seen, renewal: 2 }], 1)
    expect(await place.log.laggingNodes(2)).toHaveLength(1)
    await place.log.evict([{ ...seen, renewal: 2 }], 2)
    expect(await place.log.laggingNodes(2)).toEqual([])
  })

  test('a node that leaves is not waited for', async () => {
    const { log } = await open('a', 'b')
    await log.leave('a')
    expect((await log.laggingNodes(1)).map(({ node }) => node)).toEqual(['b'])
  })

  test('names and numbers that the database cannot store are refused', async () => {
    const { log } = await open()
    await expect(log.register({ node: 'a\u0000', leaseMs: 1 })).rejects.toThrow()
    await expect(log.register({ node: 'a', leaseMs: 1.5 })).rejects.toThrow()
    await expect(log.changePlan('a\u0000')).rejects.toThrow()
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

describe.skipIf(!hasServer)('processes that answer from memory on MySQL', () => {
  test('refuse a key once its revocation has answered elsewhere, and ask nothing meanwhile', async () => {
    await emptyTables(db.pool)
    const asked: string[] = []
    const counting: MysqlPool = {
      getConnection: async () => {
        const connection = await db.pool.getConnection()
        return {
          query: (query) => {
            asked.push(query.sql)
            return connection.query(query)
          },
          release: () => connection.release(),
          destroy: () => connection.destroy(),
        }
      },
    }
    const keysOn = (pool: MysqlPool) =>
      createApiKeys({
        ...{ storage: mysqlStorage(pool), cache: {}, usageHistory: false },
        entitlements: () => plans.business,
      })
    const [one, other] = [keysOn(counting), keysOn(db.pool)]
    onTestFinished(async () => void (await Promise.all([one.close(), other.close()])))
    const creator = { id: 'u', name: 'U' }
    const { key, secret } = await other.createKey({
      ...{ workspaceId: 'ws', name: 'n', environment: 'live', creator },
      scopes: ['contacts.read'],
    })
    const header = `Bearer ${secret}`
    expect(await one.authenticate(header, null)).toMatchObject({ ok: true })
    await expect.poll(() => one.stats().cache?.hasLease).toBe(true)
    expect(await one.authenticate(header, null)).toMatchObject({ ok: true })
    asked.length = 0
    for (let at = 0; at < 100; at += 1) await one.authenticate(header, null)
    expect(asked.filter((sql) => sql.includes('miftah_keys'))).toEqual([])
    await other.revokeKey({ workspaceId: 'ws', id: key.id, actor: creator })
    expect(await one.authenticate(header, null)).toMatchObject({ ok: false })
  })
})
