import type { ApiKeys } from '../api-keys.ts'
import {
  type AuthenticateChecked,
  accessCheck,
  authenticateChecked,
  type CheckedEntrance,
} from '../authenticate/access-check.ts'
import { andThen } from '../lib/host-calls.ts'
import { limitHeaders } from '../limits/headers.ts'
import type { Authentication } from '../model/denial.ts'
import { ApiKeyError, OutageError } from '../model/errors.ts'
import type { AuthenticatedKey } from '../model/key.ts'
import type { Requirement } from '../model/requirement.ts'
import type { HttpAnswer } from './answer.ts'
import { CREDENTIAL_HEADERS, credentialReader, type HeaderLines } from './credentials.ts'
import { checkGuardOptions, type GuardOptions } from './guard-options.ts'

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
   * The verdict about a request from its method and its headers, without its body. It comes without a
   * promise when nothing has to be waited for. It never rejects: an outage, or keys that are closed,
   * are an answer of 503, and anything else that is thrown is one of 500, reported to `onEvent`.
   */
  check(method: string, lines: HeaderLines): GuardVerdict<S> | Promise<GuardVerdict<S>>
  /** The headers that the verdict depends on, as a `Vary` value for the response of the route. */
  readonly vary: string
}

/**
 * The guard of a route, for any host: the adapters of this package are made of it. More than one
 * credential is refused (RFC 6750 §3.1), an outage is 503, any other error 500, a CORS preflight gets a 204
 * without CORS headers (Fetch §3.2), and everything else is decided by `authenticate`.
 *
 * Throws `unknown_scope` for a scope outside the catalogue and a `TypeError` for a bad requirement or
 * option.
 *
 * @example
 * ```ts
 * import { createApiKeys, plans } from 'miftah'
 * import { createGuard } from 'miftah/http'
 * import { memoryStorage } from 'miftah/memory'
 *
 * const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.business })
 * const guard = createGuard(keys, 'contacts.read', { accept: ['bearer', 'x-api-key'] })
 * const verdict = await guard.check('GET', () => [])
 * verdict.ok ? verdict.key.id : verdict.answer.status //=> 401
 * ```
 */
export function createGuard<S extends string>(
  keys: ApiKeys<S>,
  requirement: Requirement<NoInfer<S>>,
  options: GuardOptions<NoInfer<S>> = {},
): Guard<S> {
  const { accept, cost, answers, refuse, vary } = checkGuardOptions(keys, options)
  const check = Object.freeze(accessCheck(keys.catalogue, requirement, { cost }))
  const credentialOf = credentialReader(accept)
  const authenticate = checkedAuthentication(keys)
  const preflight = Object.freeze({ status: 204, headers: Object.freeze({ vary }), body: '' })
  const verdictOf = (result: Authentication<S>): GuardVerdict<S> | Promise<GuardVerdict<S>> =>
    result.ok ? { ok: true, key: result.key, headers: limitHeaders(result.limits) } : refuse(result)
  return Object.freeze({
    vary,
    check(method: string, lines: HeaderLines): GuardVerdict<S> | Promise<GuardVerdict<S>> {
      // A CORS preflight never carries a key (Fetch §3.2.2), so it is neither checked nor let through.
      if (method === 'OPTIONS' && isPreflight(lines)) return refusal(preflight)
      const failed = (error: unknown): GuardVerdict<S> => {
        if (isUnavailable(error)) return refusal(answers.fault)
        keys.reportFault('guard', error)
        return refusal(answers.internalError)
      }
      try {
        const result = authenticate(credentialOf(lines), check)
        const verdict = andThen(result, verdictOf)
        return verdict instanceof Promise ? verdict.catch(failed) : verdict
      } catch (error) {
        return failed(error)
      }
    },
  })
}

/**
 * How these keys authenticate. Without promises a guarded request on Fastify takes 4 % less. For an
 * object that stands in for an `ApiKeys`, it is the object's own `authenticate`.
 */
function checkedAuthentication<S extends string>(keys: ApiKeys<S>): AuthenticateChecked<S> {
  const entrance: CheckedEntrance<S> | undefined = Reflect.get(keys, authenticateChecked)
  if (entrance?.keys === keys) return entrance.authenticate
  return async (header, { required, cost }) => keys.authenticate(header, required, { cost })
}

/** Whether another process, or this one later, may answer. An outage is reported where it happens. */
function isUnavailable(error: unknown): boolean {
  return error instanceof OutageError || (error instanceof ApiKeyError && error.code === 'closed')
}

function refusal<S extends string>(answer: HttpAnswer): GuardVerdict<S> {
  return { ok: false, answer }
}

function isPreflight(lines: HeaderLines): boolean {
  const isAbsent = (name: string) => lines(name).length === 0
  return !isAbsent('access-control-request-method') && CREDENTIAL_HEADERS.every(isAbsent)
}
