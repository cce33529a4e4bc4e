import { describe, expect, test } from 'vitest'
import type { KeyUsageQuery } from '../../../src/keys/key-usage.ts'
import { outcomeCode, USAGE_OUTCOMES } from '../../../src/model/denial.ts'
import type { HourlyTotal, UsageQuery } from '../../../src/storage/index.ts'
import { codeOf, DAY_MS, later, saidOf } from '../../support/lifecycle/world.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import { keyInput, openWorld as openAnyWorld, WORKSPACE } from '../../support/world.ts'

simulateTime()

const HOUR_MS = 3_600_000
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

test('with usageHistory: false, uses alone', async () => {
  const world = openWorld({ usageHistory: false })
  const { key, secret } = await world.keys.createKey(keyInput())
  for (const scope of [null, 'contacts.write'] as const)
    await world.keys.authenticate(`Bearer ${secret}`, scope)
  await world.keys.flush()
  // A denial is no use: nothing is written for it.
  await world.keys.authenticate(`Bearer ${secret}`, 'contacts.write')
  world.asked()
  await world.keys.flush()
  expect(world.asked()).toEqual([])
  const all = { id: key.id, fromHour: 0, toHour: 2 ** 31 }
  expect(await world.stored.usage(WORKSPACE, all)).toEqual([])
  const query = { workspaceId: WORKSPACE, from: at('2026-01-01'), to: at('2026-01-02') }
  expect(await codeOf(world.keys.keyUsage(query))).toBe('usage_not_kept')
})

test('a database keeps the same number for an outcome for ever', () => {
  const reasons = Object.keys(NONE)
  expect(USAGE_OUTCOMES).toEqual(['accepted', ...reasons])
  expect(USAGE_OUTCOMES.map(outcomeCode)).toEqual([0, ...reasons.map((_, at) => at + 1)])
})

test('the buckets are every hour that the range touches', async () => {
  const { buckets, asked } = await answered(
    { from: '2026-01-01T00:59:00+03:00' as unknown as Date, to: at('2026-01-01T00:00:00Z') },
    [accepted(hour('2025-12-31T20:00Z')), accepted(hour('2025-12-31T22:00Z'), 7)],
  )
  const [fromHour, toHour] = [hour('2025-12-31T21:00Z'), hour('2026-01-01T00:00Z')]
  expect(asked).toEqual({ id: null, fromHour, toHour })
  expect(buckets).toEqual(
    [0, 7, 0].map((count, index) => ({
      startsAt: new Date((fromHour + index) * HOUR_MS),
      endsAt: new Date((fromHour + index + 1) * HOUR_MS),
      ...{ accepted: count, denied: NONE },
    })),
  )
  expect([buckets, buckets[0], buckets[0]?.denied].every(Object.isFrozen)).toBe(true)
})

describe('a query', () => {
  const good = { workspaceId: WORKSPACE, from: at('2025-12-31'), to: at('2026-01-01') }
  const ago = (days: number, ms = 0) => later(ms - days * DAY_MS)
  const INSTANT = 'invalid_value: must be an instant with an offset.'
  const EARLY = 'from out_of_range: must not be earlier than the oldest hour that is kept.'
  const EMPTY = 'to out_of_range: must be after "from".'
  const LONG = 'to out_of_range: must be at most 800 hours after "from".'

  test.each<[object, ...string[]]>([
    [
      { from: undefined, to: undefined },
      'from required: is required.',
      'to required: is required.',
    ],
    [
      { from: new Date(Number.NaN), to: '2026-02-30T00:00:00Z' },
      ...[`from ${INSTANT}`, `to ${INSTANT}`],
    ],
    [{ from: 'yesterday', to: '2026-01-01T00:00:00' }, `from ${INSTANT}`, `to ${INSTANT}`],
    [{ to: new Date(8.64e15) }, `to ${INSTANT}`],
    [{ by: 'day' }, 'by unknown_field: is not a known field.'],
    [{ to: good.from }, EMPTY],
    [{ to: ago(3) }, EMPTY],
    [{ from: ago(32, -1), to: ago(31) }, EARLY],
    [{ from: ago(32), to: ago(32, 800 * HOUR_MS + 1) }, LONG],
    [{ from: ago(500), to: ago(-500) }, EARLY, LONG],
  ])('%j is refused', async (fields, ...sentences) => {
    const { keys, asked } = openAnyWorld()
    const query = { ...good, ...fields } as KeyUsageQuery
    expect(await saidOf(keys.keyUsage(query))).toEqual(sentences)
    expect(asked()).toEqual([])
  })

  test('may be of 800 hours', async () => {
    const hours = { from: ago(32), to: ago(32, 800 * HOUR_MS) }
    expect((await answered(hours)).buckets).toHaveLength(800)
  })

  test('finds no unknown key, and none of another workspace', async () => {
    const world = openWorld()
    const { key } = await world.keys.createKey(keyInput({ workspaceId: 'ws_2' }))
    const [from, to] = [new Date(world.nowMs - DAY_MS), new Date(world.nowMs)]
    for (const id of [key.id, 'key_none', '']) {
      const usage = world.keys.keyUsage({ workspaceId: WORKSPACE, from, to, id })
      expect(await codeOf(usage)).toBe('key_not_found')
    }
  })
})
