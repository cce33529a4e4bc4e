import { describe, expect, onTestFinished, test } from 'vitest'
import { type PostgresStorage, postgresStorage } from '../../../adapters/storage/postgres.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleRotateChange,
} from '../../../adapters/storage/testing/samples.ts'
import { createApiKeys, plans } from '../../../src/index.ts'
import { mintSecret } from '../../../src/secret/mint.ts'
import type { ChangeLog, KeyRecord } from '../../../src/storage/index.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'
import { savedLog } from '../../support/postgres/saved-log.ts'
import { until } from '../../support/postgres/until.ts'

const db = databaseForFile()
let schemas = 0

interface Place {
  readonly storage: PostgresStorage
  readonly log: ChangeLog
  readonly schema: string
}

/** A schema of its own; with a node, unless it must be unused. */
async function open(...nodes: readonly string[]): Promise<Place> {
  schemas += 1
  const schema = `log_${schemas}`
  const storage = postgresStorage(db.pool, { schema })
  await storage.migrate()
  const { changes: log } = storage
  if (log === undefined) throw new Error('there is no log')
  for (const node of nodes) await log.register({ node, leaseMs: 1_000 })
  return { storage, log, schema }
}

async function insert({ storage }: Place): Promise<KeyRecord> {
  const record = sampleRecord()
  await storage.insert(record, null, sampleCreatedEvent(record))
  return record
}

/** How often each node has renewed. */
const renewals = new WeakMap<ChangeLog, Record<string, number>>()

/** A renewal of a node that has had an answer to each one before. */
const renewed = async ({ log }: Place, node: string, applied: number | null = 0) => {
  const { [node]: answered = 0, ...others } = renewals.get(log) ?? {}
  renewals.set(log, { ...others, [node]: answered + 1 })
  const renewal = await log.renew({ node, renewal: answered + 1, answered, applied })
  if (renewal.outcome !== 'renewed') throw new Error('evicted')
  return renewal
}

test('the keys used last come first, without those revoked and those never used', async () => {
  const place = await open()
  const records = []
  while (records.length < 5) records.push(await insert(place))
  const [old, now, both, revoked] = records as [KeyRecord, KeyRecord, KeyRecord, KeyRecord]
  const hour = Math.floor(Date.now() / 3_600_000)
  const use = ({ id }: KeyRecord, ago: number) => ({
    ...{ id, hour: hour - ago, outcome: 'accepted' as const, count: 1 },
  })
  const counts = [use(old, 5), use(now, 0), use(both, 0), use(both, 1), use(revoked, 0)]
  const history = { hourlyForDays: 30, dailyForDays: 400, counts }
  const refused = { ...use(records[4] as KeyRecord, 0), outcome: 'expired' as const }
  const uses = [...new Set(counts.map(({ id }) => id))].map((id) => ({
    ...{ id, uses: 1, lastUsedAtMs: Date.now() },
  }))
  await place.storage.addUses({
    ...{ writer: 'w', sequence: 1, uses, history: { ...history, counts: [...counts, refused] } },
  })
  await place.storage.revoke(sampleRevokeChange(revoked))
  const recent = (limit: number) => place.log.recentHashes?.(limit)
  expect(new Set((await recent(10))?.slice(0, 2))).toEqual(new Set([now.hash, both.hash]))
  expect((await recent(10))?.slice(2)).toEqual([old.hash])
  expect(await recent(1)).toHaveLength(1)
})

test('a new process starts with the keys in memory that others have used', async () => {
  const { storage } = await open()
  const options = { storage, entitlements: () => plans.enterprise, usageFlushMs: 10 }
  const first = createApiKeys({ ...options, cache: {} })
  const creator = { id: 'u_1', name: 'Sami' }
  const input = { workspaceId: 'ws_1', creator, name: 'k', environment: 'live' } as const
  const made = await Promise.all(
    Array.from({ length: 40 }, () => first.createKey({ ...input, scopes: ['contacts.read'] })),
  )
  const accepted = async (keys: typeof first, secret: string) =>
    (await keys.authenticate(`Bearer ${secret}`, null)).ok
  for (const { secret } of made) expect(await accepted(first, secret)).toBe(true)
  await first.flush()
  const second = createApiKeys({ ...options, cache: { warm: 1_000 } })
  await second.ready()
  expect(second.stats().cache).toMatchObject({ keys: 40, misses: 0, hasLease: true })
  const [revoked, other] = made as [(typeof made)[number], (typeof made)[number]]
  await first.revokeKey({ workspaceId: 'ws_1', id: revoked.key.id, actor: creator })
  expect(await accepted(second, revoked.secret)).toBe(false)
  expect(await accepted(second, other.secret)).toBe(true)
  expect(second.stats().cache).toMatchObject({ misses: 1 })
  await Promise.all([first.close(), second.close()])
})

