import { openSync, writeSync } from 'node:fs'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleRotateChange,
  sampleUpdateChange,
} from '../../../adapters/storage/testing/storage-contract.ts'
import { writeNotices } from '../../../src/events/index.ts'
import type { ErasureOutcome, KeyRecord, KeyStorage } from '../../../src/storage/index.ts'
import { revokeKeysOf, tryAll } from './bulk-tasks.ts'
import { actOnKey } from './ceiling-tasks.ts'
import { raceToExpiry } from './expiry-tasks.ts'
import { importInto } from './import-rows.ts'
import { beginNarrowing, endNarrowing } from './narrow-tasks.ts'
import { applyTo, randomOperation } from './operations.ts'
import { useUntilKilled } from './usage-log.ts'

/** How a worker's traffic on one key went. */
export interface TrafficReport {
  /** Uses that `addUses` has answered for. */
  readonly uses: number
  /** Lookups that saw the key alive although this worker had seen it dead before they began. */
  readonly revivals: number
  /** Lookups that saw it alive although they began after the revocation had answered. */
  readonly staleAccepts: number
  readonly lookups: number
}

const WRITER = `writer_${process.pid}_${Date.now()}`
let sequence = 0
let counting: Promise<void> = Promise.resolve()
let trafficEnds: (() => Promise<TrafficReport>) | null = null

/** What a worker process can be told to do; each answers with what JSON can carry. */
export const workerTasks = {
  /** Inserts fresh keys at once; answers how many went in. */
  async insertMany(storage: KeyStorage, { workspaceId, count, limit }: InsertMany) {
    const outcomes = await Promise.all(
      Array.from({ length: count }, () => {
        const record = sampleRecord({ workspaceId })
        return storage.insert(record, limit, sampleCreatedEvent(record))
      }),
    )
    return outcomes.filter(({ inserted }) => inserted).length
  },

  /** Rotates one key many times at once; answers each outcome. */
  async rotateMany(storage: KeyStorage, { record, count }: RotateMany) {
    const rotations = Array.from({ length: count }, () =>
      storage.rotate(sampleRotateChange(record)),
    )
    return (await Promise.all(rotations)).map(({ outcome }) => outcome)
  },

  /** Imports the rows of another system; answers what became of them. */
  importAll: (storage: KeyStorage, { keys }: { readonly keys: number }) =>
    importInto(storage, keys),

  /** Authenticates with texts of one key of another system; answers the verdicts and the faults. */

  /** Does one thing to a key that is at the version of `record`. */
  async attempt(storage: KeyStorage, { record, kind }: AttemptOrder): Promise<Attempt> {
    switch (kind) {
      case 'update': {
        const name = `by ${WRITER} ${Math.random()}`
        const { outcome } = await storage.update(sampleUpdateChange(record, { name }))
        return { kind, outcome, name }
      }
      case 'rotate':
        return { kind, outcome: (await storage.rotate(sampleRotateChange(record))).outcome }
      case 'revoke':
        return { kind, outcome: (await storage.revoke(sampleRevokeChange(record))).outcome }
      case 'addUses':
        await countUses(storage, record.id, 1)
        return { kind, outcome: 'counted' }
    }
  },

  /** Erases a workspace in small steps. */
  async eraseWorkspace(storage: KeyStorage, { workspaceId }: EraseOrder) {
    const erasure = { workspaceId, erasedAtMs: Date.now(), limit: 2 }
    await untilDone(() => storage.eraseWorkspace(erasure))
  },

  /** Purges dead keys in small steps. */
  async purge(storage: KeyStorage, { endedBeforeMs }: EraseOrder) {
    const asked = { endedBeforeMs, eventsBeforeMs: null, limit: 2 }
    await untilDone(() => storage.purge(asked))
  },

  /** Changes keys of a workspace at random until the time is over; answers how often. */
  async mix(storage: KeyStorage, { workspaceId, limit, ms }: Mix) {
    const end = Date.now() + ms
    let changes = 0
    while (Date.now() < end) {
      await randomChange(storage, workspaceId, limit)
      changes += 1
      await nextTurn()
    }
    return changes
  },

  /** Begins to authenticate with a key and to count its uses, until `endTraffic`. */
  async beginTraffic(storage: KeyStorage, { hash, id }: { hash: string; id: string }) {
    trafficEnds = traffic(storage, hash, id)
    return true
  },

  /** Looks the key up at once, goes on for a while, and answers how it all went. */
  async endTraffic() {
    if (!trafficEnds) throw new Error('there is no traffic to end')
    return trafficEnds()
  },

  /** Looks a key up; answers whether it is alive. */
  async isAlive(storage: KeyStorage, { hash }: { hash: string }) {
    return isAlive(storage, hash)
  },

  /** Delivers events to a file, one line each, until it is killed. */
  async relayUntilKilled(storage: KeyStorage, { logPath, leaseMs }: RelayUntilKilled) {
    const log = openSync(logPath, 'a')
    for (;;) {
      const claim = { relay: WRITER, leaseMs, limit: 5, except: [] }
      const claimed = await storage.claimEvents(claim)
      for (const { workspaceId, id } of claimed) {
        writeSync(log, `${workspaceId} ${id}\n`)
        await nextTurn()
      }
      if (claimed.length === 0) await pause(leaseMs / 10)
      else
        await storage.acknowledgeEvents(
          WRITER,
          claimed.map(({ id }) => id),
        )
    }
  },

  useUntilKilled,

  raceToExpiry,

  beginNarrowing,
  endNarrowing,

  revokeKeysOf,
  tryAll,

  actOnKey,

  /** Writes notices until it is killed. */
  async writeNoticesUntilKilled(storage: KeyStorage, _order: object): Promise<never> {
    writeNotices({ storage, pollMs: 5, storageTimeoutMs: 30_000 })
    return new Promise(() => {})
  },

  /**
   * Changes keys of its own workspace until it is killed. Each operation is written to a file
   * before it begins and again when it is answered: what a file has taken survives the kill.
   */
  async workUntilKilled(storage: KeyStorage, { workspaceId, logPath }: WorkUntilKilled) {
    const log = openSync(logPath, 'a')
    const known: KeyRecord[] = []
    for (let number = 1; ; number += 1) {
      const operation = randomOperation(workspaceId, known, { writer: WRITER, sequence: number })
      writeSync(log, `${JSON.stringify({ begun: operation })}\n`)
      await applyTo(storage, operation)
      writeSync(log, `${JSON.stringify({ answered: number })}\n`)
    }
  },
}

