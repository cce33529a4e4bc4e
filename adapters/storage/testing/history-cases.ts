import type {
  HourlyCount,
  KeyStorage,
  PeriodCount,
  UsageBatch,
  UsageCounts,
  UsageOutcome,
} from '../../../src/storage/index.ts'
import { check, checkEqual } from './assertions.ts'
import { contractGroup, inParallel, inserted, insertedMany, stored } from './contract-case.ts'
import { sampleRecord, sampleRevokeChange, WORKSPACE } from './samples.ts'

const EVER = { from: 0, to: 2 ** 31 - 1 }
const LONG = { hourlyForDays: 300, dailyForDays: 400 }

/** `addUses` keeps a history by hour and by day, exactly once, and `usage` reads it. */
export const historyCases = contractGroup('history', {
  'counts add up by hour and outcome': async (storage) => {
    const { id } = await inserted(storage)
    const hour = currentHour()
    await count(storage, 1, [id, hour - 1, 'accepted', 2])
    await count(storage, 2, [id, hour - 1, 'accepted', 3], [id, hour, 'accepted', 4])
    await count(storage, 3, [id, hour, 'rate_limited', 5])
    const expected = [
      [hour - 1, 'accepted', 5],
      [hour, 'accepted', 4],
      [hour, 'rate_limited', 5],
    ]
    checkEqual(await hoursOf(storage, id), expected, 'the hours')
    checkEqual((await read(storage, id)).days, [], 'the days')
  },

  'every outcome is kept': async (storage) => {
    const { id } = await inserted(storage)
    const hour = currentHour()
    const outcomes: readonly UsageOutcome[] = [
      ...(['accepted', 'expired', 'insufficient_scope', 'paused'] as const),
      ...(['plan_required', 'rate_limited', 'revoked'] as const),
    ]
    await count(
      storage,
      1,
      ...outcomes.map((outcome, index) => [id, hour, outcome, index + 1] as const),
    )
    const expected = outcomes.map((outcome, index) => [hour, outcome, index + 1])
    checkEqual(await hoursOf(storage, id), expected, 'the hours')
  },

  'refusals are no uses': async (storage) => {
    const record = await inserted(storage)
    await count(storage, 1, [record.id, currentHour(), 'revoked', 7])
    checkEqual(await stored(storage, record), record, 'the key')
  },

  'a revoked key goes on counting': async (storage) => {
    const record = await inserted(storage)
    const hour = currentHour()
    await count(storage, 1, [record.id, hour, 'accepted', 1])
    await storage.revoke(sampleRevokeChange(record))
    await count(storage, 2, [record.id, hour, 'revoked', 2])
    const expected = [
      [hour, 'accepted', 1],
      [hour, 'revoked', 2],
    ]
    checkEqual(await hoursOf(storage, record.id), expected, 'the hours')
  },

  'a batch repeated after a lost answer counts once': async (storage) => {
    const { id } = await inserted(storage)
    const hour = currentHour()
    const first = batch(1, [[id, hour, 'accepted', 2]])
    await storage.addUses(first)
    await inParallel(10, () => storage.addUses(first))
    checkEqual(await hoursOf(storage, id), [[hour, 'accepted', 2]], 'the hours')
  },

  'a batch without a history adds none': async (storage) => {
    const { id } = await inserted(storage)
    const uses = [{ id, uses: 1, lastUsedAtMs: 1_000 }]
    await storage.addUses({ writer: 'writer_1', sequence: 1, uses })
    checkEqual(await hoursOf(storage, id), [], 'the hours')
  },

  'ids that name no key are passed over': async (storage) => {
    const { id } = await inserted(storage)
    const hour = currentHour()
    const ids = [sampleRecord().id, 'key_\u0000', 'key_\ud800', id]
    await count(storage, 1, ...ids.map((named) => [named, hour, 'accepted', 1] as const))
    checkEqual(await hoursOf(storage, id), [[hour, 'accepted', 1]], 'the hours')
    checkEqual(await hoursOf(storage, null), [[hour, 'accepted', 1]], 'the hours of all keys')
  },

  'an hour ahead of the clock counts as the current one': async (storage) => {
    const { id } = await inserted(storage)
    const hour = currentHour()
    await count(storage, 1, [id, hour + 30, 'accepted', 1], [id, hour + 40, 'accepted', 2])
    const [found] = (await read(storage, id)).hours
    check(found?.at === hour || found?.at === hour + 1, 'the hour is that of the storage’s clock')
    checkEqual(found?.count, 3, 'the count')
  },

  'an hour before those that are kept counts as the oldest of them': async (storage) => {
    const { id } = await inserted(storage)
    const oldest = startOfToday() - 24 * LONG.hourlyForDays
    await count(storage, 1, [id, oldest - 1, 'accepted', 1], [id, -5, 'accepted', 2])
    checkEqual(await hoursOf(storage, id), [[oldest, 'accepted', 3]], 'the hours')
  },

  'days stand for hours that are too old': async (storage) => {
    const { id } = await inserted(storage)
    const today = startOfToday()
    await count(
      storage,
      1,
      [id, today - 49, 'accepted', 1],
      [id, today - 48, 'accepted', 2],
      [id, today - 25, 'accepted', 4],
      [id, today - 25, 'paused', 8],
      [id, today - 24, 'accepted', 16],
    )
    await storage.addUses(batch(2, [], { hourlyForDays: 1, dailyForDays: 400 }))
    const { hours, days } = await read(storage, id)
    checkEqual(inOrder(hours), [[today - 24, 'accepted', 16]], 'the hours')
    const expected = [
      [today / 24 - 3, 'accepted', 1],
      [today / 24 - 2, 'accepted', 6],
      [today / 24 - 2, 'paused', 8],
    ]
    checkEqual(inOrder(days), expected, 'the days')
  },

  'days that are too old are dropped': async (storage) => {
    const { id } = await inserted(storage)
    const today = startOfToday()
    const counts = [3, 2, 1].map((days) => [id, today - 24 * days, 'accepted', days] as const)
    await storage.addUses(batch(1, counts))
    for (const sequence of [2, 3]) {
      await storage.addUses(batch(sequence, [], { hourlyForDays: 1, dailyForDays: 2 }))
    }
    const { hours, days } = await read(storage, id)
    checkEqual(inOrder(hours), [[today - 24, 'accepted', 1]], 'the hours')
    checkEqual(inOrder(days), [[today / 24 - 2, 'accepted', 2]], 'the days')
  },

  'hours do not come back when they are to be kept for longer again': async (storage) => {
    const { id } = await inserted(storage)
    const today = startOfToday()
    await count(storage, 1, [id, today - 48, 'accepted', 1], [id, today - 24, 'accepted', 2])
    await storage.addUses(batch(2, [], { hourlyForDays: 1, dailyForDays: 400 }))
    await count(storage, 3, [id, today - 30, 'accepted', 4])
    const { hours, days } = await read(storage, id)
    checkEqual(inOrder(hours), [[today - 24, 'accepted', 6]], 'the hours')
    checkEqual(inOrder(days), [[today / 24 - 2, 'accepted', 1]], 'the days')
  },

  'nothing is lost or counted twice while 6,000 hours become too old': async (storage) => {
    const records = await insertedMany(storage, 25)
    const first = startOfToday() - 24 * 10
    const counts = records.flatMap(({ id }) =>
      Array.from({ length: 240 }, (_, index) => [id, first + index, 'accepted', 1] as const),
    )
    await storage.addUses(batch(1, counts))
    for (const sequence of [2, 3, 4, 5]) {
      await storage.addUses(batch(sequence, [], { hourlyForDays: 1, dailyForDays: 400 }))
      const { hours, days } = await read(storage, null)
      checkEqual(sumOf([...hours, ...days]), 6_000, 'the sum')
    }
    const days = Array.from({ length: 9 }, (_, index) => [first / 24 + index, 'accepted', 600])
    checkEqual(inOrder((await read(storage, null)).days), days, 'the days')
  },

  'a clock far ahead of what is stored drops nothing': async (storage) => {
    const { id } = await inserted(storage)
    const today = startOfToday()
    const short = { hourlyForDays: 1, dailyForDays: 2 }
    // What is stored ends 40 days before the clock of the storage.
    const counts = [45, 44, 41, 40].map((days) => [id, today - 24 * days, 'accepted', 1] as const)
    await storage.addUses(batch(1, counts))
    for (const sequence of [2, 3]) await storage.addUses(batch(sequence, [], short))
    const before = await read(storage, id)
    for (const sequence of [4, 5, 6]) {
      await storage.addUses(batch(sequence, [[id, currentHour(), 'accepted', 1]], short))
    }
    const { hours, days } = await read(storage, id)
    checkEqual(inOrder(days), inOrder(before.days), 'the days')
    const old = hours.filter(({ at }) => at < today)
    checkEqual(inOrder(old), inOrder(before.hours), 'the hours')
    checkEqual(sumOf(hours) - sumOf(old), 3, 'the counts since')
    check(old.some(({ at }) => at === today - 24 * 40) && old.length > 1, 'the last days are kept')
  },

  'a workspace has the sums of its own keys': async (storage) => {
    const records = await insertedMany(storage, 3)
    const foreign = await inserted(storage, { workspaceId: 'ws_other' })
    const hour = currentHour()
    const ids = [...records, foreign].map(({ id }) => id)
    await count(storage, 1, ...ids.map((id) => [id, hour, 'accepted', 2] as const))
    checkEqual(await hoursOf(storage, null), [[hour, 'accepted', 6]], 'the hours')
    checkEqual(await storage.usage('ws_none', query(null)), { hours: [], days: [] }, 'no workspace')
    checkEqual(await storage.usage(WORKSPACE, query(foreign.id)), null, 'a key of another one')
    checkEqual(await storage.usage(WORKSPACE, query('key_none')), null, 'an unknown key')
    checkEqual(await storage.usage(WORKSPACE, query('')), null, 'an empty id')
  },

  'a range has its beginning and not its end': async (storage) => {
    const { id } = await inserted(storage)
    const today = startOfToday()
    const counts = [-50, -49, -25, -24, -3, -2, -1].map(
      (at) => [id, today + at, 'accepted', 1] as const,
    )
    await storage.addUses(batch(1, counts))
    await storage.addUses(batch(2, [], { hourlyForDays: 1, dailyForDays: 400 }))
    const part = await storage.usage(WORKSPACE, {
      id,
      hours: { from: today - 3, to: today - 1 },
      days: { from: today / 24 - 3, to: today / 24 - 2 },
    })
    checkEqual(
      inOrder(part?.hours ?? []).map(([at]) => at),
      [today - 3, today - 2],
      'the hours',
    )
    checkEqual(inOrder(part?.days ?? []), [[today / 24 - 3, 'accepted', 2]], 'the days')
    const none = { from: 0, to: 0 }
    checkEqual(await storage.usage(WORKSPACE, { id, hours: none, days: none }), NOTHING, 'nothing')
  },

  'counts go beyond 32 bits': async (storage) => {
    const { id } = await inserted(storage)
    const hour = currentHour()
    for (const sequence of [1, 2, 3]) {
      await storage.addUses(batch(sequence, [[id, hour, 'accepted', 3_000_000_000]]))
    }
    checkEqual(await hoursOf(storage, id), [[hour, 'accepted', 9_000_000_000]], 'the hours')
  },

  'writers that count the same keys at once lose nothing': async (storage) => {
    const records = await insertedMany(storage, 20)
    const hour = currentHour()
    const old = startOfToday() - 48
    await inParallel(8, async (writer) => {
      for (const sequence of [1, 2, 3, 4, 5]) {
        const counts = records.flatMap(({ id }) => [
          [id, hour, 'accepted', 1] as const,
          [id, old, 'revoked', 1] as const,
        ])
        const kept = { hourlyForDays: 1 + (sequence % 2) * 10, dailyForDays: 400 }
        await storage.addUses({ ...batch(sequence, counts, kept), writer: `writer_${writer}` })
      }
    })
    const { hours, days } = await read(storage, null)
    const outcomes = (outcome: UsageOutcome) =>
      sumOf([...hours, ...days].filter((found) => found.outcome === outcome))
    checkEqual([outcomes('accepted'), outcomes('revoked')], [800, 800], 'the sums')
  },
})

