import type { Grantable } from '../../../src/model/grant.ts'
import type { Environment, KeyResources } from '../../../src/model/key.ts'
import { ManagementError, type WireKey } from '../../client/index.ts'
import type { Context } from '../context.ts'
import { labelOf } from '../list/catalogue.ts'
import { type Draft, restrictionsOf } from './draft.ts'
import type { Resources } from './resources.ts'

/** What the user may give to a key, beyond what it has already. */
export class Rights {
  /** `null` for everything. */
  readonly grant: Grantable | null
  /** The key that is changed; `null` for one that is new. */
  readonly key: WireKey | null

  constructor({ plan }: Context, key: WireKey | null) {
    this.grant = plan.grantable ?? null
    this.key = key
  }

  /** Whether the key may be given more than it has: not when it has more than the user may give. */
  get widens(): boolean {
    return this.key?.withinGrant !== false
  }

  /** What the key reaches already; `null` for one that is new. */
  get reached(): KeyResources | null {
    return this.key && restrictionsOf(this.key).resources
  }

  scope(scope: string): boolean {
    const given = this.grant?.scopes.includes(scope) ?? true
    return (this.key?.scopes.includes(scope) ?? false) || (this.widens && given)
  }

  /** The ids of a type that may be given, or `'all'` of it. */
  givable(type: string): 'all' | readonly string[] {
    const { grant } = this
    return grant === null || grant.resources === 'all' ? 'all' : (grant.resources[type] ?? [])
  }

  /** Whether a resource may be chosen, or all of a type. */
  resource(type: string, id: string | null): boolean {
    const reached = this.reached?.[type] ?? (this.reached ? 'all' : [])
    const isIn = (ids: 'all' | readonly string[]) =>
      ids === 'all' || (id !== null && ids.includes(id))
    return isIn(reached) || (this.widens && isIn(this.givable(type)))
  }

  anyNetwork(): boolean {
    const before = this.key ? (this.key.networks ?? 'any') : null
    return before === 'any' || (this.widens && (this.grant?.networks ?? 'any') === 'any')
  }

  environment(environment: Environment): boolean {
    return this.grant?.environments.includes(environment) ?? true
  }

  /** A draft of a new key that asks for nothing that may not be given. */
  fit(draft: Draft): Draft {
    const { grant } = this
    if (grant === null) return draft
    const types = grant.resources === 'all' ? [] : Object.keys(grant.resources)
    const resources = types.map((type) => {
      const ids = draft.resources[type] ?? 'all'
      if (ids === 'all') return [type, this.resource(type, null) ? ids : []] as const
      return [type, ids.filter((id) => this.resource(type, id))] as const
    })
    const { environment, networks } = draft
    return {
      ...draft,
      environment: environment && this.environment(environment) ? environment : null,
      scopes: new Set([...draft.scopes].filter((scope) => this.scope(scope))),
      resources: { ...draft.resources, ...Object.fromEntries(resources) },
      networks: networks ?? (this.anyNetwork() ? null : ''),
    }
  }
}

/** What a `not_grantable` answer says is too much, in the words of the forms. */
export function beyondWords(context: Context, names: Resources, error: unknown): string {
  if (!(error instanceof ManagementError)) return ''
  const { catalogue, locale } = context
  const { scopes, resources = {}, networks, environments } = error.missing ?? {}
  const words = [
    ...listed(scopes).map((scope) => locale.label(labelOf(catalogue, scope)) || scope),
    ...Object.entries(Object(resources) as KeyResources).flatMap(([type, given]) =>
      given === 'all'
        ? [locale.text('res.all', { type: names.labelOf(type) })]
        : listed(given).map((id) => names.nameOf(type, id)),
    ),
    ...(networks === 'any' ? [locale.text('net.any')] : listed(networks)),
    ...listed(environments).map((one) =>
      one === 'live' || one === 'test' ? locale.text(`env.${one}`) : one,
    ),
  ]
  // The sentence isolates the whole of it.
  return words.join(locale.text('list.comma')).replace(/[\u2068\u2069]/g, '')
}

function listed(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
