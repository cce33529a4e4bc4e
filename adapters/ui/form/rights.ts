import type { Grantable } from '../../../src/model/grant.ts'
import type { Environment } from '../../../src/model/key.ts'
import type { WireKey } from '../../client/index.ts'
import type { Context } from '../context.ts'
import type { Draft } from './draft.ts'

/** What the user may give to a key, beyond what it has already. */
export class Rights {
  readonly grant: Grantable | null
  /** The key that is changed; `null` for one that is new. */
  readonly key: WireKey | null

  constructor({ list }: Context, key: WireKey | null) {
    this.grant = list.plan.grantable
    this.key = key
  }

  /** Whether the key may be given more than it has: not when it has more than the user may give. */
  get widens(): boolean {
    return this.key?.withinGrant !== false
  }

  scope(scope: string): boolean {
    const given = this.grant?.scopes.includes(scope) ?? true
    return (this.key?.scopes.includes(scope) ?? false) || (this.widens && given)
  }

  givable(type: string): 'all' | readonly string[] {
    const { grant } = this
    return grant === null || grant.resources === 'all' ? 'all' : (grant.resources[type] ?? [])
  }

  resource(type: string, id: string | null): boolean {
    const reached = this.key ? (this.key.resources[type] ?? 'all') : []
    const isIn = (ids: 'all' | readonly string[]) =>
      ids === 'all' || (id !== null && ids.includes(id))
    return isIn(reached) || (this.widens && isIn(this.givable(type)))
  }

  anyNetwork(): boolean {
    if (this.key?.networks === 'any') return true
    return this.widens && (this.grant?.networks ?? 'any') === 'any'
  }

  environment(environment: Environment): boolean {
    return this.grant?.environments.includes(environment) ?? true
  }

  /** A draft of a new key without what may not be given. */
  fit(draft: Draft): Draft {
    const { environment, networks, resources, scopes } = draft
    const types = Object.keys(Object(this.grant?.resources))
    const barred = types.filter((type) => !(type in resources) && !this.resource(type, null))
    return {
      ...draft,
      environment: environment && this.environment(environment) ? environment : null,
      scopes: new Set([...scopes].filter((scope) => this.scope(scope))),
      resources: { ...Object.fromEntries(barred.map((type) => [type, []])), ...resources },
      networks: networks ?? (this.anyNetwork() ? null : ''),
    }
  }
}
