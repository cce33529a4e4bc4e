import type { WireKey } from '../../client/index.ts'
import type { Host } from './host.ts'
import type { KeyList } from './key-list.ts'
import { isReadable } from './listed-key.ts'

/** The drawer that shows all that is known about one key. */
export class KeyDetails {
  readonly busy = false
  readonly #host: Host
  readonly #list: KeyList
  #shown: WireKey | null = null

  constructor(host: Host, list: KeyList) {
    this.#host = host
    this.#list = list
  }

  get open(): boolean {
    return this.#shown !== null
  }

  /** The key as it was last loaded. */
  get key(): WireKey | null {
    return this.find(this.#shown?.id ?? null) ?? this.#shown
  }

  /** A loaded key. */
  find(id: string | null): WireKey | undefined {
    return this.#list.keys.filter(isReadable).find((key) => key.id === id)
  }

  show(key: WireKey): void {
    this.#shown = key
    this.#host.requestUpdate()
  }

  close(): void {
    this.#shown = null
    this.#host.requestUpdate()
  }
}
