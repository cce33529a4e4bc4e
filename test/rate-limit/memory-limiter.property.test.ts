import fc from 'fast-check'
import { expect, test } from 'vitest'
import { memoryLimiter } from '../../adapters/rate-limit/index.ts'
import type { LimiterAnswer, LimiterRequest, RateLimit } from '../../src/index.ts'

const key = { id: 'key_1', workspaceId: 'ws_1' } as LimiterRequest['key']
const request: LimiterRequest = { key, requirement: null, cost: 1, rateLimit: null }

test('in any time t the limiter allows burst + rate × t', () => {
  const step = fc.record({
    afterMs: fc.integer({ min: 0, max: 900 }),
    calls: fc.integer({ min: 0, max: 30 }),
  })
  const limit: fc.Arbitrary<Required<RateLimit>> = fc.record({
    limit: fc.integer({ min: 1, max: 50 }),
    windowSeconds: fc.integer({ min: 1, max: 10 }),
    burst: fc.integer({ min: 1, max: 20 }),
  })
  fc.assert(
    fc.property(limit, fc.array(step, { maxLength: 60 }), (plan, steps) => {
      let nowMs = 5_000
      const limiter = memoryLimiter({ ...plan, clock: () => nowMs })
      const perMs = plan.limit / plan.windowSeconds / 1_000
      const allowedAt: number[] = []
      for (const { afterMs, calls } of steps) {
        nowMs += afterMs
        for (let call = 0; call < calls; call += 1) {
          if ((limiter.take(request) as LimiterAnswer).allowed) allowedAt.push(nowMs)
        }
      }
      // Of the calls from `first` to `last`, each interval holds no more than its bound.
      for (const [first, fromMs] of allowedAt.entries()) {
        for (const [last, toMs] of allowedAt.entries()) {
          if (last < first) continue
          expect(last - first + 1).toBeLessThanOrEqual(plan.burst + (toMs - fromMs) * perMs + 1e-6)
        }
      }
    }),
    { numRuns: 100 },
  )
})
