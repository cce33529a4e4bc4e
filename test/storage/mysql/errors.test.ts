import { describe, expect, test } from 'vitest'
import { errnoOf, MYSQL_FAULTS, notPrimary } from '../../../adapters/storage/lib/mysql/errors.ts'
import { StorageError } from '../../../adapters/storage/mysql.ts'

const { failureOf, faultFrom, faultOf } = MYSQL_FAULTS
const withoutData = (error: unknown) => faultOf('refused', 'why', error).cause as Error

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
    ].map((errno) => [errno, 'passing'] as const),
    [1062, 'final'],
    [1045, 'final'],
  ] as const)('number %s is %s', (errno, failure) => {
    expect(failureOf(ofServer(errno), false)).toBe(failure)
  })

  test.each([
    ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH'],
    ...['ENETUNREACH', 'EPIPE', 'ECONNABORTED', 'PROTOCOL_CONNECTION_LOST'],
  ])('%s cannot reach the server', (code) => {
    expect(failureOf(failed({ code }), false)).toBe('passing')
    expect(failureOf(failed({ code: `X${code}` }), false)).toBe('final')
    if (code.startsWith('E')) expect(failureOf(failed({ code: `${code}X` }), false)).toBe('final')
  })

  test('a fatal error without a number is one of the connection', () => {
    expect(failureOf(failed({ fatal: true }), false)).toBe('passing')
    expect(failureOf(ofServer(1062, { fatal: true }), false)).toBe('final')
    expect(failureOf(failed({ fatal: 1 }), false)).toBe('final')
  })

  test.each([undefined, null, 7, 'thrown', new StorageError('broken_row', 'x')])(
    '%j is final',
    (thrown) => {
      expect(failureOf(thrown, false)).toBe('final')
    },
  )

  test.each([ofServer(1205), ofServer(1064), failed({}), null])(
    'at COMMIT it may have run: %o',
    (error) => {
      expect(failureOf(error, true)).toBe('open')
      expect(failureOf(ofServer(1213), true)).toBe('busy')
    },
  )

  test('another connection may lead to the primary', () => {
    expect(failureOf(notPrimary(), false)).toBe('passing')
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
