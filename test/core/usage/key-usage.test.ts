import { describe, expect, test } from 'vitest'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { createApiKeys, plans, type UsageHistory } from '../../../src/index.ts'
import type { KeyUsageQuery } from '../../../src/keys/key-usage.ts'
import type { PeriodCount, UsageQuery } from '../../../src/storage/index.ts'
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

/** A world at the time of the storage, which turns old hours into days by its own clock. */
function openWorld(options: Parameters<typeof openAnyWorld>[0] = {}) {
  const world = openAnyWorld(options)
  world.nowMs = Date.now()
  return world
}

const bearer = (secret: string) => `Bearer ${secret}`
const hoursOf = ({ buckets }: UsageHistory) => buckets.map(({ accepted }) => accepted)

/** What a storage that answers `counts` makes of a query, and what it was asked. */
async function answered(
  query: Omit<KeyUsageQuery, 'workspaceId'>,
  counts: { readonly hours?: readonly PeriodCount[]; readonly days?: readonly PeriodCount[] } = {},
) {
  const world = openAnyWorld()
  const asked: UsageQuery[] = []
  world.misbehaviour.usage = async (_: string, question: UsageQuery) => {
    asked.push(question)
    return { hours: [], days: [], ...counts }
  }
  const { buckets } = await world.keys.keyUsage({ workspaceId: WORKSPACE, ...query })
  return { buckets, asked: asked[0] }
}

const accepted = (at: number, count = 1): PeriodCount => ({ at, outcome: 'accepted', count })
const at = (text: string) => new Date(text)
const hour = (text: string) => Date.parse(text) / HOUR_MS
const day = (text: string) => Date.parse(text) / DAY_MS

