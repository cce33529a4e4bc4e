import { describe, expect, test } from 'vitest'
import { memoryLimiter } from '../../adapters/rate-limit/index.ts'
import type { LimiterAnswer, LimiterRequest } from '../../src/index.ts'
import { checkLimiterAnswer } from '../../src/limits/check-answer.ts'
import { polluted } from '../support/http/polluted.ts'

const MAX_COUNT = 999_999_999_999_999
const MAX_WINDOW_S = 1_000_000_000

/** A request of a key, as the core asks about it. */
function request(workspaceId = 'ws_1', fields: Partial<LimiterRequest> = {}): LimiterRequest {
  const key = { id: `key_of_${workspaceId}`, workspaceId } as LimiterRequest['key']
  return { key, requirement: null, cost: 1, rateLimit: null, ...fields }
}

/** A limiter with a clock that a test moves. */
function limiterAt(options: Parameters<typeof memoryLimiter>[0]) {
  const time = { nowMs: 5_000 }
  const limiter = memoryLimiter({ ...options, clock: () => time.nowMs })
  const take = (asked = request()) => limiter.take(asked) as LimiterAnswer
  return Object.assign(time, { take })
}

const allowedOf = (answers: readonly LimiterAnswer[]) => answers.filter(({ allowed }) => allowed)

