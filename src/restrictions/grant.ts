import { refuseUnknown } from '../lib/known-names.ts'
import { hasProperty, ownData, ownItems, ownRecord } from '../lib/own-data.ts'
import { ApiKeyError } from '../model/errors.ts'
import type { Grantable, MissingGrant } from '../model/grant.ts'
import type { Environment, KeyResources } from '../model/key.ts'
import type { KeyRecord } from '../model/key-record.ts'
import { ENVIRONMENTS } from '../model/status.ts'
import { areWithin, networkProblem } from './networks.ts'

export type Rights = Pick<KeyRecord, 'scopes' | 'resources' | 'networks' | 'environment'>

interface Offer {
  readonly catalogue: { readonly scopes: readonly string[] }
  readonly resources: { readonly types: readonly string[] }
}

/** The most scopes, ids or networks that a grant lists. */
const MOST_ITEMS = 10_000

const DIMENSIONS: readonly (keyof Grantable)[] = ['scopes', 'resources', 'networks', 'environments']

/** A checked grant. */
export class Ceiling {
  readonly #lists: Omit<Grantable, 'resources'>
  /** What of each type may be given; nothing where all of each may. */
  readonly #access: KeyResources

  /** Throws a `TypeError` for a grant that is incomplete or names something unknown. */
  constructor(grantable: unknown, { catalogue, resources }: Offer) {
    const data = ownRecord(grantable)
    if (data === null) {
      throw mistake('must be an object with scopes, resources, networks and environments')
    }
    refuseUnknown(data, DIMENSIONS, 'grantable has no dimension')
    const { scopes, resources: access, networks, environments } = data
    this.#access = access === 'all' ? {} : accessIn(access, resources.types)
    const isScope = (scope: unknown) => catalogue.scopes.includes(scope as string)
    const isEnvironment = (name: unknown) => ENVIRONMENTS.some((known) => known === name)
    this.#lists = {
      scopes: listOf<string>('scopes', scopes, isScope),
      networks: listOf<string, 'any'>('networks', networks, isNetwork, 'any'),
      environments: listOf<Environment>('environments', environments, isEnvironment),
    }
  }

  /** Throws `not_grantable`, with what is missing, for rights that exceed the grant. */
  assert(rights: Rights): void {
    const missing = this.missing(rights)
    if (missing !== null) throw new ApiKeyError('not_grantable', { missing })
  }

  /** What of these rights exceeds the grant, by dimension; `null` for nothing. */
  missing({ scopes, resources, networks, environment }: Rights): MissingGrant | null {
    const allowed = this.#lists
    const lacking = scopes.filter((scope) => !allowed.scopes.includes(scope))
    const missing: MissingGrant = {
      ...(lacking.length > 0 && { scopes: lacking }),
      ...this.#missingResources(resources),
      ...(!areWithin(networks, allowed.networks) && { networks }),
      ...(!allowed.environments.includes(environment) && { environments: [environment] }),
    }
    return Object.keys(missing).length === 0 ? null : Object.freeze(missing)
  }

  #missingResources(resources: Rights['resources']): Pick<MissingGrant, 'resources'> {
    const lacking: Record<string, KeyResources[string]> = {}
    for (const [type, allowed] of Object.entries(this.#access)) {
      if (allowed === 'all') continue
      const ids = Object.hasOwn(resources, type) ? resources[type] : undefined
      const beyond = ids?.filter((id) => !allowed.includes(id)) ?? 'all'
      if (beyond.length > 0) lacking[type] = beyond
    }
    return Object.keys(lacking).length === 0 ? {} : { resources: Object.freeze(lacking) }
  }
}

/**
 * The ceiling in the input of an operation, and the input without it. Throws a `TypeError` where `grantable`
 * is there but is no grant: a mistake of the host must never mean "all".
 */
export function takeCeiling(
  input: unknown,
  offer: Offer,
): { readonly ceiling: Ceiling | null; readonly given: unknown } {
  const data = ownData(input)
  if (typeof data !== 'object' || data === null) return { ceiling: null, given: data }
  if (!Object.hasOwn(data, 'grantable')) {
    if (hasProperty(Object(input), 'grantable')) throw mistake('must be a plain property')
    return { ceiling: null, given: data }
  }
  const { grantable, ...given } = data as Record<string, unknown>
  return { ceiling: new Ceiling(grantable, offer), given }
}

/** Whether a key is within a ceiling; every key is without one. */
export function isWithin(ceiling: Ceiling | null): (key: Rights) => boolean {
  return (key) => ceiling === null || ceiling.missing(key) === null
}

function accessIn(access: unknown, types: readonly string[]): KeyResources {
  const named = ownRecord(access) ?? {}
  refuseUnknown(named, types, 'grantable has no type of resource')
  const isText = (id: unknown) => typeof id === 'string'
  const idsOf = (type: string) => listOf(`resources.${type}`, named[type], isText, 'all')
  return Object.freeze(Object.fromEntries(types.map((type) => [type, idsOf(type)])))
}

function isNetwork(network: unknown): boolean {
  return typeof network === 'string' && networkProblem(network, true) === null
}

function listOf<T extends string, All extends string = never>(
  name: string,
  value: unknown,
  isMember: (item: unknown) => boolean,
  all?: All,
): readonly T[] | All {
  if (all !== undefined && value === all) return all
  const items = ownItems(value, MOST_ITEMS + 1)
  const needs = `needs a list${all === undefined ? '' : ` or "${all}"`} in "${name}"`
  if (!Array.isArray(items) || items.length > MOST_ITEMS) throw mistake(needs)
  const unknown = items.findIndex((item) => !isMember(item))
  if (unknown >= 0) throw mistake(`has something unknown at "${name}.${unknown}"`)
  return Object.freeze(items as T[])
}

function mistake(what: string): TypeError {
  return new TypeError(`grantable ${what}.`)
}
