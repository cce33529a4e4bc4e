import { expect, test } from 'vitest'
import { clockSkew } from '../../../adapters/storage/lib/clock-skew.ts'

const HOUR = 3_600_000

test.each([HOUR, -HOUR, 0])('a clock that is %i ms ahead', async (aheadMs) => {
  const startMs = performance.now()
  const { clockAheadMs, clockErrorMs } = await clockSkew(async () => {
    await new Promise((resolve) => setTimeout(resolve, 40))
    return Date.now() + aheadMs
  })
  const tookMs = performance.now() - startMs
  expect(clockErrorMs).toBeGreaterThanOrEqual(19)
  expect(clockErrorMs).toBeLessThanOrEqual(Math.ceil(tookMs / 2))
  expect(Math.abs(clockAheadMs - aheadMs)).toBeLessThanOrEqual(clockErrorMs + 2)
})
