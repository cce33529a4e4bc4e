import { USAGE_OUTCOMES, type UsageBatch, type UsageOutcome } from '../../../src/storage/index.ts'
import { contractGroup, type Trial, UNUSED } from './contract-case.ts'
import { sampleInsertion, sampleRecord } from './samples.ts'
import { check, checkEqual, idsOf, inParallel, OTHER, WORKSPACE } from './tools.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** `addUses` adds, once, and touches nothing but the usage of keys that are there. */
export const usageCases = contractGroup('usage', {
  'uses add up, lastUsedAtMs never goes back, and nothing else changes': async (t) => {
    const key = await t.inserted()
    const before = await t.contents()
    let uses = 0
    for (const [sequence, added, atMs, lastUsedAtMs] of [
      [1, 2, 0, 0],
      [2, 3e9, 2_000, 2_000],
      [3, 3e9, 1_500, 2_000],
    ] as const) {
      uses += added
      await t.storage.addUses(batch(sequence, [[key.record.id, added, atMs]]))
      const keys = [{ ...key, usage: { uses, lastUsedAtMs } }]
      checkEqual(await t.contents(), { ...before, keys }, `batch ${sequence}`)
    }
    checkEqual(await t.storage.findByHash(key.record.hash), key.record, 'the key by its hash')
  },

  'an instant and an hour ahead of the clock count as now, and hide no later use': async (t) => {
    const { record } = await t.inserted()
    const [hour, aheadMs] = [LAST_HOUR + 1, Date.now() + DAY_MS]
    let before = 0
    for (const sequence of [1, 2]) {
      const counts: readonly Count[] = [[record.id, hour + 30 * sequence, 5]]
      await t.storage.addUses(batch(sequence, [[record.id, 1, aheadMs]], counts))
      const { lastUsedAtMs } = (await t.keyOf(record)).usage
      check((lastUsedAtMs ?? aheadMs) < aheadMs - DAY_MS / 2, 'lastUsedAtMs is not ahead')
      check((lastUsedAtMs ?? 0) >= before, 'lastUsedAtMs does not go back')
      before = lastUsedAtMs ?? 0
    }
    const [[at = 0, count] = []] = await hoursOf(t, record.id)
    checkEqual(count, 10, 'the count')
    check(at === hour || at === hour + 1, 'the hour is that of the storage’s clock')
  },

  'uses of ids that name no key are passed over and leave nothing': async (t) => {
    const { record } = await t.inserted()
    const later = sampleRecord()
    const unknown = Array.from({ length: 996 }, (_, at) => `key_unknown_${at}`)
    await countTwo(t, [later.id, 'key_\u0000', ...unknown, 'key_\ud800', record.id])
    checkEqual((await t.keyOf(record)).usage.uses, 2, 'uses of the key')
    checkEqual(await hoursOf(t, null), [[LAST_HOUR, 2, 'accepted']], 'the hours of all keys')
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
    checkEqual(await hoursOf(t, null), [[LAST_HOUR, 1_600, 'accepted']], 'the hours')
    const usage = { uses: 80, lastUsedAtMs: 5 }
    for (const { record } of keys) checkEqual((await t.keyOf(record)).usage, usage, 'the usage')
  },
})

