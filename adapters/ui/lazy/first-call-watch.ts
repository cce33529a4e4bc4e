import { ManagementError } from '../../client/index.ts'
import { codeOf } from '../state/failure.ts'
import type { Tab } from '../state/tab.ts'
import type { Reveal } from './reveal.ts'

const everyMs = 3_000
const givenUpAfter = 200

/** Asks whether the keys on screen have been used, until all have, but not for ever. */
export class FirstCallWatch {
  readonly #tab: Tab
  #timer: ReturnType<typeof setTimeout> | undefined
  #left = 0
  /** Whether it has given up. */
  stopped = false

  constructor(tab: Tab) {
    this.#tab = tab
  }

  /** Begins to ask, for a key that has come on screen. */
  await(): void {
    this.stopped = false
    this.#left = givenUpAfter
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#ask(), everyMs)
  }

  /** Asks at once, because the user wants to know. */
  again(): void {
    this.await()
    clearTimeout(this.#timer)
    this.#tab.requestUpdate()
    void this.#ask()
  }

  async #ask(): Promise<void> {
    const waiting = (this.#tab.reveals?.items ?? []).filter(
      ({ used, source }) => !used && source === this.#tab.source,
    )
    if (waiting.length === 0 || !this.#tab.isConnected) return
    if (this.#left === 0) return this.#stop()
    this.#left -= 1
    try {
      if (document.visibilityState === 'visible') await Promise.all(waiting.map(this.#look))
    } catch (error) {
      const code = codeOf(error)
      if (code === 'unauthenticated') return this.#tab.expireSession()
      // A lost connection comes back, as a server does; any other refusal would be repeated for ever.
      if (code === 'network') return this.await()
      if (!isPassing(error)) return this.#stop()
    }
    this.#timer = setTimeout(() => void this.#ask(), everyMs)
  }

  #stop(): void {
    this.stopped = true
    this.#tab.requestUpdate()
  }

  readonly #look = async (reveal: Reveal): Promise<void> => {
    const key = await this.#tab.management.getKey(reveal.key.id, reveal.source.tie)
    if (key.uses === 0 || !this.#tab.reveals?.items.includes(reveal)) return
    reveal.used = true
    if (reveal.source === this.#tab.source) this.#tab.list.replace(key)
    this.#tab.announce(this.#tab.locale.text('call.works'))
    this.#tab.requestUpdate()
  }
}

function isPassing(error: unknown): boolean {
  if (!(error instanceof ManagementError)) return false
  return error.code === 'rate_limited' || (error.status ?? 0) >= 500
}
