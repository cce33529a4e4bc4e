import type * as z from 'zod/mini'
import { ownItems, ownRecord } from '../../lib/own-data.ts'
import type { KeyNetworks, KeyResources } from '../../model/key.ts'
import type { ResourceIds } from '../../model/key-record.ts'
import { networkProblem } from '../../restrictions/networks.ts'
import { described, type Problem, reading, refuseField } from './parse.ts'

const MAX_NETWORKS = 20
/** Over all types. */
const MAX_IDS = 100
/** The id of a resource: 1 to 128 visible ASCII characters. */
const ID = /^[\x21-\x7E]{1,128}$/

/** `any`, or the networks that a key may be used from. `allowsPrivate`: also those of a host's own network. */
export function networksSchema(allowsPrivate: boolean): z.ZodMiniType<KeyNetworks, unknown> {
  const list = { type: 'array', minItems: 1, maxItems: MAX_NETWORKS, items: { type: 'string' } }
  const json = { anyOf: [{ const: 'any' }, list] }
  return reading(described(json), (input, refuse): KeyNetworks => {
    if (input === 'any') return input
    const given = ownItems(input, MAX_NETWORKS + 1)
    const problems = problemsOfNetworks(given, allowsPrivate)
    return problems.length > 0 ? refuse(...problems) : Object.freeze(given as string[])
  })
}

function problemsOfNetworks(given: unknown, allowsPrivate: boolean): readonly Problem[] {
  if (!Array.isArray(given)) {
    return [{ code: 'invalid_type', message: 'must be "any" or a list of networks.' }]
  }
  if (given.length === 0) return [{ code: 'required', message: 'must name a network.' }]
  if (given.length > MAX_NETWORKS) {
    return [{ code: 'too_long', message: `must name at most ${MAX_NETWORKS} networks.` }]
  }
  const problems = given.flatMap((text, at) => problemOfNetwork(text, at, allowsPrivate) ?? [])
  if (problems.length > 0 || new Set(given).size === given.length) return problems
  return [{ code: 'repeated', message: 'must not repeat a network.' }]
}

function problemOfNetwork(text: unknown, at: number, allowsPrivate: boolean): Problem | null {
  const path = [at]
  if (typeof text !== 'string') return { path, code: 'invalid_type', message: 'must be text.' }
  const problem = networkProblem(text, allowsPrivate)
  return problem && { path, ...problem }
}

/**
 * What a key is to reach of each type: `all`, or a list of ids, which comes out frozen and in order. A type
 * that is left out does not come out.
 */
export function resourcesSchema(types: readonly string[]): z.ZodMiniType<KeyResources, unknown> {
  const list = { type: 'array', maxItems: MAX_IDS, items: { type: 'string', maxLength: 128 } }
  const access = { anyOf: [{ const: 'all' }, list] }
  const properties = Object.fromEntries(types.map((type) => [type, access]))
  const json = { type: 'object', properties, additionalProperties: false }
  return reading(described(json), (input, refuse): KeyResources => {
    const given = ownRecord(input)
    if (given === null) return refuse({ code: 'invalid_type', message: 'must be an object.' })
    const entries = Object.entries(given).map(
      ([type, access]) => [type, ownItems(access, MAX_IDS + 1)] as const,
    )
    const problems = entries.flatMap(([type, access]) => problemOfAccess(types, type, access) ?? [])
    if (problems.length > 0) return refuse(...problems)
    return Object.freeze(Object.fromEntries(entries.map(inOrder)))
  })
}

function problemOfAccess(types: readonly string[], type: string, access: unknown): Problem | null {
  const path = [type]
  if (!types.includes(type)) return { path, code: 'unknown_field', message: 'is not a type.' }
  if (access === 'all') return null
  if (!Array.isArray(access)) {
    return { path, code: 'invalid_type', message: 'must be "all" or a list of ids.' }
  }
  const wrong = access.findIndex((id) => !isResourceId(id))
  if (wrong >= 0) {
    const message = 'must be 1 to 128 visible ASCII characters.'
    return { path: [type, wrong], code: 'invalid_value', message }
  }
  if (new Set(access).size === access.length) return null
  return { path, code: 'repeated', message: 'must not repeat an id.' }
}

function isResourceId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value)
}

/** In one order, so that the same ids are the same list. */
function inOrder([type, access]: readonly [string, unknown]): [string, KeyResources[string]] {
  return [type, access === 'all' ? access : Object.freeze((access as string[]).toSorted())]
}

/** One resource: `{ type: id }`. Comes out as its type and its id. */
export function resourceSchema(types: readonly string[]) {
  const properties = Object.fromEntries(types.map((type) => [type, { type: 'string' }]))
  const bounds = { minProperties: 1, maxProperties: 1, additionalProperties: false }
  return reading(described({ type: 'object', properties, ...bounds }), (input, refuse) => {
    const entries = Object.entries(ownRecord(input) ?? {})
    const [[type, id] = ['', null]] = entries
    if (entries.length === 1 && types.includes(type) && isResourceId(id)) return { type, id }
    const message = 'must name one resource by its type and its id.'
    return refuse({ code: 'invalid_value', message })
  })
}

/**
 * What a key is restricted to after a change of the field at `path`. Types that the change does not name stay.
 * Throws `invalid_input` for too many ids.
 */
export function restrictedTo(
  before: ResourceIds,
  change: KeyResources,
  path: readonly string[],
): ResourceIds {
  const after: Record<string, readonly string[]> = { ...before }
  for (const [type, access] of Object.entries(change)) {
    if (access === 'all') delete after[type]
    else after[type] = access
  }
  const count = Object.values(after).reduce((sum, ids) => sum + ids.length, 0)
  const message = `must name at most ${MAX_IDS} ids.`
  refuseField(path, count > MAX_IDS ? { code: 'too_long', message } : null)
  return Object.freeze(after)
}
