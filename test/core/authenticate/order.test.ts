import { describe, expect, test, vi } from 'vitest'
import { sha256Hex } from '#sha256'
import {
  type DefaultScope,
  defineResources,
  defineScopes,
  type Limiter,
  plans,
} from '../../../src/index.ts'
import { mintSecret } from '../../../src/secret/mint.ts'
import { findById } from '../../support/stored.ts'
import {
  action,
  keyInput,
  openWorld,
  START_MS,
  WORKSPACE,
  withoutUsage,
} from '../../support/world.ts'

vi.mock('#sha256', async (original) => {
  const real = await original<{ sha256Hex: (text: string) => string }>()
  return { sha256Hex: vi.fn(real.sha256Hex) }
})

const HOUR_MS = 3_600_000

/** The asked verbs, the hashing among them, since the last look. */
function steps(world: ReturnType<typeof openWorld>) {
  const hashed = vi.mocked(sha256Hex).mock.calls.length
  vi.mocked(sha256Hex).mockClear()
  return [...Array.from({ length: hashed }, () => 'hash'), ...world.asked()]
}

async function worldWithKey(fields = {}, options: Parameters<typeof openWorld>[0] = {}) {
  const world = openWorld(options)
  const issued = await world.keys.createKey(keyInput(fields))
  world.keys.dropEntitlements()
  world.events.splice(0)
  steps(world)
  return { ...world, world, ...issued, header: `Bearer ${issued.secret}` }
}

async function usesOf(world: ReturnType<typeof openWorld>, id: string) {
  await world.keys.flush()
  return (await findById(world.stored, 'ws_1', id))?.uses
}

/** What onEvent gets of a refusal without a key. */
const DENIED = {
  ...{ type: 'authentication.denied', at: new Date(START_MS), keyId: null, workspaceId: null },
}

