import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { SCHEMA_VERSION } from '../../../adapters/storage/lib/postgres/schema/index.ts'
import { type PostgresPool, postgresStorage } from '../../../adapters/storage/postgres.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleRotateChange,
} from '../../../adapters/storage/testing/samples.ts'
import { withinTime } from '../../../src/lib/within-time.ts'
import type { KeyStorage, StorageCall } from '../../../src/storage/index.ts'
import { limited } from '../../support/limited.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

type Asked = readonly [text: string, values: readonly string[]]

/** A pool on a server whose schema is there, and which answers the same to everything else. */
function world(answer: string | null = null, isInstalled = true) {
  const asked: Asked[] = []
  const pool: PostgresPool = {
    query: async (text, values = []) => {
      if (text.includes('schema_version"') && !text.startsWith('DO')) {
        if (!isInstalled) throw Object.assign(new Error('no such table'), { code: '42P01' })
        return { rows: [{ answer: String(SCHEMA_VERSION) }] }
      }
      asked.push([text, values as readonly string[]])
      return { rows: [{ answer }] }
    },
  }
  return { asked, pool, storage: postgresStorage(pool) }
}

/** What has come by the end is looked at first, in a turn of its own. */
const A_TURN_MS = 1

const FIRST = { status: null, environment: null, atMs: 0, after: null, limit: 5 } as const

describe('changes', () => {
  test('hold what they were given when they were called', async () => {
    const { asked, storage } = world('{"outcome":"not_found"}')
    const change = { ...sampleRevokeChange(sampleRecord()), id: 'before' }
    const call = storage.revoke(change)
    change.id = 'after'
    expect(await call).toEqual({ outcome: 'not_found' })
    expect(JSON.parse(asked[0]?.[1][0] ?? '')).toMatchObject({ id: 'before' })
  })

  test.each([
    [5_000, '3000'],
    [1_001, '600'],
    [1, '1'],
    [3_579_139_410, '2147483646'],
    [1e12, '2147483647'],
  ])('with %s ms wait %s ms for a lock, and repeat nothing', async (timeoutMs, lockTimeoutMs) => {
    const { asked, storage } = world('{"outcome":"not_found"}')
    await limited(storage, timeoutMs).revoke(sampleRevokeChange(sampleRecord()))
    expect(JSON.parse(asked[0]?.[1][1] ?? '')).toEqual({
      ...{ isRepeat: false, lockTimeoutMs, waitedMs: 0 },
    })
  })

  test('without a limit leave the wait for a lock to the function', async () => {
    const { asked, storage } = world('{"outcome":"not_found"}')
    await storage.revoke(sampleRevokeChange(sampleRecord()))
    expect(JSON.parse(asked[0]?.[1][1] ?? '')).toEqual({ isRepeat: false, waitedMs: 0 })
  })

  test.each<readonly [string, string | null, (storage: KeyStorage) => unknown]>([
    [
      'claim_events',
      '[]',
      (all) => all.claimEvents({ relay: 'r', leaseMs: 1, limit: 1, except: [] }),
    ],
    ['acknowledge_events', null, (all) => all.acknowledgeEvents('r', [])],
    ['release_events', 'null', (all) => all.releaseEvents('r')],
    ['add_uses', null, (all) => all.addUses({ writer: 'w', sequence: 1, uses: [] })],
  ])('%s makes sure first that there is a schema', async (name, answer, call) => {
    const { asked, storage } = world(answer, false)
    await call(storage)
    expect(asked.map(([text]) => text.slice(0, 3))).toEqual(['DO ', 'SEL'])
    expect(asked[1]?.[0]).toContain(`"miftah"."${name}"(`)
  })
})

