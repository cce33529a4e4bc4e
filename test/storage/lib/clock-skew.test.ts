import { expect, test } from 'vitest'
import { clockSkew } from '../../../adapters/storage/lib/clock-skew.ts'

const HOUR = 3_600_000

test.each([HOUR, -HOUR, 0])('a clock that is %i ms ahead', async (aheadMs) => {
  const { clockAheadMs, clockErrorMs } = await clockSkew(async () => {
    await new Promise((resolve) => setTimeout(resolve, 40))
    return Date.now() + aheadMs
  })
  expect(clockErrorMs).toBeGreaterThanOrEqual(19)
  expect(Math.abs(clockAheadMs - aheadMs)).toBeLessThanOrEqual(clockErrorMs + 2)
})
