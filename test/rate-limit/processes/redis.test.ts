import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import { hasRedis, openRedis } from '../../support/redis.ts'

const CALLER = new URL('./caller.ts', import.meta.url).pathname
const POINTS = 20
const DURATION_S = 1
const LASTS_MS = 3_000

const prefix = `miftah-test-${randomUUID()}`

afterAll(async () => {
  const redis = openRedis()
  await redis.connect()
  await redis.del(`${prefix}:ws_1`)
  redis.disconnect()
})

describe.skipIf(!(await hasRedis('flexibleLimiter over four processes')))('on Redis', () => {
  test('four processes together get burst + rate × t, and never more', async () => {
    const settings = [prefix, String(POINTS), String(DURATION_S), String(LASTS_MS)]
    const children = Array.from({ length: 4 }, () => {
      const args = ['--import', 'tsx', CALLER, ...settings]
      return spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    })
    // Each child loads for about a second; one that is late only asks less.
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    for (const child of children) child.stdin.write('go\n')
    const lists = await Promise.all(
      children.map(async (child) => {
        const [printed] = await Promise.all([text(child.stdout), once(child, 'close')])
        return JSON.parse(printed) as [askedMs: number, answeredMs: number][]
      }),
    )
    expect(lists.filter((list) => list.length > 0).length).toBeGreaterThan(1)
    const calls = lists.flat().sort(([, a], [, b]) => a - b)
    // Windows begin with a call, so three seconds hold at least three of them in full.
    expect(calls.length).toBeGreaterThanOrEqual(POINTS * 3)
    const startMs = Math.min(...calls.map(([askedMs]) => askedMs))
    const excess = calls.map(([, answeredMs], before) => {
      const seconds = (answeredMs - startMs) / 1_000
      return before + 1 - (POINTS + (POINTS / DURATION_S) * seconds)
    })
    expect(Math.max(...excess)).toBeLessThanOrEqual(0)
  })
})
