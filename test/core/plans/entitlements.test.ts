import { beforeEach, describe, expect, test, vi } from 'vitest'
import { type Entitlements, plans } from '../../../src/index.ts'
import { checkEntitlements, type Plan } from '../../../src/plans/entitlements.ts'
import { EntitlementsCache } from '../../../src/plans/entitlements-cache.ts'
import { verdict, worldWithKey } from '../../support/lifecycle/world.ts'
import { keyInput, START_MS, settled } from '../../support/world.ts'

const MAX_INTEGER = 999_999_999_999_999
const MAX_WINDOW_S = 1_000_000_000

/** What a plan says of lifetimes and overlaps when it says nothing. */
const NO_POLICY = { maxLifetimeSeconds: null, maxOverlapSeconds: 604_800, rateLimit: null }

test('business has five keys, enterprise any number, none no API', () => {
  expect(plans).toEqual({
    business: { publicApi: true, activeKeyLimit: 5 },
    enterprise: { publicApi: true, activeKeyLimit: null },
    none: { publicApi: false, activeKeyLimit: 0 },
  })
  for (const part of [plans, ...Object.values(plans)]) expect(Object.isFrozen(part)).toBe(true)
})

test('what the host answers is copied', () => {
  const answer = { publicApi: true, activeKeyLimit: 3 }
  const checked = checkEntitlements(answer)
  answer.publicApi = false
  expect(checked).toEqual({ publicApi: true, activeKeyLimit: 3, ...NO_POLICY })
  expect(Object.isFrozen(checked)).toBe(true)
})

test.each([
  ...[0, 1, Number.MAX_SAFE_INTEGER, null].map((activeKeyLimit) => ({ activeKeyLimit })),
  ...[60, 86_400, null].map((maxLifetimeSeconds) => ({ maxLifetimeSeconds })),
  ...[0, 1, 2_592_000].map((maxOverlapSeconds) => ({ maxOverlapSeconds })),
  ...[
    { limit: 1, windowSeconds: 1, burst: 1 },
    { limit: MAX_INTEGER, windowSeconds: MAX_WINDOW_S, burst: MAX_INTEGER },
    { limit: 1, windowSeconds: 1, burst: MAX_WINDOW_S },
  ].map((rateLimit) => ({ rateLimit })),
])('a plan may have %j', (given) => {
  const plan = { publicApi: false, activeKeyLimit: 5, ...given }
  expect(checkEntitlements(plan)).toEqual({ ...NO_POLICY, ...plan })
})

test('the burst of a rate limit is the limit where it is left out', () => {
  const rateLimit = { limit: 5, windowSeconds: 1 }
  const checked = checkEntitlements({ ...plans.business, rateLimit })
  expect(checked.rateLimit).toEqual({ ...rateLimit, burst: 5 })
})

const all = (name: string, values: readonly unknown[], message: string) =>
  values.map((value) => [{ [name]: value }, message] as const)

const BASIS =
  'entitlements must answer { publicApi: boolean, activeKeyLimit: whole number or null }.'

