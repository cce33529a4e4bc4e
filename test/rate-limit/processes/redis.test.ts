import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { hasRedis, openRedis } from '../../support/redis.ts'

const CALLER = fileURLToPath(new URL('./caller.ts', import.meta.url))
const POINTS = 20
const prefix = `miftah-test-${randomUUID()}`

/** How many of its calls one process was allowed. */
async function allowedInProcess(): Promise<number> {
  const args = ['--import', 'tsx', CALLER, prefix, String(POINTS)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [printed] = await Promise.all([text(child.stdout), once(child, 'close')])
  return Number(printed)
}

describe.skipIf(!hasRedis)('on Redis', () => {
  afterAll(async () => {
    const redis = openRedis()
    await redis.connect()
    await redis.del(`${prefix}:ws_1`)
    redis.disconnect()
  })

  test('four processes together get the points of the window, and never more', async () => {
    const allowed = await Promise.all(Array.from({ length: 4 }, allowedInProcess))
    expect(allowed.reduce((sum, count) => sum + count)).toBe(POINTS)
  })
})
