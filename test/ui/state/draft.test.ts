import { describe, expect, test } from 'vitest'
import {
  bodyOf,
  type Draft,
  draftFields,
  emptyDraft,
  errorsFrom,
  errorsOf,
  limitOf,
} from '../../../adapters/ui/form/draft.ts'
import type { ExpiryRules } from '../../../adapters/ui/form/expiry.ts'

const expiry = { choice: 'never', day: '' } as const
const scopes = new Set(['a', 'b'])
const good: Draft = {
  name: ' Cafe\u0301 ',
  environment: 'live',
  scopes,
  expiry,
  note: '',
  resources: {},
  networks: null,
}
const dates = {
  dayIn: () => '2026-12-01',
  endOf: (day: string) => Date.parse(`${day}T23:59:59.999Z`),
}
const rules: ExpiryRules = { dates, now: Date.parse('2026-11-21T12:00:00Z'), latest: null }

describe('a draft', () => {
  test('that nobody has touched has every field wrong, and no environment chosen', () => {
    expect(emptyDraft).toEqual({
      name: '',
      environment: null,
      scopes: new Set(),
      expiry,
      note: '',
      resources: {},
      networks: null,
    })
    expect(errorsOf(emptyDraft, rules)).toEqual({
      name: 'v.name.required',
      environment: 'v.env.required',
      scopes: 'v.scopes.required',
    })
    expect(draftFields).toEqual([
      'name',
      'environment',
      'expiry',
      'scopes',
      'note',
      'resources',
      'networks',
    ])
  })

  test('that is good is sent trimmed and in NFC', () => {
    expect(errorsOf(good, rules)).toEqual({})
    expect(bodyOf(good, rules)).toEqual({
      name: 'Caf\u00e9',
      environment: 'live',
      scopes: ['a', 'b'],
    })
  })

  test.each([
    ['', 'v.name.required'],
    ['  ', 'v.name.required'],
    ['\u2800', 'v.name.required'],
    ['\u3164\u200B', 'v.name.required'],
    ['a'.repeat(limitOf.name), undefined],
    [` ${'🔑'.repeat(limitOf.name)} `, undefined],
    ['a'.repeat(limitOf.name + 1), 'v.name.long'],
    ['a\u202Eb', 'v.name.chars'],
    [`${'a'.repeat(limitOf.name)}\0`, 'v.name.chars'],
    ['a\u200Eb', undefined],
    ['a\u{E0041}b', 'v.name.chars'],
    ['می\u200Cخواهم', undefined],
  ])('the name %j: %s', (name, error) => {
    expect(errorsOf({ ...good, name }, rules).name).toBe(error)
  })
})

describe('what the server objects to', () => {
  const objection = (field: string | undefined, code: string) =>
    errorsFrom([{ path: field === undefined ? [] : [field, 0], code, message: '' }])

  test.each([
    ['taken', 'v.name.taken'],
    ['too_long', 'v.name.long'],
    ['required', 'v.name.required'],
    ['forbidden_character', 'v.name.chars'],
    ['of a later version', 'v.name.chars'],
  ])('of a name, %s: %s', (code, id) => {
    expect(objection('name', code)).toEqual({ name: id })
  })

  test('of other fields, and of none', () => {
    expect(objection('environment', 'x')).toEqual({ environment: 'v.env.required' })
    expect(objection('scopes', 'x')).toEqual({ scopes: 'v.scopes.required' })
    expect(objection('scopes', 'unknown_scope')).toEqual({ scopes: 'v.scopes.unknown' })
    expect(objection('hash', 'x')).toEqual({})
    expect(objection(undefined, 'x')).toEqual({})
  })

  test('all at once', () => {
    const issues = ['name', 'scopes'].map((field) => ({
      path: [field],
      code: 'required',
      message: '',
    }))
    expect(errorsFrom(issues)).toEqual({ name: 'v.name.required', scopes: 'v.scopes.required' })
    expect(errorsFrom([])).toEqual({})
  })
})
