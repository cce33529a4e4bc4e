import type { Outcome } from './call.ts'
import { ADMIN, LEAVER, newKey, openKeys } from './keys.ts'
import { playRounds } from './rounds.ts'
import { playScenario, type Report, type Stage, stateOf } from './scenario.ts'

/** Several processes use a new and empty place at the same moment, each for the first time. */
export function openRace(modulePath: string, { workers = 8 } = {}): Promise<Report> {
  return playScenario({ scenario: 'open race', modulePath, workers }, async (stage) => {
    const input = newKey('ws_open')
    const outcomes = await onAll(stage, () => ({ method: 'createKey', input }))
    stage.expectEqual(
      codesOf(outcomes),
      Array(workers).fill('ok'),
      'what each process was answered',
    )
    const { keys, events } = await stateOf(stage.storage, 'ws_open')
    stage.expectEqual([keys.length, events.length], [workers, workers], 'keys and events')
    return { workers }
  })
}

/** Many creations from several processes, round after round: exactly the limit is reached. */
export function limitRace(
  modulePath: string,
  { workers = 4, rounds = 1, creations = 200 } = {},
): Promise<Report> {
  return playScenario({ scenario: 'limit race', modulePath, workers }, async (stage) => {
    for (let round = 0; round < rounds; round += 1) {
      // Room for a few, for one and for many.
      const limit = [5, 1, 40][round % 3] ?? 5
      const workspaceId = `ws_limit_${round}_max${limit}`
      const times = Math.ceil(creations / workers)
      const input = newKey(workspaceId)
      const outcomes = await onAll(stage, () => ({ method: 'createKey', input, times }))
      const created = outcomes.filter(({ ok }) => ok !== undefined).length
      const { keys, events } = await stateOf(stage.storage, workspaceId)
      const found = [created, keys.length, events.length]
      stage.expectEqual(found, [limit, limit, limit], `round ${round}: answered, keys, events`)
    }
    return { rounds, creations: rounds * creations, workers }
  })
}

/** Many rotations of one key from several processes: one successor, one event. */
export function rotateRace(
  modulePath: string,
  { workers = 4, rounds = 1, rotations = 200 } = {},
): Promise<Report> {
  return playScenario({ scenario: 'rotate race', modulePath, workers }, async (stage) => {
    for (let round = 0; round < rounds; round += 1) {
      const { key, action } = await created(stage, `ws_rotate_${round}_max5`)
      const overlapSeconds = round % 2 === 0 ? 0 : 60
      const input = { ...action, overlapSeconds }
      const times = Math.ceil(rotations / workers)
      const outcomes = await onAll(stage, () => ({ method: 'rotateKey', input, times }))
      const won = outcomes.filter(({ ok }) => ok !== undefined).length
      const { keys, events } = await stateOf(stage.storage, action.workspaceId)
      const successors = keys.filter(({ record }) => record.replaces === key.id).length
      const found = [won, keys.length, successors, events.length]
      stage.expectEqual(found, [1, 2, 1, 2], `round ${round}: winners, keys, successors, events`)
    }
    return { rounds, rotations: rounds * rotations, workers }
  })
}

/** What processes do to a key at the same moment as others update it. */
export const RIVALS = ['update', 'revoke', 'rotate', 'addUses'] as const
export type Rival = (typeof RIVALS)[number]

/**
 * Updates of one key at one version from half of the processes, and something else from the others,
 * round after round. One of the updates wins at most, a revocation and a rotation always do, and nothing of a
 * loser is stored.
 */
export function updateRace(
  modulePath: string,
  { rival, workers = 4, rounds = 200 }: { rival: Rival; workers?: number; rounds?: number },
): Promise<Report> {
  const scenario = `update against ${rival}`
  return playScenario({ scenario, modulePath, workers }, async (stage) => {
    const play = (round: number) => playUpdates(stage, rival, round)
    return { rounds, workers, ...(await playRounds({ rounds, lanes: 4 }, play)) }
  })
}

const METHODS = { update: 'updateKey', revoke: 'revokeKey', rotate: 'rotateKey' } as const

async function playUpdates(stage: Stage, rival: Rival, round: number) {
  const { key, secret, action } = await created(stage, `ws_update_${round}`)
  const updateOf = (name: string) => ({ ...action, version: 1, change: { name } })
  const outcomes = await Promise.all(
    stage.workers.map(async (worker, at) => {
      if (at % 2 === 0) {
        return worker.call('call', { method: 'updateKey', input: updateOf(`by ${at}`) })
      }
      if (rival === 'addUses') return worker.call('use', { secret })
      const input = rival === 'update' ? updateOf(`by ${at}`) : action
      return worker.call('call', { method: METHODS[rival], input })
    }),
  )
  const of = (is: (at: number) => boolean) =>
    outcomes.flatMap((all, at) => (is(at) ? all : [])).filter(({ ok }) => ok !== undefined)
  const updates = of((at) => at % 2 === 0 || rival === 'update')
  const rivals = rival === 'update' ? [] : of((at) => at % 2 === 1)
  const what = `round ${round}`
  const isAlone = rival === 'update' || rival === 'addUses'
  if (updates.length > 1) stage.fail(`${what}: ${updates.length} updates of one version won`)
  if (isAlone) stage.expectEqual(updates.length, 1, `${what}: updates that won`)
  if (rival === 'rotate') stage.expectEqual(rivals.length, 1, `${what}: rotations that won`)
  const { keys, events } = await stateOf(stage.storage, action.workspaceId)
  const stored = keys.find(({ record }) => record.id === key.id)
  const ends = isAlone ? [] : [rival === 'rotate' ? 'api_key.rotated' : 'api_key.revoked']
  const expected = ['api_key.created', ...updates.map(() => 'api_key.updated'), ...ends]
  stage.expectEqual(
    events.map(({ type }) => type),
    expected,
    `${what}: the events`,
  )
  stage.expectEqual(stored?.record.name, updates[0]?.ok.name ?? key.name, `${what}: the name`)
  stage.expectEqual(stored?.record.version, expected.length, `${what}: the version`)
  const uses = rival === 'addUses' ? rivals.length : 0
  stage.expectEqual(stored?.usage.uses, uses, `${what}: the uses`)
  stage.expectEqual(keys.length, rival === 'rotate' ? 2 : 1, `${what}: the keys`)
  return { updatesWon: updates.length, updatesLost: 1 - updates.length }
}

