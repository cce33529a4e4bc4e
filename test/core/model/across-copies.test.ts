import { describe, expect, test } from 'vitest'
import { ApiKeyError } from '../../../src/index.ts'
import { recognizeAcrossCopies } from '../../../src/model/across-copies.ts'

/** A copy of a class, as another copy of the package has it. */
function copyOf(name: string) {
  class Copy extends Error {}
  recognizeAcrossCopies(Copy, name)
  return Copy
}

describe('instanceof', () => {
  const First = copyOf('TestError')
  const Second = copyOf('TestError')

  test('recognises the errors of each copy', () => {
    expect(new First()).toBeInstanceOf(First)
    expect(new First()).toBeInstanceOf(Second)
    expect(new Second()).toBeInstanceOf(First)
    expect(new (copyOf('ApiKeyError'))()).toBeInstanceOf(ApiKeyError)
  })

  test('recognises no errors of another class, although they may be called the same', () => {
    expect(new (copyOf('OtherError'))()).not.toBeInstanceOf(First)
    expect(Object.assign(new Error(), { name: 'TestError' })).not.toBeInstanceOf(First)
  })

  test.each([null, undefined, 'TestError', 1, {}, JSON.parse('{"Symbol(miftah.TestError)":true}')])(
    'does not recognise %j',
    (value) => expect(value instanceof First).toBe(false),
  )

  test('of a subclass recognises its own instances alone', () => {
    class Sub extends First {}
    expect(new Sub()).toBeInstanceOf(Sub)
    expect(new Sub()).toBeInstanceOf(Second)
    expect(new First()).not.toBeInstanceOf(Sub)
  })
})

test('the mark is not shown, printed or copied', () => {
  const error = new ApiKeyError('key_revoked')
  expect(Object.getOwnPropertySymbols(error)).toEqual([])
  expect({ ...error }).not.toBeInstanceOf(ApiKeyError)
})
