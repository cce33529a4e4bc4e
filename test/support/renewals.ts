import type { ChangeLog } from '../../src/storage/index.ts'

/** Renews nodes that have had an answer to each renewal before. */
export function renewalsOn(log: ChangeLog) {
  const answered: Record<string, number> = {}
  return async (node: string, applied: number | null = 0) => {
    const before = answered[node] ?? 0
    answered[node] = before + 1
    const renewal = await log.renew({ node, renewal: before + 1, answered: before, applied })
    if (renewal.outcome !== 'renewed') throw new Error('evicted')
    return renewal
  }
}
