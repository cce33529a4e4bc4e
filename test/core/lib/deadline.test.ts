import { beforeEach, describe, expect, test, vi } from 'vitest'
import { Deadline, unref } from '../../../src/lib/deadline.ts'
import { rejection, settled } from '../../support/world.ts'

const never = () => new Promise<never>(() => {})

test('the timer of a single wait goes with it', async () => {
  vi.useFakeTimers()
  const deadline = new Deadline(1_000, false)
  const answer = deadline.limit(Promise.resolve(7))
  expect(vi.getTimerCount()).toBe(1)
  await answer
  await Promise.resolve()
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

describe.each([
  ['with one timer for all', true],
  ['with a timer for each wait', false],
])('a deadline %s', (_name, sharesTimer) => {
  test('hands on what comes in time', async () => {
    const deadline = new Deadline(1_000, sharesTimer)
    expect(await deadline.limit(Promise.resolve(7))).toBe(7)
    const failure = new Error('x')
    expect(await rejection(deadline.limit(Promise.reject(failure)))).toBe(failure)
  })

  test('ends each wait after its own time, not before', async () => {
    const deadline = new Deadline(40, sharesTimer)
    const startMs = performance.now()
    const ends: number[] = []
    const waits = [0, 15, 30].map(async (delayMs) => {
      await settled(delayMs)
      const beganMs = performance.now()
      await rejection(deadline.limit(never()))
      ends.push(performance.now() - beganMs)
    })
    await Promise.all(waits)
    for (const endMs of ends) expect(endMs).toBeGreaterThanOrEqual(39)
    expect(performance.now() - startMs).toBeLessThan(30_000)
  })

  test('those who are answered leave, wherever they wait', async () => {
    const deadline = new Deadline(30, sharesTimer)
    const release: ((value: number) => void)[] = []
    const waits = Array.from({ length: 5 }, () =>
      deadline.limit(new Promise<number>((resolve) => release.push(resolve))).catch(() => 'late'),
    )
    for (const at of [2, 0, 4]) release[at]?.(at)
    expect(await Promise.all(waits)).toEqual([0, 'late', 2, 'late', 4])
  })

  test('works again after a rest', async () => {
    const deadline = new Deadline(15, sharesTimer)
    expect(await deadline.limit(Promise.resolve(1))).toBe(1)
    await settled(30)
    expect(String(await rejection(deadline.limit(never())))).toContain('no answer in 15 ms')
    await settled(30)
    expect(await deadline.limit(Promise.resolve(2))).toBe(2)
  })

  test('an answer or failure after the end is ignored', async () => {
    const deadline = new Deadline(5, sharesTimer)
    const late = settled(15).then(() => {
      throw new Error('too late')
    })
    expect(String(await rejection(deadline.limit(late)))).toContain('no answer')
    await settled(25)
  })
})

describe('its timer', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    return () => vi.useRealTimers()
  })

  test('is one for all waits, and none where nobody waits', async () => {
    const deadline = new Deadline(40)
    const ends: number[] = []
    const wait = () => deadline.limit(never()).catch(() => ends.push(performance.now()))
    const startMs = performance.now()
    for (const pauseMs of [0, 10, 0, 20]) {
      vi.advanceTimersByTime(pauseMs)
      wait()
    }
    expect(vi.getTimerCount()).toBe(1)
    const fired: number[] = []
    while (vi.getTimerCount() > 0 && fired.length < 100) {
      await vi.advanceTimersToNextTimerAsync()
      fired.push(performance.now() - startMs)
    }
    expect(fired).toEqual([40, 50, 70])
    expect(ends.map((endMs) => endMs - startMs)).toEqual([40, 50, 50, 70])
  })
})

test('a timer that keeps no process alive is left alone', () => {
  // A browser's timer is a number, and some runtimes have an object without unref.
  for (const timer of [7, {}]) {
    expect(() => unref(timer as ReturnType<typeof setTimeout>)).not.toThrow()
  }
  const timer = setTimeout(() => {}, 1_000)
  unref(timer)
  expect(timer.hasRef()).toBe(false)
  clearTimeout(timer)
})
