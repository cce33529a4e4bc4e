import { describe, expect, test } from 'vitest'
import { type ApiKeysOptions, type Limiter, plans } from '../../../src/index.ts'
import type { LimiterAnswer, LimiterRequest } from '../../../src/model/limiter.ts'
import { action, fault, keyInput, openWorld, rejection } from '../../support/world.ts'

/** A limiter that answers what a test says, and the requests that it was asked about. */
function recorded(answer: (request: LimiterRequest) => unknown) {
  const requests: LimiterRequest[] = []
  const limiter: Limiter = {
    take: (request) => {
      requests.push(request)
      return answer(request) as LimiterAnswer
    },
  }
  return { limiter, requests }
}

async function worldWithKey(options: Partial<ApiKeysOptions>) {
  const world = openWorld(options)
  const { key, secret } = await world.keys.createKey(keyInput())
  return { world, key, header: `Bearer ${secret}` }
}

const usesOf = async ({ keys }: ReturnType<typeof openWorld>) => {
  await keys.flush()
  return (await keys.listKeys({ workspaceId: 'ws_1' })).keys[0]?.uses
}

describe('the limiter', () => {
  test('gets the key, the requirement, the cost and the limit of the plan', async () => {
    const { limiter, requests } = recorded(() => ({ allowed: true }))
    const { world, key, header } = await worldWithKey({ limiter })
    const rateLimit = { limit: 10, windowSeconds: 60 }
    world.plan = { ...plans.business, rateLimit }
    world.keys.dropEntitlements()
    await world.keys.authenticate(header, 'contacts.read', { cost: 3 })
    await world.keys.authenticate(header, null)
    expect(requests.map(({ key: { id } }) => id)).toEqual([key.id, key.id])
    expect(requests).toMatchObject([
      { requirement: 'contacts.read', cost: 3, rateLimit: { ...rateLimit, burst: 10 } },
      { requirement: null, cost: 1 },
    ])
    expect(requests.every(({ key }) => Object.isFrozen(key))).toBe(true)
  })

  test('comes last: a request refused for another reason costs nothing', async () => {
    const { limiter, requests } = recorded(() => ({ allowed: true }))
    const { world, key, header } = await worldWithKey({ limiter })
    for (const [value, scope] of [
      [undefined, null],
      ['Bearer', null],
      ['Bearer nonsense', null],
      [`${header.slice(0, -1)}${header.endsWith('0') ? '1' : '0'}`, null],
      [header, 'messages.send'],
    ] as const) {
      expect((await world.keys.authenticate(value, scope)).ok).toBe(false)
    }
    world.plan = plans.none
    world.keys.dropEntitlements()
    expect(await world.keys.authenticate(header, null)).toMatchObject({ reason: 'plan_required' })
    await world.keys.revokeKey(action(key.id))
    expect(await world.keys.authenticate(header, null)).toMatchObject({ reason: 'revoked' })
    expect(requests).toEqual([])
  })

  test('accepts with its policies, counts rounded down and times rounded up', async () => {
    const policy = {
      name: 'burst',
      limit: 10.5,
      remaining: 3.9,
      windowSeconds: 1.2,
      resetSeconds: 0.1,
    }
    const { limiter } = recorded(() => ({ allowed: true, policies: [policy] }))
    const { world, header } = await worldWithKey({ limiter })
    const result = await world.keys.authenticate(header, null)
    expect(result).toMatchObject({
      ok: true,
      limits: [{ name: 'burst', limit: 10, remaining: 3, windowSeconds: 2, resetSeconds: 1 }],
    })
    expect(await usesOf(world)).toBe(1)
  })

  test('that changes its request changes no denial', async () => {
    const limiter = {
      take: (request: object) => {
        Object.assign(request, { requirement: 'orders.write', cost: 0 })
        return { allowed: false, retryAfterMs: 1 } as const
      },
    }
    const { world, header } = await worldWithKey({ limiter })
    await world.keys.authenticate(header, 'contacts.read')
    expect(world.events.at(-1)).toMatchObject({ requirement: 'contacts.read' })
  })

  test('refuses: the denial says when to return, no use is counted, and onEvent gets it', async () => {
    const { limiter } = recorded(() => ({ allowed: false, retryAfterMs: 1_500 }))
    const { world, key, header } = await worldWithKey({ limiter })
    const result = await world.keys.authenticate(header, 'contacts.read')
    expect(result).toEqual({
      ok: false,
      reason: 'rate_limited',
      keyId: key.id,
      retryAfterMs: 1_500,
      limits: [],
    })
    expect(Object.isFrozen(result)).toBe(true)
    expect(await usesOf(world)).toBe(0)
    expect(world.events.at(-1)).toMatchObject({
      type: 'authentication.denied',
      reason: 'rate_limited',
      requirement: 'contacts.read',
      keyId: key.id,
      workspaceId: key.workspaceId,
    })
  })

  test.each([0, -1, 1.5, 1_000_001, Number.NaN, '2', null])(
    'a cost of %s is refused',
    async (cost) => {
      const { limiter, requests } = recorded(() => ({ allowed: true }))
      const { world, header } = await worldWithKey({ limiter })
      const options = { cost } as { cost: number }
      const error = await rejection(world.keys.authenticate(header, null, options))
      expect(error).toBeInstanceOf(TypeError)
      expect(requests).toEqual([])
    },
  )

  test('a wrong cost is refused without a limiter too, whatever the credential', async () => {
    const { world, header } = await worldWithKey({})
    const options = { cost: -1 }
    for (const credential of [header, 'Bearer nonsense', undefined]) {
      const error = await rejection(world.keys.authenticate(credential, null, options))
      expect(error).toBeInstanceOf(TypeError)
    }
    const secret = header.slice('Bearer '.length)
    expect(await rejection(world.keys.authenticateSecret(secret, null, options))).toBeInstanceOf(
      TypeError,
    )
    expect(await world.keys.authenticate(header, null, {})).toMatchObject({ ok: true })
  })
})

