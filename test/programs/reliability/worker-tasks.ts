import { openSync, writeSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { relayEvents, writeNotices } from '../../../src/events/index.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { callKeys, type Outcome, outcomeOf } from './call.ts'
import { watchExpiry } from './expiry-race.ts'
import { importInto } from './import-rows.ts'
import { ADMIN, keysOn, newKey, nodesOn, openKeys } from './keys.ts'
import { applyTo, type KnownKey, randomOperation } from './operations.ts'
import { beginTraffic, endTraffic } from './traffic.ts'

/** A workspace whose keys to change. */
interface InWorkspace {
  readonly workspaceId: string
}

interface Secrets {
  readonly secrets: readonly string[]
}

interface Logged {
  readonly logPath: string
}

/** What a worker process can be told to do; each answers with plain data. */
export const workerTasks = {
  call: callKeys,
  beginTraffic,
  endTraffic,
  watchExpiry,

  /** Authenticates with a secret and stores the use, if it is accepted. */
  async use(storage: KeyStorage, { secret }: { readonly secret: string }): Promise<Outcome[]> {
    const { ok } = await keysOn(storage).authenticateSecret(secret, null)
    await keysOn(storage).flush()
    return ok ? [{ ok }] : []
  },

  /** Authenticates with each secret once; answers how many were accepted, and how many from the cache, if any. */
  async tryAll(storage: KeyStorage, { secrets }: Secrets) {
    const keys = nodesOn(storage).at(-1) ?? keysOn(storage)
    const before = keys.stats().cache?.hits
    const answers = await Promise.all(
      secrets.map((secret) => keys.authenticateSecret(secret, null, EVERYWHERE)),
    )
    const accepted = answers.filter(({ ok }) => ok).length
    const hits = keys.stats().cache?.hits
    const isCached = before !== undefined && hits !== undefined
    return { accepted, remembered: isCached ? hits - before : secrets.length }
  },

  /** Rotates the keys of a workspace while there are any; answers the secrets. */
  async rotateAll(storage: KeyStorage, { workspaceId }: InWorkspace) {
    const keys = keysOn(storage)
    const secrets: string[] = []
    for (;;) {
      const { keys: active } = await keys.listKeys({ workspaceId, status: 'active', limit: 20 })
      const key = active[Math.floor(Math.random() * active.length)]
      if (key === undefined) return secrets
      const overlapSeconds = Math.random() < 0.5 ? 0 : 60
      const input = { workspaceId, id: key.id, actor: ADMIN, overlapSeconds }
      const { ok } = await outcomeOf(() => keys.rotateKey(input))
      if (ok !== undefined) secrets.push(ok.secret)
    }
  },

  /** Changes keys of a workspace at random until the time is over; answers how often. */
  async mix(storage: KeyStorage, { workspaceId, ms }: InWorkspace & { readonly ms: number }) {
    const keys = keysOn(storage)
    const secrets = new Map<string, string>()
    const end = Date.now() + ms
    let changes = 0
    for (; Date.now() < end; changes += 1) {
      const { keys: active } = await keys.listKeys({ workspaceId, status: 'active', limit: 50 })
      const key = active[Math.floor(Math.random() * active.length)]
      const action = { workspaceId, id: key?.id ?? '', actor: ADMIN }
      const dice = Math.random()
      const { ok } = await outcomeOf(() => {
        if (dice < 0.4 || key === undefined) return keys.createKey(newKey(workspaceId))
        if (dice < 0.7) return keys.rotateKey(action)
        if (dice < 0.85) return keys.revokeKey(action)
        return keys.authenticateSecret(secrets.get(key.id) ?? '', null)
      })
      if (ok?.secret !== undefined) secrets.set(ok.key.id, ok.secret)
      if (changes % 5 === 0) await keys.flush()
      await nextTurn()
    }
    await keys.flush()
    return changes
  },

  /** Imports the rows of another system; answers what became of them. */
  importAll: (storage: KeyStorage, { keys }: { readonly keys: number }) =>
    importInto(storage, keys),

  /** Delivers events to a file, one line each, until it is killed. */
  relayUntilKilled(
    storage: KeyStorage,
    { logPath, leaseMs }: Logged & { readonly leaseMs: number },
  ) {
    const log = openSync(logPath, 'a')
    const deliver = ({ workspaceId, id }: { workspaceId: string; id: string }) =>
      void writeSync(log, `${workspaceId} ${id}\n`)
    relayEvents({ storage, leaseMs, pollMs: leaseMs / 10, deliver })
    return forever()
  },

  /** Writes notices until it is killed. */
  writeNoticesUntilKilled(storage: KeyStorage, _order: object) {
    writeNotices({ storage, pollMs: 5, storageTimeoutMs: 30_000 })
    return forever()
  },

  /**
   * Authenticates and flushes until it is killed. Each request is written to a file before it is made, and
   * a letter after each flush: what a file has taken survives the kill.
   */
  async useUntilKilled(
    storage: KeyStorage,
    { secrets, logPath }: Secrets & Logged,
  ): Promise<never> {
    const log = openSync(logPath, 'a')
    const keys = openKeys(storage)
    for (let count = 1; ; count += 1) {
      const at = Math.floor(Math.random() * secrets.length)
      writeSync(log, String(at))
      await keys.authenticateSecret(secrets[at], 'contacts.read')
      if (count % 50 !== 0) continue
      await keys.flush()
      writeSync(log, 'F')
    }
  },

  /**
   * Changes keys of its own workspace until it is killed. Each operation is written to a file
   * before it begins and again when it is answered: what a file has taken survives the kill.
   */
  async workUntilKilled(storage: KeyStorage, { workspaceId, logPath }: InWorkspace & Logged) {
    const log = openSync(logPath, 'a')
    const known: KnownKey[] = []
    const writer = `writer_${process.pid}_${Date.now()}`
    for (let sequence = 1; ; sequence += 1) {
      const operation = randomOperation(workspaceId, known, { writer, sequence })
      writeSync(log, `${JSON.stringify({ begun: operation })}\n`)
      const outcome = await applyTo(storage, operation)
      if (outcome === 'refused') throw new Error(`refused: ${JSON.stringify(operation)}`)
      writeSync(log, `${JSON.stringify({ answered: sequence })}\n`)
    }
  },
}

/** For keys that are restricted in nothing. */
const EVERYWHERE = { resource: 'none', clientAddress: null } as const

function forever(): Promise<never> {
  return new Promise(() => {})
}
