import { describe, expect, test } from 'vitest'
import {
  bodyOf,
  changesOf,
  type Draft,
  draftOf,
  emptyDraft,
  errorsFrom,
  errorsOf,
} from '../../adapters/ui/form/draft.ts'
import {
  choicesFor,
  type ExpiryRules,
  expiryErrorOf,
  expiryOf,
  lastDay,
} from '../../adapters/ui/form/expiry.ts'
import { createDateWriter } from '../../adapters/ui/format/dates.ts'
import { ahead, keyOf, now } from '../support/settings-tab/keys.ts'

const dates = createDateWriter({ tag: 'en', timeZone: 'Asia/Riyadh' })
const rules = (latest: number | null = null): ExpiryRules => ({ dates, now, latest })
const dayMs = 86_400_000
const scopes = new Set(['a', 'b'])
const good: Draft = { ...emptyDraft, name: ' Cafe\u0301 ', environment: 'live', scopes }

describe('a draft', () => {
  test('that nobody has touched has every field wrong, and no environment chosen', () => {
    expect(errorsOf(emptyDraft, rules())).toEqual({
      name: 'v.name.required',
      environment: 'v.env.required',
      scopes: 'v.scopes.required',
    })
  })

  test('that is good is sent trimmed and in NFC', () => {
    expect(errorsOf(good, rules())).toEqual({})
    const body = { name: 'Caf\u00e9', environment: 'live', scopes: ['a', 'b'] }
    expect(bodyOf(good, rules())).toEqual(body)
  })

  test.each([
    ['  ', 'v.name.required'],
    [` ${'🔑'.repeat(120)} `, undefined],
    ['a'.repeat(121), 'v.name.long'],
    ['a\u200Eb', undefined],
    ['می\u200Cخواهم', undefined],
  ])('the name %j: %s', (name, error) => {
    expect(errorsOf({ ...good, name }, rules()).name).toBe(error)
  })
})

test.each([
  ['name', 'taken', { name: 'v.name.taken' }],
  ['name', 'too_long', { name: 'v.name.long' }],
  ['name', 'required', { name: 'v.name.required' }],
  ['name', 'forbidden_character', { name: 'v.name.chars' }],
  ['name', 'of a later version', { name: 'v.name.chars' }],
  ['environment', 'x', { environment: 'v.env.required' }],
  ['scopes', 'x', { scopes: 'v.scopes.required' }],
  ['scopes', 'unknown_scope', { scopes: 'v.scopes.unknown' }],
  ['expiresAt', 'x', { expiry: 'v.day.past' }],
  ['note', 'x', { note: 'v.note' }],
  ['resources', 'x', { resources: 'v.resources' }],
  ['networks', 'x', { networks: 'v.networks' }],
  ['hash', 'x', {}],
])('the server objects to %s: %s', (field, code, errors) => {
  expect(errorsFrom([{ path: [field, 0], code, message: '' }])).toEqual(errors)
})

describe('an expiry', () => {
  const end = Date.parse('2026-11-28T20:59:59.999Z')

  test.each([
    ['7', null, end],
    ['7', end, end],
    ['7', end - 1, Number.NaN],
    ['never', null, null],
    ['keep', null, undefined],
    ['plan', null, undefined],
  ] as const)('chosen as %s, where the plan ends at %j: %j', (choice, latest, at) => {
    expect(expiryOf({ choice, day: '' }, rules(latest))).toBe(at)
  })

  test.each([
    ['', null, 'v.day'],
    ['soon', null, 'v.day'],
    ['2026-11-20', null, 'v.day.past'],
    ['2027-11-20', null, null],
    ['2027-11-20', now + dayMs, 'v.expiry'],
  ])('on the day %j, where the plan ends at %j: %s', (day, latest, error) => {
    expect(expiryErrorOf({ choice: 'date', day }, rules(latest))).toBe(error)
  })

  test('has a last day whose end the plan allows', () => {
    // The 21st of December is over hours after the 30 days are.
    expect(lastDay(rules(now + 30 * dayMs))).toBe('2026-12-20')
    expect(lastDay(rules(Date.parse('2026-12-21T20:59:59.999Z')))).toBe('2026-12-21')
  })

  test.each([
    [null, undefined, 'never 7 30 60 90 date'],
    [now + 61 * dayMs, undefined, 'plan 7 30 60 date'],
    [now + dayMs, undefined, 'plan date'],
    // Even today ends too late.
    [now + 3_600_000, undefined, 'plan'],
    [null, null, 'never 7 30 60 90 date'],
    [null, ahead(3), 'keep never 7 30 60 90 date'],
    [now + 8 * dayMs, ahead(3), 'keep 7 date'],
  ])('can be chosen, where the plan ends at %j and the key at %j: %s', (latest, key, choices) => {
    expect(choicesFor(rules(latest), key).join(' ')).toBe(choices)
  })
})

test.each([
  [{}, {}],
  [{ name: ' M ' }, { name: 'M' }],
  [{ scopes: new Set(['a', 'c']) }, { scopes: ['a', 'c'] }],
  [{ scopes: new Set(['b', 'a']) }, {}],
  [{ expiry: { choice: 'never', day: '' } }, { expiresAt: null }],
  [{ expiry: { choice: '7', day: '' } }, { expiresAt: '2026-11-28T20:59:59.999Z' }],
] as const)('a draft with %j changes %j', (edited, changes) => {
  const key = keyOf({ id: 'k', name: 'N', scopes: ['a', 'b'], expiresAt: ahead(3) })
  expect(changesOf(key, { ...draftOf(key), ...edited }, rules())).toEqual(changes)
})
