import { setTimeout as pause } from 'node:timers/promises'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRotateChange,
  sampleUpdateChange,
} from '../../../adapters/storage/testing/storage-contract.ts'
import { type KeyRecord, type KeyStorage, statusAt } from '../../../src/storage/index.ts'
import type { OpenStorage } from './storage-module.ts'

/** What is done to a key that is about to expire. */
export const EXPIRY_CHANGES = [
  'extend',
  'forever',
  'rename',
  'resume',
  'rotate',
  'overlap',
] as const
type ExpiryChange = (typeof EXPIRY_CHANGES)[number]

/** What one process has seen and done. Instants are of the clock that all processes share. */
export interface ExpiryReport {
  /** When it first called the key expired, or `null`. */
  readonly expiredMs: number | null
  /** The beginning of the last lookup that found the key alive, or `null`. */
  readonly aliveMs: number | null
  readonly outcome: string | null
  readonly created: number
}

/** What a process is to do with one key. */
export interface ExpiryOrder {
  readonly record: KeyRecord
  readonly kind: ExpiryChange
  readonly limit: number
  /** When to change the key, or to begin to create others. */
  readonly changeAtMs: number
  readonly isChanger: boolean
  /** For how long every connection is busy from then on; 0 for not at all. */
  readonly crowdMs: number
}

/** How many creations are under way when the key is changed. */
const CREATIONS = 30
/** For how long after its end the key is watched. */
const WATCHED_MS = 1_000

/** Changes a key, or creates others in its place, and watches it until after its end. */
export async function raceToExpiry(
  storage: OpenStorage,
  order: ExpiryOrder,
): Promise<ExpiryReport> {
  const { record, isChanger, changeAtMs, crowdMs } = order
  const endMs = record.expiresAtMs ?? 0
  const watching = watch(storage, record, endMs + WATCHED_MS)
  await pause(Math.max(0, changeAtMs - Date.now()))
  const crowding = crowdMs > 0 ? crowdNow(storage, crowdMs) : undefined
  const creating = createUntil(storage, order, endMs + WATCHED_MS / 2)
  const outcome = isChanger ? (await CHANGES[order.kind](storage, record)).outcome : null
  const created = await creating
  await crowding
  return { ...(await watching), outcome, created }
}

let freeAgainMs = 0

/** Fills the pool for a while, but not half of the time, or nothing would get through. */
async function crowdNow(storage: OpenStorage, ms: number): Promise<void> {
  if (machineMs() < freeAgainMs) return
  freeAgainMs = machineMs() + 2 * ms
  await storage.crowd?.(ms)
}

/** Reads the monotonic clock of the machine, in milliseconds. */
function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** Looks a key up time and again, as authentications do. */
async function watch(storage: KeyStorage, { hash, expiresAtMs }: KeyRecord, untilMs: number) {
  let expiredMs: number | null = null
  let aliveMs: number | null = null
  await pause(Math.max(0, (expiresAtMs ?? 0) - 100 - Date.now()))
  while (Date.now() < untilMs) {
    const begunMs = machineMs()
    const found = await storage.findByHash(hash)
    const status = found === null ? 'unknown' : statusAt(found, Date.now())
    if (status === 'expired') expiredMs ??= machineMs()
    if (status === 'active' || status === 'retiring') aliveMs = begunMs
    const isClose = Math.abs(Date.now() - (expiresAtMs ?? 0)) < 100
    await pause(isClose ? 5 : 50)
  }
  return { expiredMs, aliveMs }
}

/** Creates keys at the limit, many at first and then one after another; answers how many were stored. */
async function createUntil(storage: KeyStorage, order: ExpiryOrder, untilMs: number) {
  const create = async () => {
    const { workspaceId } = order.record
    const record = sampleRecord({ workspaceId, createdAtMs: Date.now() })
    return (await storage.insert(record, order.limit, sampleCreatedEvent(record))).inserted
  }
  const first = await Promise.all(Array.from({ length: order.isChanger ? CREATIONS : 1 }, create))
  let created = first.filter(Boolean).length
  while (Date.now() < untilMs) {
    await pause(20 + Math.random() * 40)
    if (await create()) created += 1
  }
  return created
}

type ChangeKey = (storage: KeyStorage, record: KeyRecord) => Promise<{ readonly outcome: string }>

const updateTo =
  (changesOf: (record: KeyRecord) => Parameters<typeof sampleUpdateChange>[1]): ChangeKey =>
  (storage, record) =>
    storage.update({
      ...sampleUpdateChange(record, changesOf(record)),
      updatedAtMs: Date.now(),
    })

const CHANGES: Readonly<Record<ExpiryChange, ChangeKey>> = {
  extend: updateTo(({ expiresAtMs }) => ({ expiresAtMs: (expiresAtMs ?? 0) + 3_600_000 })),
  forever: updateTo(() => ({ expiresAtMs: null })),
  rename: updateTo(() => ({ name: 'Renamed' })),
  resume: updateTo(() => ({ pausedAtMs: null, pausedBy: null })),
  rotate: (storage, record) => storage.rotate(rotationNow(record)),
  overlap: (storage, record) => {
    const { rotatedAtMs, ...change } = rotationNow(record)
    const retiresAtMs = Math.min(rotatedAtMs + 60_000, record.expiresAtMs ?? Infinity)
    return storage.rotate({ ...change, rotatedAtMs, retiresAtMs })
  },
}

function rotationNow(record: KeyRecord) {
  const rotatedAtMs = Date.now()
  return { ...sampleRotateChange(record, { createdAtMs: rotatedAtMs }), rotatedAtMs }
}