describe('a call that is over', () => {
  const record = sampleRecord()
  const event = sampleCreatedEvent(record)
  const VERBS: readonly (readonly [
    string,
    string,
    (all: KeyStorage, call: StorageCall) => unknown,
  ])[] = [
    ['findById', 'timeout', (all, call) => all.findById('ws', 'key', call)],
    ['list', 'timeout', (all, call) => all.list('ws', FIRST, call)],
    ['events', 'timeout', (all, call) => all.events('ws', { after: null, limit: 5 }, call)],
    ['insert', 'outcome_unknown', (all, call) => all.insert(record, null, event, call)],
    ['rotate', 'outcome_unknown', (all, call) => all.rotate(sampleRotateChange(record), call)],
    ['revoke', 'outcome_unknown', (all, call) => all.revoke(sampleRevokeChange(record), call)],
    ['confirm', 'outcome_unknown', (all, call) => all.confirm('ws', call)],
    [
      'addUses',
      'outcome_unknown',
      (all, call) => all.addUses({ writer: 'w', sequence: 1, uses: [] }, call),
    ],
    [
      'claimEvents',
      'outcome_unknown',
      (all, call) => all.claimEvents({ relay: 'r', leaseMs: 1, limit: 1, except: [] }, call),
    ],
    ['acknowledgeEvents', 'outcome_unknown', (all, call) => all.acknowledgeEvents('r', [], call)],
    ['releaseEvents', 'outcome_unknown', (all, call) => all.releaseEvents('r', call)],
  ]

  test.each(VERBS)('%s says %s before the core stops waiting', async (_, code, verb) => {
    const { pool } = world()
    let isSilent = false
    const storage = postgresStorage({
      query: (text, values) => (isSilent ? new Promise(() => undefined) : pool.query(text, values)),
    })
    await storage.migrate()
    isSilent = true
    const late = withinTime({ timeoutMs: 1_000 }, async (call) => verb(storage, call))
    const rejected = expect(late).rejects.toMatchObject({ name: 'StorageError', code })
    await vi.advanceTimersByTimeAsync(1_000 + A_TURN_MS)
    await rejected
  })

  test.each(VERBS)('%s says timeout while the schema is not known', async (_, _code, verb) => {
    const storage = postgresStorage({ query: () => new Promise(() => undefined) })
    const late = withinTime({ timeoutMs: 1_000 }, async (call) => verb(storage, call))
    const rejected = expect(late).rejects.toMatchObject({ name: 'StorageError', code: 'timeout' })
    await vi.advanceTimersByTimeAsync(1_000 + A_TURN_MS)
    await rejected
    expect(vi.getTimerCount()).toBeLessThanOrEqual(1)
  })
})

describe('options', () => {
  test('a schema is made by the first use, by default', async () => {
    const { asked, pool, storage } = world(null, false)
    await expect(
      postgresStorage(pool, { migrate: false }).findById('ws', 'key'),
    ).rejects.toMatchObject({ code: 'schema_missing' })
    expect(asked).toEqual([])
    expect(await storage.findById('ws', 'key')).toBeNull()
    expect(asked.map(([text]) => text.slice(0, 3))).toEqual(['DO ', 'SEL'])
    const other = world(null, false)
    await other.storage.migrate()
    expect(other.asked).toHaveLength(1)
  })

  test.each([
    [{}, /^miftah_[0-9a-f]{16}$/],
    [{ preparedStatements: false }, /^undefined$/],
  ])('a lookup on a pool of pg with %j is called %s', async (options, name) => {
    const { pool } = world()
    const lookups: { readonly name?: string; readonly values: readonly string[] }[] = []
    const query = (config: { text: string; values: string[]; name?: string }) => {
      if (!config.text.includes('k.hash')) return pool.query(config.text, config.values)
      lookups.push(config)
      return { rows: [] }
    }
    const like = { query, connect: () => undefined } as unknown as PostgresPool
    const storage = postgresStorage(like, options)
    const hashes = ['0', '1', '2'].map((digit) => digit.repeat(64))
    const found = await Promise.all(hashes.map((hash) => storage.findByHash(hash)))
    expect(found).toEqual([null, null, null])
    expect(lookups.map(({ values }) => values)).toEqual([
      [`\\x${hashes[0]}`],
      [`{"\\\\x${hashes[1]}","\\\\x${hashes[2]}"}`],
    ])
    expect(lookups.map((config) => String(config.name))).toEqual([
      ...[expect.stringMatching(name), expect.stringMatching(name)],
    ])
  })
})
