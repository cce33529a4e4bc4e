import { describe, expect, test, vi } from 'vitest'
import type { Calls } from '../../../adapters/storage/lib/postgres/ask.ts'
import { POSTGRES } from '../../../adapters/storage/lib/postgres/errors.ts'
import { readinessOf } from '../../../adapters/storage/lib/postgres/readiness.ts'
import { SCHEMA_VERSION } from '../../../adapters/storage/lib/postgres/schema.ts'

/* How a migration fails; what a real server says of its tables is in test/storage/schema.test.ts. */

const failed = (code: string) => POSTGRES.faultOf('refused', 'met', { code })
const NO_LIMIT = { atMs: Number.POSITIVE_INFINITY }

/** A server with tables of a version, or with an SQLSTATE instead, whose next migrations meet these failures. */
function world(version: number | string | null, { meets = [] as readonly Error[] } = {}) {
  const failures = [...meets]
  const box = { version, migrations: 0 }
  const one = vi.fn<Calls['one']>(async (kind, statement) => {
    if (kind === 'change') {
      box.migrations += 1
      const error = failures.shift()
      if (error !== undefined) throw error
      box.version = SCHEMA_VERSION
      return null
    }
    if (statement.text.includes('pg_class')) return 'false'
    if (typeof box.version === 'string') throw failed(box.version)
    return box.version === null ? null : String(box.version)
  })
  const readiness = readinessOf({ one, all: async () => [] }, 'auth', true)
  return { box, one, readiness, ensure: () => readiness.ensure(NO_LIMIT) }
}

test.each(['42P01', '3F000'])('tables are made once, after %s', async (version) => {
  const { box, one, ensure } = world(version)
  await Promise.all([ensure(), ensure()])
  one.mockClear()
  await ensure()
  expect(box.migrations).toBe(1)
  expect(one).not.toHaveBeenCalled()
})

test.each([
  ['42501', 'refused'],
  [null, 'broken_row'],
  [-1, 'broken_row'],
  [1.5, 'broken_row'],
])('an answer of %s is %s, and the next use asks again', async (version, code) => {
  const { box, ensure } = world(version)
  await expect(ensure()).rejects.toMatchObject({ code })
  expect(box.migrations).toBe(0)
  box.version = SCHEMA_VERSION
  await ensure()
})

describe('a migration', () => {
  const codes = ['23503', '23505', '40001', '42704', '42710', '42723', '42P06', '42P07', '55P03']
  const meets = codes.map(failed)

  test.each(meets)('that collides with another is tried again after %o', async (error) => {
    const { box, ensure } = world('42P01', { meets: [error] })
    await ensure()
    expect(box.migrations).toBe(2)
  })

  test('is tried five times', async () => {
    const { box, ensure } = world('42P01', { meets })
    await expect(ensure()).rejects.toBe(meets[4])
    expect(box.migrations).toBe(5)
    await world('42P01', { meets: meets.slice(0, 4) }).ensure()
  })

  test.each([
    [failed('42501'), 'refused'],
    [POSTGRES.faultOf('outcome_unknown', 'lost', {}), 'unavailable'],
  ])('is not tried again after anything else', async (error, code) => {
    const { box, ensure } = world('42P01', { meets: [error] })
    await expect(ensure()).rejects.toMatchObject({ code })
    expect(box.migrations).toBe(1)
  })

  test('goes on while a caller waits no longer than its time', async () => {
    const { one, readiness, ensure } = world('42P01')
    const answer = one.getMockImplementation() ?? expect.fail()
    let finish = () => {}
    one.mockImplementation(async (kind, ...rest) => {
      if (kind === 'change') {
        expect(rest[1].atMs - performance.now()).toBeCloseTo(60_000, -3)
        await new Promise<void>((resolve) => {
          finish = resolve
        })
      }
      return answer(kind, ...rest)
    })
    const limit = new AbortController()
    const early = readiness.ensure({ ...NO_LIMIT, signal: limit.signal })
    const patient = ensure()
    await new Promise((resolve) => setTimeout(resolve, 0))
    limit.abort()
    const late = { code: 'timeout', message: 'the database was not ready in time' }
    await expect(early).rejects.toMatchObject(late)
    finish()
    await patient
    expect(readiness.ready).toBe(true)
  })
})
