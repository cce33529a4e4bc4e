import type { ManagementErrorCode, WireUsageBucket } from '../../client/index.ts'
import { codeOf } from '../state/failure.ts'
import type { Tab } from '../state/tab.ts'

/** How many days are shown, today included. */
export const shownDays = 30

const unitsMs = { hour: 3_600_000, day: 86_400_000 } as const

/** The span to load requests for: the last hours or days, including the current one. */
export interface UsageSpan {
  readonly by: keyof typeof unitsMs
  readonly count: number
}

/** The days that the details show. */
export const LAST_DAYS: UsageSpan = { by: 'day', count: shownDays }

/**
 * The answers of a host that keeps no history, has no such route, or does not let this user see it.
 */
export const ABSENT: readonly (ManagementErrorCode | null)[] = [
  'usage_not_kept',
  'not_found',
  'method_not_allowed',
  'forbidden',
]

/** The requests of one key in a span of time, as far as the host keeps a history. */
export class KeyUsage {
  /** `absent` until there is something to say. */
  phase: 'absent' | 'ready' | 'failed' = 'absent'
  /** The hours or days of the span. */
  buckets: readonly WireUsageBucket[] = []
  /** The day whose values show; the last one without it. */
  at: number | null = null
  readonly #tab: Tab
  readonly #span: UsageSpan
  #reading: AbortController | null = null

  constructor(tab: Tab, span: UsageSpan) {
    this.#tab = tab
    this.#span = span
  }

  /** How many requests were accepted. */
  get accepted(): number {
    return this.buckets.reduce((sum, { accepted }) => sum + accepted, 0)
  }

  /** Loads the requests of a key, replacing those of another. */
  async load(id: string): Promise<void> {
    this.stop()
    const { locale, management, source } = this.#tab
    if (management.getKeyUsage === undefined) return
    const reading = new AbortController()
    this.#reading = reading
    const { by, count } = this.#span
    const to = Date.now()
    const query = {
      from: new Date(to - (count - 1) * unitsMs[by]).toISOString(),
      to: new Date(to + 1).toISOString(),
      by,
      timeZone: locale.dates.timeZone,
    }
    try {
      const options = { signal: reading.signal, ...source.tie }
      const { buckets } = await management.getKeyUsage(id, query, options)
      if (this.#reading === reading) this.#show('ready', buckets)
    } catch (error) {
      if (this.#reading !== reading) return
      if (codeOf(error) === 'unauthenticated') this.#tab.expireSession()
      else this.#show(ABSENT.includes(codeOf(error)) ? 'absent' : 'failed')
    }
  }

  /** Drops the requests, and any that are still loading. */
  stop(): void {
    this.#reading?.abort()
    this.#reading = null
    this.phase = 'absent'
    this.buckets = []
  }

  #show(phase: 'absent' | 'ready' | 'failed', buckets: readonly WireUsageBucket[] = []): void {
    Object.assign(this, { phase, buckets, at: null })
    this.#tab.requestUpdate()
  }

  /** Shows the values of a day. */
  point(at: number): void {
    if (this.at === at) return
    this.at = at
    this.#tab.requestUpdate()
  }
}

/** How many requests of a day were refused, whatever the reason. */
export function refusedOf({ denied }: WireUsageBucket): number {
  return Object.values(denied).reduce((sum, count) => sum + count, 0)
}