describe('what is counted', () => {
  test('uses and refusals of a key, by reason', async () => {
    let allowed = true
    const limiter = {
      take: () =>
        allowed ? { allowed: true as const } : { allowed: false as const, retryAfterMs: 1 },
    }
    const world = openWorld({ limiter, entitlementsTtlMs: 0 })
    const { key, secret } = await world.keys.createKey(keyInput())
    const from = new Date(world.nowMs)
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
    await world.keys.revokeKey(action(key.id))
    await ask()
    await ask()
    await ask()
    await world.keys.flush()
    const query = {
      workspaceId: WORKSPACE,
      from,
      to: new Date(world.nowMs + 1),
      by: 'hour',
    } as const
    const denied = {
      ...NONE,
      revoked: 3,
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

  test('an expired key', async () => {
    const world = openWorld()
    const expiresAt = new Date(world.nowMs + 60_000)
    const { key, secret } = await world.keys.createKey(keyInput({ expiresAt }))
    world.nowMs += 60_000
    await world.keys.authenticate(bearer(secret), null)
    await world.keys.flush()
    const query = { workspaceId: WORKSPACE, id: key.id, by: 'day' } as const
    const [from, to] = [new Date(world.nowMs - DAY_MS), new Date(world.nowMs + DAY_MS)]
    const { buckets } = await world.keys.keyUsage({ ...query, from, to })
    expect(buckets.reduce((sum, { denied }) => sum + denied.expired, 0)).toBe(1)
    await world.keys.close()
  })

  test('nothing without a key, and nothing when the limiter fails', async () => {
    const limiter = {
      take: () => {
        throw new Error('down')
      },
    }
    const world = openWorld({ limiter, onLimiterFault: 'refuse' })
    const { secret } = await world.keys.createKey(keyInput())
    await world.keys.authenticate(undefined, null)
    await world.keys.authenticate('Bearer nothing', null)
    await world.keys.authenticate(bearer(`${secret.slice(0, -1)}_`), null)
    await fault(world.keys.authenticate(bearer(secret), null))
    await world.keys.flush()
    expect(world.asked()).not.toContain('addUses')
  })

  test('with usageHistory: false, uses alone', async () => {
    const world = openWorld({ usageHistory: false })
    const { key, secret } = await world.keys.createKey(keyInput())
    await world.keys.authenticate(bearer(secret), null)
    await world.keys.authenticate(bearer(secret), 'contacts.write')
    await world.keys.flush()
    const { hours } = (await world.stored.usage(WORKSPACE, {
      id: key.id,
      hours: { from: 0, to: 2 ** 31 },
      days: { from: 0, to: 0 },
    })) ?? { hours: null }
    expect(hours).toEqual([])
    const query = { workspaceId: WORKSPACE, from: at('2026-01-01'), to: at('2026-01-02') }
    const { code } = await refusal(world.keys.keyUsage({ ...query, by: 'day' }))
    expect(code).toBe('usage_not_kept')
  })
})

describe('the buckets', () => {
  test('are every hour that the range touches', async () => {
    const { buckets, asked } = await answered(
      { from: at('2025-12-31T21:59:00Z'), to: at('2026-01-01T00:00:00Z'), by: 'hour' },
      { hours: [accepted(hour('2025-12-31T22:00Z'), 7)] },
    )
    expect(asked).toEqual({
      id: null,
      hours: { from: hour('2025-12-31T21:00Z'), to: hour('2026-01-01T00:00Z') },
      days: { from: 0, to: 0 },
    })
    expect(buckets).toEqual([
      bucket('2025-12-31T21:00Z', '2025-12-31T22:00Z', 0),
      bucket('2025-12-31T22:00Z', '2025-12-31T23:00Z', 7),
      bucket('2025-12-31T23:00Z', '2026-01-01T00:00Z', 0),
    ])
    expect([buckets, buckets[0], buckets[0]?.denied].every(Object.isFrozen)).toBe(true)
  })

  test('are every day of the time zone that the range touches', async () => {
    const { buckets, asked } = await answered(
      {
        from: at('2025-12-29T21:00:00Z'),
        to: at('2025-12-31T21:00:00.001Z'),
        by: 'day',
        timeZone: 'Asia/Riyadh',
      },
      {
        hours: [accepted(hour('2025-12-30T20:00Z')), accepted(hour('2025-12-30T21:00Z'), 2)],
        days: [accepted(day('2025-12-30'), 4)],
      },
    )
    expect(asked).toMatchObject({
      hours: { from: hour('2025-12-29T21:00Z'), to: hour('2026-01-01T21:00Z') },
      days: { from: day('2025-12-30'), to: day('2026-01-02') },
    })
    expect(buckets).toEqual([
      bucket('2025-12-29T21:00Z', '2025-12-30T21:00Z', 5),
      bucket('2025-12-30T21:00Z', '2025-12-31T21:00Z', 2),
      bucket('2025-12-31T21:00Z', '2026-01-01T21:00Z', 0),
    ])
  })

  test('have 23 and 25 hours when the clock changes', async () => {
    const world = openAnyWorld()
    world.nowMs = Date.UTC(2026, 10, 1)
    const all = (from: string, to: string) =>
      Array.from({ length: hour(to) - hour(from) }, (_, index) => accepted(hour(from) + index))
    for (const [from, to, sums] of [
      ['2026-03-27T23:00Z', '2026-03-30T22:00Z', [24, 23, 24]],
      ['2026-10-23T22:00Z', '2026-10-26T23:00Z', [24, 25, 24]],
    ] as const) {
      world.misbehaviour.usage = async () => ({ hours: all(from, to), days: [] })
      const query = { workspaceId: WORKSPACE, by: 'day', timeZone: 'Europe/Berlin' } as const
      const usage = await world.keys.keyUsage({ ...query, from: at(from), to: at(to) })
      expect(hoursOf(usage)).toEqual(sums)
    }
  })

  test('an hour that two days share belongs to the one in which it begins', async () => {
    const { buckets, asked } = await answered(
      {
        from: at('2025-12-30T18:30:00Z'),
        to: at('2025-12-31T18:31:00Z'),
        by: 'day',
        timeZone: 'Asia/Kolkata',
      },
      {
        hours: [accepted(hour('2025-12-30T19:00Z')), accepted(hour('2025-12-31T18:00Z'), 2)],
      },
    )
    expect(asked?.hours).toEqual({ from: hour('2025-12-30T19:00Z'), to: hour('2026-01-01T19:00Z') })
    expect(hoursOf({ buckets, by: 'day', timeZone: '' })).toEqual([3, 0])
  })

  test('a day in UTC that the zone has skipped counts in the day before', async () => {
    const world = openAnyWorld({ usageHistory: { dailyForDays: 3_660 } })
    world.nowMs = Date.UTC(2012, 0, 5)
    world.misbehaviour.usage = async () => ({ hours: [], days: [accepted(day('2011-12-30'), 3)] })
    for (const [to, sums] of [
      ['2012-01-01T09:00:00Z', [3, 0, 0]],
      ['2011-12-30T10:00:00Z', [3]],
    ] as const) {
      const usage = await world.keys.keyUsage({
        workspaceId: WORKSPACE,
        from: at('2011-12-29T12:00:00Z'),
        to: at(to),
        by: 'day',
        timeZone: 'Pacific/Apia',
      })
      expect(hoursOf(usage)).toEqual(sums)
    }
  })

  test('a day whose hours are gone is one in UTC, so the ends of a range move in another zone', async () => {
    const storage = memoryStorage()
    const midnightMs = Math.floor(Date.now() / DAY_MS - 3) * DAY_MS
    const open = (hourlyForDays: number, nowMs: number) =>
      createApiKeys({
        storage,
        entitlements: () => plans.business,
        usageHistory: { hourlyForDays },
        now: () => new Date(nowMs),
      })
    // In Riyadh it is half past one of the next day.
    const before = open(30, midnightMs - 1.5 * HOUR_MS)
    const { key, secret } = await before.createKey(keyInput())
    await before.authenticate(bearer(secret), null)
    await before.flush()
    // Without a request two days before, the storage would not believe the clock.
    const earlier = open(30, Date.now() - 2 * DAY_MS)
    await earlier.authenticate(bearer(secret), null)
    await earlier.flush()

    const after = open(1, Date.now())
    const sumIn = async (timeZone: string, fromMs: number) => {
      const from = new Date(fromMs)
      const query = { workspaceId: WORKSPACE, id: key.id, from, to: new Date(), by: 'day' } as const
      const usage = await after.keyUsage({ ...query, timeZone })
      return hoursOf(usage).reduce((sum, count) => sum + count, 0)
    }
    const sums = async () => [
      await sumIn('Asia/Riyadh', midnightMs - 3 * HOUR_MS),
      await sumIn('UTC', midnightMs - DAY_MS),
    ]
    expect(await sums()).toEqual([2, 2])
    await after.authenticate(bearer(secret), null)
    await after.flush()
    // The new use is in both; the oldest has moved to the day before in Riyadh.
    expect(await sums()).toEqual([2, 3])
  })

  test('what a storage answers outside the range is in none', async () => {
    const range = { from: at('2025-12-31T21:00:00Z'), to: at('2025-12-31T22:00:00Z') }
    const { buckets } = await answered(
      { ...range, by: 'hour' },
      { hours: [accepted(hour('2025-12-31T20:00Z'))] },
    )
    expect(buckets).toMatchObject([{ accepted: 0 }])
  })

  function bucket(startsAt: string, endsAt: string, count: number) {
    return { startsAt: at(startsAt), endsAt: at(endsAt), accepted: count, denied: NONE }
  }
})

describe('queries', () => {
  const good = { workspaceId: WORKSPACE, from: at('2025-12-31'), to: at('2026-01-01'), by: 'day' }
  const now = new Date(START_MS)
  const ago = (days: number) => new Date(START_MS - days * DAY_MS)
  const cases: readonly (readonly [string, Record<string, unknown>, readonly string[]])[] = [
    [
      'nothing',
      { from: undefined, to: undefined, by: undefined },
      ['from required', 'to required', 'by required'],
    ],
    [
      'what is no instant',
      { from: new Date(Number.NaN), to: '2026-02-30T00:00:00Z' },
      ['from invalid_value', 'to invalid_value'],
    ],
    ['no offset', { to: '2026-01-01T00:00:00' }, ['to invalid_value']],
    ['a year beyond 9999', { to: new Date(8.64e15) }, ['to invalid_value']],
    ['weeks', { by: 'week' }, ['by invalid_value']],
    ['no time zone', { timeZone: 'Asia/Riad' }, ['timeZone invalid_value']],
    ['a long time zone', { timeZone: 'x'.repeat(65) }, ['timeZone invalid_value']],
    ['a number for a time zone', { timeZone: 3 }, ['timeZone invalid_type']],
    ['another field', { until: now }, ['until unknown_field']],
    ['an empty range', { to: good.from }, ['to out_of_range']],
    ['a range that ends before it begins', { to: ago(3) }, ['to out_of_range']],
    [
      'hours no longer kept',
      { by: 'hour', from: new Date(ago(30).getTime() - 1), to: ago(29) },
      ['from out_of_range'],
    ],
    [
      'days no longer kept',
      { from: new Date(ago(400).getTime() - 1), to: ago(300) },
      ['from out_of_range'],
    ],
    [
      '401 hours',
      { by: 'hour', from: ago(17), to: new Date(ago(17).getTime() + 400 * HOUR_MS + 1) },
      ['to out_of_range'],
    ],
    ['401 days', { from: ago(400), to: new Date(START_MS + 1) }, ['to out_of_range']],
    [
      '401 days of the zone',
      { from: ago(399), to: new Date(START_MS + DAY_MS), timeZone: 'Asia/Riyadh' },
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

  test('a range that is refused is refused in words', async () => {
    const { keys } = openAnyWorld()
    const said = async (fields: object) => {
      const { issues } = await refusal(keys.keyUsage({ ...good, ...fields } as KeyUsageQuery))
      return issues.map(({ message }) => message)
    }
    expect(await said({ to: good.from })).toEqual(['must be after "from".'])
    expect(await said({ from: ago(500), to: new Date(START_MS + 500 * DAY_MS) })).toEqual([
      'must not be earlier than the oldest day that is kept.',
      'must be at most 400 days after "from".',
    ])
  })

  test('400 days of a zone are not too many, although one has 25 hours', async () => {
    const query = { from: at('2025-10-01T00:00:00+02:00'), to: at('2026-11-05T00:00:00+01:00') }
    const days = { ...query, by: 'day', timeZone: 'Europe/Berlin' } as const
    expect((await answered(days)).buckets).toHaveLength(400)
    const { issues } = await refusal(answered({ ...days, to: new Date(days.to.getTime() + 1) }))
    expect(issues).toMatchObject([{ path: ['to'], code: 'out_of_range' }])
  })

  test('400 hours and 400 days are not too many', async () => {
    const hours = { from: ago(17), to: new Date(ago(17).getTime() + 400 * HOUR_MS) }
    expect((await answered({ ...hours, by: 'hour' })).buckets).toHaveLength(400)
    expect((await answered({ from: ago(400), to: now, by: 'day' })).buckets).toHaveLength(400)
  })

  test('text with an offset is an instant', async () => {
    const range = { from: '2025-12-31T00:00:00+03:00', to: '2025-12-31T01:00:00+03:00' }
    const { buckets } = await answered({ ...(range as unknown as typeof good), by: 'hour' })
    expect(buckets).toMatchObject([{ startsAt: at('2025-12-30T21:00:00Z') }])
  })

  test('an unknown key, or one of another workspace, is not found', async () => {
    const world = openWorld()
    const { key } = await world.keys.createKey(keyInput({ workspaceId: 'ws_2' }))
    const query = { workspaceId: WORKSPACE, from: at('2026-11-01'), to: new Date(world.nowMs) }
    for (const id of [key.id, 'key_none', '']) {
      const range = { ...query, from: new Date(world.nowMs - DAY_MS), by: 'day', id } as const
      expect((await refusal(world.keys.keyUsage(range))).code).toBe('key_not_found')
    }
  })

  test('an invalid answer from the storage is an outage', async () => {
    const world = openAnyWorld()
    for (const answer of [
      undefined,
      {},
      { hours: [], days: null },
      { hours: [accepted(1.5)], days: [] },
      { hours: [accepted(1, -1)], days: [] },
      { hours: [{ at: 1, outcome: 'unknown', count: 1 }], days: [] },
    ]) {
      world.misbehaviour.usage = async () => answer
      const query = { ...good, by: 'day' } as const
      expect((await fault(world.keys.keyUsage(query))).operation).toBe('usage')
    }
  })
})
