import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ApiKeys } from '../../../src/index.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { nodesOn } from './keys.ts'
import { sumOf } from './rounds.ts'

/** The key whose traffic begins. */
export interface TrafficOrder {
  readonly id: string
  readonly secret: string
}

/** How the traffic on one key went. */
export interface TrafficReport {
  readonly accepted: number
  readonly refused: number
  /** Calls that were accepted although they began after the key was stopped. */
  readonly lateAccepts: number
  /** Calls that were accepted although one of the same node that had ended before they began was refused. */
  readonly revivals: number
}

/** What every call touches, and where it comes from. */
const CALL = { resource: { project: 'p_2' }, clientAddress: '198.51.100.7' }

const traffic = new Map<string, () => Promise<TrafficReport>>()

/** Authenticates with a key over and over and counts its uses, with and without the cache, until `endTraffic`. */
export async function beginTraffic(storage: KeyStorage, order: TrafficOrder): Promise<boolean> {
  const callers = nodesOn(storage).map((keys) => callerOf(keys, order))
  const callAll = () => Promise.all(callers.map(({ call }) => call()))
  // The caches have read the key before it is stopped.
  await callAll()
  let going = true
  const running = callers.map(async ({ call, keys }) => {
    for (let turn = 0; going; turn += 1) {
      await call()
      if (turn % 30 === 2) await keys.flush()
      await nextTurn()
    }
  })
  traffic.set(order.id, async () => {
    for (const { state } of callers) state.isStopped = true
    await callAll()
    going = false
    await Promise.all(running)
    await callAll()
    await Promise.all(callers.map(({ keys }) => keys.flush()))
    return sumOf(callers.map(({ seen }) => seen))
  })
  return true
}

/** Calls at once, now that the key is stopped; answers how all calls went. */
export async function endTraffic(
  _storage: KeyStorage,
  { id }: Pick<TrafficOrder, 'id'>,
): Promise<TrafficReport> {
  const end = traffic.get(id)
  if (end === undefined) throw new Error('there is no traffic to end')
  traffic.delete(id)
  return end()
}

function callerOf(keys: ApiKeys, { secret }: TrafficOrder) {
  const seen = { accepted: 0, refused: 0, lateAccepts: 0, revivals: 0 }
  const state = { isStopped: false, isRefused: false }
  const call = async () => {
    const { isStopped, isRefused } = state
    const { ok } = await keys.authenticateSecret(secret, 'contacts.read', CALL)
    seen[ok ? 'accepted' : 'refused'] += 1
    if (ok && isStopped) seen.lateAccepts += 1
    if (ok && isRefused) seen.revivals += 1
    if (!ok) state.isRefused = true
  }
  return { keys, seen, state, call }
}
