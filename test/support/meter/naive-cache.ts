import { randomUUID } from 'node:crypto'
import { guardedBy, type Metered } from './metered-server.ts'

/** A table of keys behind a cache that no revocation reaches, as many services are built. */
export function naiveCache(ttlMs: number): Metered {
  const active = new Set<string>()
  const cache = new Map<string, { readonly isActive: boolean; readonly until: number }>()
  return {
    async create() {
      const id = randomUUID()
      active.add(id)
      return { id, secret: id }
    },
    async revoke(id) {
      active.delete(id)
    },
    guarded: guardedBy((secret) => {
      const known = cache.get(secret)
      if (known !== undefined && performance.now() < known.until) return known.isActive
      const isActive = active.has(secret)
      cache.set(secret, { isActive, until: performance.now() + ttlMs })
      return isActive
    }),
  }
}
