import { RateLimiterRedis } from 'rate-limiter-flexible'
import { flexibleLimiter } from '../../../adapters/rate-limit/index.ts'
import type { LimiterRequest } from '../../../src/index.ts'
import { openRedis } from '../../support/redis.ts'

/*
 * One process of several that ask a limiter on Redis as often as they can:
 * `caller.ts PREFIX POINTS DURATION MILLISECONDS`. Prints when each allowed call
 * was asked and answered.
 */

const [prefix = '', points = '', duration = '', lastsMs = ''] = process.argv.slice(2)
const redis = openRedis()
await redis.connect()
const store = new RateLimiterRedis({
  storeClient: redis,
  keyPrefix: prefix,
  points: Number(points),
  duration: Number(duration),
})
const limiter = flexibleLimiter(store)
const request = {
  key: { id: 'key_1', workspaceId: 'ws_1' },
  requirement: null,
  cost: 1,
  rateLimit: null,
} as LimiterRequest

const allowed: [askedMs: number, answeredMs: number][] = []
// The parent starts all callers at once.
await new Promise((resolve) => process.stdin.once('data', resolve))
for (const endMs = Date.now() + Number(lastsMs); Date.now() < endMs; ) {
  const askedMs = Date.now()
  const answer = await limiter.take(request)
  if (answer.allowed) allowed.push([askedMs, Date.now()])
}
process.stdout.write(JSON.stringify(allowed))
redis.disconnect()
process.stdin.destroy()
