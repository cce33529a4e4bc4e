import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSame } from '../../../src/lib/values.ts'

test.each([
  [{ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, true],
  [[], [], true],
  [{ a: 1 }, { a: 1, b: undefined }, false],
  [{ a: undefined }, { b: undefined }, false],
  [{}, null, false],
  [null, {}, false],
  [{}, undefined, false],
  ['a', ['a'], false],
  [['a'], 'a', false],
  [{}, 0, false],
  [Number.NaN, Number.NaN, true],
])('%j and %j: %s', (one, other, expected) => {
  expect(isSame(one, other)).toBe(expected)
})

test('whatever JSON can hold is the same as its copy', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => isSame(value, structuredClone(value))))
})
