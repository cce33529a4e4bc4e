import { expect, test } from 'vitest'
import { defineResources } from '../../../src/index.ts'

const label = { en: 'Projects' }
const nth = (at: number) => ({ type: `t${at}`, label })

test('types come out frozen and in order', () => {
  const types = defineResources([{ type: 'project', label }, nth(1), nth(2), nth(3)])
  expect(types.types).toEqual(['project', 't1', 't2', 't3'])
  expect(types.entries[0]).toEqual({ type: 'project', label })
  const parts = [types, types.types, types.entries, ...types.entries]
  expect(parts.every(Object.isFrozen)).toBe(true)
})

test.each([
  ['none', [], /list of 1 to 4/],
  ['five', [nth(0), nth(1), nth(2), nth(3), nth(4)], /list of 1 to 4/],
  ['no list', { type: 'project', label }, /list of 1 to 4/],
  ['one twice', [nth(1), nth(2), nth(1)], /"t1" is named twice/],
  ['upper case', [{ type: 'Project', label }], /"Project" is not/],
  ['a digit first', [{ type: '1p', label }], /"1p" is not/],
  ['nothing', [{ type: '', label }], /is not/],
  ['33 characters', [{ type: `p${'x'.repeat(32)}`, label }], /is not/],
  ['no text', [{ type: 7, label }], /"7" is not/],
  ['a name of Object.prototype', [{ type: 'constructor', label }], /"constructor" is not/],
  ['no label', [{ type: 'project', label: {} }], /resource type "project" has no label/],
  ['a label without language', [{ type: 'project', label: 'P' }], /label by language/],
])('%s', (_, types, message) => {
  expect(() => defineResources(types as never)).toThrow(TypeError)
  expect(() => defineResources(types as never)).toThrow(message)
})