test.each<readonly [unknown, string]>([
  ...[null, undefined, true, {}].map((answer) => [answer, BASIS] as const),
  ...all('publicApi', ['yes'], BASIS),
  ...all('activeKeyLimit', [-1, Infinity, Number.NaN, 'unlimited', 1.5], BASIS),
  ...all(
    'maxLifetimeSeconds',
    [59, 60.5, Number.NaN, '60'],
    'entitlements: maxLifetimeSeconds must be a whole number from 60, or null.',
  ),
  ...all(
    'maxOverlapSeconds',
    [-1, 0.5, 2_592_001, '60'],
    'entitlements: maxOverlapSeconds must be a whole number from 0 to 2592000.',
  ),
  ...all(
    'maxLifetime',
    [60],
    'entitlements: the answer has no member "maxLifetime"; did you mean "maxLifetimeSeconds"?',
  ),
  ...['activeKeyLimit', 'maxLifetimeSeconds'].flatMap((name) =>
    all(
      name,
      [undefined],
      `entitlements: the answer has "${name}" as undefined: give it a value or leave it out.`,
    ),
  ),
  ...all(
    'rateLimit',
    [
      ...[null, { limit: 0, windowSeconds: 1 }],
      { limit: Number.MAX_SAFE_INTEGER, windowSeconds: 1 },
      { limit: 1, windowSeconds: 1, burst: MAX_INTEGER + 1 },
      { limit: 1, windowSeconds: MAX_WINDOW_S + 1 },
      { limit: 1, windowSeconds: 2, burst: MAX_WINDOW_S },
    ],
    'entitlements: rateLimit must have a limit and a burst of 1 to 999999999999999, windowSeconds of 1 to 1000000000, and a burst that is back in 1000000000 seconds.',
  ),
  ...all(
    'rateLimit',
    [{ limit: 1, windowSeconds: 1, brust: 9 }],
    'entitlements: rateLimit has no member "brust"; did you mean "burst"?',
  ),
])('a plan may not have %j', (wrong, message) => {
  const isField = Object.keys(Object(wrong)).length > 0
  const answer = isField ? { ...plans.business, ...Object(wrong) } : wrong
  expect(() => checkEntitlements(answer)).toThrow(new TypeError(message))
})

/** A cache over a host that answers by hand. */
function openCache(ttlMs = 1_000, joins = true) {
  const questions: { answer(limit: number): Promise<void>; fail(): Promise<void> }[] = []
  const ask = () =>
    new Promise<Plan>((resolve, reject) => {
      questions.push({
        answer: (activeKeyLimit) => {
          resolve(checkEntitlements({ publicApi: true, activeKeyLimit }))
          return settled()
        },
        fail: () => {
          reject(new Error('no'))
          return settled()
        },
      })
    })
  const cache = new EntitlementsCache(ask, ttlMs, joins)
  const question = (at: number) => questions[at] ?? expect.fail('not asked')
  const limitOf = () => cache.remembered('ws')?.activeKeyLimit
  return { cache, questions, question, limitOf }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  return () => vi.useRealTimers()
})

