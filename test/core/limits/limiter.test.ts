import { describe, expect, test } from 'vitest'
import {
  type ApiKeysOptions,
  type AuthenticateOptions,
  type Entitlements,
  plans,
} from '../../../src/index.ts'
import { checkLimiterAnswer } from '../../../src/limits/limit-check.ts'
import type { LimiterAnswer, LimiterRequest } from '../../../src/model/limiter.ts'
import { worldWithKey } from '../../support/lifecycle/world.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import { fault, openWorld, rejection, thrown } from '../../support/world.ts'

simulateTime()

const MAX_INTEGER = 999_999_999_999_999

/** A world with a key, and a limiter that answers what a test says and keeps what it was asked. */
async function worldWith(answer: unknown, options: Partial<ApiKeysOptions> = {}) {
  const requests: LimiterRequest[] = []
  const take = (request: LimiterRequest) => {
    requests.push(request)
    return (typeof answer === 'function' ? answer() : answer) as LimiterAnswer
  }
  const opened = await worldWithKey({}, { limiter: { take }, ...options })
  const { world, keys, secret, now } = opened
  const header = `Bearer ${secret}`
  const use = (scope: 'contacts.read' | null = null, own?: object) =>
    keys.authenticate(header, scope, own as AuthenticateOptions)
  const usesOf = async () => {
    await keys.flush()
    return (await now()).uses
  }
  const setPlan = (plan: Entitlements) => {
    world.plan = plan
    keys.dropEntitlements()
  }
  return { ...opened, requests, header, use, usesOf, setPlan }
}

const ALLOWED = { allowed: true }
const REFUSED = { allowed: false, retryAfterMs: 1_500 }

describe('the limiter', () => {
  test('gets the key, the requirement, the cost and the limit of the plan', async () => {
    const { key, requests, use, setPlan } = await worldWith(ALLOWED)
    const rateLimit = { limit: 10, windowSeconds: 60 }
    setPlan({ ...plans.business, rateLimit })
    await use('contacts.read', { cost: 1_000_000 })
    await use()
    expect(requests).toMatchObject([
      {
        ...{ key: { id: key.id }, requirement: 'contacts.read', cost: 1_000_000 },
        rateLimit: { ...rateLimit, burst: 10 },
      },
      { key: { id: key.id }, requirement: null, cost: 1 },
    ])
    expect(requests.every(({ key }) => Object.isFrozen(key))).toBe(true)
  })

  test('accepts with its policies, counts rounded down and times rounded up', async () => {
    const given = { limit: 10.5, remaining: 3.9, windowSeconds: 1.2, resetSeconds: 0.1 }
    const { use, usesOf } = await worldWith({ ...ALLOWED, policies: [{ name: 'burst', ...given }] })
    expect(await use()).toMatchObject({
      ok: true,
      limits: [{ name: 'burst', limit: 10, remaining: 3, windowSeconds: 2, resetSeconds: 1 }],
    })
    expect(await usesOf()).toBe(1)
  })

  test('refuses: the denial says when to return, no use is counted, and onEvent gets it', async () => {
    const { world, key, requests, use, usesOf } = await worldWith(() => {
      // What it does to its request changes no denial.
      Object.assign(requests[0] ?? {}, { requirement: 'orders.write', cost: 0 })
      return REFUSED
    })
    const denial = { reason: 'rate_limited', keyId: key.id }
    const result = await use('contacts.read')
    expect(result).toEqual({ ok: false, ...denial, retryAfterMs: 1_500, limits: [] })
    expect(Object.isFrozen(result)).toBe(true)
    expect(await usesOf()).toBe(0)
    expect(world.events.at(-1)).toMatchObject({
      ...{ type: 'authentication.denied', requirement: 'contacts.read', ...denial },
      workspaceId: key.workspaceId,
    })
  })

  test.each([0, -1, 1.5, 1_000_001, Number.NaN, '2', null])(
    'a cost of %s is refused, without a limiter too, whatever the credential',
    async (cost) => {
      const { keys, requests, header, secret } = await worldWith(ALLOWED)
      const { keys: others } = openWorld()
      const own = { cost } as { cost: number }
      for (const call of [
        keys.authenticate(header, null, own),
        keys.authenticateSecret(secret, null, own),
        others.authenticate('Bearer nonsense', null, own),
        others.authenticate(undefined, null, own),
      ]) {
        const message = 'The cost of a request must be a whole number from 1 to 1,000,000.'
        expect(await rejection(call)).toEqual(new TypeError(message))
      }
      expect(requests).toEqual([])
    },
  )
})

