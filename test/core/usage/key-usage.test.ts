import { describe, expect, test } from 'vitest'
import { plans } from '../../../src/index.ts'
import type { KeyUsageQuery } from '../../../src/keys/key-usage.ts'
import type { HourlyTotal, UsageQuery } from '../../../src/storage/index.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import {
  action,
  fault,
  keyInput,
  openWorld as openAnyWorld,
  refusal,
  START_MS,
  WORKSPACE,
} from '../../support/world.ts'

simulateTime()

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NONE = {
  revoked: 0,
  expired: 0,
  paused: 0,
  network_not_allowed: 0,
  plan_required: 0,
  insufficient_scope: 0,
  resource_not_allowed: 0,
  rate_limited: 0,
}

/** A world at the time of the storage, which drops old hours by its own clock. */
function openWorld(options: Parameters<typeof openAnyWorld>[0] = {}) {
  const world = openAnyWorld(options)
  world.nowMs = Date.now()
  return world
}

const bearer = (secret: string) => `Bearer ${secret}`

/** What a storage that answers `totals` makes of a query, and its questions. */
async function answered(
  query: Omit<KeyUsageQuery, 'workspaceId'>,
  totals: readonly HourlyTotal[] = [],
) {
  const world = openAnyWorld()
  const asked: UsageQuery[] = []
  world.misbehaviour.usage = async (_: string, question: UsageQuery) => {
    asked.push(question)
    return totals
  }
  const { buckets } = await world.keys.keyUsage({ workspaceId: WORKSPACE, ...query })
  return { buckets, asked: asked[0] }
}

const accepted = (hour: number, count = 1): HourlyTotal => ({ hour, outcome: 'accepted', count })
const at = (text: string) => new Date(text)
const hour = (text: string) => Date.parse(text) / HOUR_MS

describe('what is counted', () => {
  test('uses and refusals of a key, by reason', async () => {
    let allowed = true
    const limiter = {
      take: () =>
        allowed ? { allowed: true as const } : { allowed: false as const, retryAfterMs: 1 },
    }
    const world = openWorld({ limiter, entitlementsTtlMs: 0 })
    const from = new Date(world.nowMs)
    // In the same hour.
    const expiresAt = new Date(Math.floor(world.nowMs / HOUR_MS) * HOUR_MS + HOUR_MS - 1)
    const { key, secret } = await world.keys.createKey(keyInput({ expiresAt }))
    const ask = (scope: 'contacts.read' | 'contacts.write' = 'contacts.read') =>
      world.keys.authenticate(bearer(secret), scope)
    await ask()
    await ask()
    await ask('contacts.write')
    allowed = false
    await ask()
    world.plan = plans.none
    await ask()
    world.plan = plans.business
    await world.keys.pauseKey(action(key.id))
    await ask()
    const paused = world.nowMs
    world.nowMs = expiresAt.getTime()
    await ask()
    world.nowMs = paused
    await world.keys.revokeKey(action(key.id))
    await ask()
    await ask()
    await world.keys.flush()
    const query = {
      workspaceId: WORKSPACE,
      from,
      to: new Date(world.nowMs + 1),
    }
    const denied = {
      ...NONE,
      revoked: 2,
      expired: 1,
      paused: 1,
      plan_required: 1,
      insufficient_scope: 1,
      rate_limited: 1,
    }
    const usage = await world.keys.keyUsage({ ...query, id: key.id })
    expect(usage.buckets).toMatchObject([{ accepted: 2, denied }])
    expect(await world.keys.keyUsage(query)).toEqual(usage)
    expect((await world.keys.getKey({ workspaceId: WORKSPACE, id: key.id })).uses).toBe(2)
    await world.keys.close()
  })

  test('with usageHistory: false, uses alone', async () => {
    const world = openWorld({ usageHistory: false })
    const { key, secret } = await world.keys.createKey(keyInput())
    await world.keys.authenticate(bearer(secret), null)
    await world.keys.authenticate(bearer(secret), 'contacts.write')
    await world.keys.flush()
    const all = { id: key.id, fromHour: 0, toHour: 2 ** 31 }
    expect(await world.stored.usage(WORKSPACE, all)).toEqual([])
    const query = { workspaceId: WORKSPACE, from: at('2026-01-01'), to: at('2026-01-02') }
    expect((await refusal(world.keys.keyUsage(query))).code).toBe('usage_not_kept')
  })
})

