import { RateLimiterMemory } from 'rate-limiter-flexible'
import { flexibleLimiter } from '../../adapters/rate-limit/index.ts'
import type { Limiter } from '../../src/index.ts'

/** A limiter in memory: so many calls an hour. */
export function callsAnHour(points: number): Limiter {
  return flexibleLimiter(new RateLimiterMemory({ points, duration: 3_600 }))
}
