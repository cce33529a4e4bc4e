import type { ApiKeys } from '../api-keys.ts'
import { refuseUnknown } from '../lib/known-names.ts'
import { ownData } from '../lib/own-data.ts'
import type { Denial } from '../model/denial.ts'
import type { HttpAnswer } from './answer.ts'

/**
 * Replaces the answer to a refused request, or returns `undefined` to keep it. The status must stay an error,
 * 400 to 599. Not called for an outage, a mistake in the program (500) or a CORS preflight.
 */
export type OnDenied<S extends string = string> = (
  denial: Denial<S>,
  answer: HttpAnswer,
) => HttpAnswer | undefined | Promise<HttpAnswer | undefined>

interface DeniedRequest<S extends string> {
  readonly keys: ApiKeys<S>
  readonly onDenied: OnDenied<S>
  readonly denial: Denial<S>
  /** The guard's own answer. */
  readonly answer: HttpAnswer
}

/**
 * The answer that the host wants for a refused request. When `onDenied` fails, or returns anything but an
 * error response, the guard's own answer stays and `onEvent` is notified.
 */
export async function answerDenial<S extends string>({
  keys,
  onDenied,
  denial,
  answer,
}: DeniedRequest<S>): Promise<HttpAnswer> {
  try {
    const replacement = await onDenied(denial, answer)
    return replacement === undefined ? answer : checked(replacement, answer.headers['vary'])
  } catch (error) {
    keys.reportFault('onDenied', error)
    return answer
  }
}

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
