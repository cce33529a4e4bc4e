import { describe, expect, test } from 'vitest'
import {
  asUnstorable,
  failureOf,
  faultOf,
  sqlStateOf,
  withoutData,
} from '../../../adapters/storage/lib/postgres/errors.ts'

/** An error with the fields that a driver puts on it. */
const failed = (fields: object, message = 'told') => Object.assign(new Error(message), fields)

const HEX = 'a'.repeat(32)

describe('a refusal of the values of a batch', () => {
  const refused = (code: string) => faultOf('refused', 'refused', failed({ code }))

  test.each(['22003', '23514', 'P0001'])('is %s', (code) => {
    const error = asUnstorable(refused(code))
    expect(error).toMatchObject({ code: 'unstorable_value', message: 'refused', cause: { code } })
  })

  test.each(['42501', '53100', '28P01', 'P0002'])('is not %s, which may pass', (code) => {
    const error = refused(code)
    expect(asUnstorable(error)).toBe(error)
  })

  test('is no error of another kind', () => {
    for (const error of [
      faultOf('timeout', 'late', failed({ code: '23514' })),
      new Error('x'),
      7,
    ]) {
      expect(asUnstorable(error)).toBe(error)
    }
  })
})

describe('what a failed attempt says', () => {
  test.each([
    ['40001', 'busy', 'busy'],
    ['40P01', 'busy', 'busy'],
    ['55P03', 'busy', 'busy'],
    ['57P01', 'lost', 'unreachable'],
    ['57P02', 'lost', 'unreachable'],
    ['57P05', 'lost', 'unreachable'],
    ['08006', 'lost', 'unreachable'],
    ['08P01', 'lost', 'unreachable'],
    ['57P03', 'unreachable', 'unreachable'],
    ['53300', 'unreachable', 'unreachable'],
    ['26000', 'unnamed', 'unnamed'],
    ['42P05', 'unnamed', 'unnamed'],
    ['0A000', 'unnamed', 'unnamed'],
    ['25006', 'read_only', 'read_only'],
    ['58000', 'unclear', 'unclear'],
    ['58030', 'unclear', 'unclear'],
    ['XX000', 'unclear', 'unclear'],
    ['XX001', 'final', 'final'],
    ['23505', 'final', 'final'],
    ['22008', 'final', 'final'],
    ['EPIPE', 'lost', 'unreachable'],
    ['ECONNREFUSED', 'unreachable', 'unreachable'],
    ['ECONNRESET', 'lost', 'unreachable'],
    ['ETIMEDOUT', 'lost', 'unreachable'],
    ['EHOSTUNREACH', 'lost', 'unreachable'],
    ['ENETUNREACH', 'lost', 'unreachable'],
    ['EAI_AGAIN', 'unreachable', 'unreachable'],
    ['ENOTFOUND', 'unreachable', 'unreachable'],
    ['NO_ENOTFOUND', 'lost', 'final'],
    ['ENOTFOUND_', 'lost', 'final'],
    ['NO_EPIPE', 'lost', 'final'],
    ['EPIPES', 'lost', 'final'],
  ])('%s is %s once it was sent, and %s before', (code, sent, unsent) => {
    expect(failureOf(failed({ code }), true)).toBe(sent)
    expect(failureOf(failed({ code }), false)).toBe(unsent)
  })

  test.each([
    ['connect', 'unreachable'],
    ['getaddrinfo', 'unreachable'],
    [undefined, 'unreachable'],
    ['read', 'lost'],
    ['write', 'lost'],
  ])('a refusal in a call of %s is %s once it was sent', (syscall, sent) => {
    expect(failureOf(failed({ code: 'ECONNREFUSED', syscall }), true)).toBe(sent)
  })

  test.each([
    ['Connection terminated unexpectedly', 'unreachable'],
    ['timeout exceeded when trying to connect', 'unreachable'],
    ['Query read TIMEOUT', 'unreachable'],
    ['Cannot use a pool after calling end on the pool', 'final'],
  ])('by its message alone: %s', (message, unsent) => {
    expect(failureOf(new Error(message), true)).toBe('lost')
    expect(failureOf(new Error(message), false)).toBe(unsent)
  })

  test.each([undefined, null, 'timeout', 7, { message: 7, code: 40001 }])(
    'what is no error says nothing: %j',
    (thrown) => {
      expect(failureOf(thrown, true)).toBe('lost')
      expect(failureOf(thrown, false)).toBe('final')
    },
  )
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
    expect({ ...withoutData(failed({ code: '', severity: 7, table: null })) }).toEqual({})
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