describe('each step is taken only when the one before has passed', () => {
  test.each([
    ['missing', undefined],
    ['missing', 'Basic dXNlcjpwYXNz'],
    ['invalid_request', 'Bearer'],
    ['malformed', 'Bearer x'],
    ['malformed', `Bearer ${mintSecret('abc', 'live')}`],
    ['malformed', `Bearer ${mintSecret('svc', 'test').replace('test', 'live')}`],
  ])('%s: nothing is hashed and nobody asked', async (reason, header) => {
    const { keys, world } = await worldWithKey()
    expect(await keys.authenticate(header, 'contacts.read')).toEqual({
      ok: false,
      reason,
    })
    expect(steps(world)).toEqual([])
    expect(world.events).toEqual([{ ...DENIED, reason, requirement: 'contacts.read' }])
  })

  test('unknown: one look-up, and no plan', async () => {
    const { keys, world } = await worldWithKey()
    const stranger = `Bearer ${mintSecret('svc', 'live')}`
    expect(await keys.authenticate(stranger, null)).toEqual({ ok: false, reason: 'unknown' })
    expect(steps(world)).toEqual(['hash', 'findByHash'])
    expect(world.events).toEqual([{ ...DENIED, reason: 'unknown', requirement: null }])
  })

  const TO_THE_PLAN = ['hash', 'findByHash', 'entitlements']
  const TO_THE_KEY = ['hash', 'findByHash']

  test('the first that is wrong is the reason, nothing behind it is asked, and the usage has each', async () => {
    // The storage drops old hours by its own clock.
    const fromMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
    const state = { isLimited: false, taken: 0, nowMs: fromMs }
    const take = () => {
      state.taken += 1
      return state.isLimited ? { allowed: false, retryAfterMs: 1 } : { allowed: true }
    }
    const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])
    const { keys, world, key, header } = await worldWithKey(
      {
        ...{ resources: { project: ['p_1'] }, networks: ['198.51.100.0/24'] },
        expiresAt: new Date(fromMs + 60_000),
      },
      {
        ...{ resources, entitlementsTtlMs: 0, limiter: { take: take as Limiter['take'] } },
        now: () => new Date(state.nowMs),
      },
    )
    const request = {
      ...{ resource: { project: 'p_1' }, clientAddress: '198.51.100.7' },
      scope: 'contacts.read' as DefaultScope,
    }
    const ask = (fields: object) => () => Object.assign(request, fields)
    /** From the last to the first: each goes wrong beside all that went wrong before. */
    const wrongs: readonly [reason: string, asked: string[], goWrong: () => unknown][] = [
      ['rate_limited', TO_THE_PLAN, () => Object.assign(state, { isLimited: true })],
      ['resource_not_allowed', TO_THE_PLAN, ask({ resource: { project: 'p_2' } })],
      ['insufficient_scope', TO_THE_PLAN, ask({ scope: 'webhooks.write' })],
      ['plan_required', TO_THE_PLAN, () => Object.assign(world, { plan: plans.none })],
      ['network_not_allowed', TO_THE_KEY, ask({ clientAddress: '203.0.113.9' })],
      ['paused', TO_THE_KEY, () => keys.pauseKey(action(key.id))],
      ['expired', TO_THE_KEY, () => Object.assign(state, { nowMs: fromMs + 60_000 })],
      ['revoked', TO_THE_KEY, () => keys.revokeKey(action(key.id))],
    ]
    const send = ({ scope, ...rest } = request) => keys.authenticate(header, scope, rest)
    expect((await send()).ok).toBe(true)
    for (const [reason, asked, goWrong] of wrongs) {
      await goWrong()
      steps(world)
      world.events.splice(0)
      const answer = await send()
      expect(answer).toMatchObject({ ok: false, reason, keyId: key.id })
      expect(steps(world), reason).toEqual(asked)
      const known = { keyId: key.id, workspaceId: WORKSPACE, requirement: request.scope, reason }
      expect(world.events).toMatchObject([{ type: 'authentication.denied', ...known }])
    }
    expect([state.taken, await usesOf(world, key.id)]).toEqual([2, 1])
    const query = { workspaceId: WORKSPACE, from: new Date(fromMs), to: new Date(fromMs + 1) }
    const usage = await keys.keyUsage({ ...query, id: key.id })
    const denied = Object.fromEntries(wrongs.map(([reason]) => [reason, 1]))
    expect(usage.buckets).toMatchObject([{ accepted: 1, denied }])
    expect(await keys.keyUsage(query)).toEqual(usage)
  })

  test('success: one look-up, and storage is written to only by the flush', async () => {
    const { keys, world, key, header } = await worldWithKey()
    const auth = await keys.authenticate(header, 'contacts.read')
    if (!auth.ok) expect.fail(auth.reason)
    expect(auth.key).toStrictEqual(withoutUsage(key))
    for (const part of [auth.key, auth.key.scopes, auth.key.creator, auth.key.metadata]) {
      expect(Object.isFrozen(part)).toBe(true)
    }
    expect(steps(world)).toEqual(['hash', 'findByHash', 'entitlements'])
    await keys.authenticate(header, 'contacts.read')
    expect(steps(world)).toEqual(['hash', 'findByHash'])
    expect(await usesOf(world, key.id)).toBe(2)
    expect(world.events).toEqual([])
    expect(steps(world)).toContain('addUses')
  })
})

describe('the required scope', () => {
  test('matches exactly: no part, no other case, no wildcard', async () => {
    const words = ['read', 'READ', 'rea', 'readx', 'read.all', '*']
    const label = { en: 'x' }
    const catalogue = defineScopes([
      { id: 'g', label, scopes: words.map((scope) => ({ scope, label })) },
    ])
    const { keys } = openWorld({ catalogue: catalogue as never })
    for (const held of words) {
      const { secret } = await keys.createKey(keyInput({ scopes: [held], workspaceId: held }))
      for (const wanted of words) {
        const auth = await keys.authenticate(`Bearer ${secret}`, wanted as never)
        expect(auth.ok, `${held} for ${wanted}`).toBe(held === wanted)
      }
    }
  })
})

test('refusals cannot be changed', async () => {
  const { keys, header } = await worldWithKey()
  for (const value of [undefined, 'Bearer', 'Bearer x', `Bearer ${mintSecret('svc', 'live')}`]) {
    expect(Object.isFrozen(await keys.authenticate(value, null))).toBe(true)
  }
  expect(Object.isFrozen(await keys.authenticate(header, 'flows.read'))).toBe(true)
})
