import { expect, test } from 'vitest'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { ApiKeyError, type ApiKeys, createApiKeys, OutageError } from '../../../src/index.ts'
import {
  type KeyStorage,
  UNCHANGED_CODES,
  type WorkspaceWrite,
  type WriteOutcome,
} from '../../../src/storage/index.ts'
import { Random } from '../../support/random.ts'
import { runs } from '../../support/runs.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import { keyInput, WORKSPACE } from '../../support/world.ts'

simulateTime()

/*
 * Processes change a few keys at once through a storage whose answers get lost, come late, or are sent twice.
 * However a call ends, what it says must agree with what is stored once everything has arrived.
 */

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A storage that misbehaves as networks do, and all that is still on its way to it. */
function lossy(good: KeyStorage, random: Random) {
  const draw = () => random.next()
  const underWay = new Set<Promise<unknown>>()
  const arrive = (writes: readonly WorkspaceWrite[], afterMs: number) => {
    const arrival = sleep(afterMs).then(() => good.write(writes))
    underWay.add(arrival)
    return arrival
  }
  const failure = (code?: string) => Object.assign(new Error('lost'), code && { code })
  const write = async (writes: readonly WorkspaceWrite[]): Promise<readonly WriteOutcome[]> => {
    const kind = draw()
    if (kind < 0.1) throw failure('busy')
    if (kind < 0.15) throw failure()
    if (kind < 0.3) {
      await arrive(writes, draw() * 20)
      throw failure()
    }
    if (kind < 0.45) {
      void arrive(writes, draw() * 400)
      throw failure()
    }
    if (kind < 0.55) void arrive(writes, draw() * 60)
    return arrive(writes, draw() * 30)
  }
  const read: KeyStorage['read'] = async (query) => {
    await sleep(draw() * 10)
    if (draw() < 0.05) throw failure('busy')
    return good.read(query)
  }
  return { storage: { ...good, read, write }, arrived: () => Promise.all(underWay) }
}

interface Outcome {
  readonly caller: string
  readonly said: 'done' | 'refused' | 'unknown'
  readonly operation: string
}

async function outcomeOf(call: Promise<unknown>, rest: Omit<Outcome, 'said'>): Promise<Outcome> {
  try {
    await call
    return { ...rest, said: 'done' }
  } catch (error) {
    if (error instanceof ApiKeyError) return { ...rest, said: 'refused' }
    if (!(error instanceof OutageError)) throw error
    const isUnchanged = error.operation === 'read' || UNCHANGED_CODES.has(Object(error.cause).code)
    return { ...rest, said: isUnchanged ? 'refused' : 'unknown' }
  }
}

/** What one call does, by the number that was drawn. */
const CALLS: readonly [
  string,
  (keys: ApiKeys, id: string, actor: { id: string; name: string }) => Promise<unknown>,
][] = [
  ['create', (keys, _, creator) => keys.createKey(keyInput({ creator }))],
  ['pause', (keys, id, actor) => keys.pauseKey({ workspaceId: WORKSPACE, id, actor })],
  ['resume', (keys, id, actor) => keys.resumeKey({ workspaceId: WORKSPACE, id, actor })],
  [
    'update',
    async (keys, id, actor) => {
      const { version } = await keys.getKey({ workspaceId: WORKSPACE, id })
      const change = { name: actor.id }
      return keys.updateKey({ workspaceId: WORKSPACE, id, actor, version, change })
    },
  ],
  [
    'rotate',
    (keys, id, actor) => keys.rotateKey({ workspaceId: WORKSPACE, id, actor, overlapSeconds: 60 }),
  ],
  ['revoke', (keys, id, actor) => keys.revokeKey({ workspaceId: WORKSPACE, id, actor })],
]

/** The calls that say "done" where another call has done it, too. */
const REPEATABLE = new Set(['pause', 'resume', 'revoke'])

const ACTIVE_KEY_LIMIT = 6

const seeds = Array.from({ length: runs(40) }, (_, at) => at + 1)

test.each(seeds)(
  'no answer contradicts the store, whatever is lost, late or doubled: %i',
  async (seed) => {
    const random = new Random(seed)
    const good = memoryStorage()
    const { storage, arrived } = lossy(good, random)
    const entitlements = () => ({ publicApi: true, activeKeyLimit: ACTIVE_KEY_LIMIT })
    const open = (on: KeyStorage) =>
      createApiKeys({ storage: on, storageTimeoutMs: 300, entitlements })
    const processes = [open(storage), open(storage), open(storage)]
    const ids: string[] = []
    for (let at = 0; at < 4; at += 1) ids.push((await open(good).createKey(keyInput())).key.id)
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, async (_, at) => {
        await sleep(random.between(0, 600))
        const [operation, call] = random.pick(CALLS)
        const keys = processes[at % processes.length] as ApiKeys
        const caller = `u_call_${at}`
        return outcomeOf(call(keys, random.pick(ids), { id: caller, name: caller }), {
          caller,
          operation,
        })
      }),
    )
    await arrived()
    const view = open(good)
    const { events } = await view.listEvents({ workspaceId: WORKSPACE, limit: 200 })
    for (const { caller, said, operation } of outcomes) {
      const count = events.filter(({ actor }) => actor.id === caller).length
      const about = `${caller} ${operation} was ${said}`
      expect(count, about).toBeLessThanOrEqual(1)
      if (said === 'refused') expect(count, about).toBe(0)
      if (said === 'done' && !REPEATABLE.has(operation)) expect(count, about).toBe(1)
    }
    const { activeKeys } = await view.listKeys({ workspaceId: WORKSPACE })
    expect(activeKeys).toBeLessThanOrEqual(ACTIVE_KEY_LIMIT)
    expect(outcomes.some(({ said }) => said === 'done')).toBe(true)
  },
)
