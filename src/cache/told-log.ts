import { type Context, same } from '../context.ts'
import { withinTime } from '../lib/within-time.ts'
import { countAnswer, nodesAnswer, renewalAnswer } from '../storage/answers.ts'
import type { ChangeLog } from '../storage/change-log.ts'
import type { StorageCall } from '../storage/contract.ts'
import { MAX_LEASE_MS } from './barrier.ts'
import { changesOf } from './cache-options.ts'
import { RENEWALS_IN_LEASE } from './lease.ts'

/**
 * Wraps the storage's change log: each call has the storage time limit, renewals also a third of the
 * lease, its answer is checked, and its failure is reported as a fault. Every call fails when the storage
 * has no log. The failures of `behind`, which is asked again and again, are for the caller to report.
 */
export function toldLog<S extends string>(context: Context<S>): ChangeLog {
  const { storage, storageTimeoutMs, cache } = context.settings
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
      context.ask('register', () => soon((call) => log().register(registration, call)), same),
    renew: async (request) =>
      context.ask('renew', () => soon((call) => log().renew(request, call)), renewalAnswer),
    behind: async (sequence) =>
      context.askQuietly((call) => log().behind(sequence, call), nodesAnswer),
    evict: async (nodes, sequence) =>
      context.ask('evict', (call) => log().evict(nodes, sequence, call), same),
    leave: async (node) => context.ask('leave', (call) => log().leave(node, call), same),
    changePlan: async (workspaceId) =>
      context.ask('changePlan', (call) => log().changePlan(workspaceId, call), countAnswer),
    wake: async () => context.ask('wake', async (call) => log().wake?.(call), same),
    listen: (onHint) => log().listen?.(onHint) ?? (() => {}),
  }
}
