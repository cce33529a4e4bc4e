import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { untilAborted } from '../../../adapters/storage/lib/deadline.ts'
import type { Calls } from '../../../adapters/storage/lib/postgres/calls.ts'
import type { Statement } from '../../../adapters/storage/lib/postgres/driver.ts'
import { faultOf, type Kind } from '../../../adapters/storage/lib/postgres/errors.ts'
import { Readiness } from '../../../adapters/storage/lib/postgres/readiness.ts'
import { SCHEMA_VERSION } from '../../../adapters/storage/lib/postgres/schema.ts'
import { StorageError } from '../../../adapters/storage/postgres.ts'
import type { StorageCall } from '../../../src/storage/index.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** What a server is like. */
interface ServerState {
  /** The version of the tables, or the SQLSTATE that the server answers instead. */
  readonly version?: number | string | null
  readonly hasOldTables?: boolean
  /** The SQLSTATEs that the next migrations fail with. */
  readonly meets?: readonly string[]
}

/** A server that knows its version and counts what it is asked. */
function world(
  { version = SCHEMA_VERSION, hasOldTables = false, meets = [] }: ServerState,
  mayMigrate = true,
) {
  const failures = [...meets]
  const server = { version }
  const asked = { reads: [] as string[], migrations: [] as number[] }
  const failed = (code: string) => faultOf('refused', 'met', { code })
  const one = vi.fn<Calls['one']>(async (kind, statement, deadline) => {
    const { text } = statement as Statement
    if (kind === 'change') {
      asked.migrations.push(deadline.atMs - performance.now())
      const code = failures.shift()
      if (code !== undefined) throw failed(code)
      server.version = SCHEMA_VERSION
      return null
    }
    asked.reads.push(text)
    if (text.includes('pg_class')) return String(hasOldTables)
    if (typeof server.version === 'string') throw failed(server.version)
    return server.version === null ? null : String(server.version)
  })
  const readiness = new Readiness({ one, all: async () => [] }, 'auth', mayMigrate)
  const ensure = (call?: StorageCall) => Promise.resolve(readiness.ensure(call))
  return { server, asked, one, readiness, ensure }
}

/** A call that is over when the test says so. */
function callOf(timeoutMs: number) {
  const limit = new AbortController()
  return { timeoutMs, signal: limit.signal, abort: () => limit.abort() }
}

const MISSING = ['42P01', '3F000']