/** What a member may give; the administrator adds what is not in it. */
const MEMBER = {
  scopes: ['contacts.read', 'contacts.write'],
  resources: { project: ['p_1', 'p_2'] },
  networks: 'any',
  environments: ['live'],
}

/**
 * An administrator adds a scope to a key while three members, in processes of their own, rotate it, resume it
 * and add an id to it. No member ends up with a key that has the scope, which is beyond their ceiling.
 */
export function ceilingRace(modulePath: string, { rounds = 1_000 } = {}): Promise<Report> {
  return playScenario({ scenario: 'ceiling race', modulePath, workers: 4 }, async (stage) => {
    const codes: Record<string, number> = {}
    for (let round = 0; round < rounds; round += 1) {
      const fields = { resources: { project: ['p_1'] } }
      const { action } = await created(stage, `ws_ceiling_${round}`, fields)
      const member = { ...action, grantable: MEMBER }
      const scopes = [...MEMBER.scopes, 'orders.write']
      const calls = [
        { method: 'updateKey', input: { ...action, change: { scopes } } },
        { method: 'rotateKey', input: member },
        { method: 'resumeKey', input: member },
        { method: 'updateKey', input: { ...member, change: { resources: MEMBER.resources } } },
      ] as const
      const isPaused = round % 2 === 0
      if (isPaused) await openKeys(stage.storage).pauseKey(action)
      const outcomes = await onAll(stage, (at) => calls[at] ?? calls[0])
      for (const [at, { ok, code = 'done' }] of outcomes.entries()) {
        codes[code] = (codes[code] ?? 0) + 1
        const key = ok?.key ?? ok
        // To resume a key that is active gives nothing: the answer is the key as it is.
        const gives = calls[at]?.method !== 'resumeKey' || isPaused
        if (at > 0 && gives && key?.scopes.includes('orders.write')) {
          stage.fail(`round ${round}: ${calls[at]?.method} beyond the ceiling`)
        }
      }
    }
    return { rounds, ...codes }
  })
}

/**
 * All keys of a workspace are revoked while other processes rotate them, with and without an overlap. No
 * replacement escapes, and each key ends with one event.
 */
export function bulkRotations(
  modulePath: string,
  { rounds = 20, keys: count = 60 } = {},
): Promise<Report> {
  return playScenario({ scenario: 'bulk and rotations', modulePath, workers: 3 }, async (stage) => {
    const host = openKeys(stage.storage)
    let [rotated, revoked] = [0, 0]
    for (let round = 0; round < rounds; round += 1) {
      const workspaceId = `ws_chains_${round}`
      await Promise.all(Array.from({ length: count }, () => host.createKey(newKey(workspaceId))))
      const rotating = stage.workers.map((worker) => worker.call('rotateAll', { workspaceId }))
      while ((await host.listKeys({ workspaceId, limit: 1 })).total === count);
      const bulk = await host.revokeKeys({ workspaceId, actor: ADMIN, creatorId: LEAVER.id })
      const living = { workspaceId, status: ['active', 'paused', 'retiring'], limit: 1 } as const
      stage.expectEqual((await host.listKeys(living)).total, 0, `round ${round}: keys that live on`)
      const secrets = (await Promise.all(rotating)).flat()
      const { keys, events } = await stateOf(stage.storage, workspaceId)
      const verdicts = secrets.map((secret) => host.authenticateSecret(secret, null))
      const accepted = (await Promise.all(verdicts)).filter(({ ok }) => ok).length
      stage.expectEqual(accepted, 0, `round ${round}: replacements that are accepted`)
      stage.expectEqual(keys.length, count + secrets.length, `round ${round}: the keys`)
      const ended = events.filter(({ type }) => type === 'api_key.revoked').length
      stage.expectEqual(ended, bulk.revoked, `round ${round}: revocations`)
      rotated += secrets.length
      revoked += bulk.revoked
    }
    return { rounds, keys: rounds * count, rotated, revoked }
  })
}

/** A new key, and what names it. */
async function created(stage: Stage, workspaceId: string, fields: object = {}) {
  const { key, secret } = await openKeys(stage.storage).createKey(newKey(workspaceId, fields))
  return { key, secret, action: { workspaceId, id: key.id, actor: ADMIN } }
}

/** A call by each process at the same moment. */
async function onAll(
  { workers }: Stage,
  callOf: (at: number) => Parameters<Stage['workers'][number]['call']>[1],
): Promise<readonly Outcome[]> {
  const calls = workers.map((worker, at) => worker.call('call', callOf(at) as never))
  return (await Promise.all(calls)).flat() as Outcome[]
}

function codesOf(outcomes: readonly Outcome[]) {
  return outcomes.map(({ code = 'ok' }) => code)
}
