import { type HostCalls, same } from '../lib/host-calls.ts'
import { type StorageCall, withinTime } from '../lib/within-time.ts'
import { mintId } from '../secret/mint.ts'
import { hashesAnswer, lagAnswer, nodeCountAnswer, renewalAnswer } from '../storage/answers.ts'
import type { ChangeLog } from '../storage/change-log.ts'
import type { KeyStorage } from '../storage/contract.ts'
import { Barrier, MAX_LEASE_MS } from './barrier.ts'
import { type CacheSettings, changesOf } from './cache-options.ts'
import { type LeaseFault, RENEWALS_IN_LEASE, thisMachine } from './lease.ts'
import { type ReadKey, StrictCache } from './strict-cache.ts'

const FAULTS: Readonly<Record<LeaseFault, string>> = {
  clock_jump: 'the clocks diverged: the machine was suspended, or its time was set',
  evicted: 'this process missed its renewals and was evicted',
  restored: 'the database lost renewals: it was restored, or a failover lost commits',
}

interface CachesParts extends LogParts {
  /** Forgets the plan of a workspace, or of all. */
  readonly dropPlan: (workspaceId: string | null) => void
}

/** The cache of this process, if it has one, and those of all others. */
export class Caches<T> {
  readonly own: StrictCache<T> | null
  readonly #parts: CachesParts
  readonly #log: ReportingLog
  readonly #barrier: Barrier

  constructor(parts: CachesParts) {
    const log = reportingLog(parts)
    this.#parts = parts
    this.#log = log
    this.own = openCache<T>(parts, log)
    this.#barrier = new Barrier({
      log,
      machine: thisMachine,
      onFailedLook: (error) => void parts.calls.fault('laggingNodes', error),
    })
  }

  /** Reads the keys that were used last, if the option says so. A failure is reported: requests read the rest. */
  async warm(read: (hash: string) => ReturnType<ReadKey<T>>): Promise<void> {
    const limit = this.#parts.cache?.warm ?? 0
    if (limit === 0) return
    try {
      await this.own?.warm(await this.#log.recentHashes(limit), read)
    } catch (error) {
      this.#parts.calls.report('warm', error)
    }
  }

  /** Forgets a key in this process. */
  forget(hash: string): void {
    this.own?.forget(hash)
  }

  /** Forgets keys in this process and waits, if the change is logged, until no other one answers as before it. */
  async wait(hashes: readonly string[], isLogged: boolean): Promise<void> {
    for (const hash of hashes) this.forget(hash)
    if (isLogged) await this.#barrier.waitForAcknowledgements(this.own?.node ?? null)
  }

  /** Waits, if a change is logged, until no process, this one included, answers as before it. */
  async waitForAll(isLogged: boolean): Promise<void> {
    if (isLogged) await this.#barrier.waitForAcknowledgements(null)
  }

  /** Forgets the plan of a workspace, or of all: in every process with a cache, if this one has one. */
  async dropPlan(workspaceId: string | null): Promise<void> {
    if (this.own === null) return this.#parts.dropPlan(workspaceId)
    await this.own.changePlan(workspaceId)
    await this.#barrier.waitForAcknowledgements(this.own.node)
  }
}

function openCache<T>(
  { cache, calls, dropPlan }: CachesParts,
  log: ChangeLog,
): StrictCache<T> | null {
  if (cache === null) return null
  return new StrictCache<T>({
    ...cache,
    log,
    machine: thisMachine,
    newNode: () => mintId('nod'),
    onPlanChange: dropPlan,
    onFailedRenewal: (error) => calls.report('renew', error),
    onFailedLook: (error) => void calls.fault('laggingNodes', error),
    inTime: (check) => calls.run('renew', check, same),
    onFault: (fault) => void calls.fault('lease', new Error(`The lease ended: ${FAULTS[fault]}.`)),
  })
}

interface LogParts {
  readonly calls: HostCalls
  readonly storage: KeyStorage
  readonly storageTimeoutMs: number
  /** The options of this process's own cache; `null` without one. */
  readonly cache: CacheSettings | null
}

type ReportingLog = ChangeLog & Required<Pick<ChangeLog, 'recentHashes'>>

/**
 * Wraps the storage's change log: each call has the storage time limit, renewals also a third of the lease,
 * its answer is checked, and its failure is reported as a fault. Every call fails when the storage has no
 * log. The failures of `laggingNodes`, which runs again and again, are for the caller to report.
 */
function reportingLog({ calls, storage, storageTimeoutMs, cache }: LogParts): ReportingLog {
  const changes = changesOf(storage)
  // Without a cache nothing is renewed.
  const leaseMs = cache?.leaseMs ?? MAX_LEASE_MS
  const limit = { timeoutMs: Math.min(storageTimeoutMs, Math.floor(leaseMs / RENEWALS_IN_LEASE)) }
  const log = () => {
    if (changes === null) throw new TypeError('The storage has no log of changes.')
    return changes
  }
  const soon = <T>(work: (call: StorageCall) => Promise<T>) => withinTime(limit, work)
  return {
    register: async (registration) =>
      calls.run('register', (call) => log().register(registration, call), same),
    renew: async (request) =>
      calls.run('renew', () => soon((call) => log().renew(request, call)), renewalAnswer),
    laggingNodes: async (sequence) =>
      calls.attempt('laggingNodes', (call) => log().laggingNodes(sequence, call), lagAnswer),
    countNodes: async () =>
      calls.run('countNodes', (call) => log().countNodes(call), nodeCountAnswer),
    recentHashes: async (limit) =>
      calls.run(
        'recentHashes',
        async (call) => log().recentHashes?.(limit, call),
        (answer) => hashesAnswer(answer, limit),
      ),
    evict: async (nodes, sequence) =>
      calls.run('evict', (call) => log().evict(nodes, sequence, call), same),
    leave: async (node) => calls.run('leave', (call) => log().leave(node, call), same),
    changePlan: async (workspaceId) =>
      calls.run('changePlan', (call) => log().changePlan(workspaceId, call), same),
    wake: async () => calls.run('wake', async (call) => log().wake?.(call), same),
    listen: (onHint) => log().listen?.(onHint) ?? (() => {}),
  }
}