const DOWN = new Error('the counter store is down')
describe.each<[string, unknown]>([
  ['throws', () => thrown(DOWN)],
  ['rejects', () => Promise.reject(DOWN)],
  ['hangs', () => new Promise(() => {})],
  ['answers nothing', undefined],
  ['answers later with nothing', async () => null],
])('a limiter that %s', (_, answer) => {
  test('is a fault, and the request is allowed', async () => {
    const { world, use, usesOf } = await worldWith(answer)
    const result = await use()
    expect(result).toMatchObject({ ok: true })
    expect(result).not.toHaveProperty('limits')
    expect(world.events.at(-1)).toMatchObject({ type: 'outage', operation: 'limiter' })
    expect(await usesOf()).toBe(1)
  })

  test('is an outage with "refuse"', async () => {
    const { use, usesOf } = await worldWith(answer, { onLimiterFault: 'refuse' })
    expect((await fault(use())).operation).toBe('limiter')
    expect(await usesOf()).toBe(0)
  })
})

const POLICY = { name: 'default', limit: 5, remaining: 4 }

test.each([
  ['', 'polices', 'policies', { polices: [] }],
  [' of a policy', 'windowSecond', 'windowSeconds', { policies: [{ ...POLICY, windowSecond: 1 }] }],
])('an unknown member%s is reported, and the decision holds', async (of, typo, meant, more) => {
  const { world, use } = await worldWith({ ...REFUSED, ...more })
  expect(await use()).toMatchObject({ reason: 'rate_limited' })
  const message = `The limiter answered an unknown member${of}, "${typo}"; did you mean "${meant}"?`
  const error = new TypeError(message)
  expect(world.events).toContainEqual(expect.objectContaining({ operation: 'limiter', error }))
})

describe('the answer of a limiter', () => {
  const policies = (count: number) => Array.from({ length: count }, () => POLICY)

  test.each<[object, object]>([
    [{ allowed: true }, { policies: [] }],
    [{ allowed: false, retryAfterMs: Infinity, policies: [] }, {}],
    [{ allowed: false, retryAfterMs: 0, policies: [POLICY] }, {}],
    [{ allowed: true, policies: [{ ...POLICY, limit: 0 }] }, {}],
    [{ allowed: true, policies: [{ ...POLICY, limit: MAX_INTEGER }] }, {}],
    [{ allowed: true, policies: policies(10) }, {}],
  ])('may be %j', (answer, more) => {
    const checked = checkLimiterAnswer(answer)
    expect(checked).toStrictEqual({ ...answer, ...more })
  })

  const VERDICT =
    'The limiter must answer { allowed: true } or { allowed: false, retryAfterMs: number }.'
  const MANY = 'The limiter must answer at most 10 policies.'
  const INVALID = 'The limiter answered an invalid policy.'
  test.each<[unknown, string]>([
    [undefined, VERDICT],
    [{ allowed: 'yes', retryAfterMs: 1 }, VERDICT],
    [{ allowed: false }, VERDICT],
    ...[-1, Number.NaN, -Infinity].map((retryAfterMs): [unknown, string] => [
      { allowed: false, retryAfterMs },
      VERDICT,
    ]),
    [{ allowed: true, policies: policies(11) }, MANY],
    [{ allowed: true, policies: 'none' }, MANY],
    [{ allowed: true, policies: [null] }, INVALID],
    ...[
      ...[{ name: '' }, { name: 'a"b' }, { name: 7 }, { limit: -1 }, { limit: MAX_INTEGER + 1 }],
      ...[{ remaining: '4' }, { windowSeconds: null }, { resetSeconds: -1 }],
    ].map((wrong): [unknown, string] => [
      { allowed: true, policies: [{ ...POLICY, ...wrong }] },
      INVALID,
    ]),
  ])('may not be %j', (answer, message) => {
    expect(() => checkLimiterAnswer(answer)).toThrow(new TypeError(message))
  })
})