describe('an answer of the host', () => {
  test('is remembered from the question on, not from the answer', async () => {
    const { cache, question, limitOf } = openCache(1_000)
    cache.get('ws')
    vi.advanceTimersByTime(600)
    await question(0).answer(7)
    vi.advanceTimersByTime(399)
    expect(limitOf()).toBe(7)
    vi.advanceTimersByTime(1)
    expect(limitOf()).toBeUndefined()
  })

  test('is shared by the callers who wait for it, in one workspace', async () => {
    const { cache, questions, question } = openCache()
    const answers = [cache.get('ws'), cache.get('ws')]
    cache.get('other')
    expect(questions).toHaveLength(2)
    await question(0).answer(7)
    const plan = { publicApi: true, activeKeyLimit: 7, ...NO_POLICY }
    expect(await Promise.all(answers)).toEqual([plan, plan])
    cache.get('ws')
    expect(questions).toHaveLength(3)
  })

  test.each(['ws', undefined])('after a drop of %s is used but not remembered', async (dropped) => {
    const { cache, questions, question, limitOf } = openCache()
    const answer = cache.get('ws')
    cache.drop(dropped)
    await question(0).answer(7)
    expect((await answer).activeKeyLimit).toBe(7)
    expect(limitOf()).toBeUndefined()
    cache.get('ws')
    expect(questions).toHaveLength(2)
  })

  test('from before a drop is not shared after it', async () => {
    const { cache, question, limitOf } = openCache()
    cache.get('ws')
    cache.drop('ws')
    const later = cache.get('ws')
    await question(1).answer(2)
    await question(0).answer(1)
    expect((await later).activeKeyLimit).toBe(2)
    expect(limitOf()).toBe(2)
  })

  test.each([[[0, 1]], [[1, 0]]])(
    'is that of the later question, in the order %j',
    async (order) => {
      const { cache, question, limitOf } = openCache()
      const answers = [cache.fresh('ws'), cache.fresh('ws')]
      for (const at of order) await question(at).answer(at + 1)
      const limits = (await Promise.all(answers)).map(({ activeKeyLimit }) => activeKeyLimit)
      expect([limits, limitOf()]).toEqual([[1, 2], 2])
    },
  )

  test('that fails leaves what was known, and is asked for again', async () => {
    const { cache, questions, question, limitOf } = openCache()
    const failed = cache.get('ws').catch((error: Error) => error.message)
    await question(0).fail()
    expect([await failed, limitOf()]).toEqual(['no', undefined])
    cache.get('ws')
    await question(1).answer(7)
    cache.fresh('ws').catch(() => {})
    await question(2).fail()
    expect([questions.length, limitOf()]).toEqual([3, 7])
  })

  test('for another request is not waited for where it may end with that', async () => {
    const { cache, questions, question, limitOf } = openCache(1_000, false)
    const abandoned = cache.get('ws')
    const answer = cache.get('ws')
    await question(1).answer(7)
    expect((await answer).activeKeyLimit).toBe(7)
    await question(0).answer(3)
    expect((await abandoned).activeKeyLimit).toBe(3)
    expect([questions.length, limitOf()]).toEqual([2, 7])
  })

  test('is remembered for 100,000 workspaces; the longest known goes first', async () => {
    const cache = new EntitlementsCache(() => checkEntitlements(plans.business), 1_000)
    for (let at = 0; at < 100_001; at += 1) cache.fresh(`ws_${at}`)
    await settled()
    const isKnown = (at: number) => cache.remembered(`ws_${at}`) !== null
    expect([0, 1, 2].map(isKnown)).toEqual([false, true, true])
    await cache.fresh('ws_1')
    await cache.fresh('ws_new')
    expect([1, 2].map(isKnown)).toEqual([true, false])
  })
})

describe('authenticate', () => {
  test('with no time at all refuses a request after the end of a plan', async () => {
    const questions: ((plan: Entitlements) => void)[] = []
    let entitlements: () => Entitlements | Promise<Entitlements> = () => plans.business
    const options = { entitlementsTtlMs: 0, entitlements: () => entitlements() }
    const { keys, secret } = await worldWithKey({}, options)
    entitlements = () => new Promise((resolve) => questions.push(resolve))
    const requests = [1, 2].map(() => keys.authenticate(`Bearer ${secret}`, null))
    await settled()
    expect(questions).toHaveLength(2)
    questions[0]?.(plans.business)
    questions[1]?.(plans.none)
    expect(await Promise.all(requests)).toMatchObject([{ ok: true }, { reason: 'plan_required' }])
  })

  test('is not misled by a clock that is set', async () => {
    const { world, secret } = await worldWithKey({}, { entitlementsTtlMs: 60_000 })
    world.plan = plans.none
    world.nowMs = START_MS + 86_400_000
    expect(await verdict(world, secret)).toBe('ok')
    vi.advanceTimersByTime(30_000)
    world.nowMs = START_MS - 86_400_000
    expect(await verdict(world, secret)).toBe('ok')
    // By this clock no time has passed since the plan was asked for.
    world.nowMs = START_MS
    vi.advanceTimersByTime(30_000)
    expect(await verdict(world, secret)).toBe('plan_required')
  })
})

test('create, rotate and list ask for the plan anew, and remember it', async () => {
  const { world, keys, one } = await worldWithKey()
  for (const operation of [
    () => keys.createKey(keyInput()),
    () => keys.rotateKey(one),
    () => keys.listKeys({ workspaceId: 'ws_1' }),
  ]) {
    world.asked()
    await operation()
    expect(world.asked()).toContain('entitlements')
  }
  const { secret } = await keys.createKey(keyInput())
  world.plan = plans.none
  await keys.listKeys({ workspaceId: 'ws_1' })
  expect(await verdict(world, secret)).toBe('plan_required')
})
