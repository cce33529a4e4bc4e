import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleRotateChange,
} from '../../../adapters/storage/testing/samples.ts'
import { inserted } from '../../support/inserted.ts'
import { limited } from '../../support/limited.ts'
import { hasOwnServer } from '../../support/postgres/own-server.ts'
import { openPool } from '../../support/postgres-database.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts'
import { type Cut, openTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'

const DEADLINE_MS = 2_000
/** For what is to succeed, however slow the machine. */
const PATIENCE_MS = 60_000

let server: PostgresServer
let proxy: TcpProxy
let database: string
let pool: pg.Pool

beforeAll(async () => {
  // Nothing is written ahead by itself for a long time, so that a commit which did not wait for
  // its log would be lost in a crash.
  server = await startPostgres({ wal_writer_delay: '10s' })
  database = await server.createDatabase()
  proxy = await openTcpProxy(server.host, server.port)
  pool = pooled({})
})

afterAll(async () => {
  await pool.end()
  await proxy.close()
  await server.dispose()
})

beforeEach(async () => {
  proxy.use({ kind: 'pass' })
  await server.start()
})

function pooled(options: pg.PoolConfig, port = proxy.port): pg.Pool {
  const url = new URL(server.url(database))
  url.port = String(port)
  return openPool({ connectionString: url.href, connectionTimeoutMillis: 1_500, ...options })
}

function storageOn(on: pg.Pool, timeoutMs = DEADLINE_MS) {
  return limited(postgresStorage(on), timeoutMs)
}

/** One storage, and the same for calls that are to succeed. */
function hastyOn(on: pg.Pool) {
  const storage = postgresStorage(on)
  return { storage: limited(storage, DEADLINE_MS), patient: limited(storage, PATIENCE_MS) }
}

const insertedApart = (storage = storageOn(pool, PATIENCE_MS)) =>
  inserted(storage, { workspaceId: `ws_${Math.random()}` })

/** Resolves to the code of the rejection. A lookup leaves it to the core to stop waiting. */
async function faultOf(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    (answer) => expect.fail(`answered ${JSON.stringify(answer)}`),
    (reason: unknown) => reason,
  )
  if (/^no answer in /.test(String(Reflect.get(Object(error), 'message')))) return 'timeout'
  return Reflect.get(Object(error), 'code')
}

describe('a connection that is cut', () => {
  const cuts: readonly Cut[] = ['before_it_is_sent', 'before_the_answer']

  test.each(cuts)('%s of a create: one key, one event', async (cut) => {
    const storage = storageOn(pool, PATIENCE_MS)
    await storage.migrate()
    for (let round = 0; round < 15; round += 1) {
      const record = sampleRecord({ workspaceId: `ws_create_${cut}_${round}` })
      const done = proxy.cutNext('insert_key', cut)
      const outcome = await storage.insert(record, 1, sampleCreatedEvent(record))
      await done
      expect(outcome).toEqual({ inserted: true })
      const query = { status: null, environment: null, atMs: 0, after: null, limit: 9 }
      expect((await storage.list(record.workspaceId, query))?.records).toMatchObject([record])
      expect(await storage.events(record.workspaceId, { after: null, limit: 9 })).toHaveLength(1)
    }
  })

  test.each(cuts)('%s of a rotation: one successor, and the answer is true', async (cut) => {
    const storage = storageOn(pool, PATIENCE_MS)
    for (let round = 0; round < 15; round += 1) {
      const record = await insertedApart()
      const change = sampleRotateChange(record)
      const done = proxy.cutNext('rotate_key', cut)
      const outcome = await storage.rotate(change)
      await done
      expect(outcome).toMatchObject({ outcome: 'rotated', replacement: change.replacement })
      expect(await storage.events(record.workspaceId, { after: null, limit: 9 })).toHaveLength(2)
    }
  })

  test.each(cuts)('%s of a revocation: the answer tells who did it', async (cut) => {
    const storage = storageOn(pool, PATIENCE_MS)
    for (let round = 0; round < 15; round += 1) {
      const record = await insertedApart()
      const done = proxy.cutNext('revoke_key', cut)
      const first = storage.revoke(sampleRevokeChange(record))
      await done
      expect((await first).outcome).toBe('revoked')
      const second = await storage.revoke(sampleRevokeChange(record))
      expect(second.outcome).toBe('already_revoked')
    }
  })

  test.each(cuts)('%s of a flush: every use counts once', async (cut) => {
    const storage = storageOn(pool, PATIENCE_MS)
    const record = await insertedApart()
    for (let sequence = 1; sequence <= 15; sequence += 1) {
      const done = proxy.cutNext('add_uses', cut)
      const uses = [{ id: record.id, uses: 2, lastUsedAtMs: sequence }]
      await Promise.all([storage.addUses({ writer: `w_${cut}`, sequence, uses }), done])
    }
    expect((await storage.findById(record.workspaceId, record.id))?.uses).toBe(30)
  })

  test.each(cuts)('%s of a lookup: the callers get their answer', async (cut) => {
    const storage = storageOn(pool, PATIENCE_MS)
    const record = await insertedApart()
    await storage.findByHash(record.hash)
    const done = proxy.cutNext(record.hash, cut)
    expect(await storage.findByHash(record.hash)).toEqual(record)
    await done
  })
})

