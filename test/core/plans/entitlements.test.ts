import { beforeEach, describe, expect, test, vi } from 'vitest'
import { type Entitlements, plans } from '../../../src/index.ts'
import { checkEntitlements } from '../../../src/plans/entitlements.ts'
import { EntitlementsCache } from '../../../src/plans/entitlements-cache.ts'
import { action, keyInput, openWorld, refusal, START_MS, settled } from '../../support/world.ts'

/** What a plan says of lifetimes and overlaps when it says nothing. */
const NO_POLICY = { maxLifetimeSeconds: null, maxOverlapSeconds: 604_800, rateLimit: null }

describe('the plans', () => {
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
})

const LIFETIME = 'maxLifetimeSeconds must be a whole number from 60, or null.'
const OVERLAP = 'maxOverlapSeconds must be a whole number from 0 to 2592000.'

test.each([
  ...[0, 1, Number.MAX_SAFE_INTEGER, null].map((activeKeyLimit) => ({ activeKeyLimit })),
  ...[60, 86_400, null].map((maxLifetimeSeconds) => ({ maxLifetimeSeconds })),
  ...[0, 1, 2_592_000].map((maxOverlapSeconds) => ({ maxOverlapSeconds })),
])('a plan may have %j', (given) => {
  const plan = { publicApi: false, activeKeyLimit: 5, ...given }
  expect(checkEntitlements(plan)).toEqual({ ...NO_POLICY, ...plan })
})

test.each<[object, string]>([
  ...[59, 60.5, Number.NaN, '60'].map((wrong): [object, string] => [
    { maxLifetimeSeconds: wrong },
    LIFETIME,
  ]),
  ...[-1, 0.5, 2_592_001, '60'].map((wrong): [object, string] => [
    { maxOverlapSeconds: wrong },
    OVERLAP,
  ]),
  [
    { maxLifetime: 60 },
    'the answer has no member "maxLifetime"; did you mean "maxLifetimeSeconds"?',
  ],
  [
    { maxLifetimeSeconds: undefined },
    'the answer has "maxLifetimeSeconds" as undefined: give it a value or leave it out.',
  ],
  [
    { rateLimit: { limit: 1, windowSeconds: 1, brust: 9 } },
    'rateLimit has no member "brust"; did you mean "burst"?',
  ],
])('a plan may not have %j', (wrong, message) => {
  expect(() => checkEntitlements({ ...plans.business, ...wrong })).toThrow(
    new TypeError(`entitlements: ${message}`),
  )
})

test.each([
  ...[null, undefined, true, {}, { publicApi: 'yes', activeKeyLimit: 5 }],
  ...[undefined, -1, Infinity, Number.NaN, 'unlimited', 1.5].map((activeKeyLimit) => ({
    ...{ publicApi: true, activeKeyLimit },
  })),
])('%j is no plan', (answer) => {
  expect(() => checkEntitlements(answer)).toThrow(/^entitlements(?: must answer|: the answer has)/)
})

/** A cache over a host that answers by hand. */
function openCache(ttlMs = 1_000, joins = true) {
  const questions: { answer(limit: number): Promise<void>; fail(): Promise<void> }[] = []
  const cache = new EntitlementsCache(
    () =>
      new Promise((resolve, reject) => {
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
      }),
    ttlMs,
    joins,
  )
  return { cache, questions, question: (at: number) => questions[at] ?? expect.fail('not asked') }
}

const limitOf = (cache: EntitlementsCache) => cache.remembered('ws')?.activeKeyLimit

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  return () => vi.useRealTimers()
})

describe('what is remembered', () => {
  test('its time runs from the question, not from the answer', async () => {
    const { cache, question } = openCache(1_000)
    cache.get('ws')
    vi.advanceTimersByTime(600)
    await question(0).answer(7)
    vi.advanceTimersByTime(399)
    expect(limitOf(cache)).toBe(7)
    vi.advanceTimersByTime(1)
    expect(limitOf(cache)).toBeUndefined()
  })
})

describe('questions under way', () => {
  test('callers share a question under way', async () => {
    const { cache, questions, question } = openCache()
    const answers = [cache.get('ws'), cache.get('ws')]
    expect(questions).toHaveLength(1)
    cache.get('other')
    expect(questions).toHaveLength(2)
    await question(0).answer(7)
    expect(await Promise.all(answers)).toEqual(
      Array(2).fill({ publicApi: true, activeKeyLimit: 7, ...NO_POLICY }),
    )
    cache.get('ws')
    expect(questions).toHaveLength(3)
  })

  test('a drop makes its answer old: it is used but not remembered', async () => {
    for (const workspaceId of ['ws', undefined]) {
      const { cache, questions, question } = openCache()
      const answers = cache.get('ws')
      cache.drop(workspaceId)
      await question(0).answer(7)
      expect((await answers).activeKeyLimit).toBe(7)
      expect(limitOf(cache)).toBeUndefined()
      cache.get('ws')
      expect(questions).toHaveLength(2)
    }
  })

  test('callers after a drop do not share the old one', async () => {
    const { cache, question } = openCache()
    cache.get('ws')
    cache.drop('ws')
    const later = cache.get('ws')
    await question(1).answer(2)
    await question(0).answer(1)
    expect((await later).activeKeyLimit).toBe(2)
    expect(limitOf(cache)).toBe(2)
  })

  test('of two fresh ones the later question wins, whichever answers first', async () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const { cache, question } = openCache()
      const answers = [cache.fresh('ws'), cache.fresh('ws')]
      for (const at of order) await question(at).answer(at + 1)
      expect((await Promise.all(answers)).map(({ activeKeyLimit }) => activeKeyLimit)).toEqual([
        1, 2,
      ])
      expect(limitOf(cache)).toBe(2)
    }
  })

  test('one that fails leaves what was known, and is asked again', async () => {
    const { cache, questions, question } = openCache()
    const failed = Promise.resolve(cache.get('ws')).catch((error: Error) => error.message)
    await question(0).fail()
    expect([await failed, limitOf(cache)]).toEqual(['no', undefined])
    cache.get('ws')
    await question(1).answer(7)
    cache.fresh('ws').catch(() => {})
    await question(2).fail()
    expect([questions.length, limitOf(cache)]).toEqual([3, 7])
  })

  test('a question of another request is not waited for where it may end with that', async () => {
    const { cache, questions, question } = openCache(1_000, false)
    const abandoned = cache.get('ws')
    const answers = cache.get('ws')
    await question(1).answer(7)
    expect((await answers).activeKeyLimit).toBe(7)
    expect([questions.length, limitOf(cache)]).toEqual([2, 7])
    await question(0).answer(3)
    expect([(await abandoned).activeKeyLimit, limitOf(cache)]).toEqual([3, 7])
  })
})

