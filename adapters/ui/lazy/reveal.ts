import type { IssuedKeyAnswer, WireKey } from '../../client/index.ts'
import type { KeySource } from '../state/key-source.ts'
import { copyShown, selectAll } from './copying.ts'

/** Why a secret is shown. */
export type RevealKind = 'created' | 'rotated'

/** The code of the first call, and what shows it. */
export interface ShownCode {
  readonly shown: HTMLElement
  /** What is before the secret and after it. */
  readonly snippet: readonly string[]
}

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
  fresh: 'key' | 'code' | null = null
  copyFailed = false
  /** The user was asked whether to dismiss an uncopied secret. */
  asking = false
  /** The first call has arrived. */
  used = false

  #secret: string | null
  /** What shows the secret. */
  #shown: HTMLElement | null = null

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

  /** What stands for the secret in the code of the first call: the secret itself stands once. */
  get mask(): string {
    return `${this.key.prefix}…`
  }

  /** Writes the secret into what was drawn for it. */
  mount(element: HTMLElement | null): void {
    if (element !== null && element !== this.#shown) element.textContent = this.#secret
    this.#shown = element
  }

  async copy(): Promise<boolean> {
    if (this.#shown === null || this.#secret === null) return false
    return copyShown(this.#shown, this.#secret)
  }

  /** Copies the code of the first call with the secret in it; `shown` shows it without. */
  async copyCode({ shown, snippet }: ShownCode): Promise<boolean> {
    return this.#secret !== null && copyShown(shown, snippet.join(this.#secret))
  }

  select(): void {
    if (this.#shown !== null) selectAll(this.#shown)
  }

  /** Gives the whole secret to a copy made by hand, however much was selected. */
  fill(event: ClipboardEvent): boolean {
    if (this.#secret === null || event.clipboardData === null) return false
    event.clipboardData.setData('text/plain', this.#secret)
    event.preventDefault()
    return true
  }

  /** Puts the secret in place of its mask in code that is copied by hand; answers whether it was there. */
  fillCode(event: ClipboardEvent): boolean {
    const selected = String(getSelection() ?? '')
    if (this.#secret === null || !selected.includes(this.mask)) return false
    event.clipboardData?.setData('text/plain', selected.replace(this.mask, this.#secret))
    event.preventDefault()
    return true
  }

  /** Forgets the secret for good. */
  wipe(): void {
    if (this.#secret === null) return
    this.#secret = null
    if (this.#shown !== null) this.#shown.textContent = ''
    this.#shown = null
  }
}
