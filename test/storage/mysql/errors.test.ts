import { describe, expect, test } from 'vitest'
import { attempts } from '../../../adapters/storage/lib/mysql/attempts.ts'
import {
  errnoOf,
  failureOf,
  faultFrom,
  faultOf,
  type Kind,
  NoAnswer,
  notPrimary,
  withoutData,
} from '../../../adapters/storage/lib/mysql/errors.ts'
import { StorageError } from '../../../adapters/storage/mysql.ts'
import { rejection } from '../../support/world.ts'

/** An error with the fields that mysql2 puts on it. */
const failed = (fields: object, message = 'told') => Object.assign(new Error(message), fields)

const ofServer = (errno: number, more: object = {}) =>
  failed({ errno, sqlState: 'HY000', code: 'ER_X', sql: 'SELECT 1', ...more })

describe('what a failed attempt says', () => {
  test.each([
    ...[1213, 1020].map((errno) => [errno, 'busy'] as const),
    ...[
      ...[1040, 1047, 1053, 1077, 1079, 1152, 1158, 1159, 1160, 1161, 1180, 1203, 1205, 1226, 1317],
      ...[1927, 1969, 2006, 2013, 3024, 4031, 1290, 1792, 1836],
    ].map((errno) => [errno, 'unreachable'] as const),
    [1062, 'final'],
    [1045, 'final'],
  ] as const)('number %s is %s', (errno, failure) => {
    expect(failureOf(ofServer(errno))).toBe(failure)
  })

  test.each([
    ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH'],
    ...['ENETUNREACH', 'EPIPE', 'ECONNABORTED', 'PROTOCOL_CONNECTION_LOST'],
  ])('%s cannot reach the server', (code) => {
    expect(failureOf(failed({ code }))).toBe('unreachable')
    expect(failureOf(failed({ code: `X${code}` }))).toBe('final')
    if (code.startsWith('E')) expect(failureOf(failed({ code: `${code}X` }))).toBe('final')
  })

  test('a fatal error without a number is one of the connection', () => {
    expect(failureOf(failed({ fatal: true }))).toBe('unreachable')
    expect(failureOf(ofServer(1062, { fatal: true }))).toBe('final')
    expect(failureOf(failed({ fatal: 1 }))).toBe('final')
  })

  test.each([undefined, null, 7, 'thrown', new StorageError('broken_row', 'x')])(
    '%j is final',
    (thrown) => {
      expect(failureOf(thrown)).toBe('final')
    },
  )

  test('another connection may lead to the primary', () => {
    expect(failureOf(notPrimary())).toBe('unreachable')
  })
})

test.each([
  [{ errno: 1062, sqlState: '23000' }, 1062],
  [{ errno: 1062 }, null],
  [{ errno: -111, sqlState: '23000' }, null],
  [{ errno: 0, sqlState: '23000' }, null],
  [{ errno: '1062', sqlState: '23000' }, null],
  [{ errno: 1062, sqlState: 23_000 }, null],
  [null, null],
])('the number of %j is %j', (error, errno) => {
  expect(errnoOf(error)).toBe(errno)
})

describe('the error of a call', () => {
  test.each([
    [ofServer(1064), 'refused', 'the database refused the statement: ER_X'],
    ...[1044, 1045, 1049, 1129, 1130, 1251, 1698, 3118, 3159].map(
      (errno) => [ofServer(errno), 'refused', 'the database refused the connection: told'] as const,
    ),
    [ofServer(1213), 'busy', 'the database was busy: told'],
    [ofServer(1205), 'unavailable', 'the database cannot be reached: told'],
    [failed({}), 'unavailable', 'the database cannot be reached: told'],
    ...[1290, 1792, 1836].map(
      (errno) =>
        [
          ofServer(errno),
          'not_primary',
          'this server is a read replica, or read only: connect to the primary',
        ] as const,
    ),
  ] as const)('%o', (error, code, message) => {
    for (const kind of ['read', 'change', 'write'] as const) {
      expect(faultFrom(error, kind)).toMatchObject({ code, message })
    }
  })

  test.each([
    { errno: 1406, sqlState: '22001' },
    { errno: 4025, sqlState: '23000' },
    { errno: 3819, sqlState: 'HY000' },
    { errno: 1366, sqlState: 'HY000' },
  ])('%j is of the values', (fields) => {
    const error = failed({ ...fields, code: 'ER_X' }, 'secret')
    expect(faultFrom(error, 'read')).toMatchObject({ code: 'refused' })
    expect(faultFrom(error, 'write')).toMatchObject({
      ...{ code: 'unstorable_value', message: 'the database refused the values: ER_X' },
      cause: { message: 'ER_X', errno: fields.errno },
    })
  })

  test('has a cleared copy as its cause, if it has one', () => {
    const { cause } = faultOf('refused', 'why', ofServer(1062))
    expect(cause).toMatchObject({ message: 'ER_X', errno: 1062, sqlState: 'HY000', code: 'ER_X' })
    expect(cause).not.toHaveProperty('sql')
    expect(notPrimary()).not.toHaveProperty('cause')
  })
})

