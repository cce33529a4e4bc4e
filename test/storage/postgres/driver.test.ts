import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  driverOf,
  NoAnswer,
  NotSent,
  type PostgresPool,
} from '../../../adapters/storage/lib/postgres/driver.ts'

type Rows = { readonly rows: readonly unknown[] }
type Given = Record<string, unknown>

const STATEMENT = { text: 'SELECT 1', values: ['a'] }
const NAMED = { ...STATEMENT, isNamed: true }

/** The deadline of a call that has so much time. */
const within = (ms: number, signal?: AbortSignal) => ({
  atMs: performance.now() + ms,
  ...(signal ? { signal } : {}),
})

/** A pool that takes a text and its values, and keeps them. */
function textPool(answer: () => Rows = () => ({ rows: [] })) {
  const asked: unknown[][] = []
  const pool: PostgresPool = {
    query: async (...given) => {
      asked.push(given)
      return answer()
    },
  }
  return { pool, asked }
}

/** A pool as `pg` has it, whose connections answer as `query` says. */
function configPool(query: () => Promise<Rows> = async () => ({ rows: [] })) {
  const asked: Given[] = []
  const released: boolean[] = []
  const keep = (config: Given) => {
    asked.push(config)
    return query()
  }
  const client = { query: keep, release: (destroy: boolean) => void released.push(destroy) }
  const box = { connect: async () => client }
  const pool = { query: keep, connect: () => box.connect() }
  return { pool: pool as unknown as PostgresPool, client, asked, released, box }
}

const never = () => new Promise<never>(() => undefined)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a pool that takes a text', () => {
  test.each([STATEMENT, NAMED])('gets text and values of its own: %j', async (statement) => {
    const { pool, asked } = textPool()
    await driverOf(pool, true).send(statement, within(100), true)
    expect(asked).toEqual([['SELECT 1', ['a']]])
    expect(asked[0]?.[1]).not.toBe(statement.values)
  })

  test('is one whose connect is no function', async () => {
    const { pool, asked } = textPool()
    await driverOf(Object.assign(pool, { connect: 'host:5432' }), true).send(NAMED, within(9), true)
    expect(asked).toEqual([['SELECT 1', ['a']]])
  })

  test('what its rows say is the answer, where it is a text', async () => {
    const rows = [{ answer: 'a' }, { answer: 7 }, { other: 'a' }, {}, null, 'answer', undefined]
    const { pool } = textPool(() => ({ rows }))
    const answers = await driverOf(pool, true).send(STATEMENT, within(100), false)
    expect(answers).toEqual(['a', null, null, null, null, null, null])
  })

  test.each([true, false])(
    'what it throws at once becomes a rejection: change %s',
    async (isChange) => {
      const broken = () => {
        throw new Error('broken')
      }
      const sent = driverOf({ query: broken }, true).send(STATEMENT, within(100), isChange)
      await expect(sent).rejects.toThrow('broken')
    },
  )
})

