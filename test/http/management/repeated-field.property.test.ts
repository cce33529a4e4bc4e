import fc from 'fast-check'
import { expect, test } from 'vitest'
import { repeatedField } from '../../../adapters/http/lib/management/repeated-field.ts'

/** JSON text of every shape, with space where JSON allows it. */
const jsonText = fc
  .tuple(fc.jsonValue(), fc.constantFrom('', ' ', '\t', '\n  '))
  .map(([value, space]) => JSON.stringify(value, null, space))

/** A name as JSON may also write it: every UTF-16 unit escaped. */
const escaped = (name: string) =>
  `"${Array.from({ length: name.length }, (_, at) => `\\u${name.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`

test('what JSON.stringify writes names nothing twice', () => {
  fc.assert(fc.property(jsonText, (text) => repeatedField(text) === null))
})

test('a name that is there twice is found, however it is written and wherever it is', () => {
  const cases = fc.tuple(fc.string({ unit: 'binary' }), jsonText, jsonText, jsonText, fc.boolean())
  fc.assert(
    fc.property(cases, ([name, first, between, last, escapes]) => {
      const again = escapes ? escaped(name) : JSON.stringify(name)
      const filler = `${JSON.stringify(`${name}x`)}:${between}`
      const object = `{${JSON.stringify(name)}:${first},${filler},${again}:${last}}`
      expect(JSON.parse(object)).toBeTypeOf('object')
      expect(repeatedField(object)).toBe(name)
      expect(repeatedField(`[1,{"outer":[${object}]}]`)).toBe(name)
    }),
  )
})

test('one name in two objects is no repeat, nor is a name that is a value', () => {
  expect(repeatedField('{"a":{"a":1},"b":[{"a":1},{"a":2}],"c":"a","d":"\\"a\\":1,{"}')).toBeNull()
  expect(repeatedField('["a","a",{"a":"a"}]')).toBeNull()
})

test('a name is looked for in its own object, whatever is closed or open beside it', () => {
  expect(repeatedField('{"a":{},"b":[{}],"a":1}')).toBe('a')
  expect(repeatedField('{"a":{"b":1,"c":{},"b":2}}')).toBe('b')
  expect(repeatedField('[{"a":1},{"a":1,"b":[[{"a":1}]],"a":2}]')).toBe('a')
  expect(repeatedField('{"a":{"b":1},"c":{"b":1}}')).toBeNull()
})