/** What `attempt` did. */
export interface Attempt {
  readonly kind: AttemptOrder['kind']
  readonly outcome: string
  /** The name that an update has tried to give. */
  readonly name?: string
}

interface AttemptOrder {
  readonly record: KeyRecord
  readonly kind: 'update' | 'rotate' | 'revoke' | 'addUses'
}

interface EraseOrder {
  readonly workspaceId: string
  readonly endedBeforeMs: number
}

async function untilDone(step: () => Promise<ErasureOutcome>): Promise<void> {
  while ((await step()).more) await nextTurn()
}

interface InsertMany {
  readonly workspaceId: string
  readonly count: number
  readonly limit: number | null
}

interface RotateMany {
  readonly record: KeyRecord
  readonly count: number
}

interface Mix {
  readonly workspaceId: string
  readonly limit: number
  readonly ms: number
}

interface RelayUntilKilled {
  readonly logPath: string
  readonly leaseMs: number
}

interface WorkUntilKilled {
  readonly workspaceId: string
  readonly logPath: string
}

async function randomChange(storage: KeyStorage, workspaceId: string, limit: number) {
  const query = { status: ['active' as const], environment: null, atMs: 0, after: null, limit: 50 }
  const active = (await storage.list(workspaceId, query))?.records ?? []
  const record = active[Math.floor(Math.random() * active.length)]
  const dice = Math.random()
  if (dice < 0.4 || !record) {
    const fresh = sampleRecord({ workspaceId })
    await storage.insert(fresh, limit, sampleCreatedEvent(fresh))
  } else if (dice < 0.7) await storage.rotate(sampleRotateChange(record))
  else if (dice < 0.85) await storage.revoke(sampleRevokeChange(record))
  else await countUses(storage, record.id, 1)
}

function traffic(storage: KeyStorage, hash: string, id: string): () => Promise<TrafficReport> {
  const seen = { uses: 0, revivals: 0, staleAccepts: 0, lookups: 0 }
  let dead = false
  let revoked = false
  let pending = 0
  const authenticate = async () => {
    // Two lookups at once may answer in either order: what counts is what was known at the start.
    const expectDead = revoked
    const wasDead = dead
    const alive = await isAlive(storage, hash)
    seen.lookups += 1
    if (alive && wasDead) seen.revivals += 1
    if (alive && expectDead) seen.staleAccepts += 1
    if (alive) pending += 1
    else dead = true
  }
  const flush = async () => {
    const uses = pending
    pending = 0
    if (uses > 0) await countUses(storage, id, uses)
    seen.uses += uses
  }
  let going = true
  const running = (async () => {
    for (let turn = 0; going; turn += 1) {
      await authenticate()
      if (turn % 3 === 2) await flush()
      await nextTurn()
    }
  })()
  return async () => {
    revoked = true
    await authenticate()
    // The flush that a busy process sends late: the key is dead and its uses still count.
    pending += 1
    await flush()
    await authenticate()
    going = false
    await running
    await flush()
    await authenticate()
    return seen
  }
}

/** Whether a key is neither revoked nor paused. */
async function isAlive(storage: KeyStorage, hash: string): Promise<boolean> {
  const record = await storage.findByHash(hash)
  return record !== null && record.revokedAtMs === null && record.pausedAtMs === null
}

/** Sends batches one after another, as the contract asks of a writer. */
function countUses(storage: KeyStorage, id: string, uses: number): Promise<void> {
  sequence += 1
  const batch = { writer: WRITER, sequence, uses: [{ id, uses, lastUsedAtMs: Date.now() }] }
  counting = counting.then(() => storage.addUses(batch))
  return counting
}
