import {
  sampleCreatedEvent,
  sampleRecord,
} from '../../../adapters/storage/testing/storage-contract.ts'
import type { KeyStorage, UsageBatch } from '../../../src/storage/index.ts'

/** Hours are kept for these days, and days for a year. */
export const HOURLY_DAYS = 30
export const DAILY_DAYS = 365

/** A storage with a year of usage. */
export interface YearWorld {
  readonly name: string
  readonly storage: KeyStorage
  /** Gives every key one accepted request in each hour and on each day that is kept. */
  readonly fill: (today: number) => Promise<void>
  /** The bytes of a table with its indexes. */
  readonly sizeOf: (table: 'hours' | 'days') => Promise<number>
  readonly close: () => Promise<void>
}

/** The keys of the one workspace. */
export const WORKSPACE = 'ws_year'

/** Fills the world, and measures what it takes and what reading and writing cost then. */
export async function measureYear({ name, storage, fill, sizeOf }: YearWorld, keys: number) {
  const ids = await insertKeys(storage, keys)
  const today = Math.floor(Date.now() / 86_400_000)
  const without = await medianMs(() => storage.addUses(nextBatch(ids, null)))
  const empty = await medianMs(() => storage.addUses(nextBatch(ids, today * 24)))
  await fill(today)
  const [hours, days] = [await sizeOf('hours'), await sizeOf('days')]
  const firstDay = today - HOURLY_DAYS
  const hourRange = { from: firstDay * 24, to: today * 24 }
  const dayRange = { from: today - DAILY_DAYS, to: firstDay }
  const none = { from: 0, to: 0 }
  const read = (id: string | null, days = none) =>
    medianMs(() => storage.usage(WORKSPACE, { id, hours: hourRange, days }), id === null ? 1 : 21)
  const id = ids[Math.floor(keys / 2)] ?? ''
  return {
    ...{ name, keys },
    hourMegabytes: Math.round(hours / 1e6),
    dayMegabytes: Math.round(days / 1e6),
    bytesPerHour: Math.round(hours / (keys * HOURLY_DAYS * 24)),
    bytesPerDay: Math.round(days / (keys * DAILY_DAYS)),
    flushWithoutMs: without,
    flushEmptyMs: empty,
    flushFullMs: await medianMs(() => storage.addUses(nextBatch(ids, today * 24))),
    keyHoursMs: await read(id),
    keyYearMs: await read(id, dayRange),
    workspaceHoursMs: await read(null),
    workspaceYearMs: await read(null, dayRange),
  }
}

async function insertKeys(storage: KeyStorage, count: number): Promise<readonly string[]> {
  const ids: string[] = []
  for (let number = 0; number < count; number += 1) {
    const record = sampleRecord({ workspaceId: WORKSPACE })
    await storage.insert(record, null, sampleCreatedEvent(record))
    ids.push(record.id)
  }
  return ids
}

let sequence = 0

/** A flush of 1,000 keys, drawn at random. */
function nextBatch(ids: readonly string[], hour: number | null): UsageBatch {
  sequence += 1
  const drawn = new Set<string>()
  while (drawn.size < Math.min(1_000, ids.length)) {
    drawn.add(ids[Math.floor(Math.random() * ids.length)] ?? '')
  }
  const uses = [...drawn].map((id) => ({ id, uses: 1, lastUsedAtMs: Date.now() }))
  if (hour === null) return { writer: 'writer_1', sequence, uses }
  const counts = uses.map(({ id }) => ({ id, hour, outcome: 'accepted' as const, count: 1 }))
  const history = { hourlyForDays: HOURLY_DAYS, dailyForDays: DAILY_DAYS, counts }
  return { writer: 'writer_1', sequence, uses, history }
}

async function medianMs(work: () => Promise<unknown>, times = 21): Promise<number> {
  const spent: number[] = []
  for (let round = 0; round < times; round += 1) {
    const begun = performance.now()
    await work()
    spent.push(performance.now() - begun)
  }
  const median = spent.toSorted((a, b) => a - b)[Math.floor(times / 2)] ?? Number.NaN
  return Math.round(median * 10) / 10
}
