import type { WireKey } from '../../client/index.ts'
import type { Host } from '../state/host.ts'
import type { KeyList } from '../state/key-list.ts'
import { isReadable } from '../state/listed-key.ts'
import { KeyHistory } from './key-history.ts'
import { KeyUsage } from './key-usage.ts'

/** The drawer that shows all that is known about one key. */
export class KeyDetails {
  readonly busy = false
  readonly usage: KeyUsage
  readonly history: KeyHistory
  readonly #host: Host
  readonly #list: KeyList
  #shown: WireKey | null = null

  constructor(host: Host, list: KeyList) {
    this.#host = host
    this.usage = new KeyUsage(host)
    this.history = new KeyHistory(host)
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
    this.readUsage()
    void this.history.load(key.id)
    this.#host.requestUpdate()
  }

  /** Puts the id of a key on the clipboard. */
  async copyId(id: string): Promise<void> {
    const { locale } = this.#host
    try {
      await navigator.clipboard.writeText(id)
      this.#host.announce(locale.text('copied'))
    } catch {
      // There it can be selected.
      const key = this.find(id)
      if (key) this.show(key)
    }
  }

  readonly readUsage = (): void => {
    if (this.#shown !== null) void this.usage.load(this.#shown.id)
  }

  close(): void {
    this.usage.stop()
    this.history.stop()
    this.#shown = null
    this.#host.requestUpdate()
  }
}
