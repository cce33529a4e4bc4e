import { describe, expect, test } from 'vitest'
import {
  asUnstorable,
  ERRORS,
  errnoOf,
  faultOf,
  notPrimary,
  withoutData,
} from '../../../adapters/storage/lib/mysql/errors.ts'
import { StorageError } from '../../../adapters/storage/mysql.ts'

/** An error with the fields that mysql2 puts on it. */
const failed = (fields: object, message = 'told') => Object.assign(new Error(message), fields)

const ofServer = (errno: number, more: object = {}) =>
  failed({ errno, sqlState: 'HY000', code: 'ER_X', sql: 'SELECT 1', ...more })

const { failureOf, faultFrom } = ERRORS

describe('what a failed attempt says', () => {
  test.each([
    ...[1213, 1205, 1020].map((errno) => [errno, 'busy', 'busy'] as const),
    ...[
      ...[1040, 1047, 1053, 1077, 1079, 1152, 1158, 1159, 1160, 1161, 1180, 1203, 1226, 1317],
      ...[1927, 1969, 2006, 2013, 3024, 4031],
    ].map((errno) => [errno, 'unreachable', 'lost'] as const),
    ...[1290, 1792, 1836].map((errno) => [errno, 'read_only', 'read_only'] as const),
    [1062, 'final', 'lost'],
    [1045, 'final', 'lost'],
  ] as const)('number %s is %s before COMMIT, and %s after it', (errno, before, after) => {
    expect(failureOf(ofServer(errno), false)).toBe(before)
    expect(failureOf(ofServer(errno), true)).toBe(after)
  })

  test.each([
    ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH'],
    ...['ENETUNREACH', 'EPIPE', 'ECONNABORTED', 'PROTOCOL_CONNECTION_LOST'],
  ])('%s cannot reach the server', (code) => {
    expect(failureOf(failed({ code }), false)).toBe('unreachable')
    expect(failureOf(failed({ code: `X${code}` }), false)).toBe('final')
    if (code.startsWith('E')) expect(failureOf(failed({ code: `${code}X` }), false)).toBe('final')
  })

  test('a fatal error without a number is one of the connection', () => {
    expect(failureOf(failed({ fatal: true }), false)).toBe('unreachable')
    expect(failureOf(ofServer(1062, { fatal: true }), false)).toBe('final')
    expect(failureOf(failed({ fatal: 1 }), false)).toBe('final')
  })

  test.each([undefined, null, 7, 'thrown'])('%j says nothing', (thrown) => {
    expect(failureOf(thrown, false)).toBe('final')
    expect(failureOf(thrown, true)).toBe('lost')
  })

  test('errors of our own are final, but for one of a server that takes no changes', () => {
    expect(failureOf(notPrimary(), true)).toBe('read_only')
    expect(failureOf(new StorageError('broken_row', 'x'), false)).toBe('final')
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
    ['final', ofServer(1062), 'refused', 'the database refused the statement: ER_X'],
    ...[1044, 1045, 1049, 1129, 1130, 1251, 1698, 3118, 3159].map(
      (errno) =>
        ['final', ofServer(errno), 'refused', 'the database refused the connection: told'] as const,
    ),
    ['unreachable', ofServer(1040), 'unavailable', 'the database cannot be reached: told'],
    ['final', failed({}), 'unavailable', 'the database cannot be reached: told'],
    ['lost', failed({}), 'unavailable', 'the database cannot be reached: told'],
    [
      ...(['read_only', ofServer(1290), 'not_primary'] as const),
      'this server is a read replica, or read only: connect to the primary',
    ],
  ] as const)('%s, %o', (kind, error, code, message) => {
    expect(faultFrom(error, { kind, isChange: true })).toMatchObject({ code, message })
  })

  test('has a cleared copy as its cause, if it has one', () => {
    const { cause } = faultOf('refused', 'why', ofServer(1062))
    expect(cause).toMatchObject({ message: 'ER_X', errno: 1062, sqlState: 'HY000', code: 'ER_X' })
    expect(cause).not.toHaveProperty('sql')
    expect(notPrimary()).not.toHaveProperty('cause')
    expect(notPrimary(ofServer(1290)).cause).toMatchObject({ errno: 1290 })
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

test.each([
  ['22003', true],
  ['23000', true],
  ['HY000', false],
  ['42023', false],
])('a batch that is refused with SQLSTATE %s is unstorable: %j', (sqlState, is) => {
  const error = faultOf('refused', 'why', failed({ errno: 1, sqlState, code: 'ER_X' }))
  const other = asUnstorable(error)
  if (is)
    expect(other).toMatchObject({ code: 'unstorable_value', message: 'why', cause: { sqlState } })
  else expect(other).toBe(error)
  const late = faultOf('timeout', 'why', failed({ errno: 1, sqlState }))
  expect(asUnstorable(late)).toBe(late)
})