describe('a server that has the tables', () => {
  test('gets one statement, and later calls wait for nothing', async () => {
    const { asked, readiness, ensure } = world({})
    await Promise.all([ensure(), ensure(callOf(100))])
    expect(asked.reads).toEqual([expect.stringContaining('FROM "auth".miftah_schema')])
    expect(asked.migrations).toEqual([])
    expect(readiness.ensure(undefined)).toBeUndefined()
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each(MISSING)('gets them by the first use, after %s', async (version) => {
    const { asked, ensure } = world({ version })
    await ensure()
    expect(asked.migrations).toEqual([60_000])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('gets them by migrate(), whatever the option says, and once', async () => {
    const { asked, readiness } = world({ version: '42P01' }, false)
    await readiness.migrate()
    expect(asked.migrations).toHaveLength(1)
    expect(readiness.ensure(undefined)).toBeUndefined()
    const done = world({})
    await done.readiness.migrate()
    expect(done.asked.migrations).toEqual([])
  })
})

describe('a server that cannot be used', () => {
  test.each([true, false])('has tables of a later release: migrate %s', async (mayMigrate) => {
    const { ensure, readiness, asked } = world({ version: SCHEMA_VERSION + 1 }, mayMigrate)
    await expect(ensure()).rejects.toMatchObject({
      ...{ name: 'StorageError', code: 'schema_too_new' },
      message: expect.stringContaining('the schema "auth"'),
    })
    await expect(readiness.migrate()).rejects.toMatchObject({ code: 'schema_too_new' })
    expect(asked.migrations).toEqual([])
  })

  test.each([true, false])('has tables of a version before 1: migrate %s', async (mayMigrate) => {
    const old = { version: '42P01', hasOldTables: true }
    const { ensure, asked } = world(old, mayMigrate)
    await expect(ensure()).rejects.toMatchObject({
      code: 'schema_foreign',
      message: expect.stringMatching(/the schema "auth".*before 1: use a new schema$/),
    })
    expect(asked.migrations).toEqual([])
  })

  test.each(MISSING)('has no tables, and gets none, after %s', async (version) => {
    const { ensure, asked } = world({ version }, false)
    await expect(ensure()).rejects.toMatchObject({
      code: 'schema_missing',
      message: expect.stringMatching(/the schema "auth".*npx miftah migrate/),
    })
    expect(asked.migrations).toEqual([])
  })

  test('is looked at again by the next use', async () => {
    const { server, ensure, asked } = world({ version: '42501' })
    await expect(ensure()).rejects.toMatchObject({ code: 'refused', cause: { code: '42501' } })
    server.version = SCHEMA_VERSION
    await ensure()
    expect(asked.reads).toHaveLength(2)
  })

  test.each([[null], [-1], [1.5], [Number.NaN]])('answers %j', async (version) => {
    const { ensure, asked } = world({ version })
    await expect(ensure()).rejects.toMatchObject({ code: 'broken_row' })
    expect(asked.migrations).toEqual([])
  })
})

describe('a migration that collides with another', () => {
  const met = ['23503', '23505', '40001', '42704', '42710', '42723', '42P06', '42P07', '55P03']

  test.each(met)('is tried again after %s', async (code) => {
    const { asked, ensure } = world({ version: '42P01', meets: [code] })
    await ensure()
    expect(asked.migrations).toHaveLength(2)
  })

  test('is tried five times', async () => {
    const { asked, ensure } = world({ version: '42P01', meets: met })
    await expect(ensure()).rejects.toMatchObject({ cause: { code: '42710' } })
    expect(asked.migrations).toHaveLength(5)
    const four = world({ version: '42P01', meets: met.slice(0, 4) })
    await four.ensure()
    expect(four.asked.migrations).toHaveLength(5)
  })

  test('whose answer is lost has changed no key', async () => {
    const { one, readiness } = world({ version: '42P01' })
    const answer = one.getMockImplementation() ?? expect.fail()
    one.mockImplementation(async (kind, ...rest) => {
      if (kind === 'change') throw faultOf('outcome_unknown', 'lost', {})
      return answer(kind, ...rest)
    })
    await expect(readiness.ensure(undefined)).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('is not tried again after anything else', async () => {
    const { asked, ensure } = world({ version: '42P01', meets: ['42501'] })
    await expect(ensure()).rejects.toMatchObject({ cause: { code: '42501' } })
    expect(asked.migrations).toHaveLength(1)
  })
})

describe('a caller that waits', () => {
  const late = () => new StorageError('timeout', 'late')
  const silent = (kind: Kind) =>
    vi.fn<Calls['one']>((asked, _, { signal }) =>
      asked === kind
        ? untilAborted(signal, new Promise(() => undefined), late)
        : Promise.reject(faultOf('refused', 'met', { code: '42P01' })),
    )

  test('waits no longer than its time, while the migration goes on', async () => {
    const { one, readiness, server } = world({ version: '42P01' })
    const answer = one.getMockImplementation() ?? expect.fail()
    let finish = () => {}
    one.mockImplementation(async (kind, ...rest) => {
      if (kind === 'change')
        await new Promise<void>((resolve) => {
          finish = resolve
        })
      return answer(kind, ...rest)
    })
    const [early, other] = [callOf(100), callOf(200)]
    const first = Promise.resolve(readiness.ensure(early))
    const rest = [readiness.ensure(other), readiness.ensure(undefined)]
    await vi.advanceTimersByTimeAsync(100)
    early.abort()
    await expect(first).rejects.toMatchObject({
      ...{ name: 'StorageError', code: 'timeout', message: 'PostgreSQL was not ready in time' },
    })
    finish()
    await Promise.all(rest)
    expect([server.version, readiness.ensure(undefined)]).toEqual([SCHEMA_VERSION, undefined])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('gives its time to the check that it starts', async () => {
    const { one, readiness } = world({})
    const call = callOf(100)
    const atMs = performance.now() + 100
    await readiness.ensure(call)
    expect(one.mock.calls[0]?.[2]).toEqual({ atMs, signal: call.signal })
  })

  test('checks again when the time of the call that began the check is over before its own', async () => {
    const { one, readiness } = world({})
    one.mockImplementationOnce(silent('read'))
    const [early, patient] = [callOf(100), callOf(200)]
    const first = expect(readiness.ensure(early)).rejects.toMatchObject({ code: 'timeout' })
    const others = [readiness.ensure(patient), readiness.ensure(undefined)]
    early.abort()
    await first
    await Promise.all(others)
    expect(one).toHaveBeenCalledTimes(2)
  })

  test('for a migration that hangs can try again after a minute', async () => {
    const one = vi.fn<Calls['one']>(async (kind, statement, deadline) => {
      if (kind === 'change') return silent('change')(kind, statement, deadline)
      if ((statement as Statement).text.includes('pg_class')) return 'false'
      throw faultOf('refused', 'met', { code: '42P01' })
    })
    const readiness = new Readiness({ one, all: async () => [] }, 'auth', true)
    const call = expect(readiness.ensure(undefined)).rejects.toThrow('late')
    await vi.advanceTimersByTimeAsync(60_000)
    await call
    void Promise.resolve(readiness.ensure(undefined)).catch(() => undefined)
    await vi.advanceTimersByTimeAsync(0)
    expect(one.mock.calls.filter(([kind]) => kind === 'change')).toHaveLength(2)
  })
})
