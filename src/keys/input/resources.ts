import * as z from 'zod/mini'
import { ownData, ownItems } from '../../lib/own-data.ts'
import type { KeyResources } from '../../model/key.ts'
import type { ResourceIds } from '../../model/key-record.ts'
import { invalidField, type Problem, refuse } from './refuse.ts'

/** Over all types. */
const MAX_IDS = 100
const ID = /^[\x21-\x7E]{1,128}$/

/** Whether a value can be the id of a resource: 1 to 128 visible ASCII characters. */
export function isResourceId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value)
}

/**
 * What a key is to reach of each type: `all`, or a list of ids, which comes out frozen and in order. A type
 * that is left out does not come out.
 */
export function resourcesSchema(types: readonly string[]): z.ZodMiniType<KeyResources, unknown> {
  const list = { type: 'array', maxItems: MAX_IDS, items: { type: 'string', maxLength: 128 } }
  const access = { anyOf: [{ const: 'all' }, list] }
  const properties = Object.fromEntries(types.map((type) => [type, access]))
  return z.pipe(
    z
      .unknown()
      .register(z.globalRegistry, { type: 'object', properties, additionalProperties: false }),
    z.transform((input: unknown, context): KeyResources => {
      const given = ownData(input)
      if (typeof given !== 'object' || given === null || Array.isArray(given)) {
        return refuse(context, { code: 'invalid_type', message: 'must be an object.' })
      }
      const entries = Object.entries(given).map(
        ([type, access]) => [type, ownItems(access, MAX_IDS + 1)] as const,
      )
      const problems = entries.flatMap(([type, access]) => problemsOf(types, type, access))
      for (const problem of problems) refuse(context, problem)
      if (problems.length > 0) return z.NEVER
      return Object.freeze(Object.fromEntries(entries.map(inOrder)))
    }),
  )
}

/** One resource: `{ type: id }`. Comes out as its type and its id. */
export function resourceSchema(types: readonly string[]) {
  const properties = Object.fromEntries(types.map((type) => [type, { type: 'string' }]))
  const bounds = { minProperties: 1, maxProperties: 1, additionalProperties: false }
  return z.pipe(
    z.unknown().register(z.globalRegistry, { type: 'object', properties, ...bounds }),
    z.transform((input: unknown, context) => {
      const entries = Object.entries(Object(ownData(input)) as Record<string, unknown>)
      const [[type, id] = ['', null]] = entries
      if (entries.length === 1 && types.includes(type) && isResourceId(id)) return { type, id }
      const message = 'must name one resource by its type and its id.'
      return refuse(context, { code: 'invalid_value', message })
    }),
  )
}

/** What a key is restricted to after a change. Types that the change does not name stay. */
export function restrictedTo(before: ResourceIds, change: KeyResources): ResourceIds {
  const after: Record<string, readonly string[]> = { ...before }
  for (const [type, access] of Object.entries(change)) {
    if (access === 'all') delete after[type]
    else after[type] = access
  }
  return Object.freeze(after)
}

/** What a new key is restricted to. Throws `invalid_input` for too many ids. */
export function newRestriction(resources: KeyResources = {}): ResourceIds {
  const ids = restrictedTo({}, resources)
  const problem = idsProblem(ids)
  if (problem !== null) throw invalidField(['resources'], problem)
  return ids
}

/** What is wrong with the number of ids, if anything. */
export function idsProblem(resources: ResourceIds): Problem | null {
  const count = Object.values(resources).reduce((sum, ids) => sum + ids.length, 0)
  if (count <= MAX_IDS) return null
  return { code: 'too_long', message: `must name at most ${MAX_IDS} ids.` }
}

function problemsOf(types: readonly string[], type: string, access: unknown): readonly Problem[] {
  const path = [type]
  if (!types.includes(type)) return [{ path, code: 'unknown_field', message: 'is not a type.' }]
  if (access === 'all') return []
  if (!Array.isArray(access)) {
    return [{ path, code: 'invalid_type', message: 'must be "all" or a list of ids.' }]
  }
  const ids: readonly unknown[] = access
  const wrong = ids.findIndex((id) => !isResourceId(id))
  if (wrong >= 0) {
    const message = 'must be 1 to 128 visible ASCII characters.'
    return [{ path: [type, wrong], code: 'invalid_value', message }]
  }
  if (new Set(ids).size === ids.length) return []
  return [{ path, code: 'repeated', message: 'must not repeat an id.' }]
}

/** In one order, so that the same ids are the same list. */
function inOrder([type, access]: readonly [string, unknown]): [string, KeyResources[string]] {
  return [type, access === 'all' ? access : Object.freeze((access as string[]).toSorted())]
}