/** `addUses` keeps a history by hour, exactly once, and `usage` reads it. */
export const historyCases = contractGroup('history', {
  'counts add up by hour and outcome, and refusals are no uses': async (t) => {
    const key = await t.inserted()
    const { id } = key.record
    const outcomes = USAGE_OUTCOMES.toSorted()
    const counts = outcomes.map((outcome): Count => [id, LAST_HOUR, 3e9, outcome])
    for (const sequence of [1, 2]) {
      await t.storage.addUses(batch(sequence, [], [[id, LAST_HOUR - 1, sequence], ...counts]))
    }
    await t.storage.addUses(batch(3, []))
    const expected = outcomes.map((outcome) => [LAST_HOUR, 6e9, outcome])
    checkEqual(await hoursOf(t, id), [[LAST_HOUR - 1, 3, 'accepted'], ...expected], 'the hours')
    checkEqual(await t.keyOf(key.record), key, 'the key')
  },

  'hours that are too old are neither stored nor kept, however many': async (t) => {
    const ids = idsOf(await t.insertedTogether(25))
    const today = startOfToday()
    const since = (days: number) => {
      const hours = Array.from({ length: days * 24 + 1 }, (_, at) => today + at - days * 24)
      return hours.map((hour) => [hour, 25, 'accepted'])
    }
    const hours = Array.from({ length: 240 }, (_, at) => today - at)
    const counts = ids.flatMap((id) => hours.map((hour): Count => [id, hour, 1]))
    await t.storage.addUses(batch(1, [], counts, 9))
    checkEqual(await hoursOf(t, null), since(9), 'the hours of nine days')
    for (let at = 2; at < 12; at += 1) await t.storage.addUses(batch(at, [], [], 1))
    checkEqual(await hoursOf(t, null), since(1), 'the hours of a day')
  },

  'a workspace has the sums of its own keys, in a range of hours': async (t) => {
    const [one = '', ...others] = idsOf(await t.insertedMany(3))
    const theirs = (await t.inserted({ workspaceId: OTHER })).record.id
    const today = startOfToday()
    const counts = [one, ...others, theirs].flatMap((id) =>
      [-4, -3, -2, -1].map((at): Count => [id, today + at, 2]),
    )
    await t.storage.addUses(batch(1, [], counts))
    const range = { fromHour: today - 3, toHour: today - 1 }
    for (const [id, count] of [
      [null, 6],
      [one, 2],
    ] as const) {
      const expected = [-3, -2].map((at) => [today + at, count, 'accepted'])
      checkEqual(await hoursOf(t, id, range), expected, `the hours of ${id}`)
      checkEqual(await hoursOf(t, id, { ...range, toHour: range.fromHour }), [], 'an empty range')
    }
    checkEqual(await t.storage.usage('ws_none', { ...EVER, id: null }), [], 'no workspace')
    for (const id of [theirs, 'key_none', '']) {
      checkEqual(await t.storage.usage(WORKSPACE, { ...EVER, id }), null, `the key ${id}`)
    }
  },
})

/** All hours. */
export const EVER = { fromHour: 0, toHour: 2 ** 31 - 1 }

/** An hour that is over by every clock: the one before the suite was loaded. */
export const LAST_HOUR = Math.floor(Date.now() / HOUR_MS) - 1

/** The first hour of the day in UTC. */
const startOfToday = () => Math.floor(Date.now() / DAY_MS) * 24

type Use = readonly [id: string, uses: number, lastUsedAtMs: number]
type Count = readonly [id: string, hour: number, count: number, outcome?: UsageOutcome]

/** Uses, and counts of hours where a history is kept. */
function batch(
  sequence: number,
  used: readonly Use[],
  counted?: readonly Count[],
  keepDays = 300,
): UsageBatch {
  const uses = used.map(([id, count, lastUsedAtMs]) => ({ id, uses: count, lastUsedAtMs }))
  const counts = counted?.map(([id, hour, count, outcome = 'accepted']) => {
    return { id, hour, outcome, count }
  })
  return { writer: 'w', sequence, uses, ...(counts && { history: { keepDays, counts } }) }
}

/** Counts two uses of each key. */
export function countTwo(t: Trial, ids: readonly string[], sequence = 1, writer = 'w') {
  const used = ids.map((id): Use => [id, 2, 5])
  const counted = ids.map((id): Count => [id, LAST_HOUR, 2])
  return t.storage.addUses({ ...batch(sequence, used, counted), writer })
}

/** The stored hours of a key, or of all keys of the workspace, in order. */
export async function hoursOf({ storage }: Trial, id: string | null, range = EVER) {
  const totals = await storage.usage(WORKSPACE, { ...range, id })
  check(totals !== null, 'usage answers the counts of a key')
  const rows = totals.map(({ hour, count, outcome }) => [hour, count, outcome] as const)
  return rows.toSorted(([a, , one], [b, , other]) => a - b || (one < other ? -1 : 1))
}
