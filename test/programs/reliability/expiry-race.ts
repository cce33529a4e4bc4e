import { setTimeout as pause } from 'node:timers/promises'
import {
  sampleCreatedEvent,
  sampleRecord,
} from '../../../adapters/storage/testing/storage-contract.ts'
import type { KeyRecord } from '../../../src/storage/index.ts'
import { EXPIRY_CHANGES, type ExpiryReport } from './expiry-tasks.ts'
import { playRounds } from './rounds.ts'
import { playScenario, type Report, type Stage } from './scenario.ts'

/** What the changes have to wait for: each other, a lock, or a connection. */
export const HINDRANCES = ['none', 'lock', 'pool'] as const
export type Hindrance = (typeof HINDRANCES)[number]

const LIMIT = 3
/** How long a key lives: changes begin in its last 1.3 seconds. */
const LIFE_MS = 1_700
const CHANGED_BEFORE_MS = 1_300

/**
 * Keys that are about to expire are extended, renamed, resumed and rotated, while other processes create
 * keys at the limit and look the key up. A key that has expired for one process never comes back for
 * any, and the limit holds.
 */
export function expiryRace(
  modulePath: string,
  { workers = 4, rounds = 12, lanes = 12, hindrance = 'none' as Hindrance } = {},
): Promise<Report> {
  const scenario = `expiry race, ${hindrance}`
  return playScenario({ scenario, modulePath, workers }, async (stage) => {
    const sums = await playRounds({ rounds, lanes }, async (round) => {
      // Not all at once, or the processors would decide who is first.
      if (round <= lanes) await pause((round * LIFE_MS) / lanes)
      return playRound(stage, { round, hindrance })
    })
    return { rounds, workers, ...sums }
  })
}

interface Round {
  readonly round: number
  readonly hindrance: Hindrance
}

async function playRound(stage: Stage, { round, hindrance }: Round) {
  const workspaceId = `ws_expiry_${round}`
  const kind = EXPIRY_CHANGES[round % EXPIRY_CHANGES.length] ?? 'extend'
  const endMs = Date.now() + LIFE_MS
  const record = await insertKeys(stage, workspaceId, {
    expiresAtMs: endMs,
    ...(kind === 'resume' && { pausedAtMs: 1, pausedBy: { id: 'u_1', name: 'Sami' } }),
  })
  const changeAtMs = endMs - Math.random() * CHANGED_BEFORE_MS
  const hinderedMs = 50 + Math.random() * 850
  const order = { record, kind, limit: LIMIT, changeAtMs }
  const crowdMs = hindrance === 'pool' ? hinderedMs : 0
  const work = Promise.all(
    stage.workers.map((worker, at) =>
      worker.call('raceToExpiry', { ...order, isChanger: at % 2 === 0, crowdMs }),
    ),
  )
  const lock = { workspaceId, atMs: changeAtMs - 20, forMs: hinderedMs }
  if (hindrance === 'lock') await lockFor(stage, lock)
  return checkRound(stage, { record, reports: await work, what: `round ${round}, ${kind}` })
}

/** Inserts as many keys as the limit allows, the first with fields of its own. */
async function insertKeys({ storage }: Stage, workspaceId: string, fields: Partial<KeyRecord>) {
  const createdAtMs = Date.now()
  const records = Array.from({ length: LIMIT }, (_, at) =>
    sampleRecord({ workspaceId, createdAtMs, ...(at === 0 && fields) }),
  )
  for (const record of records) await storage.insert(record, LIMIT, sampleCreatedEvent(record))
  const [first] = records
  if (first === undefined) throw new Error('no key')
  return first
}

interface Lock {
  readonly workspaceId: string
  readonly atMs: number
  readonly forMs: number
}

async function lockFor({ module, target }: Stage, { workspaceId, atMs, forMs }: Lock) {
  await pause(Math.max(0, atMs - Date.now()))
  const release = await module.lock?.(target, workspaceId)
  await pause(forMs)
  await release?.()
}

interface Played {
  readonly record: KeyRecord
  readonly reports: readonly ExpiryReport[]
  readonly what: string
}

async function checkRound(stage: Stage, { record, reports, what }: Played) {
  const firstExpiredMs = Math.min(...reports.map(({ expiredMs }) => expiredMs ?? Infinity))
  const lastAliveMs = Math.max(...reports.map(({ aliveMs }) => aliveMs ?? -Infinity))
  const isRevived = lastAliveMs > firstExpiredMs
  if (isRevived) {
    stage.fail(`${what}: alive ${Math.round(lastAliveMs - firstExpiredMs)} ms after it had expired`)
  }
  const query = { status: null, environment: null, atMs: Date.now(), after: null, limit: 1 }
  const { activeKeys } = (await stage.storage.list(record.workspaceId, query)) ?? { activeKeys: 0 }
  if (activeKeys > LIMIT) stage.fail(`${what}: ${activeKeys} keys are active`)
  const outcomes = reports.flatMap(({ outcome }) => outcome ?? [])
  const changed = outcomes.filter((outcome) => outcome === 'updated' || outcome === 'rotated')
  const sum = (of: (report: ExpiryReport) => number) =>
    reports.reduce((before, report) => before + of(report), 0)
  return {
    changed: changed.length,
    expired: outcomes.filter((outcome) => outcome === 'expired').length,
    created: sum(({ created }) => created),
    revived: isRevived ? 1 : 0,
    overLimit: activeKeys > LIMIT ? 1 : 0,
  }
}
