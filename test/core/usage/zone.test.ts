import { describe, expect, test } from 'vitest'
import { Zone } from '../../../src/usage/zone.ts'

const HOUR_MS = 3_600_000
const dateOf = (text: string) => Date.parse(`${text}T00:00:00Z`) / 86_400_000
const startIn = (timeZone: string, date: string) => {
  const startMs = new Zone(timeZone).startOf(dateOf(date))
  return startMs === null ? null : new Date(startMs).toISOString()
}
const hoursIn = (timeZone: string, date: string) => {
  const zone = new Zone(timeZone)
  const [start, end] = [zone.startOf(dateOf(date)), zone.startOf(dateOf(date) + 1)]
  return (Number(end) - Number(start)) / HOUR_MS
}

test.each([
  ['UTC', '2026-11-22', '2026-11-22T00:00:00.000Z'],
  ['Asia/Riyadh', '2026-11-22', '2026-11-21T21:00:00.000Z'],
  ['America/New_York', '2026-11-22', '2026-11-22T05:00:00.000Z'],
  ['Asia/Kolkata', '2026-11-22', '2026-11-21T18:30:00.000Z'],
  ['Pacific/Kiritimati', '2026-11-22', '2026-11-21T10:00:00.000Z'],
  ['Etc/GMT+12', '2026-11-22', '2026-11-22T12:00:00.000Z'],
])('in %s %s begins at %s', (timeZone, date, start) => {
  expect(startIn(timeZone, date)).toBe(start)
})

describe('when the clock changes', () => {
  test.each([
    ['Europe/Berlin', '2026-03-29', 23],
    ['Europe/Berlin', '2026-10-25', 25],
    ['America/New_York', '2026-03-08', 23],
    ['America/New_York', '2026-11-01', 25],
    ['Australia/Lord_Howe', '2026-04-05', 24.5],
  ])('in %s %s has %d hours', (timeZone, date, hours) => {
    expect(hoursIn(timeZone, date)).toBe(hours)
  })

  test('a date whose midnight is skipped begins at the first instant that it has', () => {
    expect(startIn('Africa/Cairo', '2024-04-26')).toBe('2024-04-25T22:00:00.000Z')
    expect(hoursIn('Africa/Cairo', '2024-04-26')).toBe(23)
  })

  test('a date with two midnights begins at the first', () => {
    expect(startIn('America/Havana', '2024-11-03')).toBe('2024-11-03T04:00:00.000Z')
    expect(hoursIn('America/Havana', '2024-11-03')).toBe(25)
  })

  test('a date before whose midnight the clock is set back begins at the second midnight', () => {
    expect(startIn('Africa/Cairo', '2024-11-01')).toBe('2024-10-31T22:00:00.000Z')
    expect(hoursIn('Africa/Cairo', '2024-10-31')).toBe(25)
  })

  test('a date that the zone has skipped has no beginning', () => {
    expect(startIn('Pacific/Apia', '2011-12-30')).toBe(null)
    expect(startIn('Pacific/Apia', '2011-12-31')).toBe('2011-12-30T10:00:00.000Z')
  })
})

test('every instant is in the date whose beginning is the last before it', () => {
  for (const timeZone of ['Europe/Berlin', 'Africa/Cairo', 'America/Havana', 'Asia/Kolkata']) {
    const zone = new Zone(timeZone)
    for (let atMs = Date.UTC(2024, 0, 1); atMs < Date.UTC(2025, 0, 1); atMs += 7 * HOUR_MS) {
      const date = zone.dateAt(atMs)
      expect(zone.startOf(date)).toBeLessThanOrEqual(atMs)
      expect(zone.startOf(date + 1)).toBeGreaterThan(atMs)
    }
  }
})
