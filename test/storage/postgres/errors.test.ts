import { describe, expect, test } from 'vitest'
import {
  isUnnamed,
  POSTGRES,
  sqlStateOf,
  stateIn,
} from '../../../adapters/storage/lib/postgres/errors.ts'
import { StorageError } from '../../../adapters/storage/postgres.ts'

const { failureOf, faultFrom, faultOf } = POSTGRES
const copyOf = (error: unknown) => faultOf('refused', 'why', error).cause as Error

/** An error with the fields that a driver puts on it. */
const failed = (fields: object, message = 'told') => Object.assign(new Error(message), fields)

const HEX = 'a'.repeat(32)

describe('what a failed attempt says', () => {
  const OPEN = ['57P01', '57P02', '57P05', '25P03', '25P04', '08006', '08P01', '58000', '58030']
  const LOST = ['XX000', 'XX001', '40003', '57000', 'EPIPE', 'ECONNRESET', 'ETIMEDOUT']
  const FINAL = ['23505', '23514', '22008', '22P05', '25P02', '42501', '42P01', '53100', '53200']
  const REFUSED = ['54000', '55000', '57014', 'P0001', '38000', '28P01', '3D000']

  test.each<[string, readonly string[], object?]>([
    ['busy', ['40001', '40P01', '55P03', '23503']],
    ['open', [...OPEN, ...LOST, 'NO_ENOTFOUND']],
    ['passing', ['57P03', '53300', '25006', 'ECONNREFUSED', 'EAI_AGAIN', 'ENOTFOUND']],
    ['final', [...FINAL, ...REFUSED]],
    // What ends the session is open, but not what ends it as it begins.
    ...['FATAL', 'PANIC'].flatMap((severity): [string, string[], object][] => [
      ['open', ['40001', '57014', '25006', '22000', '42501', '57P01'], { severity }],
      ['final', ['28P01', '3D000'], { severity }],
      ['passing', ['53300', '57P03'], { severity }],
    ]),
    ['busy', ['40001'], { severity: 'FEHLER' }],
    ['passing', ['ECONNREFUSED'], { syscall: 'connect' }],
    ['passing', ['ECONNREFUSED'], { syscall: 'getaddrinfo' }],
    ['open', ['ECONNREFUSED'], { syscall: 'read' }],
    ['open', ['ECONNREFUSED'], { syscall: 'write' }],
  ])('is %s with %j and %j', (failure, codes, fields) => {
    for (const code of codes) {
      expect(failureOf(failed({ code, ...fields }), true)).toBe(failure)
      const unsent = failure === 'open' ? 'passing' : failure
      expect(failureOf(failed({ code, ...fields }), false)).toBe(unsent)
    }
  })

  test.each([undefined, null, 'timeout', 7, { message: 7, code: 40001 }, new Error('late')])(
    'without a code nothing is known: %j',
    (thrown) => expect(failureOf(thrown, true)).toBe('open'),
  )

  test('it is sent without a name once that is lost', () => {
    const codes = ['26000', '42P05', '0A000', '42P01', 'EPIPE']
    const unnamed = codes.map((code) => isUnnamed(failed({ code })))
    expect(unnamed).toEqual([true, true, true, false, false])
  })
})

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
] as const)('%s of a %s that has changed nothing is %s', (state, kind, code, message) => {
  expect(faultFrom(failed({ code: state }), kind)).toMatchObject({ code, message })
})

test.each([
  [faultOf('unstorable_value', 'x', failed({ code: '23505' })), '23505'],
  [new StorageError('busy', 'x'), ''],
  [failed({ code: '23505' }), ''],
])('the cause says why a call was refused', (error, state) => {
  expect(stateIn(error)).toBe(state)
})

test('an SQLSTATE is five digits and capitals, and no code of Node', () => {
  for (const code of ['40001', '08P01', 'ZZZZZ']) expect(sqlStateOf({ code })).toBe(code)
  for (const code of ['EPIPE', '400011', 'x40001', '4000', '400a1', 40001])
    expect(sqlStateOf({ code })).toBeNull()
})

describe('the copy that an error has as its cause', () => {
  const kept = { code: '23505', syscall: 'read', severity: 'ERROR' }
  const places = { schema: 's', table: 't', constraint: 'c' }
  const others = { detail: 'd', hint: 'h', where: 'w', column: 'x', query: 'q', params: [] }
  const everything = { ...kept, ...places, ...others }

  test('has what names no value, where it says anything', () => {
    const fault = faultOf('refused', 'why', failed(everything))
    expect(fault).toMatchObject({ name: 'StorageError', code: 'refused', message: 'why' })
    const copy = fault.cause as Error
    expect([copy.message, { ...copy }]).toEqual(['told', { ...kept, ...places }])
    expect(copy).not.toHaveProperty('cause')
    expect({ ...copyOf(failed({ code: '', severity: {}, table: null })) }).toEqual({})
  })

  test.each([
    [{ code: 'P0001' }],
    [{ code: 'P0004' }],
    [{ code: '38000' }],
    [{ code: '23514', routine: 'exec_stmt_raise' }],
  ])('raised by code in the database, %j: nothing that the code chose', (fields) => {
    const copy = copyOf(failed({ ...everything, routine: 'x', ...fields }))
    const expected = { ...kept, code: fields.code }
    expect([copy.message, { ...copy }]).toEqual(['raised by a function', expected])
    expect(copyOf(failed(fields, 'miftah: said by us')).message).toBe('miftah: said by us')
    expect(copyOf(failed(fields, 'not miftah: said')).message).toBe('raised by a function')
  })

  test.each<[object, string, string]>([
    [{ code: '22P02' }, 'invalid input syntax: "x"', 'data exception'],
    [{ code: '22P02', routine: 'exec_stmt_raise' }, 'miftah: x', 'data exception'],
    ...['42P22', '23505', 'XP001', 'X3800', ''].map((code): [object, string, string] => [
      { code },
      'told',
      'told',
    ]),
    [{}, 'first\nparams: secret', 'first'],
    [{}, '', 'no message'],
    [{}, '\nsecond', 'no message'],
    [{}, `a ${HEX} and ${HEX.toUpperCase()}${HEX}.`, 'a … and ….'],
    [{}, HEX.slice(1), HEX.slice(1)],
  ])('%j %j says %j', (fields, message, said) => {
    expect(copyOf(failed(fields, message)).message).toBe(said)
  })

  test('of what is no error has no message', () => {
    for (const thrown of ['thrown', null]) expect(copyOf(thrown).message).toBe('no message')
  })
})
