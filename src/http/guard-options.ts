import type { ApiKeys } from '../api-keys.ts'
import { refuseUnknown } from '../lib/known-names.ts'
import { ownData } from '../lib/own-data.ts'
import type { Denial } from '../model/denial.ts'
import type { TouchedResources } from '../restrictions/resource-check.ts'
import type { HttpAnswer } from './answer.ts'
import { checkAccept, varyOf } from './credentials.ts'
import { type GuardAnswersOptions, guardAnswers } from './guard-answers.ts'

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
   * What a request touches. Keys that are restricted to some resources are refused where this is missing. A
   * function that throws or takes longer than `storageTimeoutMs` is an outage (503).
   */
  readonly resource?: GuardResource<R, T>
  /**
   * The caller's address, such as `req.ip` of a host that trusts exactly its own proxies; `null` where it is
   * not known. Keys that are restricted to some networks are refused where this is missing.
   */
  readonly clientAddress?: (request: R) => string | null | Promise<string | null>
  /**
   * What happens to a request over plain HTTP: `allow`, or `refuse` with 403, the same with any key. Default
   * `allow`.
   */
  readonly cleartext?: 'allow' | 'refuse'
  /**
   * Whether a request came over TLS, such as `req.secure`. `refuse` needs it; one that throws or returns no
   * boolean is an outage (503).
   */
  readonly isSecure?: (request: R) => boolean
  /** How many calls a request counts as for the limiter: 1 to 1,000,000. Default 1. */
  readonly cost?: number
  /** Replaces the answer to a refused request. Default: the guard's own answer. */
  readonly onDenied?: OnDenied<S>
}

/** The options of a guard, checked, and what follows from them. */
export type GuardSettings<S extends string, R> = ReturnType<typeof checkGuardOptions<S, R>>

const CLEARTEXT: ReadonlySet<unknown> = new Set(['allow', 'refuse'])

const WORDS: ReadonlySet<unknown> = new Set(['none', 'by_handler', 'by_route'])

/** Checks options of a guard whose names are known. Throws a `TypeError` that names the one at fault. */
export function checkGuardOptions<S extends string, R>(keys: ApiKeys<S>, own: GuardOptions<S, R>) {
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
  /** When `onDenied` fails, or returns anything but an error response, the guard's own answer stays. */
  const replaced = async (denial: Denial<S>, answer: HttpAnswer): Promise<HttpAnswer> => {
    try {
      const replacement = await onDenied?.(denial, answer)
      return replacement === undefined ? answer : checked(replacement, answer.headers['vary'])
    } catch (error) {
      keys.reportFault('onDenied', error)
      return answer
    }
  }
  /** The verdict about a refused request. */
  const refuse = (denial: Denial<S>): Refusal | Promise<Refusal> => {
    const own = answers.denial(denial)
    if (onDenied === undefined) return { ok: false, answer: own }
    return replaced(denial, own).then((answer) => ({ ok: false, answer }))
  }
  const vary = varyOf(accept)
  return { accept, cost, answers, vary, refuse, resource, clientAddress, cleartext, isSecure }
}

interface Refusal {
  readonly ok: false
  readonly answer: HttpAnswer
}

/**
 * Replaces the answer to a refused request, or returns `undefined` to keep it. The status must stay an error,
 * 400 to 599. Not called for an outage, a mistake in the program (500) or a CORS preflight.
 */
export type OnDenied<S extends string = string> = (
  denial: Denial<S>,
  answer: HttpAnswer,
) => HttpAnswer | undefined | Promise<HttpAnswer | undefined>

/** Caches must still tell callers apart, so `Vary` stays unless the host sets its own. */
function checked(replacement: HttpAnswer, vary = ''): HttpAnswer {
  const own = ownData(replacement) as HttpAnswer
  refuseUnknown(own, ['status', 'headers', 'body'], 'onDenied must return no')
  const { status, headers, body } = own
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw new TypeError('onDenied must return a status from 400 to 599.')
  }
  if (typeof body !== 'string') throw new TypeError('onDenied must return a string as the body.')
  const lines = Object.entries(headers).map(lineOf)
  return { status, headers: { vary, ...Object.fromEntries(lines) }, body }
}

/** RFC 9110 §5.1. */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/

/** RFC 9110 §5.5: no control character but the tab, and nothing beyond Latin-1. Every host can send it. */
const HEADER_VALUE = /^[\t\x20-\x7E\x80-\xFF]*$/

function lineOf([name, value]: readonly [string, unknown]): readonly [string, string] {
  const text = String(value)
  if (HEADER_NAME.test(name) && HEADER_VALUE.test(text)) return [name.toLowerCase(), text]
  throw new TypeError('onDenied must return valid HTTP headers.')
}