describe('a server that falls silent', () => {
  test('lookups and changes reject by the deadline and work again afterwards', async () => {
    // So few connections that all of them are dead afterwards.
    const few = pooled({ max: 3 })
    const { storage, patient } = hastyOn(few)
    const record = await insertedApart(patient)
    await Promise.all([1, 2, 3].map(() => few.query('SELECT pg_sleep(0.02)')))
    proxy.use({ kind: 'black_hole' })
    const calls = [
      faultOf(storage.revoke(sampleRevokeChange(record))),
      faultOf(storage.insert(sampleRecord(), null, sampleCreatedEvent(sampleRecord()))),
      ...Array.from({ length: 30 }, async () =>
        faultOf(Promise.resolve(storage.findByHash(record.hash))),
      ),
    ]
    const [revoked, , ...found] = await Promise.all(calls)
    expect(revoked).toBe('outcome_unknown')
    expect(new Set(found)).toEqual(new Set(['timeout']))
    proxy.use({ kind: 'pass' })
    expect((await patient.revoke(sampleRevokeChange(record))).outcome).toBe('revoked')
    expect((await patient.findByHash(record.hash))?.revokedAtMs).not.toBeNull()
    await few.end()
  })

  test('a slow server is waited for, up to the deadline', async () => {
    const { storage, patient } = hastyOn(pool)
    const record = await insertedApart(patient)
    proxy.use({ kind: 'slow', ms: 150 })
    expect(await patient.findByHash(record.hash)).toEqual(record)
    proxy.use({ kind: 'slow', ms: 5_000 })
    expect(await faultOf(Promise.resolve(storage.findByHash(record.hash)))).toBe('timeout')
  })

  test('two dead connections do not stop all lookups', async () => {
    const storage = storageOn(pool, 6_000)
    const record = await insertedApart(storage)
    await Promise.all([1, 2, 3].map(() => pool.query('SELECT pg_sleep(0.02)')))
    proxy.use({ kind: 'black_hole' })
    const stuck = [0, 1].map(() => Promise.resolve(storage.findByHash(record.hash)))
    const codes = Promise.all(stuck.map((call) => faultOf(call)))
    codes.catch(() => undefined)
    // What was sent is lost for good; the connections that it was sent on are dead.
    await expect.poll(() => proxy.held()).toBeGreaterThanOrEqual(2)
    proxy.use({ kind: 'pass' })
    let stuckOnes = 2
    for (const call of stuck) call.catch(() => (stuckOnes -= 1))
    expect(await storage.findByHash(record.hash)).toEqual(record)
    expect(stuckOnes).toBe(2)
    expect(await codes).toEqual(['timeout', 'timeout'])
  })

  test('a lookup never takes the answer of one that was sent before it', async () => {
    const storage = storageOn(pool, PATIENCE_MS)
    const direct = pooled({}, server.port)
    const record = await insertedApart(storage)
    const otherHash = sampleRecord().hash
    await Promise.all([storage.findByHash(record.hash), storage.findByHash(otherHash)])
    proxy.use({ kind: 'slow', ms: 3_000 })
    // Both round trips are taken, and their answers, read before the revocation, are still to come.
    const early = Promise.all([1, 2].map(() => storage.findByHash(record.hash)))
    early.catch(() => undefined)
    await expect.poll(() => proxy.held()).toBeGreaterThanOrEqual(2)
    expect((await storageOn(direct, PATIENCE_MS).revoke(sampleRevokeChange(record))).outcome).toBe(
      'revoked',
    )
    const late = await storage.findByHash(record.hash)
    expect(late?.revokedAtMs).not.toBeNull()
    expect((await early)[0]?.revokedAtMs).toBeNull()
    await direct.end()
  })

  test('a change that waited for a connection until its deadline is never sent', async () => {
    const narrow = pooled({ max: 1, connectionTimeoutMillis: 0 })
    const storage = storageOn(narrow, 200)
    await storage.migrate()
    const holder = await narrow.connect()
    const record = sampleRecord()
    const call = storage.insert(record, null, sampleCreatedEvent(record))
    expect(await faultOf(call)).toBe('timeout')
    holder.release()
    // Time for the server to carry it out, had it been sent.
    await new Promise((resolve) => setTimeout(resolve, 250))
    expect(await storageOn(narrow, PATIENCE_MS).findByHash(record.hash)).toBeNull()
    await narrow.end()
  })

  test('a lock that a stray program holds costs the deadline and no more', async () => {
    const { storage, patient } = hastyOn(pool)
    const record = await insertedApart(patient)
    const stray = await pool.connect()
    stray.on('error', () => undefined)
    await stray.query('BEGIN')
    await stray.query('SELECT FROM miftah.workspaces WHERE workspace_id = $1 FOR UPDATE', [
      record.workspaceId,
    ])
    expect(await faultOf(storage.revoke(sampleRevokeChange(record)))).toBe('timeout')
    const other = await insertedApart()
    expect((await patient.revoke(sampleRevokeChange(other))).outcome).toBe('revoked')
    await stray.query('ROLLBACK')
    stray.release()
    expect(await patient.findByHash(record.hash)).toEqual(record)
    expect((await patient.revoke(sampleRevokeChange(record))).outcome).toBe('revoked')
  })
})

