import type { AuthenticatedKey } from '../model/key.ts'

/**
 * Restricted keys that a guard with `resource: 'by_route'` has let through, by request. The request has no
 * key until a guard of the route has named what it touches, so a route that forgets is refused.
 */
const pending = new WeakMap<object, AuthenticatedKey>()

/** Keeps a key until a guard of the route decides about it. */
export function holdKey(request: unknown, key: AuthenticatedKey): void {
  if (isObject(request)) pending.set(request, key)
}

/** The key that waits for a guard of the route, if one does. */
export function pendingKey(request: unknown): AuthenticatedKey | undefined {
  return isObject(request) ? pending.get(request) : undefined
}

/** Whether a key is restricted to some resources. */
export function isRestricted({ resources }: AuthenticatedKey): boolean {
  return Object.values(resources).some((access) => access !== 'all')
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