describe('the buckets', () => {
  test('are every hour that the range touches', async () => {
    const { buckets, asked } = await answered(
      { from: '2026-01-01T00:59:00+03:00' as unknown as Date, to: at('2026-01-01T00:00:00Z') },
      [accepted(hour('2025-12-31T20:00Z')), accepted(hour('2025-12-31T22:00Z'), 7)],
    )
    expect(asked).toEqual({
      id: null,
      fromHour: hour('2025-12-31T21:00Z'),
      toHour: hour('2026-01-01T00:00Z'),
    })
    expect(buckets).toEqual([
      bucket('2025-12-31T21:00Z', '2025-12-31T22:00Z', 0),
      bucket('2025-12-31T22:00Z', '2025-12-31T23:00Z', 7),
      bucket('2025-12-31T23:00Z', '2026-01-01T00:00Z', 0),
    ])
    expect([buckets, buckets[0], buckets[0]?.denied].every(Object.isFrozen)).toBe(true)
  })

  function bucket(startsAt: string, endsAt: string, count: number) {
    return { startsAt: at(startsAt), endsAt: at(endsAt), accepted: count, denied: NONE }
  }
})

describe('queries', () => {
  const good = { workspaceId: WORKSPACE, from: at('2025-12-31'), to: at('2026-01-01') }
  const now = new Date(START_MS)
  const ago = (days: number) => new Date(START_MS - days * DAY_MS)
  const cases: readonly (readonly [string, Record<string, unknown>, readonly string[]])[] = [
    ['nothing', { from: undefined, to: undefined }, ['from required', 'to required']],
    [
      'what is no instant',
      { from: new Date(Number.NaN), to: '2026-02-30T00:00:00Z' },
      ['from invalid_value', 'to invalid_value'],
    ],
    ['no offset', { to: '2026-01-01T00:00:00' }, ['to invalid_value']],
    ['a year beyond 9999', { to: new Date(8.64e15) }, ['to invalid_value']],
    ['days', { by: 'day' }, ['by unknown_field']],
    ['another field', { until: now }, ['until unknown_field']],
    ['an empty range', { to: good.from }, ['to out_of_range']],
    ['a range that ends before it begins', { to: ago(3) }, ['to out_of_range']],
    [
      'hours no longer kept',
      { from: new Date(ago(32).getTime() - 1), to: ago(31) },
      ['from out_of_range'],
    ],
    [
      '801 hours',
      { from: ago(32), to: new Date(ago(32).getTime() + 800 * HOUR_MS + 1) },
      ['to out_of_range'],
    ],
    [
      'everything wrong at once',
      { from: ago(500), to: new Date(START_MS + 500 * DAY_MS) },
      ['from out_of_range', 'to out_of_range'],
    ],
  ]

  test.each(cases)('%s is refused', async (_, fields, issues) => {
    const { keys, asked } = openAnyWorld()
    const error = await refusal(keys.keyUsage({ ...good, ...fields } as KeyUsageQuery))
    expect(error.issues.map(({ path, code }) => `${path.join('.')} ${code}`)).toEqual(issues)
    expect(asked()).toEqual([])
  })

  test('800 hours are not too many', async () => {
    const hours = { from: ago(32), to: new Date(ago(32).getTime() + 800 * HOUR_MS) }
    expect((await answered(hours)).buckets).toHaveLength(800)
  })

  test('an unknown key, or one of another workspace, is not found', async () => {
    const world = openWorld()
    const { key } = await world.keys.createKey(keyInput({ workspaceId: 'ws_2' }))
    const query = { workspaceId: WORKSPACE, from: at('2026-11-01'), to: new Date(world.nowMs) }
    for (const id of [key.id, 'key_none', '']) {
      const range = { ...query, from: new Date(world.nowMs - DAY_MS), id }
      expect((await refusal(world.keys.keyUsage(range))).code).toBe('key_not_found')
    }
  })

  test('an invalid answer from the storage is an outage', async () => {
    const world = openAnyWorld()
    for (const answer of [
      undefined,
      {},
      [accepted(1.5)],
      [accepted(1, -1)],
      [{ hour: 1, outcome: 'unknown', count: 1 }],
    ]) {
      world.misbehaviour.usage = async () => answer
      expect((await fault(world.keys.keyUsage(good))).operation).toBe('usage')
    }
  })
})
