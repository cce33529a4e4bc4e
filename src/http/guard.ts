import type { ApiKeys } from '../api-keys.ts'
import { type AccessCheck, accessCheck } from '../authenticate/access-check.ts'
import { type AuthenticateChecked, entranceOf } from '../authenticate/http-entrance.ts'
import { andThen } from '../lib/host-calls.ts'
import type { Known } from '../lib/known-names.ts'
import { OptionChecks } from '../lib/option-checks.ts'
import { limitHeaders } from '../limits/headers.ts'
import type { Authentication } from '../model/denial.ts'
import { ApiKeyError, OutageError } from '../model/errors.ts'
import type { AuthenticatedKey } from '../model/key.ts'
import type { Requirement } from '../model/requirement.ts'
import type { ResourceRule, TouchedResources } from '../restrictions/resource-check.ts'
import type { HttpAnswer } from './answer.ts'
import { cleartextCheck } from './cleartext.ts'
import { CREDENTIAL_HEADERS, credentialReader, type HeaderLines } from './credentials.ts'
import type { GuardAnswers } from './guard-answers.ts'
import { checkGuardOptions, type GuardOptions, type GuardSettings } from './guard-options.ts'
import { holdKey, isRestricted } from './pending-keys.ts'

type Verdict<S extends string> = GuardVerdict<S> | Promise<GuardVerdict<S>>

/** Decides about the requests of one route. */
export interface Guard<S extends string = string, R = unknown> {
  /**
   * The verdict about a request from its method and its headers, without its body. `request` is what the
   * functions of the options get, and by what a guard of the route finds the key. It comes without a promise
   * when nothing has to be waited for. It never rejects: an outage, or keys that are closed, are an answer of
   * 503, and anything else that is thrown is one of 500, reported to `onEvent`.
   */
  check(method: string, lines: HeaderLines, request?: R): GuardVerdict<S> | Promise<GuardVerdict<S>>
  /** The headers that the verdict depends on, as a `Vary` value for the response of the route. */
  readonly vary: string
}

const checks = new OptionChecks('requireKey')

const KNOWN: Known<GuardOptions> = {
  realm: true,
  accept: true,
  resource: true,
  clientAddress: true,
  cleartext: true,
  isSecure: true,
  cost: true,
  onDenied: true,
}

/**
 * The guard of a route, for any host: the adapters of this package are made of it. More than one credential
 * is refused (RFC 6750 §3.1), plain HTTP is refused by the option `cleartext`, an outage is 503, any other
 * error 500, a CORS preflight gets a 204 without CORS headers (Fetch §3.2), and everything else is decided by
 * `authenticate`.
 *
 * Throws `unknown_scope` for a scope outside the catalogue and a `TypeError` for a bad requirement or option.
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
 * verdict.ok ? verdict.key?.id : verdict.answer.status //=> 401
 * ```
 */
export function createGuard<S extends string, R = unknown, T extends string = string>(
  keys: ApiKeys<S, T>,
  requirement: Requirement<NoInfer<S>>,
  options: GuardOptions<NoInfer<S>, R, NoInfer<T>> = {},
): Guard<S, R> {
  checks.keys(keys)
  const settings = checkGuardOptions(keys, checks.object(options, KNOWN))
  const { accept, cost, answers, refuse, vary } = settings
  const checkOf = requestCheck(
    Object.freeze(
      accessCheck(keys.catalogue, requirement, cost === undefined ? undefined : { cost }),
    ),
    settings,
  )
  const credentialOf = credentialReader(accept)
  const refusedInClear = cleartextCheck(keys, settings)
  const authenticate = checkedAuthentication(keys)
  const preflight = Object.freeze({ status: 204, headers: Object.freeze({ vary }), body: '' })
  const verdictOf = (result: Authentication<S>, request: R): Verdict<S> => {
    if (!result.ok) return refuse(result)
    const { key, limits } = result
    const isPending = settings.resource === 'by_route' && isRestricted(key)
    if (isPending) holdKey(request, key)
    return { ok: true, key: isPending ? null : key, headers: limitHeaders(limits) }
  }
  return Object.freeze({
    vary,
    check(method: string, lines: HeaderLines, request?: R): Verdict<S> {
      // A CORS preflight never carries a key (Fetch §3.2.2), so it is neither checked nor let through.
      if (method === 'OPTIONS' && isPreflight(lines)) return refusal(preflight)
      const failed = (error: unknown) => answerFailure<S>(keys, answers, error)
      try {
        const inClear = refusedInClear(request as R)
        if (inClear !== null) return inClear
        const result = authenticate(credentialOf(lines), checkOf(request as R))
        const verdict = andThen(result, (answer) => verdictOf(answer, request as R))
        return verdict instanceof Promise ? verdict.catch(failed) : verdict
      } catch (error) {
        return failed(error)
      }
    },
  })
}

