import { type HostCalls, same } from '../lib/host-calls.ts'
import { type StorageCall, withinTime } from '../lib/within-time.ts'
import { hashesAnswer, lagAnswer, nodeCountAnswer, renewalAnswer } from '../storage/answers.ts'
import type { ChangeLog } from '../storage/change-log.ts'
import type { KeyStorage } from '../storage/contract.ts'
import { MAX_LEASE_MS } from './barrier.ts'
import { type CacheSettings, changesOf } from './cache-options.ts'
import { RENEWALS_IN_LEASE } from './lease.ts'

export interface LogParts {
  readonly calls: HostCalls
  readonly storage: KeyStorage
  readonly storageTimeoutMs: number
  /** The options of this process's own cache; `null` without one. */
  readonly cache: CacheSettings | null
}

export type ReportingLog = ChangeLog & Required<Pick<ChangeLog, 'recentHashes'>>

/**
 * Wraps the storage's change log: each call has the storage time limit, renewals also a third of the lease,
 * its answer is checked, and its failure is reported as a fault. Every call fails when the storage has no
 * log. The failures of `laggingNodes`, which runs again and again, are for the caller to report.
 */
export function reportingLog({ calls, storage, storageTimeoutMs, cache }: LogParts): ReportingLog {
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
