import { describe, expect, test } from 'vitest'
import {
  HIGHEST_CODE,
  keptAt,
  newestKnownDay,
  periodCountFrom,
  storableCount,
} from '../../../adapters/storage/lib/usage-history.ts'
import { USAGE_OUTCOMES } from '../../../src/storage/index.ts'

const count = { id: 'key_1', hour: 7, outcome: 'accepted', count: 3 } as const

test('every outcome has a code of its own, and comes back as itself', () => {
  const codes = USAGE_OUTCOMES.map((outcome) => storableCount({ ...count, outcome }).outcome)
  expect(codes).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  expect(HIGHEST_CODE).toBe(8)
  const back = codes.map((outcome) => periodCountFrom({ at: 1, outcome, count: '2' }))
  expect(back).toEqual(USAGE_OUTCOMES.map((outcome) => ({ at: 1, outcome, count: 2 })))
})

const NO_NUMBER = 'a number is not a whole number within ±2^53'
const NO_COUNT = 'a count must have a known outcome and be at least 1'

describe('what cannot be stored is refused', () => {
  test.each([
    ['an hour with a fraction', { hour: 1.5 }, NO_NUMBER],
    ['a count of nothing', { count: 0 }, NO_COUNT],
    ['a count that is no number', { count: '3' as unknown as number }, NO_NUMBER],
    ['an unknown outcome', { outcome: 'missing' as 'accepted' }, NO_COUNT],
    ['an inherited name', { outcome: 'toString' as 'accepted' }, NO_COUNT],
  ])('%s', (_, fields, message) => {
    expect(() => storableCount({ ...count, ...fields })).toThrow(
      expect.objectContaining({ code: 'unstorable_value', message }),
    )
  })
})

test.each([
  ['an outcome without a name', { at: 1, outcome: 9, count: 2 }],
  ['a count that is no number', { at: 1, outcome: 0, count: 'two' }],
  ['no row', null],
])('%s is a broken row', (_, row) => {
  expect(() => periodCountFrom(row)).toThrow(expect.objectContaining({ code: 'broken_row' }))
})

describe('what is kept', () => {
  const nowMs = Date.UTC(1970, 0, 11, 23, 59)
  const KEPT = { hourlyForDays: 3, dailyForDays: 5 }
  const currentHour = 10 * 24 + 23

  test.each([
    ['nothing', null],
    ['counts of the day before yesterday', 8],
  ])('begins with a day in UTC where a storage has %s', (_, knownDay) => {
    const expected = { firstHour: 7 * 24, firstDay: 5, currentHour }
    expect(keptAt(nowMs, KEPT, { firstHour: 0, knownDay })).toEqual(expected)
  })

  test('does not change with a clock far ahead of what is stored', () => {
    const expected = { firstHour: 4 * 24, firstDay: 2, currentHour }
    expect(keptAt(nowMs, KEPT, { firstHour: 0, knownDay: 7 })).toEqual(expected)
  })

  test.each([
    ['stays where it was', 9 * 24, 9 * 24],
    ['moves back to today when a wrong clock had moved it beyond', 99 * 24, 10 * 24],
  ])('has a first hour that %s', (_, before, firstHour) => {
    const stored = { firstHour: before, knownDay: 8 }
    expect(keptAt(nowMs, KEPT, stored)).toMatchObject({ firstHour })
  })

  test('is judged by the days before yesterday', () => {
    expect(newestKnownDay(nowMs)).toBe(8)
  })
})
