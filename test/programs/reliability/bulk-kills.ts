import { setTimeout as pause } from 'node:timers/promises'
import type { ApiKeys } from '../../../src/index.ts'
import type { KeyPageQuery, KeyStorage } from '../../../src/storage/index.ts'
import { ADMIN, LEAVER, newKey, openKeys } from './keys.ts'
import type { WorkspaceState } from './operations.ts'
import { playScenario, type Report, type Stage, stateOf } from './scenario.ts'
import { GONE } from './task-process.ts'
import { startWorker, type WorkerProcess } from './worker-process.ts'

const NODES = 4
const AT_ONCE = 20
const LIVING = ['active', 'paused', 'retiring'] as const
const ORDER = { workspaceId: 'ws_bulk', creatorId: LEAVER.id }
const NEAR = { ...ORDER, workspaceId: 'ws_near' }
/** A key that loses the scope meanwhile matches no more. */
const FILTERS = { ...ORDER, actor: ADMIN, scope: 'contacts.read' } as const

/**
 * Revokes all keys of somebody who leaves, by processes that are killed in the middle. The last call, of
 * the parent, finishes the work while one of four processes with the cache is stopped, a key is created and
 * another leaves the filter. Each key is then revoked once, with one event, no process accepts any, and
 * nothing else has changed.
 */
export function bulkKills(
  modulePath: string,
  { keys = 10_000, kills = 5, watched = 1_000 } = {},
): Promise<Report> {
  const parts = { scenario: 'bulk revocation', modulePath, workers: NODES }
  return playScenario(parts, async (stage) => {
    const { storage } = stage
    const host = openKeys(storage)
    await createMany(host, NEAR, 20)
    const secrets = await createAmongOthers(host, keys)
    // Not the first ones: one of them is to live on.
    const some = secrets.slice(AT_ONCE).filter((_, at) => at % Math.ceil(keys / watched) === 0)
    await Promise.all(stage.workers.map((worker) => warm(worker, some)))
    const before = await stateOf(storage, ORDER.workspaceId)
    const near = await stateOf(storage, NEAR.workspaceId)
    let killedMs = 0
    for (let round = 1; round <= kills; round += 1) {
      killedMs += await killInTheMiddle(stage, keys * (1 - (0.9 * round) / (kills + 1)))
    }
    const { spared, ...last } = await finish(stage, host, some)
    await checkRevoked(stage, before, spared)
    const after = await stateOf(storage, NEAR.workspaceId)
    stage.expectEqual(JSON.stringify(after), JSON.stringify(near), 'the neighbour workspace')
    await host.close()
    const verdicts = some.length * NODES
    return { keys, kills, killedMs: Math.round(killedMs), ...last, verdicts, spared: spared.length }
  })
}

/** Creates keys of a creator and answers their secrets. */
async function createMany(host: ApiKeys, { workspaceId, creatorId }: typeof ORDER, count: number) {
  const secrets: string[] = []
  for (let made = 0; made < count; made += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - made) }, () =>
      host.createKey(newKey(workspaceId, { creator: { id: creatorId, name: 'Noura' } })),
    )
    secrets.push(...(await Promise.all(some)).map(({ secret }) => secret))
  }
  return secrets
}

/** Keys to revoke, with those of somebody else behind, among and in front of them. */
async function createAmongOthers(host: ApiKeys, keys: number) {
  const others = { ...ORDER, creatorId: 'u_stays' }
  await createMany(host, others, 5)
  const first = await createMany(host, ORDER, Math.ceil(keys / 2))
  await createMany(host, others, 5)
  const second = await createMany(host, ORDER, Math.floor(keys / 2))
  await createMany(host, others, 5)
  return [...first, ...second]
}

/** Kills a process that revokes, once it has revoked some and at most `goal` are left; how long it worked. */
async function killInTheMiddle({ modulePath, target, storage, fail }: Stage, goal: number) {
  const worker = await startWorker(modulePath, target)
  const before = await livingOf(storage)
  const begun = performance.now()
  const ended = worker.call('call', { method: 'revokeKeys', input: FILTERS }).then(
    () => 'a revocation ended before it was killed',
    (error: Error) => (error.message === GONE ? null : error.message),
  )
  for (let left = before; left > 0 && (left === before || left > goal); await pause(1)) {
    left = await livingOf(storage)
  }
  await worker.kill()
  const workedMs = performance.now() - begun
  const trouble = await ended
  if (trouble !== null) fail(trouble)
  if ((await livingOf(storage)) === 0) fail('a kill came too late')
  return workedMs
}

