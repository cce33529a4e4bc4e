import { html, nothing, type TemplateResult } from 'lit'
import type { WireKey } from '../../client/index.ts'
import type { Host } from '../state/host.ts'
import type { Tab } from '../state/tab.ts'
import { KeyUsage } from './key-usage.ts'

const SHOWN_HOURS = 24

/** One more, since the first hour has mostly begun before: too high a count is the safer error. */
const READ_HOURS = { by: 'hour', count: SHOWN_HOURS + 1 } as const

/** How often the key about to be revoked was used in the last 24 hours. */
export class RecentUse {
  readonly #usage: KeyUsage
  #id: string | null = null

  constructor(host: Host) {
    this.#usage = new KeyUsage(host, READ_HOURS)
  }

  /** Keeps up with the dialog: loads the uses of the key it asks about, or drops them. */
  follow({ action, key }: Tab['confirmation']): void {
    const isUsed = key !== null && key.lastUsedAt !== null && key.status !== 'expired'
    const id = action === 'revoke' && isUsed ? key.id : null
    if (id === this.#id) return
    this.#id = id
    if (id === null) this.#usage.stop()
    else void this.#usage.load(id)
  }

  stop(): void {
    this.#id = null
    this.#usage.stop()
  }

  /** What the dialog says about a key: nothing until the count is known, or when it is zero. */
  sentence({ locale }: Tab, { id }: WireKey): TemplateResult | typeof nothing {
    const n = this.#usage.accepted
    if (id !== this.#id || n === 0) return nothing
    return html`<p data-note="recent">${locale.rich('rev.recent', { n, h: SHOWN_HOURS })}</p>`
  }
}
