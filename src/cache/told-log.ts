import { type Context, same } from '../context.ts'
import { countAnswer, nodesAnswer, renewalAnswer } from '../storage/answers.ts'
import type { ChangeLog } from '../storage/change-log.ts'
import { changesOf } from './cache-options.ts'

/**
 * Wraps the storage's change log: each call has the storage time limit, its answer is checked, and its
 * failure is reported as a fault. Every call fails when the storage has no log.
 */
export function toldLog<S extends string>(context: Context<S>): ChangeLog {
  const changes = changesOf(context.settings.storage)
  const log = () => {
    if (changes === null) throw new TypeError('The storage has no log of changes.')
    return changes
  }
  return {
    register: async (registration) =>
      context.ask('register', (call) => log().register(registration, call), same),
    renew: async (request) =>
      context.ask('renew', (call) => log().renew(request, call), renewalAnswer),
    behind: async (sequence) =>
      context.ask('behind', (call) => log().behind(sequence, call), nodesAnswer),
    evict: async (node, sequence) =>
      context.ask('evict', (call) => log().evict(node, sequence, call), same),
    leave: async (node) => context.ask('leave', (call) => log().leave(node, call), same),
    changePlan: async (workspaceId) =>
      context.ask('changePlan', (call) => log().changePlan(workspaceId, call), countAnswer),
    wake: async () => context.ask('wake', async (call) => log().wake?.(call), same),
    listen: (onHint) => log().listen?.(onHint) ?? (() => {}),
  }
}
