import { setTimeout as pause } from 'node:timers/promises'
import { type Outcome, outcomeOf } from './call.ts'
import { ADMIN, keysOn, newKey } from './keys.ts'
import { playRounds } from './rounds.ts'
import { playScenario, type Report, type Stage } from './scenario.ts'
import type { OpenStorage } from './storage-module.ts'

/** What the changes have to wait for: each other, a lock, or a connection. */
export const HINDRANCES = ['none', 'lock', 'pool'] as const
export type Hindrance = (typeof HINDRANCES)[number]

const LIMIT = 3
/** How long a key lives: changes begin in its last 1.3 seconds. */
const LIFE_MS = 1_700
const CHANGED_BEFORE_MS = 1_300
/** For how long after its end the key is watched. */
const WATCHED_MS = 1_000
/** How many creations are under way when the key is changed. */
const CREATIONS = 30
/** The clock of those who change the key, close to the ten seconds that the processes may differ by. */
const BEHIND_MS = -9_900
/** When the keys are made: a new key has a minute ahead of it. */
const LONG_AGO_MS = -65_000

const CHANGES = {
  extend: (endMs: number) => ({ change: { expiresAt: new Date(endMs + 3_600_000) } }),
  forever: () => ({ change: { expiresAt: null } }),
  rename: () => ({ change: { name: 'Renamed' } }),
  resume: () => ({}),
  rotate: () => ({}),
  overlap: () => ({ overlapSeconds: 60 }),
} as const

type Change = keyof typeof CHANGES
const KINDS = Object.keys(CHANGES) as readonly Change[]
const METHODS = {
  extend: 'updateKey',
  forever: 'updateKey',
  rename: 'updateKey',
  resume: 'resumeKey',
  rotate: 'rotateKey',
  overlap: 'rotateKey',
} as const

/** What one process is to do with a key, and how it looks for it. */
export interface WatchOrder {
  readonly workspaceId: string
  readonly secret: string
  readonly endMs: number
  /** When to begin to create keys at the limit. */
  readonly createAtMs: number
  /** For how long every connection is busy from then on; 0 for not at all. */
  readonly crowdMs: number
}

/** What one process has seen. Instants are of the clock that all processes share. */
export interface WatchReport {
  readonly created: number
  /** The beginning of the last lookup that found the key expired, or `null`. */
  readonly expiredMs: number | null
  /** The beginning of the last lookup that found the key alive, or `null`. */
  readonly aliveMs: number | null
}

/**
 * Keys that are about to expire are extended, renamed, resumed and rotated by processes whose clock is behind,
 * while others create keys at the limit and authenticate. Once a key was created in the place of an expired one, that
 * one never comes back; no key comes back by anything but an extension, and the limit holds.
 */
export function expiryRace(
  modulePath: string,
  { workers = 4, rounds = 12, lanes = 4, hindrance = 'none' as Hindrance } = {},
): Promise<Report> {
  const scenario = `expiry race, ${hindrance}`
  return playScenario({ scenario, modulePath, workers }, async (stage) => {
    const sums = await playRounds({ rounds, lanes }, async (round) => {
      // Not all at once, or the processors would decide who is first.
      if (round <= lanes) await pause((round * LIFE_MS) / lanes)
      return playRound(stage, round, hindrance)
    })
    return { rounds, workers, ...sums }
  })
}

async function playRound(stage: Stage, round: number, hindrance: Hindrance) {
  const workspaceId = `ws_expiry_${round}_max${LIMIT}`
  const kind = KINDS[round % KINDS.length] as Change
  const endMs = Date.now() + LIFE_MS
  const host = keysOn(stage.storage, { aheadMs: LONG_AGO_MS })
  const { key, secret } = await host.createKey(newKey(workspaceId, { expiresAt: new Date(endMs) }))
  for (let more = 1; more < LIMIT; more += 1) await host.createKey(newKey(workspaceId))
  const action = { workspaceId, id: key.id, actor: ADMIN }
  if (kind === 'resume') await host.pauseKey(action)
  const createAtMs = endMs - Math.random() * CHANGED_BEFORE_MS
  const hinderedMs = 50 + Math.random() * 850
  const crowdMs = hindrance === 'pool' ? hinderedMs : 0
  const watch = { workspaceId, secret, endMs, createAtMs, crowdMs }
  const watching = Promise.all(stage.workers.map((worker) => worker.call('watchExpiry', watch)))
  const locking =
    hindrance === 'lock' ? lockFor(stage, { workspaceId, createAtMs, hinderedMs }) : null
  await pause(Math.max(0, createAtMs - Date.now()))
  const call = { method: METHODS[kind], input: { ...action, ...CHANGES[kind](endMs) } }
  const changers = stage.workers.filter((_, at) => at % 2 === 0)
  const outcomes = await Promise.all(
    changers.map((worker) => worker.call('call', { ...call, aheadMs: BEHIND_MS })),
  )
  const answeredMs = Date.now()
  await locking
  const what = `round ${round}, ${kind}`
  return checkRound(stage, {
    workspaceId,
    what,
    kind,
    endMs,
    answeredMs,
    outcomes: outcomes.flat(),
    seen: await watching,
  })
}