describe('until a node has registered', () => {
  test('nothing is logged, and there is nothing to wait for', async () => {
    const place = await open()
    const record = await insert(place)
    expect(await place.storage.revoke(sampleRevokeChange(record))).not.toHaveProperty('sequence')
    await place.log.changePlan('ws')
    const { rows } = await db.pool.query(`SELECT count(*)::int AS n FROM ${place.schema}.changes`)
    expect(rows).toEqual([{ n: 0 }])
  })

  test('a registration waits for a change that has not seen it', async () => {
    const place = await open()
    const record = await insert(place)
    const client = await db.pool.connect()
    try {
      await client.query('BEGIN')
      await client.query(`UPDATE ${place.schema}.keys SET revoked_at_ms = 1 WHERE id = $1`, [
        record.id,
      ])
      let isRegistered = false
      const registered = place.log.register({ node: 'a', leaseMs: 1_000 }).then(() => {
        isRegistered = true
      })
      await until(
        db.pool,
        `EXISTS (SELECT FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND query LIKE '%${place.schema}%register_node%')`,
      )
      expect(isRegistered).toBe(false)
      await client.query('COMMIT')
      await registered
    } finally {
      client.release()
    }
    expect((await renewed(place, 'a')).head).toBe(0)
  })
})

describe('what is logged', () => {
  test('a revocation, a rotation and a repeat of each name what to wait for', async () => {
    const place = await open('a')
    const [one, two] = [await insert(place), await insert(place)]
    expect(await place.storage.revoke(sampleRevokeChange(one))).toMatchObject({ sequence: 1 })
    expect(await place.storage.rotate(sampleRotateChange(two))).toMatchObject({ sequence: 2 })
    expect(await place.storage.revoke(sampleRevokeChange(one))).toMatchObject({
      ...{ outcome: 'already_revoked', sequence: 2 },
    })
    expect((await renewed(place, 'a')).changes).toEqual([
      { sequence: 1, kind: 'key', hash: one.hash },
      { sequence: 2, kind: 'key', hash: two.hash },
    ])
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

  test('changes made by hand', async () => {
    const place = await open('a')
    const { schema } = place
    const records = [await insert(place), await insert(place)]
    await db.pool.query(`UPDATE ${schema}.keys SET revoked_at_ms = 5`)
    const live = await insert(place)
    await db.pool.query(`UPDATE ${schema}.keys SET revoked_at_ms = 5 WHERE false`)
    const { changes } = await renewed(place, 'a')
    const hashes = changes?.map((change) => change.kind === 'key' && change.hash)
    expect(hashes?.sort()).toEqual(records.map(({ hash }) => hash).sort())
    await db.pool.query(`ALTER TABLE ${schema}.keys DISABLE TRIGGER keys_kept,
      DISABLE TRIGGER keys_never_emptied`)
    await db.pool.query(`DELETE FROM ${schema}.keys WHERE id = $1`, [live.id])
    // That a revoked key is deleted tells nobody anything new.
    await db.pool.query(`DELETE FROM ${schema}.keys WHERE id = $1`, [records[0]?.id])
    await db.pool.query(`TRUNCATE ${schema}.keys CASCADE`)
    expect((await renewed(place, 'a', 2)).changes).toEqual([
      { sequence: 3, kind: 'key', hash: live.hash },
      { sequence: 4, kind: 'everything' },
    ])
  })

  test('changes made by hand in a session that replicates', async () => {
    const place = await open('a')
    const { hash } = await insert(place)
    const client = await db.pool.connect()
    await client.query('SET session_replication_role = replica')
    await client.query(`UPDATE ${place.schema}.keys SET revoked_at_ms = 5`)
    client.release(true)
    expect((await renewed(place, 'a')).changes).toEqual([{ sequence: 1, kind: 'key', hash }])
  })

  test('a statement that changes more keys than the log keeps is one entry', async () => {
    const place = await open('a')
    const { schema } = place
    await db.pool.query(`INSERT INTO ${schema}.usage
      SELECT 'key_' || n, 0 FROM generate_series(1, 1001) n`)
    await db.pool.query(`INSERT INTO ${schema}.keys (id, hash, workspace_id, seq, name, environment,
        scopes, prefix, creator_id, creator_name, created_at_ms, version, updated_at_ms, metadata,
        resources, networks)
      SELECT 'key_' || n, sha256(n::text::bytea), 'ws', n, 'n', 'live', '{}', 'svc_live_abc', 'u', 'u', 1, 1, 1, '{}', '{}', '"any"'
      FROM generate_series(1, 1001) n`)
    await db.pool.query(`UPDATE ${schema}.keys SET revoked_at_ms = 5`)
    expect((await renewed(place, 'a')).changes).toEqual([{ sequence: 1, kind: 'everything' }])
    await db.pool.query(`UPDATE ${schema}.keys SET revoked_at_ms = 5 WHERE seq <= 1000`)
    const { head, changes } = await renewed(place, 'a', 1)
    expect([head, changes?.length]).toEqual([1_001, 1_000])
    expect(changes?.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 1_000 }, (_, at) => 2 + at),
    )
  })

  test('the log keeps 1,000 entries; a node that is further behind gets none', async () => {
    const place = await open('a')
    await Promise.all(Array.from({ length: 1_010 }, () => place.log.changePlan('ws')))
    const { rows } = await db.pool.query(`SELECT min(sequence)::int AS first, count(*)::int AS n
      FROM ${place.schema}.changes`)
    expect(rows).toEqual([{ first: 11, n: 1_000 }])
    expect((await renewed(place, 'a', 10)).changes).toHaveLength(1_000)
    expect((await renewed(place, 'a', 9)).changes).toBeNull()
  })

  test('sequences have no gaps and follow the commits, under any isolation', async () => {
    for (const level of ['read committed', 'repeatable read', 'serializable']) {
      const place = await open('a')
      const options = `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`
      const storage = postgresStorage(db.openPool({ options }), { schema: place.schema })
      const records = await Promise.all(Array.from({ length: 20 }, () => insert(place)))
      const answers = await Promise.all(
        records.map((record) => storage.revoke(sampleRevokeChange(record))),
      )
      const sequences = answers.map((answer) => Reflect.get(answer, 'sequence'))
      expect(sequences.sort((a, b) => a - b)).toEqual(records.map((_, at) => at + 1))
      expect((await renewed(place, 'a')).changes).toHaveLength(20)
    }
  })
})

