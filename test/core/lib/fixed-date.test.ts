import { expect, test } from 'vitest'
import { fixedDate } from '../../../src/lib/fixed-date.ts'

const MS = Date.UTC(2026, 1, 3, 4, 5, 6, 789)
const date = fixedDate(MS)
const setters = Object.getOwnPropertyNames(Date.prototype).filter((name) => name.startsWith('set'))

test('every setter is refused and changes nothing', () => {
  expect(setters.length).toBeGreaterThanOrEqual(15)
  for (const name of setters) {
    expect(() => Reflect.get(date, name).call(date, 1), name).toThrow(
      new TypeError('The dates of a key cannot be changed: make a copy with new Date(date).'),
    )
  }
  expect(date.getTime()).toBe(MS)
})

test('in all else it is a Date', () => {
  const plain = new Date(MS)
  expect(date).toStrictEqual(plain)
  expect(date instanceof Date).toBe(true)
  expect(Object.prototype.toString.call(date)).toBe('[object Date]')
  expect(JSON.stringify({ date })).toBe(JSON.stringify({ date: plain }))
  const read = (one: Date) => [one.getHours(), `${one}`, +one, one.toLocaleString('ar')]
  expect(read(date)).toEqual(read(plain))
})

test('copies by its constructor can be changed', () => {
  const Constructor = date.constructor as DateConstructor
  const copy = new Constructor(date)
  copy.setUTCFullYear(2000)
  expect([copy.getUTCFullYear(), date.getUTCFullYear()]).toEqual([2000, 2026])
})
