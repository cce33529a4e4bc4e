import type { HourlyTotal, UsageBatch, UsageOutcome } from '../../../src/storage/index.ts'
import { check, checkEqual } from './assertions.ts'
import { contractGroup, inParallel, type Trial, UNUSED } from './contract-case.ts'
import { sampleInsertion, sampleRecord, WORKSPACE } from './samples.ts'

const HOURS_A_DAY = 24
const DAY_MS = 86_400_000

/** `addUses` adds, once, and touches nothing but the usage of keys that are there. */
export const usageCases = contractGroup('usage', {
  'uses add up, lastUsedAtMs never goes back, and nothing else changes': async (t) => {
    const key = await t.inserted()
    const before = await t.contents()
    let uses = 0
    for (const [sequence, added, atMs, lastUsedAtMs] of [
      [1, 2, 0, 0],
      [2, 2, 2_000, 2_000],
      [3, 1, 1_500, 2_000],
    ] as const) {
      await t.storage.addUses(batch(sequence, [key.record.id, added, atMs]))
      uses += added
      const keys = [{ ...key, usage: { uses, lastUsedAtMs } }]
      checkEqual(await t.contents(), { ...before, keys }, `batch ${sequence}`)
    }
    checkEqual(await t.storage.findByHash(key.record.hash), key.record, 'the key by its hash')
  },

  'an instant ahead of the clock counts as now and hides no later use': async (t) => {
    const { record } = await t.inserted()
    const ahead = Date.now() + DAY_MS
    let before = 0
    for (const sequence of [1, 2]) {
      await t.storage.addUses(batch(sequence, [record.id, 1, ahead]))
      const { lastUsedAtMs } = (await t.keyOf(record)).usage
      check((lastUsedAtMs ?? ahead) < ahead - DAY_MS / 2, 'lastUsedAtMs is not ahead')
      check((lastUsedAtMs ?? 0) >= before, 'lastUsedAtMs does not go back')
      before = lastUsedAtMs ?? 0
    }
  },

  'uses of ids that name no key are passed over and leave nothing': async (t) => {
    const { record } = await t.inserted()
    const later = sampleRecord()
    await countTwo(t, [later.id, 'key_\u0000', 'key_\ud800', record.id])
    checkEqual((await t.keyOf(record)).usage.uses, 2, 'uses of the key')
    checkEqual(await hoursOf(t, null), [[LAST_HOUR, 'accepted', 2]], 'the hours of all keys')
    checkEqual((await t.stored(sampleInsertion(later))).usage, UNUSED, 'the usage of a later key')
    checkEqual(await hoursOf(t, later.id), [], 'the hours of a later key')
  },

  'each batch of a writer counts once, also while others count the same keys': async (t) => {
    const keys = await t.insertedTogether(20)
    await inParallel(16, async (at) => {
      const order = (at % 4 < 2 ? keys : keys.toReversed()).map(({ record }) => record.id)
      for (const sequence of [1, 2, 3, 4, 5]) {
        await countTwo(at % 2 ? t : t.other, order, sequence, `w_${at >> 1}`)
      }
    })
    checkEqual(await hoursOf(t, null), [[LAST_HOUR, 'accepted', 1_600]], 'the hours')
    const usage = { uses: 80, lastUsedAtMs: 5 }
    for (const { record } of keys) checkEqual((await t.keyOf(record)).usage, usage, 'the usage')
  },

  'a batch of 25,000 keys is stored whole, with counts beyond 32 bits': async (t) => {
    const keys = await t.insertedTogether(50)
    const added = Array.from({ length: 25_000 }, (_, at) => {
      const id = at % 500 === 0 ? keys[at / 500]?.record.id : undefined
      return [id ?? `key_unknown_${at}`, 3_000_000_000 + at, 1_000 + at] as const
    })
    for (const sequence of [1, 2, 3]) await t.storage.addUses(batch(sequence, ...added))
    for (const [at, { record }] of keys.entries()) {
      const usage = { uses: 9_000_000_000 + at * 1_500, lastUsedAtMs: 1_000 + at * 500 }
      checkEqual((await t.keyOf(record)).usage, usage, `the usage of key ${at}`)
    }
  },
})

