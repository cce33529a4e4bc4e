import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Deadline, untilAborted } from '../../../adapters/storage/lib/deadline.ts'
import type { Calls } from '../../../adapters/storage/lib/postgres/calls.ts'
import type { Statement } from '../../../adapters/storage/lib/postgres/driver.ts'
import { faultOf } from '../../../adapters/storage/lib/postgres/errors.ts'
import { namesOf, type PostgresNaming } from '../../../adapters/storage/lib/postgres/names.ts'
import { readinessOf } from '../../../adapters/storage/lib/postgres/readiness.ts'
import { SCHEMA_VERSION } from '../../../adapters/storage/lib/postgres/schema/index.ts'
import { ServerClock } from '../../../adapters/storage/lib/postgres/server-clock.ts'
import type { StorageCall } from '../../../src/storage/index.ts'

beforeEach(() => {
  vi.useFakeTimers()
  // The longest pause there is.
  vi.spyOn(Math, 'random').mockReturnValue(1)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** What a server is like. */
interface ServerState {
  /** The version of the schema, or the SQLSTATE that the server answers instead. */
  readonly schema?: number | string | null
  /** The SQLSTATEs that the next migrations fail with. */
  readonly meets?: readonly string[]
}

/** A server that knows the version of its schema and counts what it is asked. */
function world({ schema = SCHEMA_VERSION, meets = [] }: ServerState, mayMigrate = true) {
  const server = { schema }
  const failures = [...meets]
  const asked = { reads: [] as Statement[], migrations: [] as number[] }
  const failed = (code: string) => faultOf('refused', 'met', { code })
  const calls: Calls = {
    readAll: async () => [],
    read: async (statement) => {
      asked.reads.push(statement)
      if (typeof server.schema === 'string') throw failed(server.schema)
      return server.schema === null ? null : String(server.schema)
    },
    change: async (statement, deadline) => {
      asked.migrations.push(deadline.atMs - performance.now())
      expect(statement({ isRepeat: false, leftMs: 1 })).toEqual({
        ...{ text: expect.stringMatching(/^DO \$miftah\$/), values: [] },
      })
      const code = failures.shift()
      if (code !== undefined) throw failed(code)
      return null
    },
  }
  const readiness = readinessOf(partsOf(calls), mayMigrate)
  const ensure = (call?: StorageCall) => Promise.resolve(readiness.ensure(call))
  return { server, asked, calls, readiness, ensure }
}

const missing = (found: string, command: string) =>
  `${found}; version ${SCHEMA_VERSION} is needed: run \`${command}\`, leave out \`migrate: false\` of ` +
  'postgresStorage, or apply the SQL of postgresSchema()'

/** What readiness is found out with, on these calls. */
function partsOf(calls: Calls) {
  return { calls, names: namesOf({}), clock: new ServerClock() }
}

/** A call that is over when the test says so. */
function callOf(timeoutMs: number) {
  const limit = new AbortController()
  return { timeoutMs, signal: limit.signal, abort: () => limit.abort() }
}

const NOT_INSTALLED = ['42P01', '3F000']

describe('a server that has the schema', () => {
  test('gets one statement, and later calls wait for nothing', async () => {
    const { asked, readiness, ensure } = world({})
    await Promise.all([ensure(), ensure(callOf(100))])
    expect(asked).toMatchObject({ reads: [{ values: [] }], migrations: [] })
    expect(asked.reads[0]?.text).toContain('FROM "miftah"."schema_version"')
    expect(readiness.ensure(undefined)).toBeUndefined()
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each([0, ...NOT_INSTALLED])('is migrated by the first use, from %j', async (schema) => {
    const { asked, ensure } = world({ schema })
    await ensure()
    expect(asked).toMatchObject({ reads: [{}], migrations: [60_000] })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('is migrated by migrate(), whatever the option says, and once', async () => {
    const { asked, readiness } = world({ schema: '42P01' }, false)
    await readiness.migrate()
    expect(asked.migrations).toHaveLength(1)
    expect(readiness.ensure(undefined)).toBeUndefined()
    const done = world({})
    await done.readiness.migrate()
    expect(done.asked.migrations).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a server that cannot be used', () => {
  test('because a later release has migrated it', async () => {
    for (const mayMigrate of [true, false]) {
      const { ensure, readiness, asked } = world({ schema: SCHEMA_VERSION + 1 }, mayMigrate)
      await expect(ensure()).rejects.toMatchObject({
        ...{ name: 'StorageError', code: 'schema_too_new' },
        message:
          `the schema is at version ${SCHEMA_VERSION + 1}; this release only knows versions up to ` +
          `${SCHEMA_VERSION}: update miftah in this process`,
      })
      await expect(readiness.migrate()).rejects.toMatchObject({ code: 'schema_too_new' })
      expect(asked.migrations).toEqual([])
    }
  })

  test.each<readonly [number | string, string]>([
    ['42P01', 'has no tables of miftah'],
    ['3F000', 'has no tables of miftah'],
    [0, 'has no tables of miftah'],
  ])('because it has the schema %j and may not change it', async (schema, found) => {
    const { ensure } = world({ schema }, false)
    await expect(ensure()).rejects.toMatchObject({
      code: 'schema_missing',
      message: missing(`the schema "miftah" ${found}`, 'npx miftah migrate'),
    })
  })

  test.each<readonly [PostgresNaming, string]>([
    [{ schema: 'auth' }, ' --schema auth'],
    [{ schema: 'public' }, ' --schema public'],
    [{ tablePrefix: 'k_' }, ' --table-prefix k_'],
    [{ schema: 'public', tablePrefix: 'k_' }, ' --schema public --table-prefix k_'],
  ])('because nothing has migrated %j', async (naming, flags) => {
    const { calls } = world({ schema: 0 })
    const { ensure } = readinessOf({ ...partsOf(calls), names: namesOf(naming) }, false)
    const { schema = 'miftah' } = naming
    await expect(ensure(undefined)).rejects.toMatchObject({
      code: 'schema_missing',
      message: missing(
        `the schema "${schema}" has no tables of miftah`,
        `npx miftah migrate${flags}`,
      ),
    })
  })

  test('is checked again by the next use', async () => {
    const { server, ensure, asked } = world({ schema: '42501' })
    await expect(ensure()).rejects.toMatchObject({ code: 'refused', cause: { code: '42501' } })
    server.schema = SCHEMA_VERSION
    await ensure()
    expect(asked.reads).toHaveLength(2)
    expect(asked.migrations).toEqual([])
  })

  test.each([[null], [-1], [1.5], [Number.NaN]])('because it answers %j', async (schema) => {
    const { ensure, asked } = world({ schema })
    await expect(ensure()).rejects.toMatchObject({ code: 'broken_row' })
    expect(asked.migrations).toEqual([])
  })

  test('because it is a read replica without a schema', async () => {
    const { asked, calls } = world({ schema: '42P01', meets: ['25006'] })
    const read: Calls['read'] = async (statement, deadline) => {
      if (asked.migrations.length === 0) return calls.read(statement, deadline)
      throw faultOf('not_primary', 'replica', { code: '25006' })
    }
    const replica = readinessOf(partsOf({ ...calls, read }), true)
    await expect(replica.migrate()).rejects.toMatchObject({ code: 'not_primary' })
  })

  test('because its role may only read', async () => {
    const { asked, calls } = world({ schema: '42P01', meets: ['25006'] })
    const read: Calls['read'] = async (statement, deadline) =>
      asked.migrations.length === 0 ? calls.read(statement, deadline) : null
    const readOnly = readinessOf(partsOf({ ...calls, read }), true)
    await expect(readOnly.migrate()).rejects.toMatchObject({
      ...{ code: 'refused', cause: { code: '25006' } },
    })
  })
})

/** What a call comes to when all that it waits for has passed. */
async function afterPauses<T>(call: Promise<T>): Promise<T> {
  call.catch(() => undefined)
  await vi.advanceTimersByTimeAsync(1_000)
  return call
}

describe('a migration that collides with another', () => {
  const met = [
    '23503',
    '23505',
    '40001',
    '42704',
    '42710',
    '42723',
    '42883',
    '42P06',
    '42P07',
    '55P03',
  ]

  test.each(met)('is tried again after %s', async (code) => {
    const { asked, ensure } = world({ schema: '42P01', meets: [code] })
    await afterPauses(ensure())
    expect(asked.migrations).toHaveLength(2)
  })

  test('is tried five times', async () => {
    const { asked, ensure } = world({ schema: '42P01', meets: met })
    const fifth = { code: 'refused', cause: { code: '42710' } }
    await expect(afterPauses(ensure())).rejects.toMatchObject(fifth)
    // The deadlines of the attempts: each pause is longer than the one before.
    expect(asked.migrations).toEqual([60_000, 59_990, 59_970, 59_930, 59_850])
    const four = world({ schema: '42P01', meets: met.slice(0, 4) })
    await afterPauses(four.ensure())
    expect(four.asked.migrations).toHaveLength(5)
  })

  test('is not tried again after anything else', async () => {
    const { asked, calls, ensure } = world({ schema: '42P01', meets: ['42501'] })
    await expect(ensure()).rejects.toMatchObject({ cause: { code: '42501' } })
    expect(asked.migrations).toHaveLength(1)
    const change = vi.fn(async () => Promise.reject({ cause: { code: '42P07' } }))
    const odd = readinessOf(partsOf({ ...calls, change }), true)
    await expect(odd.migrate()).rejects.toEqual({ cause: { code: '42P07' } })
    expect(change).toHaveBeenCalledOnce()
  })
})

describe('a caller that waits', () => {
  test('waits no longer than its time, while the migration goes on', async () => {
    const { calls, asked } = world({ schema: '42P01' })
    let finish: () => void = () => undefined
    const change: Calls['change'] = () =>
      new Promise((resolve) => {
        asked.migrations.push(0)
        finish = () => resolve(null)
      })
    const readiness = readinessOf(partsOf({ ...calls, change }), true)
    const [early, late] = [callOf(100), callOf(200)]
    const first = Promise.resolve(readiness.ensure(early))
    const second = Promise.resolve(readiness.ensure(late))
    const patient = Promise.resolve(readiness.ensure(undefined))
    await vi.advanceTimersByTimeAsync(100)
    early.abort()
    await expect(first).rejects.toMatchObject({
      ...{ name: 'StorageError', code: 'timeout', message: 'PostgreSQL was not ready in time' },
    })
    finish()
    await Promise.all([second, patient])
    expect(asked.migrations).toEqual([0])
    expect(readiness.ensure(undefined)).toBeUndefined()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('gives its time to the check that it starts', async () => {
    const { calls } = world({})
    const read = vi.fn<Calls['read']>(async () => String(SCHEMA_VERSION))
    const call = callOf(100)
    const atMs = performance.now() + 100
    await readinessOf(partsOf({ ...calls, read }), true).ensure(call)
    expect(read.mock.calls[0]?.[1]).toEqual({ atMs, signal: call.signal })
  })

  test('checks again when the time of the call that began the check is over before its own', async () => {
    const { calls } = world({})
    const late = faultOf('timeout', 'late', {})
    const read = vi
      .fn<Calls['read']>(async () => String(SCHEMA_VERSION))
      .mockImplementationOnce((_, { signal }) =>
        untilAborted(signal, new Promise(() => undefined), () => late),
      )
    const readiness = readinessOf(partsOf({ ...calls, read }), true)
    const [early, patient] = [callOf(100), callOf(200)]
    const first = expect(readiness.ensure(early)).rejects.toMatchObject({ code: 'timeout' })
    const others = [readiness.ensure(patient), readiness.ensure(undefined)]
    early.abort()
    await first
    await Promise.all(others)
    expect(read).toHaveBeenCalledTimes(2)
  })

  test('whose time is over is rejected at once', async () => {
    const { calls } = world({})
    const never = new Promise<never>(() => undefined)
    const readiness = readinessOf(partsOf({ ...calls, read: () => never }), true)
    const call = callOf(0)
    call.abort()
    await expect(readiness.ensure(call)).rejects.toMatchObject({ code: 'timeout' })
  })

  test('for a migration that hangs can try again after a minute', async () => {
    const { calls } = world({ schema: '42P01' })
    const deadlines: Deadline[] = []
    const change: Calls['change'] = (_, deadline) => {
      deadlines.push(deadline)
      return untilAborted(deadline.signal, new Promise(() => undefined), () => new Error('hung'))
    }
    const readiness = readinessOf(partsOf({ ...calls, change }), true)
    const call = expect(readiness.ensure(undefined)).rejects.toThrow('hung')
    await vi.advanceTimersByTimeAsync(60_000)
    await call
    void Promise.resolve(readiness.ensure(undefined)).catch(() => undefined)
    await vi.advanceTimersByTimeAsync(0)
    expect(deadlines).toHaveLength(2)
  })
})
