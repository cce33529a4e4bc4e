import { beforeEach, expect, test, vi } from 'vitest'
import { BackedOffWorkspaces } from '../../../src/events/backed-off-workspaces.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  return () => vi.useRealTimers()
})

/** After how many milliseconds the workspace is due. */
function pauseOf(held: BackedOffWorkspaces, limitMs: number): number {
  for (let ms = 0; ms <= limitMs; ms += 1) {
    if (held.anyDue) return ms
    vi.advanceTimersByTime(1)
  }
  return Number.POSITIVE_INFINITY
}

function pausesOf(firstMs: number, times: number): number[] {
  const held = new BackedOffWorkspaces(firstMs)
  return Array.from({ length: times }, () => {
    held.hold('ws')
    return pauseOf(held, 200_000)
  })
}

test('the pause doubles up to a minute', () => {
  expect(pausesOf(1_000, 9)).toEqual([
    ...[1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000],
  ])
})

test('a first pause longer than a minute stays as it is', () => {
  expect(pausesOf(90_000, 2)).toEqual([90_000, 90_000])
})

test.each([
  ['freed starts again at the first pause', 'free', 10],
  ['released takes part again, and its next pause is longer still', 'release', 40],
] as const)('a workspace that was %s', (_, end, nextPauseMs) => {
  const held = new BackedOffWorkspaces(10)
  held.hold('ws')
  held.hold('ws')
  held[end]('ws')
  expect(held.anyDue).toBe(false)
  expect(held.except(null)).toEqual([])
  held.hold('ws')
  expect(pauseOf(held, 100)).toBe(nextPauseMs)
})

test('every other claim retries the one that is due, and leaves out the rest', () => {
  const held = new BackedOffWorkspaces(10)
  for (const workspaceId of ['a', 'b', 'c']) held.hold(workspaceId)
  expect([held.retry(), held.retry()]).toEqual([null, null])
  vi.advanceTimersByTime(10)
  expect([held.retry(), held.retry(), held.retry(), held.retry()]).toEqual([null, 'a', null, 'a'])
  expect(held.except('a')).toEqual(['b', 'c'])
  held.hold('a')
  expect([held.retry(), held.retry()]).toEqual([null, 'b'])
  expect(held.except('b')).toEqual(['c', 'a'])
  expect(held.except(null)).toEqual(['b', 'c', 'a'])
})

test('of more than 10,000 the one refused longest ago is forgotten', () => {
  const held = new BackedOffWorkspaces(10)
  for (let number = 0; number <= 10_000; number += 1) held.hold(`ws_${number}`)
  const except = held.except(null)
  expect(except).toHaveLength(10_000)
  expect([except[0], except.at(-1)]).toEqual(['ws_1', 'ws_10000'])
})
