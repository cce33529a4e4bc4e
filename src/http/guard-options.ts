import type { ApiKeys } from '../api-keys.ts'
import type { Denial } from '../model/denial.ts'
import type { TouchedResources } from '../restrictions/resource-check.ts'
import type { HttpAnswer } from './answer.ts'
import { type CredentialPlace, checkAccept, varyOf } from './credentials.ts'
import { answerDenial, type OnDenied } from './denied-answer.ts'
import { type GuardAnswers, type GuardAnswersOptions, guardAnswers } from './guard-answers.ts'

/**
 * What a guard says about resources: the ids that a request touches, by type, from the request; `'none'` for
 * a route that has nothing to do with them; `'by_handler'` for a handler that looks at `resources` of the key
 * itself; `'by_route'` for a guard over many routes, after which `requireScope` names them for each.
 */
export type GuardResource<R, T extends string = string> =
  | 'none'
  | 'by_handler'
  | 'by_route'
  | ((request: R) => TouchedResources<T> | Promise<TouchedResources<T>>)

/** How a guard presents itself, where it looks for keys, and what restricted keys are checked by. */
export interface GuardOptions<S extends string = string, R = unknown, T extends string = string>
  extends GuardAnswersOptions {
  /**
   * What a request touches. It matters for keys that are restricted to some resources alone: they are refused
   * where this is missing. A function that throws or takes longer than `storageTimeoutMs` is an outage (503).
   */
  readonly resource?: GuardResource<R, T>
  /**
   * The caller's address, such as `req.ip` of a host that trusts exactly its own proxies; `null` where it is
   * not known. It matters for keys that are restricted to some networks alone: they are refused where this is
   * missing.
   */
  readonly clientAddress?: (request: R) => string | null | Promise<string | null>
  /**
   * What happens to a request over plain HTTP, whose key others may have read: `allow`, or `refuse` with 403,
   * the same with any key and without one. Default `allow`.
   */
  readonly cleartext?: 'allow' | 'refuse'
  /**
   * Whether a request came over TLS, such as `req.secure` of a host that trusts exactly its own proxies.
   * `refuse` needs it. One that throws or returns no boolean is an outage (503).
   */
  readonly isSecure?: (request: R) => boolean
  /** How many calls a request counts as for the limiter: 1 to 1,000,000. Default 1. */
  readonly cost?: number
  /** Replaces the answer to a refused request. Default: the guard's own answer. */
  readonly onDenied?: OnDenied<S>
}

/** The options of a guard, checked, and what follows from them. */
export interface GuardSettings<S extends string, R> {
  readonly resource: GuardResource<R> | undefined
  readonly clientAddress: GuardOptions<S, R>['clientAddress']
  readonly cleartext: NonNullable<GuardOptions['cleartext']>
  readonly isSecure: GuardOptions<S, R>['isSecure']
  readonly accept: readonly CredentialPlace[]
  /** Still to be checked, with the requirement. */
  readonly cost: number | undefined
  readonly answers: GuardAnswers
  /** The headers that `accept` reads, as a `Vary` value. */
  readonly vary: string
  /** The verdict about a refused request. */
  refuse(denial: Denial<S>): Refusal | Promise<Refusal>
}

interface Refusal {
  readonly ok: false
  readonly answer: HttpAnswer
}

const CLEARTEXT: ReadonlySet<unknown> = new Set(['allow', 'refuse'])

const WORDS: ReadonlySet<unknown> = new Set(['none', 'by_handler', 'by_route'])

/** Checks options of a guard whose names are known. Throws a `TypeError` that names the one at fault. */
export function checkGuardOptions<S extends string, R>(
  keys: ApiKeys<S>,
  own: GuardOptions<S, R>,
): GuardSettings<S, R> {
  const { realm, accept: places = ['bearer'], cost, onDenied, resource, clientAddress } = own
  if (resource !== undefined && typeof resource !== 'function' && !WORDS.has(resource)) {
    throw new TypeError('Option "resource" must be a function, "none", "by_handler" or "by_route".')
  }
  if (clientAddress !== undefined && typeof clientAddress !== 'function') {
    throw new TypeError('Option "clientAddress" must be a function.')
  }
  const { cleartext = 'allow', isSecure } = own
  if (!CLEARTEXT.has(cleartext)) {
    throw new TypeError('Option "cleartext" must be "allow" or "refuse".')
  }
  if (typeof isSecure !== 'function' && (isSecure !== undefined || cleartext !== 'allow')) {
    throw new TypeError('Option "isSecure" must be a function; "cleartext" needs it.')
  }
  const accept = checkAccept(places)
  const answers = guardAnswers({ accept, ...(realm !== undefined && { realm }) })
  if (onDenied !== undefined && typeof onDenied !== 'function') {
    throw new TypeError('Option "onDenied" must be a function.')
  }
  const refuse = (denial: Denial<S>): Refusal | Promise<Refusal> => {
    const answer = answers.denial(denial)
    if (onDenied === undefined) return { ok: false, answer }
    return answerDenial({ keys, onDenied, denial, answer }).then((final) => ({
      ok: false,
      answer: final,
    }))
  }
  const vary = varyOf(accept)
  return { accept, cost, answers, vary, refuse, resource, clientAddress, cleartext, isSecure }
}
