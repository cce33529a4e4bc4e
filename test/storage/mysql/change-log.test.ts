import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type MysqlPool, mysqlStorage } from '../../../adapters/storage/mysql.ts'
import { sampleRevokeChange } from '../../../adapters/storage/testing/samples.ts'
import { createApiKeys, plans } from '../../../src/index.ts'
import { inserted } from '../../support/inserted.ts'
import { databaseForFile, emptyTables, hasServer } from '../../support/mysql/server.ts'
import { watchedPool } from '../../support/mysql/watched-pool.ts'
import { renewalsOn } from '../../support/renewals.ts'

const db = databaseForFile()

beforeAll(async () => {
  if (hasServer) await mysqlStorage(db.pool).migrate()
})

/** An empty storage, with these nodes. */
async function open(...nodes: readonly string[]) {
  await emptyTables(db.pool)
  const storage = mysqlStorage(db.pool, { pollMs: 10 })
  const { changes: log = expect.fail('there is no log') } = storage
  for (const node of nodes) await log.register({ node, leaseMs: 1_000 })
  return { storage, log, renewed: renewalsOn(log) }
}

/** SQL for the numbers from 1 to one below 10,000. */
function upTo(last: number): string {
  const digit = Array.from({ length: 10 }, (_, at) => `SELECT ${at} AS d`).join(' UNION ALL ')
  return `SELECT at FROM (SELECT a.d + 10 * b.d + 100 * c.d + 1000 * e.d AS at
    FROM (${digit}) AS a, (${digit}) AS b, (${digit}) AS c, (${digit}) AS e) AS n
    WHERE at BETWEEN 1 AND ${last}`
}

const numberIn = async (sql: string) => {
  const [rows] = await db.pool.query(sql)
  return Number(Object.values((rows as object[])[0] ?? {})[0])
}

describe.skipIf(!hasServer)('the log of changes on MySQL', () => {
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

  test('names the keys of an erasure, and of a purge those that were not revoked', async () => {
    const place = await open('a')
    const person = { id: 'person', name: 'P' }
    const own = await inserted(place.storage, { creator: person })
    const gone = await inserted(place.storage, { workspaceId: 'ws_gone' })
    const [expired, revoked] = [
      await inserted(place.storage, { expiresAtMs: 2 }),
      await inserted(place.storage),
    ]
    await place.storage.erasePerson({ personId: 'person', limit: 10 })
    await place.storage.eraseWorkspace({ workspaceId: 'ws_gone', erasedAtMs: 5, limit: 10 })
    await place.storage.revoke(sampleRevokeChange(revoked))
    const purged = { endedBeforeMs: Date.now(), eventsBeforeMs: null, limit: 10 }
    expect(await place.storage.purge(purged)).toMatchObject({ keys: 2, sequence: 4 })
    const { changes } = await place.renewed('a')
    expect(changes?.map((change) => change.kind === 'key' && change.hash)).toEqual(
      [own, gone, revoked, expired].map(({ hash }) => hash),
    )
  })

  test('keeps 1,000 entries and few more; a node that is further behind gets none', async () => {
    const place = await open('a')
    await db.pool.query(
      `INSERT INTO miftah_changes (sequence, kind) SELECT at, 'plan' FROM (${upTo(1_199)}) AS n`,
    )
    await db.pool.query('UPDATE miftah_change_clock SET head = 1199')
    for (let at = 0; at < 11; at += 1) await place.log.changePlan('ws')
    expect(await numberIn('SELECT COUNT(*) FROM miftah_changes')).toBe(1_010)
    expect((await place.renewed('a', 210)).changes).toHaveLength(1_000)
    expect((await place.renewed('a', 209)).changes).toBeNull()
  })

  test('more keys than it keeps in one change are one entry', async () => {
    const place = await open('a')
    await db.pool.query(`INSERT INTO miftah_keys (hash, id, workspace_id, name, environment, scopes,
        resources, networks, prefix, creator_id, creator_name, created_at_ms, version, updated_at_ms, metadata)
      SELECT UNHEX(SHA2(at, 256)), CONCAT('key_', at), 'ws', 'n', 'live', '["a"]', '{}', '"any"',
        'svc_live_abc', 'u', 'U', 1, 1, 1, '{}' FROM (${upTo(1_001)}) AS n`)
    await db.pool.query('INSERT INTO miftah_usage SELECT id, 0, NULL FROM miftah_keys')
    await place.storage.eraseWorkspace({ workspaceId: 'ws', erasedAtMs: 5, limit: 2_000 })
    expect((await place.renewed('a')).changes).toEqual([{ sequence: 1, kind: 'everything' }])
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
    const { pool, sent } = watchedPool(db.pool)
    const keysOn = (on: MysqlPool) =>
      createApiKeys({
        ...{ storage: mysqlStorage(on), cache: {}, usageHistory: false },
        entitlements: () => plans.business,
      })
    const [one, other] = [keysOn(pool), keysOn(db.pool)]
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
    sent.length = 0
    for (let at = 0; at < 100; at += 1) await one.authenticate(header, null)
    expect(sent.filter((sql) => sql.includes('miftah_keys'))).toEqual([])
    await other.revokeKey({ workspaceId: 'ws', id: key.id, actor: creator })
    expect(await one.authenticate(header, null)).toMatchObject({ ok: false })
  })
})
