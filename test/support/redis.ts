import { Redis } from 'ioredis'
import { isAvailable } from './available.ts'

const url = process.env['MIFTAH_TEST_REDIS_URL']

/** Whether the environment names a Redis to test with. */
export const hasRedis = isAvailable('Redis', Boolean(url), 'set MIFTAH_TEST_REDIS_URL')

/** A connection that fails instead of waiting for a server that is away. */
export function openRedis(to = url ?? ''): Redis {
  const redis = new Redis(to, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    connectTimeout: 2_000,
    retryStrategy: () => null,
  })
  // Without a listener ioredis prints each failure; the command that failed rejects anyway.
  redis.on('error', () => undefined)
  return redis
}
