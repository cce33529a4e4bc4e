import type { ApiKeys } from '../api-keys.ts'
import { checkCost } from '../authenticate/cost.ts'
import type { Authentication } from '../authenticate/denial.ts'
import { ApiKeyError } from '../errors.ts'
import type { AuthenticatedKey } from '../keys/api-key.ts'
import { ownData } from '../keys/input/own-data.ts'
import { limitHeaders } from '../limits/headers.ts'
import type { HttpAnswer } from './answer.ts'
import { guardAnswers } from './guard-answers.ts'

/** How a guard presents itself. */
export interface GuardOptions {
  /** The realm of its challenges (RFC 9110 §11.5): ASCII without `"` and `\`. Default `api`. */
  readonly realm?: string
  /** How many calls a request counts as for the limiter: 1 to 1,000,000. Default 1. */
  readonly cost?: number
}

/** Every line of one request header, by its name in lower case; empty when there is none. */
export type HeaderLines = (name: string) => readonly string[]

/** The verdict about one request: the key, or the answer to send instead of the route's. */
export type GuardVerdict<S extends string = string> =
  | {
      /** Always `true`: let the request through. */
      readonly ok: true
      /** The key, frozen. */
      readonly key: AuthenticatedKey<S>
      /** Headers to add to the response of the route; there are some only with a limiter. */
      readonly headers: Readonly<Record<string, string>>
    }
  | {
      /** Always `false`: do not let the request through. */
      readonly ok: false
      /** What to answer. */
      readonly answer: HttpAnswer
    }

/** Decides about the requests of one route. */
export interface Guard<S extends string = string> {
  /**
   * The verdict about a request from its method and its headers, without its body. It never rejects:
   * an outage, or keys that are closed, are an answer of 503.
   */
  check(method: string, lines: HeaderLines): Promise<GuardVerdict<S>>
}

/** Stands for several credentials: one value that RFC 6750 §3.1 calls an invalid request. */
const REPEATED = 'Bearer ,'

/**
 * A CORS preflight never carries a key (Fetch §3.2.2), so it is neither checked nor let through:
 * an answer without CORS headers, and the browser sends nothing more.
 */
const PREFLIGHT: HttpAnswer = Object.freeze({
  status: 204,
  headers: Object.freeze({ vary: 'Authorization' }),
  body: '',
})

/**
 * The guard of a route, for any host: the adapters of this package are made of it. More than one
 * `Authorization` line is refused (RFC 6750 §3.1), an outage is 503, a CORS preflight gets a 204
 * without CORS headers (Fetch §3.2), and everything else is decided by `authenticate`.
 *
 * Throws `unknown_scope` for a scope outside the catalogue and a `TypeError` for a bad realm or cost.
 *
 * @example
 * ```ts
 * import { createApiKeys, plans } from 'miftah'
 * import { createGuard } from 'miftah/http'
 * import { memoryStorage } from 'miftah/memory'
 *
 * const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.business })
 * const guard = createGuard(keys, 'contacts.read')
 * const verdict = await guard.check('GET', () => [])
 * verdict.ok ? verdict.key.id : verdict.answer.status //=> 401
 * ```
 */
export function createGuard<S extends string>(
  keys: ApiKeys<S>,
  requiredScope: NoInfer<S> | null,
  options: GuardOptions = {},
): Guard<S> {
  if (requiredScope !== null && !keys.catalogue.has(requiredScope)) {
    throw new ApiKeyError('unknown_scope')
  }
  const { realm, cost = 1 } = ownData(options) as GuardOptions
  const call = Object.freeze({ cost: checkCost(cost) })
  const answers = guardAnswers(realm)
  const verdictOf = (result: Authentication<S>): GuardVerdict<S> =>
    result.ok
      ? { ok: true, key: result.key, headers: limitHeaders(result.limits) }
      : { ok: false, answer: answers.denial(result) }
  return Object.freeze({
    async check(method: string, lines: HeaderLines): Promise<GuardVerdict<S>> {
      if (method === 'OPTIONS' && isPreflight(lines)) return { ok: false, answer: PREFLIGHT }
      try {
        return verdictOf(await keys.authenticate(credentialOf(lines), requiredScope, call))
      } catch {
        // The scope is known, so this is an outage or close(); onEvent has been told.
        return { ok: false, answer: answers.fault }
      }
    },
  })
}

function isPreflight(lines: HeaderLines): boolean {
  return lines('access-control-request-method').length > 0 && lines('authorization').length === 0
}

function credentialOf(lines: HeaderLines): string | undefined {
  const all = lines('authorization')
  return all.length > 1 ? REPEATED : all[0]
}
