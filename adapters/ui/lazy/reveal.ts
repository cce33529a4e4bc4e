import type { IssuedKeyAnswer, WireKey } from '../../client/index.ts'
import type { KeySource } from '../state/key-source.ts'
import { copyShown, selectAll } from './copying.ts'
import type { SnippetLanguage } from './snippets.ts'

/** Why a secret is shown. */
export type RevealKind = 'created' | 'rotated'

/** A browser has read a file by then that it saves. */
const savedAfterMs = 1_000

let revealCount = 0

/**
 * One secret on screen, once. It lives in one private field and in the text of the elements that show
 * it, and in nothing that devtools, serializers or replay tools read: no reactive property, no attribute.
 */
export class Reveal {
  readonly id: number
  readonly kind: RevealKind
  readonly key: WireKey
  /** Where the key was made, which need not be where the list comes from now. */
  readonly source: KeySource
  /** The key that it replaces, as it is now. */
  readonly former: WireKey | null
  copied = false
  /** What was just copied. */
  fresh: 'key' | 'code' | 'file' | null = null
  copyFailed = false
  /** The user was asked whether to dismiss an uncopied secret. */
  asking = false
  /** How the first call is written. */
  language: SnippetLanguage = 'curl'
  /** The first call has arrived. */
  used = false

  #secret: string | null
  /** What shows the secret: the key itself first, then the code of the first call. */
  #elements: readonly HTMLElement[] = []

  constructor(
    kind: RevealKind,
    { key, secret }: IssuedKeyAnswer,
    source: KeySource,
    former: WireKey | null = null,
  ) {
    revealCount += 1
    this.id = revealCount
    this.kind = kind
    this.key = key
    this.source = source
    this.former = former
    this.#secret = secret
  }

  /** Writes the secret into what was drawn for it. */
  mount(elements: readonly HTMLElement[]): void {
    for (const element of elements) {
      if (!this.#elements.includes(element)) element.textContent = this.#secret
    }
    this.#elements = elements
  }

  async copy(): Promise<boolean> {
    const [shown] = this.#elements
    if (shown === undefined || this.#secret === null) return false
    return copyShown(shown, this.#secret)
  }

  /** Copies the code of the first call, which `shown` shows with the secret in it. */
  async copyCode(shown: HTMLElement): Promise<boolean> {
    return this.#secret !== null && copyShown(shown, shown.textContent ?? '')
  }

  /** Saves the secret as a file; its address is gone a second later. */
  download(): boolean {
    if (this.#secret === null) return false
    const href = URL.createObjectURL(new Blob([`API_KEY=${this.#secret}\n`]))
    Object.assign(document.createElement('a'), { href, download: '.env' }).click()
    setTimeout(() => URL.revokeObjectURL(href), savedAfterMs)
    return true
  }

  select(): void {
    const [shown] = this.#elements
    if (shown !== undefined) selectAll(shown)
  }

  /** Gives the whole secret to a copy made by hand, however much was selected. */
  fill(event: ClipboardEvent): boolean {
    if (this.#secret === null || event.clipboardData === null) return false
    event.clipboardData.setData('text/plain', this.#secret)
    event.preventDefault()
    return true
  }

  /** Whether a text has the whole secret. */
  isIn(text: string): boolean {
    return this.#secret !== null && text.includes(this.#secret)
  }

  /** Forgets the secret for good. */
  wipe(): void {
    if (this.#secret === null) return
    this.#secret = null
    for (const element of this.#elements) element.textContent = ''
    this.#elements = []
  }
}
