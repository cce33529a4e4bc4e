import type { WireKey } from '../../client/index.ts'
import type { Tab } from '../state/tab.ts'
import { copyShown } from './copying.ts'
import { KeyHistory } from './key-history.ts'
import { KeyUsage } from './key-usage.ts'
import type { Resources } from './resources.ts'

const freshForMs = 3_000

/** The drawer that shows all that is known about one key. */
export class KeyDetails {
  readonly busy = false
  readonly usage: KeyUsage
  readonly history: KeyHistory
  readonly resources: Resources
  readonly #tab: Tab
  #shown: WireKey | null = null
  /** The id that was just copied. */
  copied: string | null = null
  /** The id is selected, to be copied by hand. */
  copyFailed = false
  #toCopy: string | null = null

  constructor(tab: Tab, resources: Resources) {
    this.#tab = tab
    this.resources = resources
    this.usage = new KeyUsage(tab)
    this.history = new KeyHistory(tab)
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
    return this.#tab.list.find(id)
  }

  show(key: WireKey): void {
    this.#shown = key
    this.copyFailed = false
    for (const [type, ids] of Object.entries(key.resources ?? {})) {
      if (Array.isArray(ids)) void this.resources.name(type, ids)
    }
    this.readUsage()
    void this.history.load(key.id)
    this.#tab.requestUpdate()
  }

  /** Shows another key in the open drawer: its name gets the focus, and so is read. */
  follow(key: WireKey): void {
    this.show(key)
    this.#tab.focusOn('#details-title')
  }

  /** Puts the id of a key on the clipboard; where that is refused, selects it in the drawer. */
  async copyId(id: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(id)
      this.#noteCopied(id)
    } catch {
      const key = this.find(id)
      if (key && this.#shown?.id !== id) this.show(key)
      this.#toCopy = id
      this.#tab.requestUpdate()
    }
  }

  /** Copies the id as it is shown, or leaves it selected. */
  async rendered(root: ParentNode): Promise<void> {
    const id = this.#toCopy
    const shown = root.querySelector<HTMLElement>('#details-id')
    if (id === null || shown === null) return
    this.#toCopy = null
    if (await copyShown(shown, id)) return this.#noteCopied(id)
    this.copyFailed = true
    this.#tab.announce(this.#tab.locale.text('detail.id.fail'))
    this.#tab.requestUpdate()
  }

  #noteCopied(id: string): void {
    Object.assign(this, { copied: id, copyFailed: false })
    this.#tab.announce(this.#tab.locale.text('copied'))
    setTimeout(() => {
      this.copied = null
      this.#tab.requestUpdate()
    }, freshForMs)
    this.#tab.requestUpdate()
  }

  readonly readUsage = (): void => {
    if (this.#shown !== null) void this.usage.load(this.#shown.id)
  }

  close(): void {
    this.usage.stop()
    this.history.stop()
    this.#shown = null
    this.#tab.requestUpdate()
  }
}
