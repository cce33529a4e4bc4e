import { ManagementError } from '../../client/index.ts'
import { codeOf } from '../state/failure.ts'
import type { Host } from '../state/host.ts'
import type { KeyList } from '../state/key-list.ts'
import type { Reveal } from './reveal.ts'

const everyMs = 3_000
const givenUpAfter = 200

/** Asks whether the keys on screen have been used, until all have, but not for ever. */
export class FirstCallWatch {
  readonly #host: Host
  readonly #list: KeyList
  readonly #reveals: { readonly items: readonly Reveal[] }
  #timer: ReturnType<typeof setTimeout> | undefined
  #left = 0
  /** Whether it has given up. */
  stopped = false

  constructor(host: Host, list: KeyList, reveals: { readonly items: readonly Reveal[] }) {
    this.#host = host
    this.#list = list
    this.#reveals = reveals
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
    this.#host.requestUpdate()
    void this.#ask()
  }

  async #ask(): Promise<void> {
    const waiting = this.#reveals.items.filter(
      ({ used, source }) => !used && source === this.#host.source,
    )
    if (waiting.length === 0 || !this.#host.isConnected) return
    if (this.#left === 0) return this.#stop()
    this.#left -= 1
    try {
      if (document.visibilityState === 'visible') await Promise.all(waiting.map(this.#look))
    } catch (error) {
      const code = codeOf(error)
      if (code === 'unauthenticated') return this.#host.expireSession()
      // A lost connection comes back, as a server does; any other refusal would be repeated for ever.
      if (code === 'network') return this.await()
      if (!isPassing(error)) return this.#stop()
    }
    this.#timer = setTimeout(() => void this.#ask(), everyMs)
  }

  #stop(): void {
    this.stopped = true
    this.#host.requestUpdate()
  }

  readonly #look = async (reveal: Reveal): Promise<void> => {
    const key = await this.#host.management.getKey(reveal.key.id, reveal.source.tie)
    if (key.uses === 0 || !this.#reveals.items.includes(reveal)) return
    reveal.used = true
    if (reveal.source === this.#host.source) this.#list.replace(key)
    this.#host.announce(this.#host.locale.text('call.works'))
    this.#host.requestUpdate()
  }
}

function isPassing(error: unknown): boolean {
  if (!(error instanceof ManagementError)) return false
  return error.code === 'rate_limited' || (error.status ?? 0) >= 500
}
