import type { ApiKeys } from '../api-keys.ts'
import { checkRequirement } from '../authenticate/access-check.ts'
import type { AuthenticatedKey } from '../model/key.ts'
import type { ScopeRequirement } from '../model/requirement.ts'
import type { GuardVerdict } from './guard.ts'
import { checkGuardOptions, type GuardOptions } from './guard-options.ts'

/** Decides whether keys that a guard has accepted also hold the scopes of one route. */
export interface ScopeGuard<S extends string = string> {
  /**
   * The verdict about a key. Without one it rejects with a `TypeError`, which says that no guard
   * runs before this one.
   */
  check(key: AuthenticatedKey | undefined): Promise<GuardVerdict<S>>
}

/** The options of a scope guard; give it the same as the guard before it. */
export type ScopeGuardOptions<S extends string = string> = Omit<GuardOptions<S>, 'cost'>

/**
 * A guard for one route behind a {@link createGuard} for many: it checks scopes alone, so that a
 * request costs one lookup and one use. The adapters' `requireScope` is made of it.
 *
 * Throws as `createGuard` does; a requirement of `null` is a `TypeError`.
 *
 * @example
 * ```ts
 * import { createApiKeys, plans } from 'miftah'
 * import { createGuard, createScopeGuard } from 'miftah/http'
 * import { memoryStorage } from 'miftah/memory'
 *
 * const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.business })
 * const { secret } = await keys.createKey({
 *   workspaceId: 'ws_1',
 *   creator: { id: 'u_1', name: 'نورة' },
 *   name: 'CRM sync',
 *   environment: 'live',
 *   scopes: ['contacts.read'],
 * })
 * const accepted = await createGuard(keys, null).check('GET', () => [`Bearer ${secret}`])
 * const writing = createScopeGuard(keys, 'contacts.write')
 * const verdict = await writing.check(accepted.ok ? accepted.key : undefined)
 * verdict.ok ? verdict.key.id : verdict.answer.status //=> 403
 * ```
 */
export function createScopeGuard<S extends string>(
  keys: ApiKeys<S>,
  requirement: ScopeRequirement<NoInfer<S>>,
  options: ScopeGuardOptions<NoInfer<S>> = {},
): ScopeGuard<S> {
  const required = checkRequirement(keys.catalogue, requirement)
  if (required === null) throw new TypeError('requireScope needs a scope, { anyOf } or { allOf }.')
  const { refuse } = checkGuardOptions(keys, options)
  return Object.freeze({
    async check(key: AuthenticatedKey | undefined): Promise<GuardVerdict<S>> {
      if (key === undefined) {
        throw new TypeError('requireScope: no requireKey guards this route; mount one before it.')
      }
      const result = keys.authorize(key, required)
      return result.ok ? { ok: true, key: result.key, headers: {} } : refuse(result)
    },
  })
}
