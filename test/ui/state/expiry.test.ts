import { describe, expect, test } from 'vitest'
import { changesOf, draftOf } from '../../../adapters/ui/form/draft.ts'
import {
  choicesFor,
  type ExpiryChoice,
  type ExpiryRules,
  expiryErrorOf,
  expiryOf,
  lastDay,
  noExpiry,
} from '../../../adapters/ui/form/expiry.ts'
import { createLocale } from '../../../adapters/ui/format/locale.ts'
import { ahead, keyOf, now } from '../../support/settings-tab/keys.ts'

const { dates } = createLocale({
  lang: 'en',
  dir: 'ltr',
  timeZone: 'Asia/Riyadh',
  strings: {},
})
const rules = (latest: number | null = null): ExpiryRules => ({ dates, now, latest })
const dayMs = 86_400_000
const of = (choice: ExpiryChoice, day = '', latest: number | null = null) =>
  expiryOf({ choice, day }, rules(latest))
const instant = (text: string) => Date.parse(text)

describe('an expiry', () => {
  test('ends a day by the clocks of the viewer', () => {
    expect(of('7')).toBe(instant('2026-11-28T20:59:59.999Z'))
    expect(of('date', '2026-12-31')).toBe(instant('2026-12-31T20:59:59.999Z'))
    expect(of('date', '2026-11-21')).toBe(instant('2026-11-21T20:59:59.999Z'))
  })

  test('is none, or left to the key or the plan', () => {
    expect(noExpiry).toEqual({ choice: 'never', day: '' })
    expect([of('never'), of('keep'), of('plan')]).toEqual([null, undefined, undefined])
  })

  test.each(['', 'soon', '2026-11-20', '2025-01-01'])('cannot be on the day %j', (day) => {
    expect(of('date', day)).toBeNaN()
  })

  test('is within what the plan allows, to the millisecond', () => {
    const end = instant('2026-11-28T20:59:59.999Z')
    expect(of('7', '', end)).toBe(end)
    expect(of('7', '', end - 1)).toBeNaN()
    expect(expiryOf({ choice: '7', day: '' }, { ...rules(), now: end })).not.toBe(end)
  })
})

describe('what is wrong with a day', () => {
  const wrong = (day: string, latest: number | null = null) =>
    expiryErrorOf({ choice: 'date', day }, rules(latest))

  test('is said in its own words', () => {
    expect(wrong('')).toBe('v.day')
    expect(wrong('2026-11-20')).toBe('v.day.past')
    expect(wrong('2027-11-20')).toBeNull()
    expect(wrong('2027-11-20', now + dayMs)).toBe('v.expiry')
    expect(expiryErrorOf(noExpiry, rules())).toBeNull()
  })
})

describe('the last day on offer', () => {
  test('is one whose end the plan allows', () => {
    expect(lastDay(rules())).toBeNull()
    // The 21st of December is over hours after the 30 days are.
    const latest = now + 30 * dayMs
    expect(lastDay(rules(latest))).toBe('2026-12-20')
    expect(of('date', '2026-12-20', latest)).not.toBeNaN()
    expect(lastDay(rules(instant('2026-12-21T20:59:59.999Z')))).toBe('2026-12-21')
  })

  test('is none where even today ends too late', () => {
    expect(choicesFor(rules(now + 3_600_000))).toEqual(['plan'])
  })
})

describe('what can be chosen', () => {
  test('for a new key', () => {
    expect(choicesFor(rules())).toEqual(['never', '7', '30', '60', '90', 'date'])
    expect(choicesFor(rules(now + 61 * dayMs))).toEqual(['plan', '7', '30', '60', 'date'])
    expect(choicesFor(rules(now + dayMs))).toEqual(['plan', 'date'])
  })

  test('for a key that is there', () => {
    expect(choicesFor(rules(), null)).toEqual(['never', '7', '30', '60', '90', 'date'])
    expect(choicesFor(rules(), ahead(3))).toEqual(['keep', 'never', '7', '30', '60', '90', 'date'])
    expect(choicesFor(rules(now + 8 * dayMs), ahead(3))).toEqual(['keep', '7', 'date'])
  })
})

describe('the changes of a key', () => {
  const key = keyOf({ id: 'k', name: 'N', scopes: ['a', 'b'], expiresAt: ahead(3) })
  const changes = (change: object, of = key) =>
    changesOf(of, { ...draftOf(of), ...change }, rules())

  test('are empty for an unchanged draft', () => {
    expect(changes({})).toEqual({})
    expect(changes({}, { ...key, expiresAt: null })).toEqual({})
  })

  test('are those that were made', () => {
    expect(changes({ name: ' M ' })).toEqual({ name: 'M' })
    expect(changes({ scopes: new Set(['a', 'c']) })).toEqual({ scopes: ['a', 'c'] })
    expect(changes({ scopes: new Set(['b', 'a']) })).toEqual({})
    expect(changes({ expiry: { choice: 'never', day: '' } })).toEqual({ expiresAt: null })
    expect(changes({ expiry: { choice: '7', day: '' } })).toEqual({
      expiresAt: '2026-11-28T20:59:59.999Z',
    })
  })
})
