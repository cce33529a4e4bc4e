import type { Context } from '../context.ts'
import { isPromise, withinTime } from '../lib/within-time.ts'
import { checkLimiterAnswer } from './check-answer.ts'
import type { Limiter, LimiterAnswer, LimiterFaultPolicy, LimiterRequest } from './limiter.ts'

/** A limiter in trouble must not add more than this to each request. */
const TIMEOUT_MS = 250

const ALLOWED: LimiterAnswer = Object.freeze({ allowed: true })

/** How a limiter is asked. */
export interface LimiterSettings {
  readonly limiter: Limiter
  readonly onFault: LimiterFaultPolicy
}

/**
 * Asks the limiter about one request. A limiter that throws, takes over 250 ms or answers nonsense is
 * a fault: it is reported, and the request is allowed, or refused by an `OutageError`.
 */
export function askLimiter<S extends string>(
  context: Context<S>,
  { limiter, onFault }: LimiterSettings,
  request: LimiterRequest,
): LimiterAnswer | Promise<LimiterAnswer> {
  const failed = (error: unknown): LimiterAnswer => {
    const outage = context.fault('limiter', error)
    if (onFault === 'refuse') throw outage
    return ALLOWED
  }
  try {
    const answer = withinTime({ timeoutMs: TIMEOUT_MS }, () => limiter.take(request))
    if (!isPromise(answer)) return checkLimiterAnswer(answer)
    return answer.then(checkLimiterAnswer).catch(failed)
  } catch (error) {
    return failed(error)
  }
}
