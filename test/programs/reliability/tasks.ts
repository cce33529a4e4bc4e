import { openSync, writeSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { relayEvents } from '../../../src/events/index.ts'
import { ApiKeyError, type ApiKeys } from '../../../src/index.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { ADMIN, newKey, nodesOn, openKeys } from './keys.ts'

/** Calls of the library as plain data, all at once. */
export interface Calls {
  readonly method: 'createKey' | 'rotateKey' | 'updateKey'
  readonly input: object
  readonly times: number
}

/** How the traffic on one key went. */
export interface TrafficReport {
  readonly accepted: number
  /** Calls that were accepted although they began after the key was stopped. */
  readonly late: number
  /** Calls that were accepted after one of the same node was refused. */
  readonly revived: number
}

interface Logged {
  readonly logPath: string
}

/** What a process can be told to do; each answers with plain data. */
export const tasks = {
  /** Makes the calls; answers how many were not refused. */
  async call(storage: KeyStorage, { method, input, times }: Calls): Promise<number> {
    const [keys] = nodesOn(storage)
    const call = keys[method] as (input: object) => Promise<unknown>
    const isDone = async () => {
      try {
        await call(input)
        return true
      } catch (error) {
        if (error instanceof ApiKeyError) return false
        throw error
      }
    }
    const done = await Promise.all(Array.from({ length: times }, isDone))
    return done.filter(Boolean).length
  },

  /** Authenticates with a key over and over, with and without the cache, until `endTraffic`. */
  async beginTraffic(storage: KeyStorage, { secret }: { readonly secret: string }): Promise<true> {
    const callers = nodesOn(storage).map((keys) => callerOf(keys, secret))
    // The caches have read the key before it is stopped.
    await Promise.all(callers.map(({ call }) => call()))
    let going = true
    const running = callers.map(async ({ call, keys }) => {
      for (let turn = 0; going; turn += 1) {
        await call()
        if (turn % 30 === 2) await keys.flush()
        await nextTurn()
      }
    })
    traffic.set(secret, async () => {
      for (const { state } of callers) state.isStopped = true
      await Promise.all(callers.map(({ call }) => call()))
      going = false
      await Promise.all(running)
      await Promise.all(callers.map(({ keys }) => keys.flush()))
      return sumOf(callers.map(({ seen }) => seen))
    })
    return true
  },

  /** Calls at once, now that the key is stopped; answers how all calls went. */
  async endTraffic(_storage: KeyStorage, { secret }: { readonly secret: string }) {
    const end = traffic.get(secret)
    if (end === undefined) throw new Error('there is no traffic to end')
    traffic.delete(secret)
    return end()
  },

  /** Delivers events to a file, one line each, until it is killed. */
  relay(storage: KeyStorage, { logPath, leaseMs }: Logged & { readonly leaseMs: number }) {
    const log = openSync(logPath, 'a')
    const deliver = ({ workspaceId, id }: { workspaceId: string; id: string }) =>
      void writeSync(log, `${workspaceId} ${id}\n`)
    relayEvents({ storage, leaseMs, pollMs: leaseMs / 10, deliver })
    return new Promise<never>(() => {})
  },

  /** Authenticates until it is killed. Writes a dot before each request and an F after each flush. */
  async use(storage: KeyStorage, { secret, logPath }: Logged & { readonly secret: string }) {
    const log = openSync(logPath, 'a')
    const keys = openKeys(storage)
    for (let count = 1; ; count += 1) {
      writeSync(log, '.')
      await keys.authenticateSecret(secret, 'contacts.read')
      if (count % 50 !== 0) continue
      await keys.flush()
      writeSync(log, 'F')
    }
  },

  /** Changes keys of its own workspace until it is killed. Writes each event that a change has, once it is answered. */
  async change(
    storage: KeyStorage,
    { workspaceId, logPath }: Logged & { readonly workspaceId: string },
  ): Promise<never> {
    const log = openSync(logPath, 'a')
    const keys = openKeys(storage)
    const known = new Map<string, number>()
    const make = async (): Promise<string> => {
      const [id = '', version = 0] = [...known][Math.floor(Math.random() * known.size)] ?? []
      const action = { workspaceId, id, actor: ADMIN }
      const dice = Math.random()
      if (id === '' || dice < 0.4) {
        const { key } = await keys.createKey(newKey(workspaceId))
        known.set(key.id, 1)
        return `api_key.created ${key.id}`
      }
      if (dice < 0.6) {
        await keys.updateKey({ ...action, version, change: { name: `${dice}` } })
        known.set(id, version + 1)
        return `api_key.updated ${id}`
      }
      known.delete(id)
      if (dice < 0.8) {
        const { key } = await keys.rotateKey(action)
        known.set(key.id, 1)
        return `api_key.rotated ${id}`
      }
      await keys.revokeKey(action)
      return `api_key.revoked ${id}`
    }
    for (;;) writeSync(log, `${await make()}\n`)
  },
}

const traffic = new Map<string, () => Promise<TrafficReport>>()

/** What every call touches, and where it comes from. */
const CALL = { resource: { project: 'p_2' }, clientAddress: '198.51.100.7' }

function callerOf(keys: ApiKeys, secret: string) {
  const seen = { accepted: 0, late: 0, revived: 0 }
  const state = { isStopped: false, isRefused: false }
  const call = async () => {
    const { isStopped, isRefused } = state
    const { ok } = await keys.authenticateSecret(secret, 'contacts.read', CALL)
    if (!ok) state.isRefused = true
    else {
      seen.accepted += 1
      if (isStopped) seen.late += 1
      if (isRefused) seen.revived += 1
    }
  }
  return { keys, seen, state, call }
}

export function sumOf(reports: readonly TrafficReport[]): TrafficReport {
  const sum = (name: keyof TrafficReport) =>
    reports.reduce((total, report) => total + report[name], 0)
  return { accepted: sum('accepted'), late: sum('late'), revived: sum('revived') }
}
