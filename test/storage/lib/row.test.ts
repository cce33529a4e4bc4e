import { describe, expect, test } from 'vitest'
import {
  brokenColumn,
  integerIn,
  objectIn,
  oneOfIn,
  optionalIntegerIn,
  optionalTextIn,
  rowFrom,
  type SqlRow,
  textIn,
  textsIn,
} from '../../../adapters/storage/lib/row.ts'

/** What each reader makes of a value in the column `c`; `broken` where it refuses it. */
function reading(read: Read, value: unknown): unknown {
  try {
    return read({ c: value }, 'c')
  } catch (error) {
    expect(error).toMatchObject({
      name: 'StorageError',
      code: 'broken_row',
      message: 'a stored row is invalid: column "c"',
    })
    return 'broken'
  }
}

const anyOf = (row: SqlRow, column: string) => oneOfIn(row, column, ['live', 'test'])

type Read = (row: SqlRow, column: string) => unknown
type Case = readonly [value: unknown, expected: unknown]

const READERS: readonly (readonly [Read, readonly Case[]])[] = [
  [
    textIn,
    [
      ['', ''],
      ['x', 'x'],
      [null, 'broken'],
      [undefined, 'broken'],
      [7, 'broken'],
    ],
  ],
  [
    optionalTextIn,
    [
      ['x', 'x'],
      [null, null],
      [undefined, 'broken'],
      [7, 'broken'],
    ],
  ],
  [
    integerIn,
    [
      [0, 0],
      [-5, -5],
      [7n, 7],
      ['7', 7],
      ['-7', -7],
      ['12', 12],
      [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
      [2 ** 53, 'broken'],
      [2n ** 53n, 'broken'],
      ['9007199254740993', 'broken'],
      [1.5, 'broken'],
      ['1.5', 'broken'],
      ['x7', 'broken'],
      ['7x', 'broken'],
      ['--7', 'broken'],
      ['', 'broken'],
      [' 7', 'broken'],
      [null, 'broken'],
      [true, 'broken'],
      [[7], 'broken'],
    ],
  ],
  [
    optionalIntegerIn,
    [
      [7n, 7],
      [null, null],
      [undefined, 'broken'],
      ['x', 'broken'],
    ],
  ],
  [
    anyOf,
    [
      ['live', 'live'],
      ['test', 'test'],
      ['LIVE', 'broken'],
      [null, 'broken'],
    ],
  ],
  [
    textsIn,
    [
      ['["a","b"]', ['a', 'b']],
      [['a'], ['a']],
      ['[]', []],
      ['["a",7]', 'broken'],
      [[null], 'broken'],
      ['{}', 'broken'],
      ['[', 'broken'],
      ['"a"', 'broken'],
      [null, 'broken'],
    ],
  ],
  [
    objectIn,
    [
      ['{"a":1}', { a: 1 }],
      [{ a: 1 }, { a: 1 }],
      ['[]', 'broken'],
      ['null', 'broken'],
      ['7', 'broken'],
      ['{', 'broken'],
      [null, 'broken'],
    ],
  ],
]

describe.each(READERS)('%o', (read, cases) => {
  test.each(cases)('%o is %o', (value, expected) => {
    expect(reading(read, value)).toEqual(expected)
  })
})

test('a row is an object, and nothing else a driver may answer', () => {
  const row = { c: 1 }
  expect(rowFrom(row)).toBe(row)
  for (const other of [undefined, null, 7, 'x', [row], true]) {
    expect(() => rowFrom(other)).toThrow(
      expect.objectContaining({
        code: 'broken_row',
        message: 'the driver returned something that is not a row',
      }),
    )
  }
})

test('a broken column is named, its content is not', () => {
  expect(() => brokenColumn('uses')).toThrow('a stored row is invalid: column "uses"')
})