test('no more than 100,000 workspaces are remembered, the longest known goes first', async () => {
  const cache = new EntitlementsCache(() => checkEntitlements(plans.business), 1_000)
  for (let at = 0; at < 100_001; at += 1) cache.fresh(`ws_${at}`)
  await settled()
  expect(cache.remembered('ws_0')).toBeNull()
  expect(cache.remembered('ws_1')).toEqual({ ...plans.business, ...NO_POLICY })
  expect(cache.remembered('ws_2')).toEqual({ ...plans.business, ...NO_POLICY })
  await cache.fresh('ws_1')
  await cache.fresh('ws_new')
  expect(cache.remembered('ws_2')).toBeNull()
  expect(cache.remembered('ws_1')).toEqual({ ...plans.business, ...NO_POLICY })
})

describe('operations that call the host again', () => {
  test('authenticate remembers for the stated time; dropping it is at once', async () => {
    const world = openWorld({ entitlementsTtlMs: 1_000 })
    const { secret } = await world.keys.createKey(keyInput())
    const reason = async () => {
      const auth = await world.keys.authenticate(`Bearer ${secret}`, null)
      return auth.ok ? 'ok' : auth.reason
    }
    world.plan = plans.none
    expect(await reason()).toBe('ok')
    vi.advanceTimersByTime(999)
    expect(await reason()).toBe('ok')
    vi.advanceTimersByTime(1)
    expect(await reason()).toBe('plan_required')
    world.plan = plans.business
    expect(await reason()).toBe('plan_required')
    world.keys.dropEntitlements('ws_other')
    expect(await reason()).toBe('plan_required')
    world.keys.dropEntitlements('ws_1')
    expect(await reason()).toBe('ok')
    world.plan = plans.none
    world.keys.dropEntitlements()
    expect(await reason()).toBe('plan_required')
  })

  test('with no time at all a request after the end of a plan is refused', async () => {
    const questions: ((plan: Entitlements) => void)[] = []
    const { keys, plan } = openWorld({
      entitlementsTtlMs: 0,
      entitlements: () => new Promise((resolve) => questions.push(resolve)),
    })
    const created = keys.createKey(keyInput())
    await settled()
    questions[0]?.(plan)
    const { secret } = await created
    const requests = [1, 2].map(() => keys.authenticate(`Bearer ${secret}`, null))
    await settled()
    expect(questions).toHaveLength(3)
    questions[1]?.(plan)
    questions[2]?.(plans.none)
    expect(await Promise.all(requests)).toMatchObject([{ ok: true }, { reason: 'plan_required' }])
  })

  test('a clock that is set prolongs nothing and ends nothing', async () => {
    const world = openWorld({ entitlementsTtlMs: 60_000 })
    const { secret } = await world.keys.createKey(keyInput())
    const isAccepted = async () => (await world.keys.authenticate(`Bearer ${secret}`, null)).ok
    world.plan = plans.none
    world.nowMs = START_MS + 86_400_000
    expect(await isAccepted()).toBe(true)
    vi.advanceTimersByTime(30_000)
    world.nowMs = START_MS - 86_400_000
    expect(await isAccepted()).toBe(true)
    // By this clock no time has passed since the plan was asked for.
    world.nowMs = START_MS
    vi.advanceTimersByTime(30_000)
    expect(await isAccepted()).toBe(false)
  })

  test('create, rotate and list always do, and the answer is remembered', async () => {
    const world = openWorld()
    const { key } = await world.keys.createKey(keyInput())
    world.asked()
    for (const operation of [
      () => world.keys.createKey(keyInput()),
      () => world.keys.rotateKey(action(key.id)),
      () => world.keys.listKeys({ workspaceId: 'ws_1' }),
    ]) {
      await operation()
      expect(world.asked()).toContain('entitlements')
    }
    const { secret } = await world.keys.createKey(keyInput())
    world.plan = plans.none
    await world.keys.listKeys({ workspaceId: 'ws_1' })
    const denial = await world.keys.authenticate(`Bearer ${secret}`, null)
    expect(denial).toMatchObject({ reason: 'plan_required' })
    for (const change of [world.keys.createKey(keyInput()), world.keys.rotateKey(action(key.id))])
      expect((await refusal(change)).code).toBe('plan_required')
  })
})
