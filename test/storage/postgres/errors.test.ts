import { describe, expect, test } from 'vitest'
import {
  isUnnamed,
  POSTGRES,
  sqlStateOf,
  stateIn,
} from '../../../adapters/storage/lib/postgres/errors.ts'
import { StorageError } from '../../../adapters/storage/postgres.ts'

const { failureOf, faultFrom, faultOf } = POSTGRES
const withoutData = (error: unknown) => faultOf('refused', 'why', error).cause as Error

/** An error with the fields that a driver puts on it. */
const failed = (fields: object, message = 'told') => Object.assign(new Error(message), fields)

const HEX = 'a'.repeat(32)

describe('what a failed attempt says', () => {
  test.each([
    ['busy', ['40001', '40P01', '55P03', '23503']],
    ['open', ['57P01', '57P02', '57P05', '25P03', '25P04', '08006', '08P01', '58000', '58030']],
    [
      'open',
      ['XX000', 'XX001', '40003', '57000', 'EPIPE', 'ECONNRESET', 'ETIMEDOUT', 'NO_ENOTFOUND'],
    ],
    ['passing', ['57P03', '53300', 'ECONNREFUSED', 'EAI_AGAIN', 'ENOTFOUND']],

    ['passing', ['25006']],
    ['final', ['23505', '23514', '22008', '22P05', '25P02', '42501', '42P01', '53100', '53200']],
    ['final', ['54000', '55000', '57014', 'P0001', '38000', '28P01', '3D000']],
  ])('is %s with %j', (failure, codes) => {
    for (const code of codes) {
      expect(failureOf(failed({ code }), true)).toBe(failure)
      const unsent = failure === 'open' ? 'passing' : failure
      expect(failureOf(failed({ code }), false)).toBe(unsent)
    }
  })

  test('it is sent without a name once that is lost', () => {
    const codes = ['26000', '42P05', '0A000', '42P01', 'EPIPE']
    const unnamed = codes.map((code) => isUnnamed(failed({ code })))
    expect(unnamed).toEqual([true, true, true, false, false])
  })

  test.each(['FATAL', 'PANIC'])(
    'what ends the session with %s is open, but not what ends it as it begins',
    (severity) => {
      for (const code of ['40001', '57014', '25006', '22000', '42501', '57P01'])
        expect(failureOf(failed({ code, severity }), true)).toBe('open')
      for (const code of ['28P01', '3D000'])
        expect(failureOf(failed({ code, severity }), true)).toBe('final')
      for (const code of ['53300', '57P03'])
        expect(failureOf(failed({ code, severity }), true)).toBe('passing')
      expect(failureOf(failed({ code: '40001', severity: 'FEHLER' }), true)).toBe('busy')
    },
  )

  test.each([
    ['connect', 'passing'],
    ['getaddrinfo', 'passing'],
    [undefined, 'passing'],
    ['read', 'open'],
    ['write', 'open'],
  ])('a refusal in a call of %s is %s', (syscall, failure) => {
    expect(failureOf(failed({ code: 'ECONNREFUSED', syscall }), true)).toBe(failure)
  })

  test.each([
    undefined,
    null,
    'timeout',
    7,
    { message: 7, code: 40001 },
    new Error('Query read timeout'),
  ])('without a code nothing is known: %j', (thrown) => {
    expect(failureOf(thrown, true)).toBe('open')
  })
})

describe('the error of a call that has changed nothing', () => {
  test.each([
    ['22003', 'change', 'unstorable_value', 'PostgreSQL refused the values: data exception'],
    ['23514', 'write', 'unstorable_value', 'PostgreSQL refused the values: told'],
    ['P0001', 'write', 'unstorable_value', 'PostgreSQL refused the values: raised by a function'],
    ['22012', 'write', 'refused', 'PostgreSQL refused the statement: data exception'],
    ['22003', 'read', 'refused', 'PostgreSQL refused the statement: data exception'],
    ['42501', 'write', 'refused', 'PostgreSQL refused the statement: told'],
    ['28P01', 'read', 'refused', 'PostgreSQL refused the connection: told'],
    ['3D000', 'write', 'refused', 'PostgreSQL refused the connection: told'],
    ['57014', 'write', 'timeout', 'PostgreSQL gave up: told'],
    ['25006', 'write', 'refused', 'PostgreSQL refused the statement: told'],
    ['25006', 'read', 'not_primary', 'this server is a read replica: connect to the primary'],
    ['57P03', 'write', 'unavailable', 'PostgreSQL cannot be reached: told'],
    ['08006', 'read', 'unavailable', 'PostgreSQL cannot be reached: told'],
    ['XX001', 'read', 'refused', 'PostgreSQL refused the statement: told'],
    ['ENOTFOUND', 'read', 'unavailable', 'PostgreSQL cannot be reached: told'],
  ] as const)('%s of a %s is %s', (state, kind, code, message) => {
    expect(faultFrom(failed({ code: state }), kind)).toMatchObject({ code, message })
  })
})

