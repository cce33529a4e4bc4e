import type { HostCalls } from '../lib/host-calls.ts'
import { ownData, ownItems } from '../lib/own-data.ts'
import type { ResourceIds } from '../model/key-record.ts'

/** The ids that a request touches, by type: one, or several that must all be allowed. */
export type TouchedResources = Readonly<Record<string, string | readonly string[]>>

/**
 * What a route says about resources for restricted keys: a function that names what the request touches;
 * `none` for a route that has nothing to do with them; `by_handler` for one that looks at the key itself;
 * `by_route` where a guard of each route names them.
 */
export type ResourceRule = 'none' | 'by_handler' | 'by_route' | (() => unknown)

/** The most ids of a type that one request can touch. */
const MOST_TOUCHED = 1_000

/**
 * Whether a key reaches what a request touches. It comes without a promise where the host's function does.
 * Fails closed: what is not named, or is no set of ids, is not allowed; the latter is reported. A function
 * that throws or hangs is an `OutageError`.
 */
export function reaches(
  resources: ResourceIds,
  rule: ResourceRule | undefined,
  { calls, types }: { readonly calls: HostCalls; readonly types: readonly string[] },
): boolean | Promise<boolean> {
  const restricted = Object.keys(resources)
  if (restricted.length === 0) return true
  if (rule === undefined || restricted.some((type) => !types.includes(type))) return false
  if (typeof rule !== 'function') return true
  return calls.run('resource', rule, (answer) => {
    const reached = reachedIn(answer, resources, types)
    if (reached !== null) return reached === restricted.length
    calls.fault('resource', new TypeError('the option "resource" named no resources by type.'))
    return false
  })
}

/** In how many of its types a key reaches what an answer names; `null` for an answer that is no set of ids. */
function reachedIn(
  answer: unknown,
  resources: ResourceIds,
  types: readonly string[],
): number | null {
  const named = ownData(answer)
  if (typeof named !== 'object' || named === null || Array.isArray(named)) return null
  let reached = 0
  for (const type of Object.keys(named)) {
    const ids = idsIn(named[type as keyof typeof named])
    if (ids === null || !types.includes(type)) return null
    const allowed = resources[type]
    if (allowed && ids.length > 0 && ids.every((id) => allowed.includes(id))) reached += 1
  }
  return reached
}

function idsIn(value: unknown): readonly string[] | null {
  const ids = typeof value === 'string' ? [value] : ownItems(value, MOST_TOUCHED + 1)
  const areIds = Array.isArray(ids) && ids.every((id) => typeof id === 'string' && id !== '')
  return areIds && ids.length <= MOST_TOUCHED ? ids : null
}