const NOTHING: UsageCounts = { hours: [], days: [] }

type Count = readonly [id: string, hour: number, outcome: UsageOutcome, count: number]

function batch(sequence: number, counts: readonly Count[], kept = LONG): UsageBatch {
  const hourly: HourlyCount[] = counts.map(([id, hour, outcome, count]) => {
    return { id, hour, outcome, count }
  })
  return { writer: 'writer_1', sequence, uses: [], history: { ...kept, counts: hourly } }
}

/** Stores a batch that is kept for long. */
function count(storage: KeyStorage, sequence: number, ...counts: readonly Count[]) {
  return storage.addUses(batch(sequence, counts))
}

function currentHour(): number {
  return Math.floor(Date.now() / 3_600_000)
}

/** The first hour of the day in UTC. */
function startOfToday(): number {
  return Math.floor(Date.now() / 86_400_000) * 24
}

function query(id: string | null) {
  return { id, hours: EVER, days: EVER }
}

async function read(storage: KeyStorage, id: string | null): Promise<UsageCounts> {
  const counts = await storage.usage(WORKSPACE, query(id))
  check(counts !== null, 'usage answers the counts of a key')
  return counts
}

async function hoursOf(storage: KeyStorage, id: string | null) {
  return inOrder((await read(storage, id)).hours)
}

function inOrder(counts: readonly PeriodCount[]) {
  const rows = counts.map(({ at, outcome, count }) => [at, outcome, count] as const)
  return rows.toSorted(([a, one], [b, other]) => a - b || (one < other ? -1 : 1))
}

function sumOf(counts: readonly PeriodCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0)
}
