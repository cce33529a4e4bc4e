import { expect, test } from 'vitest'
import { capital, createDateWriter } from '../../../adapters/ui/format/dates.ts'

const dayAfter = (days: number, at: number, timeZone: string) =>
  createDateWriter({ tag: 'en', timeZone }).dayIn(days, at)
const endOfDay = (day: string, timeZone: string) =>
  createDateWriter({ tag: 'en', timeZone }).endOf(day)

test('a day is that of the zone', () => {
  const at = Date.parse('2026-11-21T22:30:00Z')
  expect(dayAfter(0, at, 'UTC')).toBe('2026-11-21')
  expect(dayAfter(0, at, 'Asia/Riyadh')).toBe('2026-11-22')
  expect(dayAfter(10, at, 'America/New_York')).toBe('2026-12-01')
})

test.each([
  ['2026-11-21', 'UTC', '2026-11-21T23:59:59.999Z'],
  ['2026-11-21', 'Asia/Riyadh', '2026-11-21T20:59:59.999Z'],
  // Days on which the clocks change, of 23 and of 25 hours.
  ['2026-03-29', 'Europe/Berlin', '2026-03-29T21:59:59.999Z'],
  ['2026-10-25', 'Europe/Berlin', '2026-10-25T22:59:59.999Z'],
  ['2026-12-31', 'Pacific/Kiritimati', '2026-12-31T09:59:59.999Z'],
])('the day %s in %s ends at %s', (day, zone, end) => {
  expect(new Date(endOfDay(day, zone)).toISOString()).toBe(end)
})

test('what is no day has no end', () => {
  expect(endOfDay('tomorrow', 'UTC')).toBeNaN()
})

test('words that stand alone begin with a capital', () => {
  expect([capital('yesterday'), capital('أمس'), capital('')]).toEqual(['Yesterday', 'أمس', ''])
})