const FAULTS: readonly (readonly [string, () => unknown])[] = [
  [
    'throws',
    () => {
      throw new Error('the counter store is down')
    },
  ],
  [
    'rejects',
    async () => {
      throw new Error('the counter store is down')
    },
  ],
  ['hangs', () => new Promise(() => {})],
  ['answers nothing', () => undefined],
  ['answers later with nothing', async () => null],
]

describe('a limiter in trouble', () => {
  test.each(FAULTS)(
    'that %s: the request is allowed, and onEvent gets the fault',
    async (_, answer) => {
      const { limiter } = recorded(answer)
      const { world, header } = await worldWithKey({ limiter })
      const result = await world.keys.authenticate(header, null)
      expect(result).toMatchObject({ ok: true })
      expect(result).not.toHaveProperty('limits')
      expect(world.events.at(-1)).toMatchObject({ type: 'outage', operation: 'limiter' })
      expect(await usesOf(world)).toBe(1)
    },
  )

  test.each(FAULTS)('that %s: with "refuse" it is an outage', async (_, answer) => {
    const { limiter } = recorded(answer)
    const { world, header } = await worldWithKey({ limiter, onLimiterFault: 'refuse' })
    const outage = await fault(world.keys.authenticate(header, null))
    expect(outage.operation).toBe('limiter')
    expect(await usesOf(world)).toBe(0)
  })
})

test.each([
  ['', 'polices', 'policies', {}],
  [' of a policy', 'windowSecond', 'windowSeconds', { name: 'burst', limit: 1, remaining: 0 }],
])('an unknown member%s is reported, and the decision holds', async (of, typo, meant, policy) => {
  const refused = { allowed: false, retryAfterMs: 1_000 }
  const answer =
    of === '' ? { ...refused, [typo]: [] } : { ...refused, policies: [{ ...policy, [typo]: 1 }] }
  const { world, header } = await worldWithKey({ limiter: recorded(() => answer).limiter })
  expect(await world.keys.authenticate(header, null)).toMatchObject({ reason: 'rate_limited' })
  const message = `The limiter answered an unknown member${of}, "${typo}"; did you mean "${meant}"?`
  expect(world.events).toContainEqual(
    expect.objectContaining({ operation: 'limiter', error: new TypeError(message) }),
  )
})

test.each([[{ limit: 0, windowSeconds: 1 }], [null]])(
  'a plan with the rate limit %j is an outage',
  async (rateLimit) => {
    const { limiter } = recorded(() => ({ allowed: true }))
    const { world, header } = await worldWithKey({ limiter })
    world.plan = { ...plans.business, rateLimit } as typeof world.plan
    world.keys.dropEntitlements()
    expect((await fault(world.keys.authenticate(header, null))).operation).toBe('entitlements')
  },
)
