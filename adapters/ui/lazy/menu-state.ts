import type { WireKey } from '../../client/index.ts'
import { places } from '../state/places.ts'
import type { Tab } from '../state/tab.ts'

/** The menu of one key, below its button. */
export class KeyMenu {
  key: WireKey | null = null
  /** Whether it begins with its last item. */
  fromEnd = false
  readonly #tab: Tab

  constructor(tab: Tab) {
    this.#tab = tab
  }

  toggle(key: WireKey, fromEnd = false): void {
    this.fromEnd = fromEnd
    this.key = this.key?.id === key.id ? null : key
    this.#tab.requestUpdate()
  }

  /** Closes it; with `back`, the focus returns to its button. */
  close(back = false): void {
    if (this.key === null) return
    if (back) this.#tab.focusOn(places.menu(this.key.id))
    this.key = null
    this.#tab.requestUpdate()
  }
}
