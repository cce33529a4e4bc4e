import type { ApiKeys } from '../api-keys.ts'
import { anyEntranceOf } from '../authenticate/http-entrance.ts'
import type { GuardVerdict } from './guard.ts'
import type { GuardSettings } from './guard-options.ts'

/** Decides whether a request may carry a key at all; `null` for one that may. */
export type CleartextCheck<S extends string, R> = (
  request: R,
) => null | GuardVerdict<S> | Promise<GuardVerdict<S>>

const DENIAL = Object.freeze({ ok: false, reason: 'cleartext' })

/**
 * The check of requests over plain HTTP (draft-ietf-httpapi-privacy): refused before their key is looked at,
 * so that the answer is the same with any key and without one.
 */
export function cleartextCheck<S extends string, R>(
  keys: ApiKeys<S>,
  { cleartext, isSecure, answers, refuse }: GuardSettings<S, R>,
): CleartextCheck<S, R> {
  if (cleartext === 'allow' || isSecure === undefined) return () => null
  const entrance = anyEntranceOf<S>(keys)
  return (request) => {
    const secure = answerOf(isSecure, request)
    if (secure === true) return null
    if (secure !== false) {
      keys.reportFault('isSecure', secure)
      return { ok: false, answer: answers.ruleFault }
    }
    entrance?.reportCleartext()
    return refuse(DENIAL)
  }
}

/** What the host says, or an error where it says nothing. */
function answerOf<R>(isSecure: (request: R) => boolean, request: R): unknown {
  try {
    const answer: unknown = isSecure(request)
    return typeof answer === 'boolean' ? answer : new TypeError('isSecure must return a boolean.')
  } catch (error) {
    return error instanceof Error ? error : new TypeError('isSecure threw.', { cause: error })
  }
}
