import type { ApiKeys } from '../api-keys.ts'
import { checkRequirement } from '../authenticate/access-check.ts'
import type { Known } from '../lib/known-names.ts'
import { OptionChecks } from '../lib/option-checks.ts'
import type { Requirement } from '../model/denial.ts'
import type { AuthenticatedKey } from '../model/key.ts'
import { entranceOf } from './entrance.ts'
import { answerFailure, type GuardVerdict, pendingKey } from './guard.ts'
import { checkGuardOptions, type GuardOptions, type GuardResource } from './guard-options.ts'

/** Decides whether keys that a guard has accepted also hold the scopes and resources of one route. */
export interface ScopeGuard<S extends string = string, R = unknown> {
  /**
   * The verdict about a key, with the key to set on the request. Without a key it looks for one that the
   * guard before has held back for this request; if there is none it rejects with a `TypeError`, which says
   * that no guard runs before this one.
   */
  check(key: AuthenticatedKey | undefined, request?: R): Promise<GuardVerdict<S>>
}

/** The options of a scope guard: how its answers look, as those of the guard before it, and `resource`. */
export interface ScopeGuardOptions<
  S extends string = string,
  R = unknown,
  T extends string = string,
> extends Omit<
    GuardOptions<S, R>,
    'cost' | 'clientAddress' | 'cleartext' | 'isSecure' | 'resource'
  > {
  /** What a request of the route touches, as in `requireKey`. Default: not looked at. */
  readonly resource?: Exclude<GuardResource<R, T>, 'by_route'>
}

const checks = new OptionChecks('requireScope')

const KNOWN: Known<ScopeGuardOptions> = {
  realm: true,
  accept: true,
  resource: true,
  onDenied: true,
}

/**
 * A guard for one route behind a {@link createGuard} for many: it checks scopes and resources alone, so that
 * a request costs one lookup and one use. The adapters' `requireScope` is made of it. Behind a guard with
 * `resource: 'by_route'` it must name the resource: restricted keys are refused otherwise.
 *
 * Throws as `createGuard` does; a requirement of `null` without `resource` is a `TypeError`.
 */
export function createScopeGuard<S extends string, R = unknown, T extends string = string>(
  keys: ApiKeys<S, T>,
  requirement: Requirement<NoInfer<S>>,
  options: ScopeGuardOptions<NoInfer<S>, R, NoInfer<T>> = {},
): ScopeGuard<S, R> {
  checks.keys(keys)
  const required = checkRequirement(keys.catalogue, requirement)
  const own = checks.object(options, KNOWN)
  const { answers, refuse, resource } = checkGuardOptions<S, R>(keys, own)
  if (required === null && resource === undefined) {
    throw new TypeError(
      'requireScope needs a scope, { anyOf } or { allOf }, or the option "resource".',
    )
  }
  if (resource === 'by_route') {
    throw new TypeError('Option "resource" of requireScope must not be "by_route".')
  }
  const { authorize } = entranceOf(keys)
  return Object.freeze({
    async check(given: AuthenticatedKey | undefined, request?: R): Promise<GuardVerdict<S>> {
      const key = given ?? pendingKey(request)
      if (key === undefined) {
        throw new TypeError('requireScope: no requireKey guards this route; mount one before it.')
      }
      // A key that was given has been checked by the guard before.
      const fallback = given === undefined ? undefined : 'by_handler'
      const rule =
        typeof resource === 'function' ? () => resource(request as R) : (resource ?? fallback)
      try {
        const result = await authorize(key, required, rule)
        return result.ok ? { ok: true, key: result.key, headers: {} } : refuse(result)
      } catch (error) {
        return answerFailure(keys, answers, error)
      }
    },
  })
}
