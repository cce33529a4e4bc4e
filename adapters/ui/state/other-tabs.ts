import type { Host } from './host.ts'
import type { KeyList } from './key-list.ts'

/** Lets the other browser tabs of the page know at once that keys have changed. Never with a secret. */
export class OtherTabs {
  readonly #host: Host
  readonly #channel = globalThis.BroadcastChannel && new BroadcastChannel('miftah')

  constructor(host: Host & { readonly list: KeyList }) {
    this.#host = host
    if (!this.#channel) return
    this.#channel.onmessage = ({ data }: MessageEvent) => {
      if (data === this.#place && host.list.phase === 'ready') void host.list.load()
    }
  }

  /** Says that keys of this workspace have changed. */
  tell(): void {
    this.#channel?.postMessage(this.#place)
  }

  leave(): void {
    this.#channel?.close()
  }

  /** Where the keys are from: tabs of other places have nothing to load. */
  get #place(): string {
    const { settings, source } = this.#host
    return JSON.stringify([settings.baseUrl, source.workspaceId])
  }
}
