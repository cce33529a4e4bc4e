import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { driverOf, type PostgresPool } from '../../../adapters/storage/lib/postgres/driver.ts'

type Rows = { readonly rows: readonly unknown[] }
type Asked = Record<string, unknown>

const STATEMENT = { text: 'SELECT 1', values: ['a'] }
const LOOKUP = { ...STATEMENT, isLookup: true }

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

/** A pool as `pg` has it, which reads nothing of what it is given until a test does. */
function configPool(connect: unknown = () => undefined) {
  const asked: Asked[] = []
  const query = async (given: Asked): Promise<Rows> => {
    asked.push(given)
    return { rows: [] }
  }
  return { pool: Object.assign({ query }, { connect }) as unknown as PostgresPool, asked }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a pool that takes a text', () => {
  test.each([STATEMENT, LOOKUP])('gets text and values: %j', async (statement) => {
    const { pool, asked } = textPool()
    const sending = driverOf(pool, true).send(statement, 100)
    expect(sending.wasSent()).toBe(true)
    sending.abandon()
    await sending.answers
    expect(asked).toEqual([['SELECT 1', ['a']]])
  })

  test('gets values of its own', async () => {
    const { pool, asked } = textPool()
    await driverOf(pool, true).send(STATEMENT, 100).answers
    expect(asked[0]?.[1]).not.toBe(STATEMENT.values)
  })

  test('is one whose connect is no function', async () => {
    const { pool, asked } = configPool('host:5432')
    await driverOf(pool, true).send(STATEMENT, 100).answers
    expect(asked).toEqual(['SELECT 1'])
  })

  test('what its rows say is the answer, where it is a text', async () => {
    const rows = [{ answer: 'a' }, { answer: 7 }, { other: 'a' }, {}, null, 'answer', undefined]
    const { pool } = textPool(() => ({ rows }))
    const answers = await driverOf(pool, true).send(STATEMENT, 100).answers
    expect(answers).toEqual(['a', null, null, null, null, null, null])
  })

  test('what it throws at once becomes a rejection', async () => {
    const pool: PostgresPool = {
      query: () => {
        throw new Error('broken')
      },
    }
    const { answers } = driverOf(pool, true).send(STATEMENT, 100)
    await expect(answers).rejects.toThrow('broken')
  })
})

describe('a statement on a pool of pg', () => {
  const sent = () => {
    const { pool, asked } = configPool()
    const sending = driverOf(pool, true).send(STATEMENT, 100)
    const [config = {}] = asked
    return { sending, config }
  }

  test('has no name, and is sent when it is read', () => {
    const { sending, config } = sent()
    expect(sending.wasSent()).toBe(false)
    expect([config['name'], config['values'], sending.wasSent()]).toEqual([undefined, ['a'], false])
    expect([config['text'], sending.wasSent()]).toEqual(['SELECT 1', true])
    expect(config['values']).toEqual(['a'])
  })

  test('is empty once it was given up, and not sent', () => {
    const { sending, config } = sent()
    sending.abandon()
    expect([config['text'], config['values'], sending.wasSent()]).toEqual(['', undefined, false])
  })

  test('stays sent when it is given up later', () => {
    const { sending, config } = sent()
    expect(config['text']).toBe('SELECT 1')
    sending.abandon()
    expect([config['text'], sending.wasSent()]).toEqual(['', true])
  })

  test('may take what is left of its time, and a millisecond at least', () => {
    const { config } = sent()
    expect(config['query_timeout']).toBe(100)
    vi.advanceTimersByTime(40)
    expect(config['query_timeout']).toBe(60)
    vi.advanceTimersByTime(1_000)
    expect(config['query_timeout']).toBe(1)
  })

  test.each([2 ** 31, Number.POSITIVE_INFINITY])('has no limit with %d ms left', async (ms) => {
    const { pool, asked } = configPool()
    for (const statement of [STATEMENT, LOOKUP]) driverOf(pool, true).send(statement, ms)
    expect(asked.map((config) => config['query_timeout'])).toEqual([undefined, undefined])
    driverOf(pool, true).send(STATEMENT, 2 ** 31 - 1)
    expect(asked[2]?.['query_timeout']).toBe(2 ** 31 - 1)
  })
})

describe('a lookup on a pool of pg', () => {
  const lookUp = (text: string, named = true) => {
    const { pool, asked } = configPool()
    const driver = driverOf(pool, named)
    const send = () => {
      const sending = driver.send({ ...LOOKUP, text }, 100.5)
      return { sending, config: asked.at(-1) ?? {} }
    }
    return { send, driver }
  }

  test('has a name that follows from its text, and is never said to be sent', () => {
    const { sending, config } = lookUp('SELECT 1').send()
    expect(config).toMatchObject({
      ...{ name: 'miftah_bce9e8b2cbc13677', text: 'SELECT 1', values: ['a'], query_timeout: 101 },
    })
    expect(sending.wasSent()).toBe(false)
  })

  test('may take the time that is left, whatever those before it had', () => {
    const { pool, asked } = configPool()
    const driver = driverOf(pool, true)
    for (const ms of [100, 50, 100]) driver.send(LOOKUP, ms)
    expect(asked.map((config) => config['query_timeout'])).toEqual([100, 50, 100])
  })

  test('has the same name each time, and other texts have others', () => {
    const nameOf = (text: string) => lookUp(text).send().config['name']
    const texts = Array.from({ length: 50 }, (_, at) => `SELECT ${at}`)
    const names = texts.map(nameOf)
    expect(texts.map(nameOf)).toEqual(names)
    expect(new Set(names).size).toBe(50)
    for (const name of names) expect(name).toMatch(/^miftah_[0-9a-f]{16}$/)
  })

  test('has none where names are turned off, or were forgotten', () => {
    expect(lookUp('SELECT 2', false).send().config['name']).toBeUndefined()
    const { send, driver } = lookUp('SELECT 2')
    expect(send().config['name']).toBeDefined()
    driver.forgetNames()
    expect(send().config).toMatchObject({ name: undefined, text: 'SELECT 2' })
  })

  test('may take a millisecond at least', () => {
    const { pool, asked } = configPool()
    driverOf(pool, true).send(LOOKUP, -5)
    expect(asked[0]?.['query_timeout']).toBe(1)
  })
})