/** `addUses` keeps a history by hour, exactly once, and `usage` reads it. */
export const historyCases = contractGroup('history', {
  'counts add up by hour and outcome, and refusals are no uses': async (t) => {
    const key = await t.inserted()
    const { id } = key.record
    const refusals = ['paused', 'plan_required', 'rate_limited', 'revoked'] as const
    const outcomes = ['accepted', 'expired', 'insufficient_scope', ...refusals] as const
    const counts = outcomes.map((outcome) => [id, LAST_HOUR, outcome, 3e9] as const)
    for (const sequence of [1, 2]) {
      const before = [id, LAST_HOUR - 1, 'accepted', sequence] as const
      await t.storage.addUses(history(sequence, [before, ...counts]))
    }
    await t.storage.addUses(batch(3))
    const expected = outcomes.map((outcome) => [LAST_HOUR, outcome, 6e9])
    checkEqual(await hoursOf(t, id), [[LAST_HOUR - 1, 'accepted', 3], ...expected], 'the hours')
    checkEqual(await t.keyOf(key.record), key, 'the key')
  },

  'an hour ahead of the clock counts as the current one': async (t) => {
    const { id } = (await t.inserted()).record
    const hour = Math.floor(Date.now() / 3_600_000)
    const counts = [30, 40].map((ahead) => [id, hour + ahead, 'accepted', ahead] as const)
    await t.storage.addUses(history(1, counts))
    const [[at = 0, , count] = [], ...more] = await hoursOf(t, id)
    checkEqual([count, more], [70, []], 'the count')
    check(at === hour || at === hour + 1, 'the hour is that of the storage’s clock')
  },

  'hours that are too old are neither stored nor kept, however many': async (t) => {
    const keys = await t.insertedTogether(25)
    const today = startOfToday()
    const since = (days: number, of: number) => {
      const hours = Array.from({ length: days * HOURS_A_DAY + 1 }, (_, at) => at + today)
      return hours.map((hour) => [hour - days * HOURS_A_DAY, 'accepted', of])
    }
    const counts = keys.flatMap(({ record: { id } }) =>
      Array.from({ length: 240 }, (_, at) => [id, today - at, 'accepted', 1] as const),
    )
    await t.storage.addUses(history(1, counts, 9))
    checkEqual(await hoursOf(t, null), since(9, 25), 'the hours of nine days')
    for (let at = 2; at < 12; at += 1) await t.storage.addUses(history(at, [], 1))
    checkEqual(await hoursOf(t, null), since(1, 25), 'the hours of a day')
  },

  'a workspace has the sums of its own keys, from the beginning of a range to its end': async (
    t,
  ) => {
    const keys = [...(await t.insertedMany(3)), await t.inserted({ workspaceId: 'ws_other' })]
    const today = startOfToday()
    const counts = keys.flatMap(({ record: { id } }) =>
      [-4, -3, -2, -1].map((at) => [id, today + at, 'accepted', 2] as const),
    )
    await t.storage.addUses(history(1, counts))
    for (const [id, count] of [
      [null, 6],
      [keys[0]?.record.id ?? '', 2],
    ] as const) {
      const range = { id, fromHour: today - 3, toHour: today - 1 }
      const found = inOrder(await t.storage.usage(WORKSPACE, range))
      const expected = [-3, -2].map((at) => [today + at, 'accepted', count])
      checkEqual(found, expected, `the hours of ${id}`)
      const none = { ...range, toHour: range.fromHour }
      checkEqual(await t.storage.usage(WORKSPACE, none), [], 'an empty range')
    }
    checkEqual(await hoursOf(t, null, 'ws_none'), [], 'no workspace')
    for (const id of [keys[3]?.record.id ?? '', 'key_none', '']) {
      checkEqual(await t.storage.usage(WORKSPACE, { ...EVER, id }), null, `the key ${id}`)
    }
  },
})

/** All hours. */
export const EVER = { fromHour: 0, toHour: 2 ** 31 - 1 }

type Use = readonly [id: string, uses: number, lastUsedAtMs: number]
type Count = readonly [id: string, hour: number, outcome: UsageOutcome, count: number]

function batch(sequence: number, ...added: readonly Use[]): UsageBatch {
  const uses = added.map(([id, count, lastUsedAtMs]) => ({ id, uses: count, lastUsedAtMs }))
  return { writer: 'w', sequence, uses }
}

function history(sequence: number, added: readonly Count[], keepDays = 300): UsageBatch {
  const counts = added.map(([id, hour, outcome, count]) => ({ id, hour, outcome, count }))
  return { ...batch(sequence), history: { keepDays, counts } }
}

/** An hour that is over by every clock: the one before the suite was loaded. */
export const LAST_HOUR = Math.floor(Date.now() / 3_600_000) - 1

/** The first hour of the day in UTC. */
function startOfToday(): number {
  return Math.floor(Date.now() / DAY_MS) * HOURS_A_DAY
}

/** Counts two uses of each key. */
export function countTwo(t: Trial, ids: readonly string[], sequence = 1, writer = 'w') {
  const counts = ids.map((id) => [id, LAST_HOUR, 'accepted', 2] as const)
  const { uses } = batch(sequence, ...ids.map((id) => [id, 2, 5] as const))
  return t.storage.addUses({ ...history(sequence, counts), uses, writer })
}

/** The stored hours of a key, or of all keys of the workspace. */
export async function hoursOf(t: Trial, id: string | null, workspaceId = WORKSPACE) {
  return inOrder(await t.storage.usage(workspaceId, { ...EVER, id }))
}

function inOrder(totals: readonly HourlyTotal[] | null) {
  check(totals !== null, 'usage answers the counts of a key')
  const rows = totals.map(({ hour, outcome, count }) => [hour, outcome, count] as const)
  return rows.toSorted(([a, one], [b, other]) => a - b || (one < other ? -1 : 1))
}