describe('nodes', () => {
  test('a node that is not registered is told so', async () => {
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
    const behind = await place.log.laggingNodes(1)
    expect(behind.toSorted((a, b) => a.node.localeCompare(b.node))).toEqual([
      { node: 'a', leaseMs: 1_000, renewal: 1 },
      { node: 'b', leaseMs: 1_000, renewal: 0 },
    ])
    expect(await renewed(place, 'a', 1)).toMatchObject({ changes: [] })
    await renewed(place, 'a', 0)
    expect(await place.log.laggingNodes(1)).toEqual([{ node: 'b', leaseMs: 1_000, renewal: 0 }])
    expect(await place.log.laggingNodes(0)).toEqual([])
    expect(await place.log.countNodes()).toEqual({ nodes: 2, lag: 1 })
    await renewed(place, 'b', 1)
    expect(await place.log.countNodes()).toEqual({ nodes: 2, lag: 0 })
  })

  test('a restored log acknowledges nothing before the node has applied an answer of it', async () => {
    const { log, schema } = await open('a')
    const renew = (renewal: number, answered: number, applied: number | null) =>
      log.renew({ node: 'a', renewal, answered, applied })
    const acked = async () => {
      const { rows } = await db.pool.query(`SELECT acked::int AS acked FROM ${schema}.nodes`)
      return rows[0].acked
    }
    await renew(1, 0, null)
    const restore = await savedLog(db.pool, schema)
    for (let at = 0; at < 3; at += 1) await log.changePlan('ws')
    await renew(2, 1, 0)
    expect(await renew(3, 2, 3)).toMatchObject({ isSameLog: true, changes: [] })
    expect(await acked()).toBe(3)
    await restore()
    // Answers are lost, and entries get the numbers of those that the node has applied.
    for (const renewal of [4, 5]) {
      expect(await renew(renewal, 3, 3)).toMatchObject({ isSameLog: false, head: renewal - 4 })
      await log.changePlan('ws')
      expect(await acked()).toBe(0)
    }
    // One that was given up before is carried out late.
    expect(await renew(4, 3, 3)).toMatchObject({ isSameLog: false })
    expect(await renew(6, 5, 1)).toMatchObject({ isSameLog: true, changes: [{ sequence: 2 }] })
    expect(await acked()).toBe(1)
  })

  test('a lost answer is no restore', async () => {
    const { log } = await open('a')
    await log.renew({ node: 'a', renewal: 1, answered: 0, applied: null })
    await log.changePlan('ws')
    for (const renewal of [2, 3, 2]) {
      expect(await log.renew({ node: 'a', renewal, answered: 1, applied: 0 })).toMatchObject({
        ...{ isSameLog: true, changes: [{ sequence: 1 }] },
      })
    }
    expect(await log.laggingNodes(1)).toEqual([{ node: 'a', leaseMs: 1_000, renewal: 3 }])
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
    if (seen === undefined) throw new Error('nobody is behind')
    await renewed(place, 'a', 0)
    await place.log.evict([seen], 1)
    expect(await place.log.laggingNodes(1)).toHaveLength(1)
    await renewed(place, 'a', 1)
    await place.log.evict([{ ...seen, renewal: 2 }], 1)
    expect(await place.log.laggingNodes(2)).toHaveLength(1)
    await place.log.evict([{ ...seen, renewal: 2 }], 2)
    expect(await place.log.laggingNodes(2)).toEqual([])
  })

  test('an eviction takes many nodes at once, and does not wait for those that renew', async () => {
    const place = await open(...Array.from({ length: 50 }, (_, at) => `node_${at}`))
    const seen = await place.log.laggingNodes(1)
    const client = await db.pool.connect()
    try {
      await client.query(
        `BEGIN; SELECT FROM ${place.schema}.nodes WHERE node = 'node_7' FOR UPDATE`,
      )
      await place.log.evict(seen, 1)
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
    expect((await place.log.laggingNodes(1)).map(({ node }) => node)).toEqual(['node_7'])
  })

  test('a node that leaves is waited for by nobody', async () => {
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
})

test('a node registers and renews at once while other changes of the pool wait', async () => {
  const place = await open('before')
  const own = db.openPool({ max: 12 })
  const { schema } = place
  const storage = postgresStorage(own, { schema })
  await storage.findById('ws', 'none')
  const client = await db.pool.connect()
  const changes: Promise<unknown>[] = []
  try {
    await client.query(`BEGIN; LOCK TABLE ${schema}.workspaces`)
    for (let at = 0; at < 10; at += 1) {
      const record = { ...sampleRecord(), workspaceId: `ws_${at}` }
      changes.push(storage.insert(record, null, sampleCreatedEvent(record)))
    }
    const call = { timeoutMs: 1_500, signal: AbortSignal.timeout(1_500) }
    const node = { node: 'a', leaseMs: 1_000 }
    await storage.changes?.register(node, call)
    const renewal = { node: 'a', renewal: 1, answered: 0, applied: null }
    expect(await storage.changes?.renew(renewal, call)).toMatchObject({ outcome: 'renewed' })
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
  await Promise.allSettled(changes)
})

describe('hints', () => {
  const listening = (schema: string) => `EXISTS (SELECT FROM pg_stat_activity
    WHERE query = 'LISTEN miftah' AND state = 'idle' AND datname = current_database()
      AND application_name = '${schema}')`

  /** A storage with a pool of its own, which the server shows by the name of the schema. */
  function listener(schema: string, max = 3) {
    const own = db.openPool({ max, application_name: schema })
    const log = postgresStorage(own, { schema }).changes
    const hints: number[] = []
    const stop = log?.listen?.(() => hints.push(performance.now()))
    return { own, hints, stop, canListen: log?.listen !== undefined }
  }

  const arrived = async (hints: readonly unknown[], count: number) => {
    await expect.poll(() => hints.length).toBe(count)
  }

  test('wake reaches the listeners of the same installation', async () => {
    const [place, other] = [await open('a'), await open('a')]
    const { hints, stop } = listener(place.schema)
    await arrived(hints, 1)
    await other.log.wake?.()
    await place.log.wake?.()
    await arrived(hints, 2)
    stop?.()
    await until(db.pool, `NOT ${listening(place.schema)}`)
  })

  test('any number of caches on a pool leave its other connections to everybody else', async () => {
    const place = await open('a')
    const own = db.openPool({
      ...{ max: 2, application_name: place.schema, connectionTimeoutMillis: 2_000 },
    })
    const caches = Array.from({ length: 3 }, () =>
      createApiKeys({
        ...{ storage: postgresStorage(own, { schema: place.schema }), cache: {} },
        entitlements: () => plans.business,
      }),
    )
    const close = async () => void (await Promise.all(caches.map((keys) => keys.close())))
    onTestFinished(close)
    const header = `Bearer ${mintSecret('svc', 'live')}`
    await Promise.all(caches.map((keys) => keys.authenticate(header, null)))
    await until(db.pool, listening(place.schema))
    await expect.poll(() => caches.every((keys) => keys.stats().cache?.hasLease)).toBe(true)
    expect((await own.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
    await close()
    await until(db.pool, `NOT ${listening(place.schema)}`)
  })

  test('a connection that was cut is replaced', { timeout: 30_000 }, async () => {
    const place = await open('a')
    const { hints, stop } = listener(place.schema)
    await arrived(hints, 1)
    await db.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = $1`,
      [place.schema],
    )
    await arrived(hints, 2)
    await place.log.wake?.()
    await arrived(hints, 3)
    stop?.()
  })

  test('a pool of one connection, and one without connections, have none to spare', async () => {
    const { schema } = await open()
    expect(listener(schema, 1).canListen).toBe(false)
    const plain = { query: (text: string, values?: string[]) => db.pool.query(text, values) }
    expect(postgresStorage(plain, { schema }).changes).not.toHaveProperty('listen')
  })
})
