import type { HourlyTotal, UsageBatch, UsageOutcome } from '../../../src/storage/index.ts'
import { check, checkEqual } from './assertions.ts'
import { contractGroup, inParallel, type Trial } from './contract-case.ts'
import { sampleInsertion, sampleRecord, sampleRevocation, WORKSPACE } from './samples.ts'

const DAY_MS = 86_400_000
const NONE = { uses: 0, lastUsedAtMs: null }

/** `addUses` adds, once, and touches nothing but the usage of keys that are there. */
export const usageCases = contractGroup('usage', {
  'uses add up, lastUsedAtMs never goes back, and nothing else changes': async (t) => {
    const key = await t.inserted()
    const { id, hash } = key.record
    await t.storage.addUses(batch(1, [id, 2, 0]))
    checkEqual((await t.keyOf(key.record)).usage, { uses: 2, lastUsedAtMs: 0 }, 'at instant 0')
    await t.storage.addUses(batch(2, [id, 2, 2_000]))
    await t.storage.addUses(batch(3, [id, 1, 1_500]))
    const usage = { uses: 5, lastUsedAtMs: 2_000 }
    checkEqual(await t.keyOf(key.record), { ...key, usage }, 'the key')
    checkEqual(await t.storage.findByHash(hash), key.record, 'the key by its hash')
    checkEqual((await t.eventsOf()).length, 1, 'the number of events')
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

  'uses of a revoked key count and do not revive it': async (t) => {
    const key = await t.stored(sampleRevocation(await t.inserted()))
    await t.storage.addUses(batch(1, [key.record.id, 4, 1_000]))
    const usage = { uses: 4, lastUsedAtMs: 1_000 }
    checkEqual(await t.keyOf(key.record), { ...key, usage }, 'the key')
  },

  'uses of ids that name no key are passed over and leave nothing': async (t) => {
    const { record } = await t.inserted()
    const later = sampleRecord()
    const ids = [later.id, 'key_\u0000', 'key_\ud800', record.id]
    const hour = currentHour()
    const counts = ids.map((id) => [id, hour, 'accepted', 9] as const)
    const uses = ids.map((id) => [id, 9, 9_000] as const)
    await t.storage.addUses({ ...history(1, counts), uses: batch(1, ...uses).uses })
    checkEqual((await t.keyOf(record)).usage.uses, 9, 'uses of the key')
    checkEqual(await hoursOf(t, null), [[hour, 'accepted', 9]], 'the hours of all keys')
    checkEqual((await t.stored(sampleInsertion(later))).usage, NONE, 'the usage of a later key')
    checkEqual(await hoursOf(t, later.id), [], 'its hours')
  },

  'an empty batch is a batch, and an old sequence changes nothing': async (t) => {
    const { record } = await t.inserted()
    await t.storage.addUses(batch(7))
    for (const sequence of [7, 6]) await t.storage.addUses(batch(sequence, [record.id, 1, 9_000]))
    checkEqual((await t.keyOf(record)).usage, NONE, 'the usage')
  },

  'one batch sent 20 times at once counts once': async (t) => {
    const { record } = await t.inserted()
    const hour = currentHour()
    const first = history(1, [[record.id, hour, 'accepted', 2]])
    const { uses } = batch(1, [record.id, 2, 1_000])
    await inParallel(20, (at) => (at % 2 ? t : t.other).storage.addUses({ ...first, uses }))
    checkEqual((await t.keyOf(record)).usage.uses, 2, 'uses')
    checkEqual(await hoursOf(t, record.id), [[hour, 'accepted', 2]], 'the hours')
  },

  'each writer numbers its own batches': async (t) => {
    const { record } = await t.inserted()
    for (const sequence of [1, 2, 3]) {
      const own = batch(sequence, [record.id, 1, 1_000])
      const add = (at: number) => ({ ...own, writer: `w${at}` })
      await inParallel(10, (at) => (at % 2 ? t : t.other).storage.addUses(add(at)))
    }
    checkEqual((await t.keyOf(record)).usage.uses, 30, 'uses')
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
    const hour = currentHour()
    const refusals = ['paused', 'plan_required', 'rate_limited', 'revoked'] as const
    const outcomes = ['accepted', 'expired', 'insufficient_scope', ...refusals] as const
    const counts = outcomes.map((outcome) => [id, hour, outcome, 3e9] as const)
    for (const sequence of [1, 2]) {
      const before = [id, hour - 1, 'accepted', sequence] as const
      await t.storage.addUses(history(sequence, [before, ...counts]))
    }
    const expected = outcomes.map((outcome) => [hour, outcome, 6e9])
    checkEqual(await hoursOf(t, id), [[hour - 1, 'accepted', 3], ...expected], 'the hours')
    checkEqual(await t.keyOf(key.record), key, 'the key')
    await t.storage.addUses(batch(3, [id, 1, 1_000]))
    checkEqual((await hoursOf(t, id)).length, 8, 'hours after a batch without a history')
  },

  'an hour ahead of the clock counts as the current one': async (t) => {
    const { id } = (await t.inserted()).record
    const hour = currentHour()
    const counts = [30, 40].map((ahead) => [id, hour + ahead, 'accepted', ahead] as const)
    await t.storage.addUses(history(1, counts))
    const [[at = 0, , count] = [], ...more] = await hoursOf(t, id)
    checkEqual([count, more], [70, []], 'the count')
    check(at === hour || at === hour + 1, 'the hour is that of the storage’s clock')
  },

  'hours that are too old are neither stored nor kept': async (t) => {
    const { id } = (await t.inserted()).record
    const first = startOfToday() - 24 * 3
    const counts = [-1, 0, 24].map((from) => [id, first + from, 'accepted', 1] as const)
    await t.storage.addUses(history(1, counts, 3))
    const kept = [first, first + 24].map((hour) => [hour, 'accepted', 1])
    checkEqual(await hoursOf(t, id), kept, 'the hours of three days')
    for (const sequence of [2, 3]) await t.storage.addUses(history(sequence, [], 2))
    checkEqual(await hoursOf(t, id), kept.slice(1), 'the hours of two days')
  },

  'old hours are dropped in the end, however many, and no others': async (t) => {
    const keys = await t.insertedTogether(25)
    const today = startOfToday()
    const counts = keys.flatMap(({ record: { id } }) =>
      Array.from({ length: 240 }, (_, at) => [id, today - at, 'accepted', 1] as const),
    )
    await t.storage.addUses(history(1, counts, 20))
    for (let at = 2; at < 12; at += 1) await t.storage.addUses(history(at, [], 1))
    const left = Array.from({ length: 25 }, (_, at) => [today - 24 + at, 'accepted', 25])
    checkEqual(await hoursOf(t, null), left, 'the hours')
  },

  'a workspace has the sums of its own keys': async (t) => {
    const keys = [...(await t.insertedMany(3)), await t.inserted({ workspaceId: 'ws_other' })]
    const hour = currentHour()
    const counts = keys.map(({ record }) => [record.id, hour, 'accepted', 2] as const)
    await t.storage.addUses(history(1, counts))
    checkEqual(await hoursOf(t, null), [[hour, 'accepted', 6]], 'the hours')
    checkEqual(await t.storage.usage('ws_none', { ...EVER, id: null }), [], 'no workspace')
    for (const id of [keys[3]?.record.id ?? '', 'key_none', '']) {
      checkEqual(await t.storage.usage(WORKSPACE, { ...EVER, id }), null, `the key ${id}`)
    }
  },

  'a range has its beginning and not its end': async (t) => {
    const { id } = (await t.inserted()).record
    const today = startOfToday()
    const counts = [-4, -3, -2, -1].map((at) => [id, today + at, 'accepted', 1] as const)
    await t.storage.addUses(history(1, counts))
    const range = { id, fromHour: today - 3, toHour: today - 1 }
    const found = inOrder(await t.storage.usage(WORKSPACE, range)).map(([hour]) => hour)
    checkEqual(found, [today - 3, today - 2], 'the hours')
    const none = { ...range, toHour: range.fromHour }
    checkEqual(await t.storage.usage(WORKSPACE, none), [], 'an empty range')
  },

  'writers that count the same keys at once lose nothing': async (t) => {
    const keys = await t.insertedTogether(20)
    const hour = currentHour()
    await inParallel(8, async (writer) => {
      const order = (writer % 2 ? keys : keys.toReversed()).map(({ record }) => record.id)
      const counts = order.map((id) => [id, hour, 'accepted', 1] as const)
      for (const sequence of [1, 2, 3, 4, 5]) {
        const { uses } = batch(sequence, ...order.map((id) => [id, 1, 1_000] as const))
        const own = { ...history(sequence, counts), writer: `w_${writer}`, uses }
        await (writer % 3 ? t : t.other).storage.addUses(own)
      }
    })
    checkEqual(await hoursOf(t, null), [[hour, 'accepted', 800]], 'the hours')
    const usage = { uses: 40, lastUsedAtMs: 1_000 }
    for (const { record } of keys) checkEqual((await t.keyOf(record)).usage, usage, 'the usage')
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

/** The hour of the clock of this process. */
export function currentHour(): number {
  return Math.floor(Date.now() / 3_600_000)
}

/** The first hour of the day in UTC. */
function startOfToday(): number {
  return Math.floor(Date.now() / DAY_MS) * 24
}

/** Counts two uses of each key. */
export function countTwo(t: Trial, ids: readonly string[], sequence = 1): Promise<void> {
  const counts = ids.map((id) => [id, currentHour(), 'accepted', 2] as const)
  const { uses } = batch(sequence, ...ids.map((id) => [id, 2, 5] as const))
  return t.storage.addUses({ ...history(sequence, counts), uses })
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
