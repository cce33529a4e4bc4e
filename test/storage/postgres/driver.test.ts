import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { NoAnswer } from '../../../adapters/storage/lib/attempts.ts'
import { callsOf } from '../../../adapters/storage/lib/postgres/calls.ts'
import { driverOf, type PostgresPool } from '../../../adapters/storage/lib/postgres/driver.ts'

type Rows = { readonly rows: readonly unknown[] }

const NAMED = { text: 'SELECT 1', values: ['a'], isNamed: true }
const NO_ROWS = async (): Promise<Rows> => ({ rows: [] })
const never = () => new Promise<never>(() => undefined)

function withResolvers<T>() {
  let [resolve, reject] = [(_value: T) => {}, (_error: Error) => {}]
  const promise = new Promise<T>((resolved, rejected) => {
    ;[resolve, reject] = [resolved, rejected]
  })
  return { promise, resolve, reject }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** The deadline of a call that has so much time, and how it is given up. */
function within(ms: number) {
  const limit = new AbortController()
  return { deadline: { atMs: performance.now() + ms, signal: limit.signal }, limit }
}

/** What a driver of a pool is given and answers. */
function driverOn(pool: object, named = true) {
  const send = driverOf(pool as PostgresPool, named)
  const box = { isSent: false }
  const sent = () => {
    box.isSent = true
  }
  const { deadline, limit } = within(100)
  const run = (isChange: boolean, statement = NAMED) => send(statement, deadline, isChange, sent)
  return { send, run, limit, box }
}

/** A pool as `pg` has it, whose connections answer as `query` says. */
function configPool(query: (config: Record<string, unknown>) => Promise<Rows> = NO_ROWS) {
  const asked: Record<string, unknown>[] = []
  const released: boolean[] = []
  const keep = (config: Record<string, unknown>) => {
    asked.push(config)
    return query(config)
  }
  const client = { query: keep, release: (destroy: boolean) => void released.push(destroy) }
  const pool = { query: keep, connect: async (): Promise<unknown> => client }
  return { pool, client, asked, released }
}

describe('a pool that takes a text', () => {
  test.each([undefined, 'host:5432'])('gets text and values of its own', async (connect) => {
    const query = vi.fn(NO_ROWS)
    await driverOn({ query, connect }).run(true)
    expect(query.mock.calls).toEqual([['SELECT 1', ['a']]])
    expect((query.mock.calls as unknown[][])[0]?.[1]).not.toBe(NAMED.values)
  })

  test('what its rows say is the answer, where it is a text', async () => {
    const rows = [{ answer: 'a' }, { answer: 7 }, { other: 'a' }, {}, null, 'answer', undefined]
    const answers = await driverOn({ query: async () => ({ rows }) }).run(false)
    expect(answers).toEqual(['a', null, null, null, null, null, null])
  })

  test.each([true, false])('what it throws at once is a rejection: %s', async (isChange) => {
    const query = () => {
      throw new Error('broken')
    }
    await expect(driverOn({ query }).run(isChange)).rejects.toThrow('broken')
  })
})

describe('on a pool of pg', () => {
  test('a read goes through the pool, and may take the time that is left', async () => {
    const { pool, asked, released } = configPool()
    const { send } = driverOn(pool)
    for (const ms of [100.5, -5, 2 ** 31, Number.POSITIVE_INFINITY])
      await send(NAMED, within(ms).deadline, false, () => undefined)
    expect(asked.map((config) => config['query_timeout'])).toEqual([101, 1, undefined, undefined])
    expect(released).toEqual([])
  })

  test('a change takes a connection, which goes back after an answer', async () => {
    const { pool, asked, released } = configPool(async () => ({ rows: [{ answer: 'yes' }] }))
    const { run, box } = driverOn(pool, false)
    expect(await run(true)).toEqual(['yes'])
    const config = { text: 'SELECT 1', values: ['a'], name: undefined, query_timeout: 100 }
    expect([asked, released, box.isSent]).toEqual([[config], [false], true])
  })

  test('a connection that has failed is closed, for the next may lead to another server', async () => {
    const { pool, released } = configPool(() => Promise.reject(new Error('read-only')))
    await expect(driverOn(pool).run(true)).rejects.toThrow('read-only')
    expect(released).toEqual([true])
  })

  test('a connection that breaks while a change has it ends no process', async () => {
    const { pool, client, released } = configPool()
    const emitter = new EventEmitter()
    const query = async () => {
      expect(emitter.emit('error', new Error('Connection terminated unexpectedly'))).toBe(true)
      return { rows: [] }
    }
    pool.connect = async () => Object.assign(emitter, client, { query })
    await driverOn(pool).run(true)
    expect([released, emitter.listenerCount('error')]).toEqual([[false], 0])
  })

  test('a change without an answer in time keeps its connection until the driver gives it up', async () => {
    const { promise, reject } = withResolvers<Rows>()
    const { pool, released } = configPool(() => promise)
    const { run, limit } = driverOn(pool)
    const answer = run(true)
    await vi.advanceTimersByTimeAsync(50)
    limit.abort()
    await expect(answer).rejects.toBeInstanceOf(NoAnswer)
    expect(released).toEqual([])
    reject(new Error('Query read timeout'))
    await vi.advanceTimersByTimeAsync(0)
    expect(released).toEqual([true])
  })

  test('a change that gets no connection in time was not sent; one that comes later goes back', async () => {
    const { pool, client, asked, released } = configPool()
    const { promise, resolve } = withResolvers<unknown>()
    pool.connect = () => promise
    const { run, limit, box } = driverOn(pool)
    const answer = run(true)
    limit.abort()
    await expect(answer).rejects.toBeInstanceOf(NoAnswer)
    resolve(client)
    await vi.advanceTimersByTimeAsync(0)
    expect([asked, released, box.isSent]).toEqual([[], [false], false])
  })

  test.each([
    () => Promise.reject(new Error('no server')),
    () => {
      throw new Error('no server')
    },
  ])('a change was not sent where connect fails', async (connect) => {
    const { run, box } = driverOn({ ...configPool().pool, connect })
    await expect(run(true)).rejects.toThrow('no server')
    expect(box.isSent).toBe(false)
  })

  test('a read without an answer in time is given up', async () => {
    const { run, limit } = driverOn(configPool(never).pool)
    const answer = run(false)
    limit.abort()
    await expect(answer).rejects.toBeInstanceOf(NoAnswer)
  })
})

describe('the name of a statement', () => {
  test('follows from its text, so that no other one has it', async () => {
    const { pool, asked } = configPool()
    const { run } = driverOn(pool)
    for (const isChange of [false, true]) await run(isChange)
    for (let at = 2; at < 50; at += 1) await run(false, { ...NAMED, text: `SELECT ${at}` })
    const [first, second, ...others] = asked.map(({ name }) => name)
    expect([first, second]).toEqual(Array(2).fill('miftah_bce9e8b2cbc13677'))
    expect(new Set(others).size).toBe(48)
    for (const name of others) expect(name).toMatch(/^miftah_[0-9a-f]{16}$/)
  })

  test.each(['26000', '42P05', '0A000'])(
    'is left out from then on where it is lost: %s',
    async (code) => {
      for (const isChange of [true, false]) {
        const { pool, asked } = configPool(({ name }) =>
          name ? Promise.reject(Object.assign(new Error('lost'), { code })) : NO_ROWS(),
        )
        const { run } = driverOn(pool)
        await run(isChange)
        await run(isChange)
        const names = asked.map(({ name }) => name)
        expect(names).toEqual([expect.any(String), undefined, undefined])
      }
    },
  )

  test.each(['26000', '40001'])(
    'is not the matter where it had none, or not with %s',
    async (code) => {
      const { pool, asked } = configPool(() => Promise.reject(Object.assign(new Error(), { code })))
      const { run } = driverOn(pool)
      await expect(run(false)).rejects.toMatchObject({ code })
      expect(asked).toHaveLength(code === '26000' ? 2 : 1)
    },
  )
})

test.each([
  [5_000, '3000'],
  [Number.POSITIVE_INFINITY, '2000'],
  [2 ** 40, '2147483647'],
  [1, '1'],
])('a change of a call with %d ms may wait %s ms for a lock', async (ms, lockMs) => {
  const make = (text: string) => ({ text, values: [] })
  const calls = callsOf(async ({ text }) => [text, 'more'])
  expect(await calls.one('write', make, within(ms).deadline)).toBe(lockMs)
  expect(await calls.all('read', make, within(ms).deadline)).toEqual([lockMs, 'more'])
})
