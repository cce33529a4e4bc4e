import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Alarms } from '../../../adapters/storage/lib/postgres/alarms.ts'

let startMs: number
let alarms: Alarms
const rung: string[] = []
const at = (ms: number) => startMs + ms
const set = (ms: number, name = String(ms)) => alarms.set(at(ms), () => rung.push(name))

beforeEach(() => {
  vi.useFakeTimers()
  startMs = performance.now()
  alarms = new Alarms()
  rung.length = 0
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

test('each rings at its instant, whatever the order in which they were set', () => {
  for (const ms of [30, 10, 20, 10.5]) set(ms)
  vi.advanceTimersByTime(9)
  expect(rung).toEqual([])
  vi.advanceTimersByTime(1)
  expect(rung).toEqual(['10'])
  vi.advanceTimersByTime(10)
  expect(rung).toEqual(['10', '10.5', '20'])
  vi.advanceTimersByTime(1_000)
  expect(rung).toEqual(['10', '10.5', '20', '30'])
  expect(vi.getTimerCount()).toBe(0)
})

test('one that is called off does not ring, and the others still do', () => {
  const first = set(10)
  set(20)
  alarms.clear(first)
  alarms.clear(first)
  vi.advanceTimersByTime(100)
  expect(rung).toEqual(['20'])
})

test('a thousand that are called off take one timer, and it ends', () => {
  for (let n = 0; n < 1_000; n += 1) alarms.clear(set(50 + n))
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(50)
  expect(vi.getTimerCount()).toBe(0)
  set(60)
  vi.advanceTimersByTime(10)
  expect(rung).toEqual(['60'])
})

test('the timer is set for the first of them, and not before', () => {
  const setTimeout = vi.spyOn(globalThis, 'setTimeout')
  for (const ms of [10.2, 30, 20]) set(ms)
  vi.advanceTimersByTime(100)
  expect(setTimeout.mock.calls.map(([, ms]) => ms)).toEqual([11, 9, 10])
})

test('an earlier one does not wait for the timer of a later one', () => {
  set(1_000)
  set(10)
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(10)
  expect(rung).toEqual(['10'])
  vi.advanceTimersByTime(990)
  expect(rung).toEqual(['10', '1000'])
})

test('an instant that has passed rings as soon as it can', () => {
  set(-5)
  expect(rung).toEqual([])
  vi.advanceTimersByTime(1)
  expect(rung).toEqual(['-5'])
})

test('while they ring, others may be set and called off', () => {
  const later = set(20)
  alarms.set(at(10), () => {
    alarms.clear(later)
    set(15)
    set(11)
  })
  vi.advanceTimersByTime(100)
  expect(rung).toEqual(['11', '15'])
})

test('it does not keep the process up', () => {
  const unref = vi.fn()
  vi.spyOn(globalThis, 'setTimeout').mockReturnValueOnce({ unref } as unknown as NodeJS.Timeout)
  set(10)
  expect(unref).toHaveBeenCalledOnce()
})

test('where a timer is only a number, that is all right', () => {
  vi.spyOn(globalThis, 'setTimeout').mockReturnValueOnce(7 as unknown as NodeJS.Timeout)
  expect(() => set(10)).not.toThrow()
})

test('as many as there may be calls in flight: the rest wait for the next of them', () => {
  for (let n = 0; n < 200_000; n += 1) alarms.set(at(1_000 + (n % 7)), () => {})
  set(10)
  vi.advanceTimersByTime(10)
  expect(rung).toEqual(['10'])
  set(1_003)
  vi.advanceTimersByTime(993)
  expect(rung).toEqual(['10', '1003'])
})