describe('memoryLimiter', () => {
  test('1,000 at once: exactly the burst is allowed', () => {
    const { take } = limiterAt({ limit: 60, windowSeconds: 60, burst: 7 })
    expect(allowedOf(Array.from({ length: 1_000 }, () => take()))).toHaveLength(7)
  })

  test('says what remains and when to return', () => {
    const limiter = limiterAt({ limit: 60, windowSeconds: 60, burst: 2 })
    const shown = { name: 'default', limit: 2, windowSeconds: 2 }
    const [first] = limiter.take().policies ?? []
    expect(first).toMatchObject({ ...shown, remaining: 1, resetSeconds: 1 })
    limiter.nowMs += 500
    limiter.take()
    expect(limiter.take()).toMatchObject({
      allowed: false,
      retryAfterMs: 500,
      policies: [{ ...shown, remaining: 0, resetSeconds: 1 }],
    })
    limiter.nowMs += 499
    expect(limiter.take()).toMatchObject({ allowed: false })
    limiter.nowMs += 1
    expect(limiter.take()).toMatchObject({ allowed: true })
  })

  test('burst + rate × t is allowed to one who never pauses', () => {
    const greedy = limiterAt({ limit: 10, windowSeconds: 1, burst: 5 })
    let allowed = 0
    for (const startMs = greedy.nowMs; greedy.nowMs <= startMs + 60_000; greedy.nowMs += 10) {
      while (greedy.take().allowed) allowed += 1
    }
    expect(allowed).toBe(5 + 10 * 60)
  })

  test('a cost counts as that many calls; one above the burst is never allowed', () => {
    const { take } = limiterAt({ limit: 10, windowSeconds: 1 })
    expect(take(request('ws_1', { cost: 8 })).allowed).toBe(true)
    expect(take(request('ws_1', { cost: 3 })).allowed).toBe(false)
    expect(take(request('ws_1', { cost: 2 })).allowed).toBe(true)
    expect(take(request('ws_2', { cost: 11 }))).toMatchObject({
      allowed: false,
      retryAfterMs: Infinity,
    })
    expect(take(request('ws_2', { cost: 10 })).allowed).toBe(true)
  })

  test('the plan overrides the limit', () => {
    const { take } = limiterAt({ limit: 1, windowSeconds: 1 })
    const rateLimit = { limit: 3, windowSeconds: 1 }
    const answers = Array.from({ length: 5 }, () => take(request('ws_1', { rateLimit })))
    expect(allowedOf(answers)).toHaveLength(3)
  })

  test('workspaces do not share a limit; keys of one do, unless each has its own', () => {
    const shared = limiterAt({ limit: 1, windowSeconds: 60 })
    expect(shared.take(request('ws_1')).allowed).toBe(true)
    expect(shared.take(request('ws_2')).allowed).toBe(true)
    expect(shared.take(request('ws_1')).allowed).toBe(false)
    const own = limiterAt({ limit: 1, windowSeconds: 60, partition: 'key' })
    const other = { ...request('ws_1').key, id: 'key_other' }
    expect(own.take(request('ws_1')).allowed).toBe(true)
    expect(own.take(request('ws_1', { key: other })).allowed).toBe(true)
    expect(own.take(request('ws_1')).allowed).toBe(false)
  })

  test('a million workspaces: memory stays bounded, and busy ones keep their count', () => {
    const { take } = limiterAt({ limit: 1, windowSeconds: 3_600, maxPartitions: 100 })
    expect(take(request('busy')).allowed).toBe(true)
    for (let at = 0; at < 1_000_000; at += 1) {
      if (at % 50 === 0) expect(take(request('busy')).allowed).toBe(false)
      take(request(`ws_${at}`))
    }
    expect(take(request('ws_999999')).allowed).toBe(false)
    expect(take(request('ws_0')).allowed).toBe(true)
  })

  test('exactly so many workspaces are remembered; of one that is forgotten the limit begins anew', () => {
    const two = limiterAt({ limit: 1, windowSeconds: 3_600, maxPartitions: 2 })
    const allowed = (workspaceId: string) => two.take(request(workspaceId)).allowed
    expect(['a', 'b', 'a', 'b'].map(allowed)).toEqual([true, true, false, false])
    expect(['c', 'c', 'b', 'a'].map(allowed)).toEqual([true, false, false, true])
    const one = limiterAt({ limit: 1, windowSeconds: 3_600, maxPartitions: 1 })
    expect(one.take(request('a')).allowed).toBe(true)
    expect(one.take(request('a')).allowed).toBe(false)
  })

  test('a clock that steps back an hour neither frees nor blocks', () => {
    const limiter = limiterAt({ limit: 2, windowSeconds: 1 })
    limiter.take()
    limiter.nowMs -= 3_600_000
    expect(limiter.take().allowed).toBe(true)
    expect(limiter.take().allowed).toBe(false)
    limiter.nowMs += 3_600_500
    expect(limiter.take().allowed).toBe(true)
  })

  test.each([
    ['limit', { limit: 0, windowSeconds: 1 }],
    ['limit', { windowSeconds: 1 }],
    ['limit', { limit: '1', windowSeconds: 1 }],
    ['limit', { limit: MAX_COUNT + 1, windowSeconds: 1 }],
    ['limit', { limit: Number.MAX_SAFE_INTEGER, windowSeconds: 1 }],
    ['windowSeconds', { limit: 1, windowSeconds: Number.NaN }],
    ['windowSeconds', { limit: 1, windowSeconds: MAX_WINDOW_S + 1 }],
    ['burst', { limit: 1, windowSeconds: 1, burst: 0.5 }],
    ['burst', { limit: 1, windowSeconds: 1, burst: MAX_COUNT + 1 }],
    ['burst', { limit: 1, windowSeconds: 2, burst: MAX_WINDOW_S }],
    ['maxPartitions', { limit: 1, windowSeconds: 1, maxPartitions: 0 }],
    ['maxPartitions', { limit: 1, windowSeconds: 1, maxPartitions: 2 ** 24 }],
    ['clock', { limit: 1, windowSeconds: 1, clock: 7 }],
    ['partition', { limit: 1, windowSeconds: 1, partition: 'planet' }],
    ['name', { limit: 1, windowSeconds: 1, name: 'افتراضي' }],
    ['name', { limit: 1, windowSeconds: 1, name: '' }],
    ['name', { limit: 1, windowSeconds: 1, name: 'a"b' }],
    ['name', { limit: 1, windowSeconds: 1, name: 'a'.repeat(65) }],
    ['name', { limit: 1, windowSeconds: 1, name: null }],
  ])('a bad %s is a TypeError that names it', (name, options) => {
    const make = () => memoryLimiter(options as Parameters<typeof memoryLimiter>[0])
    expect(make).toThrow(TypeError)
    expect(make).toThrow(`memoryLimiter: option "${name}"`)
  })

  test.each([
    { limit: MAX_COUNT, windowSeconds: 1 },
    { limit: MAX_COUNT, windowSeconds: MAX_WINDOW_S },
    { limit: 1, windowSeconds: MAX_WINDOW_S },
    { limit: 1, windowSeconds: 1, burst: MAX_WINDOW_S },
    { limit: MAX_COUNT, windowSeconds: MAX_WINDOW_S, burst: 1 },
  ])('every answer with %j is one that createApiKeys takes', (options) => {
    const { take } = limiterAt(options)
    const cost = Math.min(options.burst ?? options.limit, 1_000_000)
    for (const answer of [take(request('ws_1', { cost })), take(request('ws_1', { cost }))]) {
      expect(checkLimiterAnswer(answer).policies).toHaveLength(1)
    }
  })

  test('a plan that shrinks does not lock out for what the larger one let through', () => {
    const limiter = limiterAt({ limit: 1_000, windowSeconds: 1 })
    expect(limiter.take(request('ws_1', { cost: 1_000 })).allowed).toBe(true)
    const rateLimit = { limit: 1, windowSeconds: 1, burst: 1 }
    const small = request('ws_1', { rateLimit })
    expect(limiter.take(small)).toMatchObject({ allowed: false, retryAfterMs: 1_000 })
    limiter.nowMs += 1_000
    expect(limiter.take(small).allowed).toBe(true)
  })

  test.each([
    ['burst', 1_000_000],
    ['partition', 'planet'],
    ['maxPartitions', 0],
    ['name', ''],
    ['clock', 7],
  ])('an inherited %s is no option', async (name, value) => {
    const options = { limit: 2, windowSeconds: 3_600 }
    const fromPrototype: typeof options = Object.assign(Object.create({ [name]: value }), options)
    const limiters = [
      memoryLimiter(fromPrototype),
      await polluted({ [name]: value }, async () => memoryLimiter(options)),
    ]
    for (const { take } of limiters) {
      const answers = [1, 2, 3].map(() => take(request()) as LimiterAnswer)
      expect(answers.map(({ allowed }) => allowed)).toEqual([true, true, false])
    }
  })

  test('reads the clock of the runtime unless given one', () => {
    const limiter = memoryLimiter({ limit: 1, windowSeconds: 3_600 })
    expect(limiter.take(request())).toMatchObject({ allowed: true })
    expect(limiter.take(request())).toMatchObject({ allowed: false })
  })
})
