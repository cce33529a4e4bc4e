import { describe, expect, test } from 'vitest'
import { errnoOf, MYSQL_FAULTS, notPrimary } from '../../../adapters/storage/lib/mysql/errors.ts'
import { StorageError } from '../../../adapters/storage/mysql.ts'

const { failureOf, faultFrom, faultOf } = MYSQL_FAULTS
const copyOf = (error: unknown) => faultOf('refused', 'why', error).cause as Error

/** An error with the fields that mysql2 puts on it. */
const failed = (fields: object, message = 'told') => Object.assign(new Error(message), fields)

const ofServer = (errno: number, more: object = {}) =>
  failed({ errno, sqlState: 'HY000', code: 'ER_X', sql: 'SELECT 1', ...more })

const READ_ONLY = [1290, 1792, 1836]
const OF_CONNECTION = [1044, 1045, 1049, 1129, 1130, 1251, 1698, 3118, 3159]

describe('what a failed attempt says', () => {
  const LOST = [1053, 1077, 1079, 1152, 1158, 1159, 1160, 1161, 1927, 1969, 2006, 2013, 4031]
  const FULL = [1040, 1047, 1180, 1203, 1205, 1226, 1317, 3024]

  test.each([
    ['busy', [1213, 1020]],
    ['passing', [...LOST, ...FULL, ...READ_ONLY]],
    ['final', [1062, 1045]],
  ] as const)('is %s with %j', (failure, numbers) => {
    for (const errno of numbers) expect(failureOf(ofServer(errno), false)).toBe(failure)
  })

  test.each([
    ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH'],
    ...['ENETUNREACH', 'EPIPE', 'ECONNABORTED', 'PROTOCOL_CONNECTION_LOST'],
  ])('%s cannot reach the server', (code) => {
    expect(failureOf(failed({ code }), false)).toBe('passing')
    expect(failureOf(failed({ code: `X${code}` }), false)).toBe('final')
    if (code.startsWith('E')) expect(failureOf(failed({ code: `${code}X` }), false)).toBe('final')
  })

  test.each<[unknown, string]>([
    // Without a number a fatal error is one of the connection.
    [failed({ fatal: true }), 'passing'],
    [ofServer(1062, { fatal: true }), 'final'],
    [failed({ fatal: 1 }), 'final'],
    // Another connection may lead to the primary.
    [notPrimary(), 'passing'],
    ...[undefined, null, 7, 'thrown', new StorageError('broken_row', 'x')].map(
      (thrown): [unknown, string] => [thrown, 'final'],
    ),
  ])('%o is %s', (thrown, failure) => {
    expect(failureOf(thrown, false)).toBe(failure)
  })

  test('at COMMIT it may have run, unless it is a deadlock', () => {
    for (const error of [ofServer(1205), ofServer(1064), failed({}), null])
      expect(failureOf(error, true)).toBe('open')
    expect(failureOf(ofServer(1213), true)).toBe('busy')
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
  const replica = 'this server is a read replica, or read only: connect to the primary'

  test.each<[string, string, readonly object[]]>([
    ['refused', 'the database refused the statement: ER_X', [ofServer(1064)]],
    ['refused', 'the database refused the connection: told', OF_CONNECTION.map((n) => ofServer(n))],
    ['unavailable', 'the database cannot be reached: told', [ofServer(1205), failed({})]],
    ['not_primary', replica, READ_ONLY.map((n) => ofServer(n))],
  ])('is %s, %s', (code, message, errors) => {
    for (const kind of ['read', 'change', 'write'] as const)
      for (const error of errors) expect(faultFrom(error, kind)).toMatchObject({ code, message })
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
})

describe('the copy that an error has as its cause', () => {
  test.each([
    ...[...OF_CONNECTION, ...READ_ONLY, 1040, 1047, 1053, 1142, 1143, 1146, 1180, 1203, 1205, 1213],
    ...[1226, 1227, 1317, 1364, 1370, 1665, 1927, 1969, 3024],
  ])('keeps the message of %i, which quotes no value', (errno) => {
    expect(copyOf(ofServer(errno)).message).toBe('told')
  })

  test.each([
    [{ errno: 1062, sqlState: '23000', code: 'ER_DUP_ENTRY' }, "'secret' for key", 'ER_DUP_ENTRY'],
    [{ errno: 1062, sqlState: '23000' }, "'secret' for key", 'no message'],
    [{ code: 'EPIPE' }, 'write EPIPE\nmore', 'write EPIPE'],
    [{}, `a ${'a'.repeat(32)}`, 'a …'],
  ])('%j %j says %j', (fields, message, said) => {
    expect(copyOf(failed(fields, message)).message).toBe(said)
  })

  test('has what names no value', () => {
    const ours = failed({ code: 'EPIPE', syscall: 'write', sqlMessage: 'x', fatal: 1 })
    expect({ ...copyOf(ours) }).toEqual({ code: 'EPIPE', syscall: 'write' })
    const theirs = { errno: 1062, sqlState: 'HY000', code: 'ER_X' }
    expect({ ...copyOf(ofServer(1062)) }).toEqual(theirs)
    expect(notPrimary()).not.toHaveProperty('cause')
  })
})
