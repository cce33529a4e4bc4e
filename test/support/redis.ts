import { Redis } from 'ioredis'

const DEFAULT_URL = 'redis://127.0.0.1:6379'

/** The Redis to test with: MIFTAH_TEST_REDIS_URL, or one on this machine's usual port. */
export const redisUrl = process.env['MIFTAH_TEST_REDIS_URL'] ?? DEFAULT_URL

/** A connection that fails instead of waiting for a server that is away. */
export function openRedis(url = redisUrl): Redis {
  const redis = new Redis(url, {
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

/** Whether a Redis answers. Without one, says which tests are skipped and why. */
export async function hasRedis(tests: string): Promise<boolean> {
  const redis = openRedis()
  try {
    await redis.connect()
    return (await redis.ping()) === 'PONG'
  } catch {
    console.warn(`${tests}: skipped, no Redis answers at ${redisUrl} (MIFTAH_TEST_REDIS_URL)`)
    return false
  } finally {
    redis.disconnect()
  }
}
