import { expect, test } from 'vitest'
import { clockSkew } from '../../../adapters/storage/lib/clock-skew.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import { settled } from '../../support/world.ts'

simulateTime()

const HOUR = 3_600_000

test.each([HOUR, -HOUR, 0])('a clock that is %i ms ahead', async (aheadMs) => {
  const skew = await clockSkew(async () => {
    await settled(20)
    const theirsMs = Date.now() + aheadMs
    await settled(20)
    return theirsMs
  })
  expect(skew).toEqual({ clockAheadMs: aheadMs, clockErrorMs: 20 })
})
