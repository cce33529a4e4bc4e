import type { HostCalls } from '../lib/host-calls.ts'
import { isPromise, withinTime } from '../lib/within-time.ts'
import type { Limiter, LimiterAnswer, LimiterRequest } from '../model/limiter.ts'
import { checkLimiterAnswer, checkLimiterNames } from './check-answer.ts'

/** A limiter in trouble must not add more than this to each request. */
const TIMEOUT_MS = 250

export const ALLOWED: LimiterAnswer = Object.freeze({ allowed: true })

export interface LimiterSettings {
  readonly limiter: Limiter
  readonly onFault: 'allow' | 'refuse'
}

/**
 * Asks the limiter about one request. A limiter that throws, takes over 250 ms or returns an invalid answer
 * is a fault: it is reported, and the request is allowed, or refused by an `OutageError`.
 */
export function askLimiter(
  calls: HostCalls,
  settings: LimiterSettings,
  request: LimiterRequest,
): LimiterAnswer | Promise<LimiterAnswer> {
  try {
    const answer = settings.limiter.take(request)
    if (!isPromise(answer)) return read(calls, answer)
    return Promise.resolve(withinTime({ timeoutMs: TIMEOUT_MS }, () => answer))
      .then((known) => read(calls, known))
      .catch((error: unknown) => afterFault(calls, settings, error))
  } catch (error) {
    return afterFault(calls, settings, error)
  }
}

/** A member that is not known is reported. What the limiter has decided holds all the same. */
function read(calls: HostCalls, answer: unknown): LimiterAnswer {
  const checked = checkLimiterAnswer(answer)
  try {
    checkLimiterNames(Object(answer))
  } catch (error) {
    calls.fault('limiter', error)
  }
  return checked
}

function afterFault(calls: HostCalls, { onFault }: LimiterSettings, error: unknown): LimiterAnswer {
  const outage = calls.fault('limiter', error)
  if (onFault === 'refuse') throw outage
  return ALLOWED
}
