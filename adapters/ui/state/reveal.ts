import type { IssuedKeyAnswer, WireKey } from '../../client/index.ts'
import { copyShown, selectAll } from './copying.ts'
import type { KeySource } from './key-source.ts'

/** Why a secret is shown. */
export type RevealKind = 'created' | 'rotated'

let revealCount = 0

/**
 * One secret on screen, once. It lives in one private field and in the text of one element, and in
 * nothing that devtools, serializers or replay tools read: no reactive property, no attribute.
 */
export class Reveal {
  readonly id: number
  readonly kind: RevealKind
  readonly key: WireKey
  /** Where the key was made, which need not be where the list comes from now. */
  readonly source: KeySource
  copied = false
  /** The copy was just made. */
  fresh = false
  copyFailed = false
  /** The user was asked whether to dismiss an uncopied secret. */
  asking = false

  #secret: string | null
  #element: HTMLElement | null = null

  constructor(kind: RevealKind, { key, secret }: IssuedKeyAnswer, source: KeySource) {
    revealCount += 1
    this.id = revealCount
    this.kind = kind
    this.key = key
    this.source = source
    this.#secret = secret
  }

  /** Writes the secret into the element that was drawn for it. */
  mount(element: HTMLElement | null): void {
    if (element === this.#element) return
    this.#element = element
    if (element !== null) element.textContent = this.#secret
  }

  async copy(): Promise<boolean> {
    if (this.#element === null || this.#secret === null) return false
    return copyShown(this.#element, this.#secret)
  }

  select(): void {
    if (this.#element !== null) selectAll(this.#element)
  }

  /** Gives the whole secret to a copy made by hand, however much was selected. */
  fill(event: ClipboardEvent): boolean {
    if (this.#secret === null || event.clipboardData === null) return false
    event.clipboardData.setData('text/plain', this.#secret)
    event.preventDefault()
    return true
  }

  /** Forgets the secret for good. */
  wipe(): void {
    if (this.#secret === null) return
    this.#secret = null
    if (this.#element !== null) this.#element.textContent = ''
    this.#element = null
  }
}