describe('on a pool of pg', () => {
  test('a read goes through the pool, and may take the time that is left', async () => {
    const { pool, asked, released } = configPool()
    for (const ms of [100.5, -5, 2 ** 31, Number.POSITIVE_INFINITY])
      await driverOf(pool, true).send(STATEMENT, within(ms), false)
    expect(asked.map((config) => config['query_timeout'])).toEqual([101, 1, undefined, undefined])
    expect(released).toEqual([])
  })

  test('a change takes a connection, which goes back after an answer', async () => {
    const { pool, asked, released } = configPool(async () => ({ rows: [{ answer: 'yes' }] }))
    expect(await driverOf(pool, true).send(STATEMENT, within(100), true)).toEqual(['yes'])
    expect(asked).toMatchObject([{ ...STATEMENT, name: undefined, query_timeout: 100 }])
    expect(released).toEqual([false])
  })

  test('a connection that has failed is closed, for the next may lead to another server', async () => {
    const { pool, released } = configPool(() => Promise.reject(new Error('read-only')))
    const sent = driverOf(pool, true).send(STATEMENT, within(100), true)
    await expect(sent).rejects.toThrow('read-only')
    expect(released).toEqual([true])
  })

  test('a connection that breaks while a change has it ends no process', async () => {
    const { pool, client, box, released } = configPool()
    const emitter = new EventEmitter()
    const query = async () => {
      expect(emitter.emit('error', new Error('Connection terminated unexpectedly'))).toBe(true)
      return { rows: [] }
    }
    box.connect = async () => Object.assign(emitter, client, { query })
    await driverOf(pool, true).send(STATEMENT, within(100), true)
    expect([released, emitter.listenerCount('error')]).toEqual([[false], 0])
  })

  test('a change without an answer in time keeps its connection until the driver gives it up', async () => {
    let giveUp = (_error: Error) => {}
    const { pool, released } = configPool(
      () =>
        new Promise((_, reject) => {
          giveUp = reject
        }),
    )
    const limit = new AbortController()
    const sent = driverOf(pool, true).send(STATEMENT, within(100, limit.signal), true)
    await vi.advanceTimersByTimeAsync(50)
    limit.abort()
    await expect(sent).rejects.toBeInstanceOf(NoAnswer)
    expect(released).toEqual([])
    giveUp(new Error('Query read timeout'))
    await vi.advanceTimersByTimeAsync(0)
    expect(released).toEqual([true])
  })

  test('a change that gets no connection in time was not sent; one that comes later goes back', async () => {
    const { pool, client, asked, released, box } = configPool()
    let connect = (_client: typeof client) => {}
    box.connect = () =>
      new Promise((resolve) => {
        connect = resolve
      })
    const limit = new AbortController()
    const sent = driverOf(pool, true).send(STATEMENT, within(100, limit.signal), true)
    limit.abort()
    await expect(sent).rejects.toBeInstanceOf(NotSent)
    connect(client)
    await vi.advanceTimersByTimeAsync(0)
    expect([asked, released]).toEqual([[], [false]])
  })

  test.each([
    ['rejects', () => Promise.reject(new Error('no server'))],
    [
      'throws',
      () => {
        throw new Error('no server')
      },
    ],
  ])('a change was not sent where connect %s', async (_, connect) => {
    const { pool, box } = configPool()
    box.connect = connect
    const sent = driverOf(pool, true).send(STATEMENT, within(100), true)
    await expect(sent).rejects.toMatchObject({ cause: { message: 'no server' } })
    await expect(sent).rejects.toBeInstanceOf(NotSent)
  })

  test('a read without an answer in time is given up', async () => {
    const { pool } = configPool(never)
    const limit = new AbortController()
    const sent = driverOf(pool, true).send(STATEMENT, within(100, limit.signal), false)
    limit.abort()
    await expect(sent).rejects.toBeInstanceOf(NoAnswer)
  })
})

describe('the name of a statement', () => {
  const nameOf = async (text: string, named = true, isChange = false) => {
    const { pool, asked } = configPool()
    await driverOf(pool, named).send({ ...NAMED, text }, within(100), isChange)
    return asked[0]?.['name']
  }

  test('follows from its text, so that no other one has it', async () => {
    expect(await nameOf('SELECT 1')).toBe('miftah_bce9e8b2cbc13677')
    expect(await nameOf('SELECT 1', true, true)).toBe('miftah_bce9e8b2cbc13677')
    const texts = Array.from({ length: 50 }, (_, at) => `SELECT ${at}`)
    const names = await Promise.all(texts.map((text) => nameOf(text)))
    expect(new Set(names).size).toBe(50)
    for (const name of names) expect(name).toMatch(/^miftah_[0-9a-f]{16}$/)
  })

  test('is left out where names are turned off, or were forgotten', async () => {
    expect(await nameOf('SELECT 2', false)).toBeUndefined()
    const { pool, asked } = configPool()
    const driver = driverOf(pool, true)
    driver.forgetNames()
    await driver.send(NAMED, within(100), false)
    expect(asked).toMatchObject([{ name: undefined, text: 'SELECT 1' }])
  })
})
