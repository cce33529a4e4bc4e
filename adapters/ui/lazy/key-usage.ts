import type { ManagementErrorCode, WireUsageBucket } from '../../client/index.ts'
import { codeOf } from '../state/failure.ts'
import type { Tab } from '../state/tab.ts'

/** How many days are shown, today included. */
export const shownDays = 30

const dayMs = 86_400_000

/**
 * The answers of a host that keeps no history, has no such route, or does not let this user see it.
 */
export const ABSENT: readonly (ManagementErrorCode | null)[] = [
  'usage_not_kept',
  'not_found',
  'method_not_allowed',
  'forbidden',
]

/** The requests of one key in the last days, as far as the host keeps a history. */
export class KeyUsage {
  /** `absent` until there is something to say. */
  phase: 'absent' | 'ready' | 'failed' = 'absent'
  /** The days, the oldest first. */
  buckets: readonly WireUsageBucket[] = []
  readonly #tab: Tab
  #reading: AbortController | null = null

  constructor(tab: Tab) {
    this.#tab = tab
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
    const to = Date.now()
    const query = {
      from: new Date(to - (shownDays - 1) * dayMs).toISOString(),
      to: new Date(to + 1).toISOString(),
      by: 'day',
      timeZone: locale.dates.timeZone,
    } as const
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
    Object.assign(this, { phase, buckets })
    this.#tab.requestUpdate()
  }
}

/** How many requests of a day were refused, whatever the reason. */
export function refusedOf({ denied }: WireUsageBucket): number {
  return Object.values(denied).reduce((sum, count) => sum + count, 0)
}
