import { describe, expect, test } from 'vitest'
import { defaultCatalogue, defineScopes, pickScopes } from '../../../src/index.ts'

const label = { en: 'Something' }
const group = (...scopes: readonly string[]) => ({
  id: 'g',
  label,
  scopes: scopes.map((scope) => ({ scope, label })),
})

describe('defineScopes', () => {
  test('keeps order, codes and labels in any language', () => {
    const catalogue = defineScopes([
      {
        id: 'b',
        label: { en: 'B', ar: 'ب' },
        scopes: [{ scope: 'b.1', label: { en: 'B1', fr: 'Bé' } }],
      },
      {
        id: 'a',
        label: { en: 'A' },
        scopes: [
          { scope: 'a.2', label },
          { scope: 'a.1', label },
        ],
      },
    ])
    expect(catalogue.scopes).toEqual(['b.1', 'a.2', 'a.1'])
    expect(catalogue.groups.map(({ id }) => id)).toEqual(['b', 'a'])
    expect(catalogue.groups[0]?.label).toEqual({ en: 'B', ar: 'ب' })
    expect(catalogue.groups[0]?.scopes[0]?.label).toEqual({ en: 'B1', fr: 'Bé' })
  })

  test('keeps a short label beside the label, and refuses an empty one', () => {
    const scope = { scope: 'a', label, short: { en: 'Read' } }
    const [made] = defineScopes([{ id: 'g', label, scopes: [scope] }]).groups
    expect(made?.scopes).toEqual([scope])
    expect(Object.isFrozen(made?.scopes[0]?.short)).toBe(true)
    const empty = { ...scope, short: {} }
    expect(() => defineScopes([{ id: 'g', label, scopes: [empty] }])).toThrow('scope "a"')
  })

  test('has() is exact', () => {
    const catalogue = defineScopes([group('read', 'write.all')])
    expect(catalogue.has('read')).toBe(true)
    expect(catalogue.has('write.all')).toBe(true)
    for (const stranger of ['READ', 'rea', 'read ', 'write', '', null, undefined, 7, ['read']]) {
      expect(catalogue.has(stranger)).toBe(false)
    }
    expect(catalogue.has('constructor')).toBe(false)
    expect(catalogue.has('__proto__')).toBe(false)
  })

  test('is a copy that nobody can change', () => {
    const given = [{ id: 'g', label: { en: 'G' }, scopes: [{ scope: 'x', label: { en: 'X' } }] }]
    const catalogue = defineScopes(given)
    const first = given[0]
    if (first) first.label.en = 'changed'
    first?.scopes.push({ scope: 'y', label })
    expect(catalogue.groups[0]?.label['en']).toBe('G')
    expect(catalogue.scopes).toEqual(['x'])
    const [frozen] = catalogue.groups
    for (const part of [
      catalogue,
      catalogue.groups,
      catalogue.scopes,
      frozen,
      frozen?.label,
      frozen?.scopes,
      frozen?.scopes[0],
      frozen?.scopes[0]?.label,
    ]) {
      expect(Object.isFrozen(part)).toBe(true)
    }
  })

  test.each([
    'a',
    '!',
    '#',
    '[',
    ']',
    '~',
    'a'.repeat(64),
    'https://example.com/x',
    'a:b',
    'A_b-c.d',
  ])('a scope-token: %s', (scope) => {
    expect(defineScopes([group(scope)]).scopes).toEqual([scope])
  })
})

describe('pickScopes', () => {
  test('keeps the groups that are left, in the order of the whole', () => {
    const some = pickScopes(defaultCatalogue, ['webhooks.read', 'contacts.read', 'messages.send'])
    expect(some.scopes).toEqual(['messages.send', 'contacts.read', 'webhooks.read'])
    expect(some.groups.map(({ id }) => id)).toEqual(['messages', 'contacts', 'advanced'])
    expect(some.groups[1]?.label).toEqual(defaultCatalogue.groups[1]?.label)
  })
})

test.each([
  ['The scope catalogue is empty.', []],
  ['The scope catalogue is empty.', [group()]],
  ['A scope group has no id.', [{ ...group('a'), id: '' }]],
  ['A scope group has no id.', [null as never]],
  ['A scope group has no id.', [{ ...group('a'), id: 7 as never }]],
  [
    'scope "undefined" is not 1 to 64 visible ASCII characters without " or \\.',
    [{ ...group(), scopes: [null as never] }],
  ],
  ['group "g" is named twice.', [group('a'), group('b')]],
  ['scope "a" is named twice.', [group('a'), { ...group('a'), id: 'h' }]],
  ...['', 'a b', 'a"b', 'a\\b', 'a\nb', 'é', 'a'.repeat(65), 7].map((scope): [string, unknown] => [
    `scope "${scope}" is not 1 to 64 visible ASCII characters without " or \\.`,
    [group(scope as string)],
  ]),
  [
    'scope "a" has no label.',
    [{ ...group(), scopes: [{ scope: 'a', label: undefined as never }] }],
  ],
  [
    'group "g" must have its label by language, such as { en: \'Read invoices\' }.',
    [{ ...group('a'), label: 'Invoices' as never }],
  ],
  [
    'scope "a" must have its label by language, such as { en: \'Read invoices\' }.',
    [{ ...group(), scopes: [{ scope: 'a', label: 'Read invoices' as never }] }],
  ],
  [
    'group "g" must have its label by language, such as { en: \'Read invoices\' }.',
    [{ ...group('a'), label: ['Invoices'] as never }],
  ],
  ['group "g" has no text for "en".', [{ ...group('a'), label: { en: ' ' } }]],
  ['group "g" has no list of scopes.', [{ ...group(), scopes: 'invoices.read' as never }]],
  [
    "scope \"a\" must be { scope: 'a', label: { en: '…' } }.",
    [{ ...group(), scopes: ['a' as never] }],
  ],
  ['group "g" has no label.', [{ ...group('a'), label: {} }]],
  [
    'scope "a" has no text for "ar".',
    [{ ...group(), scopes: [{ scope: 'a', label: { en: 'A', ar: '' } }] }],
  ],
])('it says what is wrong: %s', (message, groups) => {
  expect(() => defineScopes(groups as never)).toThrow(new TypeError(message))
})

test.each([{}, undefined, 'orders.read', group('a')])('%j is no list of groups', (groups) => {
  expect(() => defineScopes(groups as never)).toThrow(
    new TypeError(
      "defineScopes needs a list of groups: [{ id: 'orders', label: { en: 'Orders' }, scopes: [{ scope: 'orders.read', label: { en: 'Read orders' } }] }].",
    ),
  )
})

test.each([
  ['scope "contacts.red" is not in the catalogue.', ['contacts.red']],
  ['scope "contacts.read" is named twice.', ['contacts.read', 'contacts.read']],
  ['The scope catalogue is empty.', []],
])('it says what cannot be picked: %s', (message, scopes) => {
  expect(() => pickScopes(defaultCatalogue, scopes as never)).toThrow(new TypeError(message))
})
