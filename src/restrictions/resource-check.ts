import type { HostCalls } from '../lib/host-calls.ts'
import { refuseUnknown } from '../lib/known-names.ts'
import { ownItems, ownRecord } from '../lib/own-data.ts'
import { rememberedFor } from '../lib/remembered.ts'
import type { ResourceIds } from '../model/key-record.ts'

/** The ids that a request touches, by type: one, or several that must all be allowed. */
export type TouchedResources<T extends string = string> = {
  readonly [Type in T]?: string | readonly string[]
}

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
    try {
      const touched = touchedIn(answer, types)
      return restricted.every((type) => areAllowed(resources[type], touched[type]))
    } catch (error) {
      calls.fault('resource', error)
      return false
    }
  })
}

type Ids = readonly string[]

/** The ids in an answer, by type. Throws a `TypeError` for an answer that is no set of ids. */
function touchedIn(answer: unknown, types: readonly string[]): Readonly<Record<string, Ids>> {
  const named = ownRecord(answer)
  if (named === null) {
    throw new TypeError(`${RULE} must name ids by type, such as { ${types[0]}: id }.`)
  }
  refuseUnknown(named, types, `${RULE} names no type of resource`)
  const touched: Record<string, Ids> = Object.create(null)
  for (const type in named) touched[type] = idsIn(type, named[type])
  return touched
}

const RULE = 'The option "resource"'

function idsIn(type: string, value: unknown): Ids {
  if (typeof value === 'string' && value !== '') return [value]
  const ids = ownItems(value, MOST_TOUCHED + 1)
  const areIds = Array.isArray(ids) && ids.every((id) => typeof id === 'string' && id !== '')
  if (areIds && ids.length <= MOST_TOUCHED) return ids
  throw new TypeError(`${RULE} must name "${type}" by an id or at most ${MOST_TOUCHED} ids.`)
}

/** The ids of a key as a set: to look through a hundred takes as long as the rest of the check. */
const setOf = rememberedFor((ids: Ids) => new Set(ids))

function areAllowed(allowed: Ids | undefined, touched: Ids | undefined): boolean {
  if (allowed === undefined || touched === undefined || touched.length === 0) return false
  return touched.every((id) => setOf(allowed).has(id))
}