describe('a server that goes away', () => {
  test.skipIf(!hasOwnServer)('is reported at once, and works again when it is back', async () => {
    const storage = storageOn(pool, PATIENCE_MS)
    const record = await insertedApart(storage)
    await server.stop('immediate')
    expect(await faultOf(Promise.resolve(storage.findByHash(record.hash)))).toBe('unavailable')
    expect(await faultOf(storage.revoke(sampleRevokeChange(record)))).toBe('unavailable')
    await server.start()
    expect(await storage.findByHash(record.hash)).toEqual(record)
  })

  test.skipIf(!hasOwnServer)(
    'a restart in the middle of changes loses and doubles nothing',
    async () => {
      const storage = storageOn(pool, 8_000)
      const record = await insertedApart(storage)
      const changes = Array.from({ length: 60 }, () => {
        const fresh = sampleRecord({ workspaceId: record.workspaceId })
        return storage.insert(fresh, null, sampleCreatedEvent(fresh))
      })
      // Watched from the start: some are refused while the server is still coming up.
      const settling = Promise.allSettled(changes)
      await server.stop('immediate')
      await server.start()
      const settled = await settling
      const made = settled.filter(({ status }) => status === 'fulfilled').length
      const query = { status: null, environment: null, atMs: 0, after: null, limit: 200 }
      const page = await storage.list(record.workspaceId, query)
      const events = await storage.events(record.workspaceId, { after: null, limit: 200 })
      expect(page?.records.length).toBe(events?.length)
      expect(page?.records.length).toBeGreaterThanOrEqual(made + 1)
      const unclear = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
      const expected = ['unavailable', 'timeout', 'outcome_unknown']
      expect(unclear.filter((code) => !expected.includes(code))).toEqual([])
    },
  )

  test.skipIf(!hasOwnServer)(
    'an answered revocation survives a crash, whatever the role is set to',
    async () => {
      await pool.query('ALTER ROLE postgres SET synchronous_commit = off')
      const relaxed = pooled({}, server.port)
      const storage = storageOn(relaxed)
      const record = await insertedApart(storage)
      await relaxed.query('CREATE TABLE IF NOT EXISTS relaxed (n int)')
      await storage.revoke(sampleRevokeChange(record))
      // The control: what the role commits by itself is lost, so the crash was a real one.
      await relaxed.query('INSERT INTO relaxed VALUES (1)')
      await server.stop('immediate')
      await server.start()
      expect((await storage.findByHash(record.hash))?.revokedAtMs).not.toBeNull()
      const { rows } = await relaxed.query('SELECT count(*)::int AS n FROM relaxed')
      expect(rows).toEqual([{ n: 0 }])
      await relaxed.query('ALTER ROLE postgres RESET synchronous_commit')
      await relaxed.end()
    },
  )
})

describe('a server that is full', () => {
  test('calls beyond its connections reject or wait, and none hangs', async () => {
    const role = `crowded_${Math.random().toString(36).slice(2)}`
    await pool.query(`CREATE ROLE ${role} LOGIN CONNECTION LIMIT 2`)
    await storageOn(pool, PATIENCE_MS).migrate()
    await pool.query(`GRANT ALL ON SCHEMA miftah TO ${role}`)
    await pool.query(`GRANT SELECT ON ALL TABLES IN SCHEMA miftah TO ${role}`)
    await pool.query(`GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA miftah TO ${role}`)
    const crowded = pooled({ user: role, max: 10, connectionTimeoutMillis: PATIENCE_MS })
    const storage = storageOn(crowded, PATIENCE_MS)
    const calls = Array.from({ length: 40 }, () => {
      const record = sampleRecord()
      return storage.insert(record, null, sampleCreatedEvent(record))
    })
    const settled = await Promise.allSettled(calls)
    const codes = settled.map((one) => (one.status === 'fulfilled' ? 'ok' : one.reason.code))
    expect(codes).toContain('ok')
    expect(new Set([...codes, 'ok', 'unavailable'])).toEqual(new Set(['ok', 'unavailable']))
    await crowded.end()
  })
})