test.each([
  [faultOf('unstorable_value', 'x', failed({ code: '23505' })), '23505'],
  [new StorageError('busy', 'x'), ''],
  [failed({ code: '23505' }), ''],
])('the cause says why a call was refused', (error, state) => {
  expect(stateIn(error)).toBe(state)
})

test.each([
  ['40001', '40001'],
  ['08P01', '08P01'],
  ['ZZZZZ', 'ZZZZZ'],
  ['EPIPE', null],
  ['400011', null],
  ['x40001', null],
  ['4000', null],
  ['400a1', null],
  [40001, null],
])('the SQLSTATE in %j is %j', (code, state) => {
  expect(sqlStateOf({ code })).toBe(state)
})

describe('a copy of an error', () => {
  const everything = {
    ...{ code: '23505', syscall: 'read', severity: 'ERROR', schema: 's', table: 't' },
    ...{ constraint: 'c', detail: 'd', hint: 'h', where: 'w', column: 'x', query: 'q', params: [] },
  }

  test('has what names no value, where a reader finds it', () => {
    const copy = withoutData(failed(everything))
    expect(copy).not.toHaveProperty('cause')
    expect(copy.message).toBe('told')
    expect({ ...copy }).toEqual({
      ...{ code: '23505', syscall: 'read', severity: 'ERROR', schema: 's', table: 't' },
      constraint: 'c',
    })
  })

  test('leaves out what is empty or no text', () => {
    expect({ ...withoutData(failed({ code: '', severity: {}, table: null })) }).toEqual({})
  })

  test.each([
    [{ code: 'P0001' }],
    [{ code: 'P0004' }],
    [{ code: '38000' }],
    [{ code: '23514', routine: 'exec_stmt_raise' }],
  ])('raised by code in the database, %j: nothing that the code chose', (fields) => {
    const copy = withoutData(failed({ ...everything, routine: 'x', ...fields }))
    expect(copy.message).toBe('raised by a function')
    expect({ ...copy }).toEqual({ code: fields.code, syscall: 'read', severity: 'ERROR' })
    expect(withoutData(failed(fields, 'miftah: said by us')).message).toBe('miftah: said by us')
    expect(withoutData(failed(fields, 'not miftah: said')).message).toBe('raised by a function')
  })

  test.each(['23505', 'XP001', 'X3800', ''])('not raised by a function: %s', (code) => {
    expect(withoutData(failed({ code })).message).toBe('told')
  })

  test.each([
    [{ code: '22P02' }, 'invalid input syntax: "x"', 'data exception'],
    [{ code: '22P02', routine: 'exec_stmt_raise' }, 'miftah: x', 'data exception'],
    [{ code: '42P22' }, 'told', 'told'],
    [{}, 'first\nparams: secret', 'first'],
    [{}, '', 'no message'],
    [{}, '\nsecond', 'no message'],
    [{}, `a ${HEX} and ${HEX.toUpperCase()}${HEX}.`, 'a … and ….'],
    [{}, HEX.slice(1), HEX.slice(1)],
  ])('%j %j says %j', (fields, message, said) => {
    expect(withoutData(failed(fields, message)).message).toBe(said)
  })

  test('of what is no error', () => {
    expect(withoutData('thrown').message).toBe('no message')
    expect(withoutData(null).message).toBe('no message')
  })
})

test('a fault has a cleared copy as its cause', () => {
  const fault = faultOf('refused', 'why', failed({ code: '23505', detail: 'secret' }))
  expect(fault).toMatchObject({ name: 'StorageError', code: 'refused', message: 'why' })
  expect(fault.cause).toMatchObject({ message: 'told', code: '23505' })
  expect(fault.cause).not.toHaveProperty('detail')
})
