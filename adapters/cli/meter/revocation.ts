import { UsageError } from '../usage-error.ts'
import type { MeterTarget } from './target.ts'

/** How a target is measured. */
export interface MeterPlan {
  readonly target: MeterTarget
  /** The guarded URLs, such as one for each process. */
  readonly urls: readonly string[]
  /** How many calls of one key are under way at a time, spread over the URLs. */
  readonly connections: number
  /** A key counts as dead when calls were refused, and none accepted for so long. */
  readonly quietMs: number
  /** Ends the measurement. */
  readonly signal: AbortSignal
}

/** What the calls of one key showed. All but `tookMs` is of calls sent after the acknowledgement. */
export interface Revocation {
  /** How long the system took to acknowledge the revocation. */
  readonly tookMs: number
  /** When the last accepted call was sent, counted from the acknowledgement; `null` without one. */
  readonly lateMs: number | null
  readonly accepted: number
  readonly refused: number
  /** Calls that got no verdict: no answer in 10 seconds, or a status of 429 or 5xx. */
  readonly unanswered: number
  /** Whether the time ran out before the key was dead. */
  readonly isOpen: boolean
}

/** How long a call waits for its answer, and a new key for its first accepted call. */
const CALL_MS = 10_000
/** The longest time from that call to the revocation. */
const MAX_LEAD_MS = 20

/** Creates a key, calls with it, revokes it, and calls until it is dead. `null` when the time is over first. */
export async function measureRevocation(plan: MeterPlan): Promise<Revocation | null> {
  const key = await plan.target.createKey()
  const calls = new Calls(plan, plan.target.headers(key))
  try {
    await calls.firstAccepted()
    await pause(Math.random() * MAX_LEAD_MS)
    if (plan.signal.aborted) return null
    const began = performance.now()
    await plan.target.revokeKey(key)
    calls.acknowledgedAt = performance.now()
    const isDead = await calls.dead()
    await calls.stop()
    const { accepted, refused, unanswered, acknowledgedAt, lastAcceptedAt } = calls
    const lateMs = accepted > 0 ? lastAcceptedAt - acknowledgedAt : null
    const tookMs = acknowledgedAt - began
    return { tookMs, lateMs, accepted, refused, unanswered, isOpen: !isDead }
  } finally {
    await calls.stop()
  }
}

class Calls {
  acknowledgedAt = Infinity
  lastAcceptedAt = -Infinity
  accepted = 0
  refused = 0
  unanswered = 0
  #wasAccepted = false
  #lastAnswer = 'nothing'
  #isStopped = false
  readonly #callers: readonly Promise<void>[]

  constructor(
    readonly plan: MeterPlan,
    readonly headers: Readonly<Record<string, string>>,
  ) {
    const { connections, urls } = plan
    this.#callers = Array.from({ length: connections }, (_, at) =>
      this.#repeat(urls[at % urls.length]),
    )
  }

  /** Throws when the key is never accepted: that such a key is refused later would prove nothing. */
  async firstAccepted(): Promise<void> {
    const until = performance.now() + CALL_MS
    while (!this.#wasAccepted && !this.plan.signal.aborted) {
      if (performance.now() > until)
        throw new UsageError(`No URL accepted a new key: the last answer was ${this.#lastAnswer}.`)
      await pause(1)
    }
  }

  /** Waits until calls have been refused, and no call accepted for the given time. */
  async dead(): Promise<boolean> {
    const { quietMs, signal } = this.plan
    const quietSince = () => Math.max(this.acknowledgedAt, this.lastAcceptedAt)
    const isDead = () => this.refused > 0 && performance.now() - quietSince() >= quietMs
    while (!isDead() && !signal.aborted) await pause(5)
    return isDead()
  }

  /** Sends no more calls, and waits for those under way. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#callers)
  }

  async #repeat(url = ''): Promise<void> {
    while (!this.#isStopped && !this.plan.signal.aborted) {
      const sentAt = performance.now()
      const verdict = await this.#call(url)
      if (verdict === 'unanswered') await pause(10)
      if (verdict === 'accepted') this.#wasAccepted = true
      if (sentAt <= this.acknowledgedAt) continue
      this[verdict] += 1
      if (verdict === 'accepted') this.lastAcceptedAt = Math.max(this.lastAcceptedAt, sentAt)
    }
  }

  async #call(url: string): Promise<'accepted' | 'refused' | 'unanswered'> {
    const signal = AbortSignal.any([this.plan.signal, AbortSignal.timeout(CALL_MS)])
    const { headers } = this
    try {
      const response = await fetch(url, { headers, signal, redirect: 'manual' })
      const { status } = response
      this.#lastAnswer = String(status)
      const text = await response.text()
      if (this.plan.target.isAccepted({ status, text })) return 'accepted'
      return status === 429 || status >= 500 ? 'unanswered' : 'refused'
    } catch {
      return 'unanswered'
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