interface Lock {
  readonly workspaceId: string
  readonly createAtMs: number
  readonly hinderedMs: number
}

async function lockFor({ module, target }: Stage, { workspaceId, createAtMs, hinderedMs }: Lock) {
  await pause(Math.max(0, createAtMs - 20 - Date.now()))
  const release = await module.lock?.(target, workspaceId)
  await pause(hinderedMs)
  await release?.()
}

interface Played {
  readonly workspaceId: string
  readonly what: string
  readonly kind: Change
  readonly endMs: number
  readonly answeredMs: number
  readonly outcomes: readonly Outcome[]
  readonly seen: readonly WatchReport[]
}

async function checkRound(stage: Stage, played: Played) {
  const { workspaceId, what, kind, endMs, answeredMs, outcomes, seen } = played
  const changed = outcomes.filter(({ ok }) => ok !== undefined).length
  const isExtended = changed > 0 && (kind === 'extend' || kind === 'forever')
  const created = seen.reduce((sum, report) => sum + report.created, 0)
  const aliveMs = Math.max(...seen.map((report) => report.aliveMs ?? -Infinity))
  const expiredMs = Math.max(...seen.map((report) => report.expiredMs ?? -Infinity))
  if (aliveMs >= endMs && !isExtended)
    stage.fail(`${what}: alive ${aliveMs - endMs} ms after its end`)
  if (isExtended && expiredMs > answeredMs) stage.fail(`${what}: expired after it was extended`)
  if (isExtended && created > 0)
    stage.fail(`${what}: extended, and ${created} created in its place`)
  const { activeKeys } = await keysOn(stage.storage).listKeys({ workspaceId, limit: 1 })
  if (activeKeys > LIMIT) stage.fail(`${what}: ${activeKeys} keys are active`)
  const expired = outcomes.filter(({ code }) => code === 'key_expired').length
  return { changed, expired, created, revived: aliveMs >= endMs ? 1 : 0 }
}

/** Creates keys at the limit and authenticates with one until after its end. */
export async function watchExpiry(storage: OpenStorage, order: WatchOrder): Promise<WatchReport> {
  const watching = look(storage, order)
  await pause(Math.max(0, order.createAtMs - Date.now()))
  const crowding = order.crowdMs > 0 ? crowdNow(storage, order.crowdMs) : undefined
  const created = await createUntil(storage, order)
  await crowding
  return { ...(await watching), created }
}

let freeAgainMs = 0

/** Fills the pool for a while, but not half of the time, or nothing would get through. */
async function crowdNow(storage: OpenStorage, ms: number): Promise<void> {
  if (performance.now() < freeAgainMs) return
  freeAgainMs = performance.now() + 2 * ms
  await storage.crowd?.(ms)
}

async function look(storage: OpenStorage, { secret, endMs }: WatchOrder) {
  let expiredMs: number | null = null
  let aliveMs: number | null = null
  await pause(Math.max(0, endMs - 100 - Date.now()))
  while (Date.now() < endMs + WATCHED_MS) {
    const begunMs = Date.now()
    const verdict = await keysOn(storage).authenticateSecret(secret, null)
    if (verdict.ok) aliveMs = begunMs
    else if (verdict.reason === 'expired') expiredMs = begunMs
    await pause(Math.abs(Date.now() - endMs) < 100 ? 5 : 50)
  }
  return { expiredMs, aliveMs }
}

/** Many at first, and then one after another; answers how many were created. */
async function createUntil(storage: OpenStorage, { workspaceId, endMs }: WatchOrder) {
  const keys = keysOn(storage)
  const create = async () => {
    const { ok } = await outcomeOf(() => keys.createKey(newKey(workspaceId)))
    return ok === undefined ? 0 : 1
  }
  const first = await Promise.all(Array.from({ length: CREATIONS }, create))
  let created = first.filter((one) => one > 0).length
  while (Date.now() < endMs + WATCHED_MS / 2) {
    await pause(20 + Math.random() * 40)
    created += await create()
  }
  return created
}
