import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Calls } from '../../../adapters/storage/lib/postgres/calls.ts'
import { faultOf } from '../../../adapters/storage/lib/postgres/errors.ts'
import { namesOf } from '../../../adapters/storage/lib/postgres/names.ts'
import { readinessOf } from '../../../adapters/storage/lib/postgres/readiness.ts'
import { SCHEMA_VERSION } from '../../../adapters/storage/lib/postgres/schema/versions.ts'

beforeEach(() => {
  vi.useFakeTimers()
  // The longest pause there is.
  vi.spyOn(Math, 'random').mockReturnValue(1)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** What a server says of itself. */
interface Told {
  readonly version?: unknown
  /** The version of the schema, or `null` where there is none. */
  readonly schema?: number | null
  /** Errors that the next migrations meet, by SQLSTATE. */
  readonly meets?: readonly string[]
  /** Whether a migration has an effect. Default: yes. */
  readonly takes?: boolean
}

const FIT: Told = { version: 140_000, schema: SCHEMA_VERSION }

/** A server that knows its schema and counts what it is asked. */
function world(told: Told, mayMigrate = true) {
  const server = { ...FIT, ...told }
  const meets = [...(told.meets ?? [])]
  const asked = { reads: 0, migrations: [] as number[], values: [] as (readonly string[])[] }
  const calls: Calls = {
    deadline: () => performance.now() + 1_000,
    readAll: async () => [],
    read: async ({ text, values }) => {
      asked.reads += 1
      asked.values.push(values)
      if (text.includes('FROM "miftah"."schema_version"')) {
        return JSON.stringify({ version: server.schema })
      }
      return JSON.stringify({ version: server.version, isInstalled: server.schema !== null })
    },
    change: async (statement, deadline) => {
      asked.migrations.push(deadline - performance.now())
      expect(statement({ isRepeat: false, leftMs: 1 })).toEqual({
        ...{ text: expect.stringMatching(/^DO \$miftah\$/), values: [] },
      })
      const code = meets.shift()
      if (code !== undefined) throw faultOf('refused', 'met', { code })
      return null
    },
  }
  const readiness = readinessOf(calls, namesOf({}), mayMigrate)
  const ensure = (ms = 1_000) => Promise.resolve(readiness.ensure(performance.now() + ms))
  return { server, asked, calls, readiness, ensure }
}

describe('a server that is fit', () => {
  test('is asked once, and then nothing is waited for', async () => {
    const { asked, readiness, ensure } = world({})
    await Promise.all([ensure(), ensure()])
    expect(asked).toEqual({ reads: 2, migrations: [], values: [['"miftah"."schema_version"'], []] })
    expect(readiness.ensure(performance.now())).toBeUndefined()
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each([null, 0])('is migrated by the first use, from version %j', async (schema) => {
    const { asked, ensure } = world({ schema })
    await ensure()
    expect(asked.migrations).toEqual([60_000])
  })

  test('is migrated when asked to, whatever the option says, and once', async () => {
    const { asked, readiness } = world({ schema: null }, false)
    await readiness.migrate()
    expect(asked.migrations).toHaveLength(1)
    expect(readiness.ensure(0)).toBeUndefined()
    const done = world({})
    await done.readiness.migrate()
    expect(done.asked.migrations).toEqual([])
  })
})

describe('a server that is unfit', () => {
  test.each<readonly [Told, string, string]>([
    [{ version: 139_999 }, 'refused', 'PostgreSQL 14 or newer is needed'],
    [
      { schema: SCHEMA_VERSION + 1 },
      'schema_too_new',
      `the schema is at version ${SCHEMA_VERSION + 1}, this release knows up to ${SCHEMA_VERSION}:` +
        ' update miftah in this process',
    ],
  ])('%j', async (told, code, message) => {
    for (const mayMigrate of [true, false]) {
      const { ensure, readiness, asked } = world(told, mayMigrate)
      await expect(ensure()).rejects.toMatchObject({ name: 'StorageError', code, message })
      await expect(readiness.migrate()).rejects.toMatchObject({ code })
      expect(asked.migrations).toEqual([])
    }
  })

  test.each([
    [null, 'there is no schema'],
    [SCHEMA_VERSION - 1, SCHEMA_VERSION === 1 ? 'there is no schema' : 'the schema is at version '],
  ])('has the schema %j and may not get one', async (schema, found) => {
    const { ensure } = world({ schema }, false)
    await expect(ensure()).rejects.toMatchObject({
      code: 'schema_missing',
      message: expect.stringMatching(
        new RegExp(
          `^${found}.*, version ${SCHEMA_VERSION} is needed: apply the SQL of postgresSchema`,
        ),
      ),
    })
  })

  test('is asked again by the next use', async () => {
    const { server, ensure, asked } = world({ version: 139_999 })
    await expect(ensure()).rejects.toMatchObject({ code: 'refused' })
    server.version = 140_000
    await ensure()
    expect(asked.reads).toBe(3)
  })

  test('one that answers no row is not taken for a new one', async () => {
    const { calls } = world({})
    const silent = readinessOf({ ...calls, read: async () => null }, namesOf({}), true)
    await expect(silent.migrate()).rejects.toMatchObject({ code: 'refused' })
  })
})

/** What a call comes to when all that it waits for has passed. */
async function afterPauses<T>(call: Promise<T>): Promise<T> {
  call.catch(() => undefined)
  await vi.runAllTimersAsync()
  return call
}

describe('a migration that meets another', () => {
  const met = ['23505', '42P06', '42P07', '42710', '42723', '40001', '55P03']

  test.each(met)('is tried again after %s', async (code) => {
    const { asked, ensure } = world({ schema: null, meets: [code] })
    await afterPauses(ensure())
    expect(asked.migrations).toHaveLength(2)
  })

  test('is tried five times', async () => {
    const { asked, ensure } = world({ schema: null, meets: met })
    const fifth = { code: 'refused', cause: { code: '42723' } }
    await expect(afterPauses(ensure())).rejects.toMatchObject(fifth)
    // The deadlines of the attempts: each pause is longer than the one before.
    expect(asked.migrations).toEqual([60_000, 59_990, 59_970, 59_930, 59_850])
    const four = world({ schema: null, meets: met.slice(0, 4) })
    await afterPauses(four.ensure())
    expect(four.asked.migrations).toHaveLength(5)
  })

  test('is not tried again after anything else', async () => {
    const { asked, calls, ensure } = world({ schema: null, meets: ['42501'] })
    await expect(ensure()).rejects.toMatchObject({ cause: { code: '42501' } })
    expect(asked.migrations).toHaveLength(1)
    const change = vi.fn(async () => Promise.reject({ cause: { code: '42P07' } }))
    const odd = readinessOf({ ...calls, change }, namesOf({}), true)
    await expect(odd.migrate()).rejects.toEqual({ cause: { code: '42P07' } })
    expect(change).toHaveBeenCalledOnce()
  })
})

describe('who waits', () => {
  test('no longer than its deadline, while the work goes on', async () => {
    const { calls, asked } = world({ schema: null })
    vi.advanceTimersByTime(1_000)
    let finish: () => void = () => undefined
    const change: Calls['change'] = () =>
      new Promise((resolve) => {
        asked.migrations.push(0)
        finish = () => resolve(null)
      })
    const readiness = readinessOf({ ...calls, change }, namesOf({}), true)
    const early = Promise.resolve(readiness.ensure(performance.now() + 100))
    const late = Promise.resolve(readiness.ensure(performance.now() + 200))
    let isLate = true
    void late.then(() => (isLate = false))
    const rejected = expect(early).rejects.toMatchObject({
      ...{ name: 'StorageError', code: 'timeout', message: 'PostgreSQL was not ready in time' },
    })
    await vi.advanceTimersByTimeAsync(99)
    expect(vi.getTimerCount()).toBe(2)
    await vi.advanceTimersByTimeAsync(1)
    await rejected
    expect([vi.getTimerCount(), isLate]).toEqual([1, true])
    finish()
    await vi.advanceTimersByTimeAsync(0)
    expect([vi.getTimerCount(), isLate, asked.migrations]).toEqual([0, false, [0]])
    expect(readiness.ensure(performance.now())).toBeUndefined()
  })

  test('whose deadline has passed is told at once', async () => {
    const { calls } = world({})
    const never = new Promise<never>(() => undefined)
    const readiness = readinessOf({ ...calls, read: () => never }, namesOf({}), true)
    const rejected = expect(readiness.ensure(performance.now() - 5)).rejects.toMatchObject({
      code: 'timeout',
    })
    await vi.advanceTimersByTimeAsync(1)
    await rejected
  })
})
