import type { Tab } from './tab.ts'

/** Lets the other browser tabs of the page know at once that keys have changed. Never with a secret. */
export class OtherTabs {
  readonly #tab: Tab
  readonly #channel = globalThis.BroadcastChannel && new BroadcastChannel('miftah')

  constructor(tab: Tab) {
    this.#tab = tab
    if (!this.#channel) return
    this.#channel.onmessage = ({ data }: MessageEvent) => {
      if (data === this.#place && tab.list.phase === 'ready') void tab.list.load()
    }
  }

  /** Says that keys of this workspace have changed. */
  notify(): void {
    this.#channel?.postMessage(this.#place)
  }

  leave(): void {
    this.#channel?.close()
  }

  /** Where the keys are from: tabs of other places have nothing to load. */
  get #place(): string {
    const { settings, source } = this.#tab
    return JSON.stringify([settings.baseUrl, source.workspaceId])
  }
}