describe('a copy of an error', () => {
  test.each([
    ...[1040, 1044, 1045, 1047, 1049, 1053, 1129, 1130, 1142, 1143, 1146, 1180, 1203, 1205, 1213],
    ...[1226, 1227, 1251, 1290, 1317, 1364, 1370, 1665, 1698, 1792, 1836, 1927, 1969, 3024, 3118],
    3159,
  ])('keeps the message of %i, which quotes no value', (errno) => {
    expect(withoutData(ofServer(errno)).message).toBe('told')
  })

  test.each([
    [{ errno: 1062, sqlState: '23000', code: 'ER_DUP_ENTRY' }, "'secret' for key", 'ER_DUP_ENTRY'],
    [{ errno: 1062, sqlState: '23000' }, "'secret' for key", 'no message'],
    [{ code: 'EPIPE' }, 'write EPIPE\nmore', 'write EPIPE'],
    [{}, `a ${'a'.repeat(32)}`, 'a …'],
  ])('%j %j says %j', (fields, message, said) => {
    expect(withoutData(failed(fields, message)).message).toBe(said)
  })

  test('has what names no value', () => {
    const copy = withoutData(failed({ code: 'EPIPE', syscall: 'write', sqlMessage: 'x', fatal: 1 }))
    expect({ ...copy }).toEqual({ code: 'EPIPE', syscall: 'write' })
  })
})

describe('attempts', () => {
  /** Fails with each of these errors, an entry of `[error]` after its COMMIT was sent, and answers then. */
  async function tried(kind: Kind, errors: readonly (Error | readonly [Error])[], leftMs = 9_000) {
    let count = 0
    const deadline = { atMs: performance.now() + leftMs }
    const outcome = attempts(kind, deadline, async (sent) => {
      const error = errors[count]
      count += 1
      if (error === undefined) return 'answer'
      if (Array.isArray(error)) sent()
      throw Array.isArray(error) ? error[0] : error
    })
    const code = await outcome.catch((error: StorageError) => error.code)
    return [code, count]
  }
  const [busy, lost, final] = [ofServer(1213), ofServer(2013), ofServer(1064)]
  const late = new NoAnswer('late')

  test.each<[Kind, readonly (Error | readonly [Error])[], string, number]>([
    ['read', [lost, lost], 'answer', 3],
    ['read', [lost, lost, lost], 'unavailable', 3],
    ['read', [final], 'refused', 1],
    ['read', [late], 'timeout', 1],
    ['change', [busy, busy, busy, busy, lost, lost], 'answer', 7],
    ['change', [[lost], [lost]], 'answer', 3],
    ['change', [[lost], lost, lost], 'outcome_unknown', 3],
    ['change', [[lost], final], 'outcome_unknown', 2],
    ['write', [lost, lost], 'answer', 3],
    ['write', [lost, lost, lost], 'unavailable', 3],
    ['write', [busy, [busy]], 'answer', 3],
    ['write', [busy, busy, [busy]], 'busy', 3],
    ['write', [[lost]], 'outcome_unknown', 1],
    ['write', [[final]], 'outcome_unknown', 1],
    ['write', [ofServer(1205), [ofServer(1205)]], 'outcome_unknown', 2],
    ['write', [late], 'timeout', 1],
    ['write', [[late]], 'outcome_unknown', 1],
    ['write', [notPrimary(), notPrimary(), notPrimary()], 'not_primary', 3],
  ])('of a %s that fail with %j: %s after %i', async (kind, errors, code, count) => {
    expect(await tried(kind, errors)).toEqual([code, count])
  })

  test('a change is not tried again with little time left, a read is', async () => {
    expect(await tried('write', [lost], 300)).toEqual(['unavailable', 1])
    expect(await tried('read', [lost], 300)).toEqual(['answer', 2])
  })

  test('end with the time of the call', async () => {
    const signal = AbortSignal.abort()
    const deadline = { atMs: Number.POSITIVE_INFINITY, signal }
    const attempt = () => Promise.reject(lost)
    expect(await rejection(attempts('read', deadline, attempt))).toMatchObject({ code: 'timeout' })
  })
})
