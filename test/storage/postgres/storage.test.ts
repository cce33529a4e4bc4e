import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { KEY_COLUMNS } from '../../../adapters/storage/lib/sql/columns.ts'
import {
  type PostgresPool,
  postgresSchema,
  postgresStorage,
} from '../../../adapters/storage/postgres.ts'
import { sampleInsertion, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { withinTime } from '../../../src/lib/within-time.ts'
import { CHANGES, READS } from '../../support/storage-calls.ts'
import { rejection } from '../../support/world.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

type Asked = readonly [text: string, values: readonly string[]]

/** A pool on a server whose tables are there, and which answers the same, or what `fail` throws, to everything else. */
function world(answer: string | null, fail: (asked: Asked) => unknown = () => null) {
  const asked: Asked[] = []
  const pool: PostgresPool = {
    query: async (text, values = []) => {
      if (text.includes('miftah_schema') && !text.startsWith('DO'))
        return { rows: [{ answer: '1' }] }
      asked.push([text, values])
      const error = await fail([text, values])
      if (error) throw error
      return { rows: [{ answer }] }
    },
  }
  return { asked, pool, storage: postgresStorage(pool) }
}

const stepOf = (workspaceId: string) => sampleInsertion(sampleRecord({ workspaceId }))
const stored = (...ids: readonly string[]) => JSON.stringify({ stored: ids, isLogged: true })
const idsIn = ([, [, json = '']]: Asked) =>
  (JSON.parse(json) as readonly { workspaceId: string }[]).map(({ workspaceId }) => workspaceId)
const failed = (code: string) => Object.assign(new Error('failed'), { code, severity: 'ERROR' })

describe('write', () => {
  test('holds what it was given when it was called', async () => {
    const { asked, storage } = world(stored('before'))
    const step = { ...stepOf('before') }
    const writing = storage.write([step])
    step.workspaceId = 'after'
    expect(await writing).toEqual([{ outcome: 'stored', isLogged: true }])
    expect(asked.map(idsIn)).toEqual([['before']])
  })

  test('takes 50 steps in a statement, and answers in their order', async () => {
    const ids = Array.from({ length: 101 }, (_, at) => `ws_${at}`)
    const { asked, storage } = world(stored(...ids.filter((_, at) => at % 2 === 0)))
    const outcomes = await storage.write(ids.map(stepOf))
    expect(asked.map((one) => idsIn(one).length)).toEqual([50, 50, 1])
    expect(outcomes.map(({ outcome }) => outcome === 'stored')).toEqual(
      ids.map((_, at) => at % 2 === 0),
    )
    expect(await storage.write([])).toEqual([])
  })

  test.each([
    ['a', 'unstorable_value'],
    ['b', 'outcome_unknown'],
  ])('says of a list in parts whose member %s fails %s', async (bad, code) => {
    const fail = (one: Asked) => {
      if (idsIn(one).length > 1) return failed('23505')
      return idsIn(one)[0] === bad ? failed('22P05') : null
    }
    const { storage } = world(stored('a', 'b'), fail)
    expect(await rejection(storage.write(['a', 'b'].map(stepOf)))).toMatchObject({ code })
  })

  test('does not say that a part is stored or not where the answer cannot be read', async () => {
    for (const answer of [null, 'nonsense', '{}', '{"stored":7}']) {
      const error = await rejection(world(answer).storage.write([stepOf('a')]))
      expect(error).toMatchObject({ code: 'outcome_unknown' })
    }
  })
})

describe('lookups that share a statement', () => {
  const hashOf = (n: number) => String(n).padStart(64, '0')

  /** A row as the server writes it. */
  function lineOf(hash: string): string {
    const record = sampleRecord({ id: 'key_1' })
    const cells = KEY_COLUMNS.map(({ name, of }) => [name, of(record)])
    const { hash: _hash, ...others } = Object.fromEntries(cells)
    return JSON.stringify([hash, ...Object.values(others)])
  }

  /** What becomes of 16 lookups, of which the first is sent alone. */
  async function lookedUp(answer: (hashes: readonly string[]) => readonly (string | null)[]) {
    const query: PostgresPool['query'] = async (text, [value = ''] = []) => {
      if (text.includes('miftah_schema')) return { rows: [{ answer: '1' }] }
      const hashes = value.match(/[0-9a-f]{64}/g) ?? []
      return { rows: answer(hashes).map((line) => ({ answer: line })) }
    }
    const storage = postgresStorage({ query })
    await storage.migrate()
    const all = Array.from({ length: 16 }, async (_, n) => storage.findByHash(hashOf(n)))
    const outcomes = Promise.allSettled(all)
    await new Promise((resolve) => setImmediate(resolve))
    await vi.runAllTimersAsync()
    return (await outcomes).map((one) =>
      one.status === 'fulfilled' ? one.value?.hash : one.reason.code,
    )
  }

  test.each([null, '()', lineOf(hashOf(99))])(
    'get no answer from a line of another key, %j, which may belong to anyone',
    async (line) => {
      const found = await lookedUp((hashes) => [line, ...hashes.slice(0, -1).map(lineOf)])
      expect(found.at(-1)).toBe('broken_row')
      expect(found.slice(1, -1)).toEqual(Array.from({ length: 14 }, (_, n) => hashOf(n + 1)))
    },
  )

  test.each(['22021', 'XX001', 'XX002', '58030'])('are sent one by one after %s', async (code) => {
    const sizes: number[] = []
    const found = await lookedUp((hashes) => {
      sizes.push(hashes.length)
      if (hashes.includes(hashOf(5))) throw failed(code)
      return hashes.map(lineOf)
    })
    expect(found).toEqual(Array.from({ length: 16 }, (_, n) => (n === 5 ? 'refused' : hashOf(n))))
    expect(new Set(sizes)).toEqual(new Set([1, 15]))
  })
})

describe('a call that is over', () => {
  const VERBS = [
    ...Object.entries(READS).map(([name, verb]) => [name, 'timeout', verb] as const),
    ...Object.entries(CHANGES).map(([name, verb]) => [name, 'outcome_unknown', verb] as const),
  ]

  test.each(VERBS)('%s says %s before the core stops waiting', async (_, code, verb) => {
    const { storage } = world(null, () => new Promise(() => undefined))
    const late = withinTime({ timeoutMs: 1_000 }, async (call) => verb(storage, call))
    const rejected = expect(late).rejects.toMatchObject({ name: 'StorageError', code })
    await vi.advanceTimersByTimeAsync(1_001)
    await rejected
  })

  test.each(VERBS)('%s says timeout while the schema is not known', async (_, _code, verb) => {
    const storage = postgresStorage({ query: () => new Promise(() => undefined) })
    const late = withinTime({ timeoutMs: 1_000 }, async (call) => verb(storage, call))
    const rejected = expect(late).rejects.toMatchObject({ name: 'StorageError', code: 'timeout' })
    await vi.advanceTimersByTimeAsync(1_001)
    await rejected
  })
})

describe('the name of the schema', () => {
  const message =
    'Option "schema" must be lower-case letters, digits and _, and no schema of PostgreSQL itself.'
  const { pool } = world(null)

  test.each([
    '',
    'Auth',
    'a"b',
    '1a',
    'a-b',
    'pg_keys',
    'information_schema',
    'a'.repeat(64),
    Object('a'),
  ])('is not %j', (schema) => {
    expect(() => postgresStorage(pool, { schema })).toThrow(new TypeError(message))
    expect(() => postgresSchema({ schema })).toThrow(new TypeError(message))
  })

  test.each(['public', 'auth', '_1', 'a'.repeat(63)])('is %j', (schema) => {
    expect(postgresSchema({ schema })).toContain(`"${schema}".miftah_keys`)
  })
})
