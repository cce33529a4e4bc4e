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
    const scopes = [{ scope: 'b.1', label: { en: 'B1', fr: 'Bé' } }]
    const groups = [{ id: 'b', label: { en: 'B', ar: 'ب' }, scopes }, group('a.2', 'a.1')]
    const catalogue = defineScopes(groups)
    expect(catalogue.scopes).toEqual(['b.1', 'a.2', 'a.1'])
    expect(catalogue.groups).toEqual(groups)
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
    const { groups, scopes } = catalogue
    const [{ label: own, scopes: entries } = expect.fail('there is a group')] = groups
    const parts = [catalogue, groups, scopes, groups[0], own, entries]
    for (const part of [...parts, entries[0], entries[0]?.label]) {
      expect(Object.isFrozen(part)).toBe(true)
    }
  })

  const tokens = [
    'a',
    '!',
    '#',
    '[',
    ']',
    '~',
    'a'.repeat(64),
    'https://example.com/x',
    'A_b-c.d:e',
  ]
  test.each(tokens)('takes the scope-token %s', (scope) => {
    expect(defineScopes([group(scope)]).scopes).toEqual([scope])
  })
})

test('pickScopes keeps the groups that are left, in the order of the whole', () => {
  const some = pickScopes(defaultCatalogue, ['webhooks.read', 'contacts.read', 'messages.send'])
  expect(some.scopes).toEqual(['messages.send', 'contacts.read', 'webhooks.read'])
  expect(some.groups.map(({ id }) => id)).toEqual(['messages', 'contacts', 'advanced'])
  expect(some.groups[1]?.label).toEqual(defaultCatalogue.groups[1]?.label)
})

const BY_LANGUAGE = "must have its label by language, such as { en: 'Read invoices' }."
const TOKEN = 'is not 1 to 64 visible ASCII characters without " or \\.'
/** One group with one scope, some of it otherwise. */
const of = (fields: object) => [{ ...group('a'), ...fields }]
const ofScope = (scope: unknown) => of({ scopes: [scope] })

test.each<[string, unknown]>([
  ['The scope catalogue is empty.', []],
  ['The scope catalogue is empty.', [group()]],
  ...[of({ id: '' }), of({ id: 7 }), [null]].map((groups): [string, unknown] => [
    'A scope group has no id.',
    groups,
  ]),
  ['group "g" is named twice.', [group('a'), group('b')]],
  ['scope "a" is named twice.', [group('a'), { ...group('a'), id: 'h' }]],
  [`scope "undefined" ${TOKEN}`, ofScope(null)],
  ...['', 'a b', 'a"b', 'a\\b', 'a\nb', 'é', 'a'.repeat(65), 7].map((scope): [string, unknown] => [
    `scope "${scope}" ${TOKEN}`,
    ofScope({ scope, label }),
  ]),
  ['group "g" has no label.', of({ label: {} })],
  ['group "g" has no text for "en".', of({ label: { en: ' ' } })],
  [`group "g" ${BY_LANGUAGE}`, of({ label: 'Invoices' })],
  [`group "g" ${BY_LANGUAGE}`, of({ label: ['Invoices'] })],
  ['group "g" has no list of scopes.', of({ scopes: 'invoices.read' })],
  ['scope "a" has no label.', ofScope({ scope: 'a' })],
  ['scope "a" has no text for "ar".', ofScope({ scope: 'a', label: { en: 'A', ar: '' } })],
  [`scope "a" ${BY_LANGUAGE}`, ofScope({ scope: 'a', label: 'Read invoices' })],
  ["scope \"a\" must be { scope: 'a', label: { en: '…' } }.", ofScope('a')],
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