/** What is checked about each request. Without restrictions to look at it is the same object for all. */
function requestCheck<S extends string, R>(
  check: AccessCheck<S>,
  { resource, clientAddress }: GuardSettings<S, R>,
): (request: R) => AccessCheck<S> {
  if (resource === undefined && clientAddress === undefined) return () => check
  return (request) => ({
    ...check,
    surroundings: {
      ...(clientAddress && { clientAddress: () => clientAddress(request) }),
      ...(resource && {
        resource: typeof resource === 'function' ? () => resource(request) : resource,
      }),
    },
  })
}

/**
 * How these keys authenticate. Without promises a guarded request on Fastify takes 4 % less. For an object
 * that stands in for an `ApiKeys`, it is the object's own `authenticate`.
 */
function checkedAuthentication<S extends string>(keys: ApiKeys<S>): AuthenticateChecked<S> {
  const entrance = entranceOf<S>(keys)
  if (entrance !== undefined) return entrance.authenticate
  return async (header, { required, cost, surroundings }) => {
    const clientAddress = await surroundings?.clientAddress?.()
    const resource = surroundings?.resource
    return keys.authenticate(header, required, {
      cost,
      ...(clientAddress !== undefined && { clientAddress: clientAddress as string | null }),
      ...(resource !== undefined && { resource: await touchedBy(resource) }),
    })
  }
}

/** What an `authenticate` that is not ours gets. */
async function touchedBy(rule: ResourceRule): Promise<TouchedResources | 'none' | 'by_handler'> {
  if (typeof rule === 'function') return (await rule()) as TouchedResources
  return rule === 'by_route' ? 'by_handler' : rule
}

/** The answer where a request cannot be decided about. */
export function answerFailure<S extends string>(
  keys: Pick<ApiKeys<S>, 'reportFault'>,
  answers: GuardAnswers,
  error: unknown,
): GuardVerdict<S> {
  if (isUnavailable(error)) return refusal(isOfRule(error) ? answers.ruleFault : answers.fault)
  keys.reportFault('guard', error)
  return refusal(answers.internalError)
}

/** Whether it is a function of the guard's own options that failed. */
function isOfRule(error: unknown): boolean {
  return error instanceof OutageError && /^(?:resource|clientAddress)$/.test(error.operation)
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

/** The verdict about one request: the key, or the answer to send instead of the route's. */
export type GuardVerdict<S extends string = string> =
  | {
      /** Always `true`: let the request through. */
      readonly ok: true
      /** The key, frozen; `null` for a restricted one that a `requireScope` of the route decides about. */
      readonly key: AuthenticatedKey<S> | null
      /** Headers to add to the response of the route; there are some only with a limiter. */
      readonly headers: Readonly<Record<string, string>>
    }
  | {
      /** Always `false`: do not let the request through. */
      readonly ok: false
      /** What to answer. */
      readonly answer: HttpAnswer
    }
