import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { NoAnswer } from '../../../adapters/storage/lib/attempts.ts'
import { callsOf } from '../../../adapters/storage/lib/postgres/ask.ts'
import {
  driverOf,
  named,
  type PostgresPool,
} from '../../../adapters/storage/lib/postgres/driver.ts'

/* What a real server cannot time; drivers.test.ts and failover.test.ts have real ones. */

type Query = (config: Record<string, unknown>) => Promise<{ readonly rows: readonly unknown[] }>

const NAMED = { ...named('SELECT 1'), values: ['a'] }
const NO_ROWS: Query = async () => ({ rows: [] })
const failing =
  (code: string): Query =>
  () =>
    Promise.reject(Object.assign(new Error(code), { code }))

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** The deadline of a call that has so much time, and how it is given up. */
function within(ms: number) {
  const limit = new AbortController()
  return { deadline: { atMs: performance.now() + ms, signal: limit.signal }, limit }
}

/** A driver, a way to run statements on it within 100 ms, and what says that one was sent. */
function driverOn(pool: object) {
  const send = driverOf(pool as PostgresPool, true)
  const sent = vi.fn()
  const { deadline, limit } = within(100)
  const run = (isChange: boolean, text = NAMED.text) =>
    send({ ...NAMED, ...named(text) }, deadline, isChange, sent)
  return { send, run, limit, sent }
}

/** A pool as `pg` has it, whose connections answer as `query` says. */
function configPool(answer: Query = NO_ROWS) {
  const released: boolean[] = []
  const query = vi.fn(answer)
  const client = { query, release: (destroy: boolean) => void released.push(destroy) }
  const pool = { query, connect: async (): Promise<unknown> => client }
  const namesIn = () => query.mock.calls.map(([{ name }]) => name)
  return { pool, client, query, released, namesIn }
}

describe('a pool that takes a text', () => {
  test.each([undefined, 'host:5432'])('gets text and values of its own', async (connect) => {
    const query = vi.fn(async (_text: string, _values: string[]) => ({ rows: [] }))
    await driverOn({ query, connect }).run(true)
    expect(query.mock.calls).toEqual([['SELECT 1', ['a']]])
    expect(query.mock.calls[0]?.[1]).not.toBe(NAMED.values)
  })

  test('what its rows say is the answer, where it is a text', async () => {
    const rows = [{ answer: 'a' }, { answer: 7 }, { other: 'a' }, {}, null, 'answer', undefined]
    const answers = await driverOn({ query: async () => ({ rows }) }).run(false)
    expect(answers).toEqual(['a', null, null, null, null, null, null])
  })
})

describe('on a pool of pg', () => {
  test('a read goes through the pool, and may take the time that is left', async () => {
    const { pool, query, released } = configPool()
    const { send } = driverOn(pool)
    for (const ms of [100.5, -5, 2 ** 31, Number.POSITIVE_INFINITY])
      await send(NAMED, within(ms).deadline, false, () => undefined)
    const timeouts = query.mock.calls.map(([config]) => config['query_timeout'])
    expect(timeouts).toEqual([101, 1, undefined, undefined])
    expect(released).toEqual([])
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
    const failures = new EventEmitter()
    const { pool, released } = configPool(
      () => new Promise((_, reject) => void failures.once('failure', reject)),
    )
    const { run, limit } = driverOn(pool)
    const answer = run(true)
    await vi.advanceTimersByTimeAsync(50)
    limit.abort()
    await expect(answer).rejects.toBeInstanceOf(NoAnswer)
    expect(released).toEqual([])
    failures.emit('failure', new Error('Query read timeout'))
    await vi.advanceTimersByTimeAsync(0)
    expect(released).toEqual([true])
  })

  test('a change that gets no connection in time was not sent; one that comes later goes back', async () => {
    const { pool, client, query, released } = configPool()
    const connections = new EventEmitter()
    pool.connect = () => new Promise((resolve) => void connections.once('connection', resolve))
    const { run, limit, sent } = driverOn(pool)
    const answer = run(true)
    limit.abort()
    await expect(answer).rejects.toBeInstanceOf(NoAnswer)
    connections.emit('connection', client)
    await vi.advanceTimersByTimeAsync(0)
    expect([query.mock.calls, released]).toEqual([[], [false]])
    expect(sent).not.toHaveBeenCalled()
  })
})

describe('the name of a statement', () => {
  test('follows from its text, so that no other one has it', async () => {
    const { pool, namesIn } = configPool()
    const { run } = driverOn(pool)
    for (const isChange of [false, true]) await run(isChange)
    for (let at = 2; at < 50; at += 1) await run(false, `SELECT ${at}`)
    const [first, second, ...others] = namesIn()
    expect([first, second]).toEqual(Array(2).fill('miftah_e004ebd5b5532a4b'))
    expect(new Set(others).size).toBe(48)
    for (const name of others) expect(name).toMatch(/^miftah_[0-9a-f]{16}$/)
  })

  test.each([
    ['26000', 2],
    ['40001', 1],
  ])('is not the matter without one, or not with %s', async (code, attempts) => {
    const { pool, query } = configPool(failing(code))
    await expect(driverOn(pool).run(false)).rejects.toMatchObject({ code })
    expect(query).toHaveBeenCalledTimes(attempts)
  })
})

test.each([
  [5_000, '3000'],
  [Number.POSITIVE_INFINITY, '2000'],
  [2 ** 40, '2147483647'],
  [1, '1'],
])('a change of a call with %d ms may wait %s ms for a lock', async (ms, lockMs) => {
  const calls = callsOf(async ({ values }) => values)
  const { deadline } = within(ms)
  const statement = { text: '', values: ['a', 'b'] }
  expect(await calls.one('write', statement, deadline)).toBe(lockMs)
  expect(await calls.all('change', statement, deadline)).toEqual([lockMs, 'a', 'b'])
  expect(await calls.all('change', { text: '', values: [] }, deadline)).toEqual([])
  expect(await calls.all('read', statement, deadline)).toEqual(['a', 'b'])
})
