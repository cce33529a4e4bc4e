import { same } from '../lib/host-calls.ts'
import { mintId } from '../secret/mint.ts'
import type { ChangeLog } from '../storage/change-log.ts'
import { Barrier } from './barrier.ts'
import type { LeaseFault } from './lease.ts'
import { thisMachine } from './lease.ts'
import { type LogParts, type ReportingLog, reportingLog } from './reporting-log.ts'
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

  forget(hash: string): void {
    this.own?.forget(hash)
  }

  async wait(hashes: readonly string[], isLogged: boolean): Promise<void> {
    for (const hash of hashes) this.forget(hash)
    if (isLogged) await this.#barrier.waitForAcknowledgements(this.own?.node ?? null)
  }

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
