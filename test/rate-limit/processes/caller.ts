import { RateLimiterRedis } from 'rate-limiter-flexible'
import { flexibleLimiter } from '../../../adapters/rate-limit/index.ts'
import type { LimiterRequest } from '../../../src/model/limiter.ts'
import { openRedis } from '../../support/redis.ts'

/*
 * One process of several that share a limiter on Redis, with a window that does not end: `caller.ts
 * PREFIX POINTS`. Asks as often as there are points, and prints how many calls were allowed.
 */

const [prefix = '', points = ''] = process.argv.slice(2)
const redis = openRedis()
await redis.connect()
const store = new RateLimiterRedis({
  storeClient: redis,
  keyPrefix: prefix,
  points: Number(points),
  duration: 86_400,
})
const limiter = flexibleLimiter(store)
const request = {
  key: { id: 'key_1', workspaceId: 'ws_1' },
  requirement: null,
  cost: 1,
  rateLimit: null,
} as LimiterRequest

let allowed = 0
for (let call = 0; call < Number(points); call += 1) {
  if ((await limiter.take(request)).allowed) allowed += 1
}
process.stdout.write(String(allowed))
redis.disconnect()
