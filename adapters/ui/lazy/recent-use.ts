import { html, nothing, type TemplateResult } from 'lit'
import type { WireKey } from '../../client/index.ts'
import { typed } from '../parts/controls.ts'
import type { Tab } from '../state/tab.ts'
import { KeyUsage } from './key-usage.ts'

const SHOWN_HOURS = 24

/** One more, since the first hour has mostly begun before: too high a count is the safer error. */
const READ_HOURS = { by: 'hour', count: SHOWN_HOURS + 1 } as const

/** How often the key about to be revoked or rotated was used in the last 24 hours. */
export class RecentUse {
  readonly #tab: Tab
  readonly #usage: KeyUsage
  #id: string | null = null

  constructor(tab: Tab) {
    this.#tab = tab
    this.#usage = new KeyUsage(tab, READ_HOURS)
  }

  /** Keeps up with the dialog: loads the uses of the key it asks about, or drops them. */
  follow(): void {
    const { action, key } = this.#tab.confirmation
    const isUsed = key !== null && key.lastUsedAt !== null && key.status !== 'expired'
    const asks = action === 'revoke' || action === 'rotate'
    const id = asks && isUsed ? key.id : null
    if (id === this.#id) return
    this.#id = id
    if (id === null) this.#usage.stop()
    else void this.#load(id)
  }

  async #load(id: string): Promise<void> {
    await this.#usage.load(id)
    const { confirmation, settings } = this.#tab
    const { busyUses } = settings
    if (id === this.#id) confirmation.mustType = busyUses > 0 && this.#usage.accepted > busyUses
    this.#tab.requestUpdate()
  }

  /** Where the name is typed of a key that is used a lot. */
  typedName({ confirmation, locale }: Tab, { name }: WireKey): TemplateResult | typeof nothing {
    if (!confirmation.mustType || (confirmation.action === 'rotate' && confirmation.overlap > 0)) {
      return nothing
    }
    const edit = typed((text) => confirmation.type(text))
    return html`<div class="field">
      <label for="typed-name">${locale.rich('confirm.type', { name })}</label>
      <input id="typed-name" type="text" dir="auto" autocomplete="off" spellcheck="false" .value=${confirmation.typed} @input=${edit} />
    </div>`
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
