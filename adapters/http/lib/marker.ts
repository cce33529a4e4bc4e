/** What a guard says about resources; see `guardedRoutes` of `miftah/testing`, which has this name too. */
const MARKER = Symbol.for('miftah.guard')

/** Lets a test of the host see what a guard says about resources. */
export function marked<G extends object>(guard: G, options: object): G {
  const resource = Object.hasOwn(options, 'resource') ? Reflect.get(options, 'resource') : null
  const value = Object.freeze({
    resource: typeof resource === 'function' ? 'named' : (resource ?? null),
  })
  return Object.defineProperty(guard, MARKER, { value })
}