/** Revokes what is left, with one process stopped, and asks all processes at the moment it resolves. */
async function finish(stage: Stage, host: ApiKeys, secrets: readonly string[]) {
  const { storage, workers } = stage
  const left = await settledOf(storage)
  await Promise.all(workers.map((worker) => worker.call('tryAll', { secrets })))
  const [stopped] = workers
  stopped?.freeze()
  const { counted, counts } = countingCalls(storage)
  const revoker = openKeys(counted)
  const begun = performance.now()
  const revoking = revoker.revokeKeys(FILTERS)
  const meanwhile = changeMeanwhile(storage, host, left)
  const { revoked } = await revoking
  const resolved = performance.now()
  // At once. Asked first, the stopped process answers as soon as it goes on.
  const verdicts = workers.map((worker) => worker.call('tryAll', { secrets }))
  stopped?.goOn()
  const spared = await meanwhile
  const accepted = (await Promise.all(verdicts)).map((verdict) => verdict.accepted)
  stage.expectEqual(accepted, Array(NODES).fill(0), 'how many each process accepts')
  stage.expectEqual(revoked, left - (spared.length - 1), 'how many the last call revoked')
  await revoker.close()
  const lastMs = Math.round(resolved - begun)
  const waitMs = Math.round(resolved - counts.lastAnsweredMs)
  return { revokedByLast: revoked, lastMs, waitMs, statements: counts.all, spared }
}

/**
 * Once the revocation is under way, creates a key and takes the scope from the one that comes last.
 * Answers the ids of those that must live.
 */
async function changeMeanwhile(storage: KeyStorage, host: ApiKeys, left: number) {
  while ((await livingOf(storage)) === left) await pause(1)
  const { workspaceId } = ORDER
  const late = await host.createKey(newKey(workspaceId))
  const query = { workspaceId, creatorId: LEAVER.id, sort: 'createdAt', limit: 1 } as const
  const [oldest] = (await host.listKeys(query)).keys
  if (oldest === undefined) throw new Error('there are keys')
  const change = { scopes: ['contacts.write'] } as const
  const action = { workspaceId, id: oldest.id, version: 1, actor: ADMIN }
  const isKept = await host.updateKey({ ...action, change }).then(
    () => true,
    () => false,
  )
  return isKept ? [late.key.id, oldest.id] : [late.key.id]
}

/** How many are left once the server has finished the last statement of a process that was killed. */
async function settledOf(storage: KeyStorage) {
  let left = -1
  for (let seen = await livingOf(storage); seen !== left; seen = await livingOf(storage)) {
    left = seen
    await pause(1_000)
  }
  return left
}

/** How many keys of the creator are not revoked yet. */
async function livingOf(storage: KeyStorage) {
  const query = { ...PAGE, creatorId: ORDER.creatorId, status: LIVING }
  return (await storage.list(ORDER.workspaceId, query)).total ?? 0
}

const PAGE: KeyPageQuery = {
  ...{ status: null, environment: null, atMs: 0 },
  ...{ after: null, limit: 1, countUpTo: 100_000 },
}

/** Each key of the creator is revoked once, with one event; the others are as they were. */
async function checkRevoked(stage: Stage, before: WorkspaceState, spared: readonly string[]) {
  const after = await stateOf(stage.storage, ORDER.workspaceId)
  const revocations = new Map<string, number>()
  for (const { type, keyId } of after.events) {
    if (type === 'api_key.revoked') revocations.set(keyId, (revocations.get(keyId) ?? 0) + 1)
  }
  const old = new Map(before.keys.map((key) => [key.record.id, JSON.stringify(key)]))
  const wrong = after.keys.filter((key) => {
    const { id, creator, revokedAtMs, version } = key.record
    const events = revocations.get(id) ?? 0
    if (spared.includes(id)) return revokedAtMs !== null || events > 0
    if (creator.id !== ORDER.creatorId) return JSON.stringify(key) !== old.get(id) || events > 0
    return revokedAtMs === null || version !== 2 || events !== 1
  })
  stage.expectEqual(wrong.length, 0, 'how many keys are not as they must be')
}

/** Resolves once a process answers all of these secrets from memory, where it has a cache. */
async function warm(worker: WorkerProcess, secrets: readonly string[]): Promise<void> {
  for (;;) {
    const { accepted, remembered } = await worker.call('tryAll', { secrets })
    if (accepted !== secrets.length) throw new Error('the keys are active')
    if (remembered === secrets.length) return
    await pause(20)
  }
}

/** The same storage, which counts its calls and notes when the last revocation was answered. */
function countingCalls(storage: KeyStorage) {
  const counts = { all: 0, lastAnsweredMs: 0 }
  const counted = new Proxy(storage, {
    get(target, name: keyof KeyStorage) {
      const method: unknown = target[name]
      if (typeof method !== 'function') return method
      return async (...args: unknown[]) => {
        counts.all += 1
        const answer: unknown = await method.apply(target, args)
        if (name === 'write') counts.lastAnsweredMs = performance.now()
        return answer
      }
    },
  })
  return { counted, counts }
}
