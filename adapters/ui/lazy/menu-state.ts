import type { WireKey } from '../../client/index.ts'
import { type Host, places } from '../state/host.ts'

/** The menu of one key, below its button. */
export class KeyMenu {
  key: WireKey | null = null
  /** Whether it begins with its last item. */
  fromEnd = false
  readonly #host: Host

  constructor(host: Host) {
    this.#host = host
  }

  toggle(key: WireKey, fromEnd = false): void {
    this.fromEnd = fromEnd
    this.key = this.key?.id === key.id ? null : key
    this.#host.requestUpdate()
  }

  /** Closes it; with `back`, the focus returns to its button. */
  close(back = false): void {
    if (this.key === null) return
    if (back) this.#host.focusOn(places.menu(this.key.id))
    this.key = null
    this.#host.requestUpdate()
  }
}
