import { type IssuedKeyAnswer, ManagementError, type WireKey } from '../../client/index.ts'
import type { Source } from '../calls/client.ts'
import type { Shell } from '../context.ts'
import { places } from '../look/controls.ts'

/** How long a button says that it has copied. */
export const freshForMs = 3_000

/** The answer of a creation, or of a rotation. */
type Issued = IssuedKeyAnswer & { readonly replaced?: WireKey }

let secretCount = 0

/**
 * One secret on screen, once. It lives in one private field and in the text of the element that shows
 * it, and in nothing that devtools, serializers or replay tools read: no reactive property, no attribute.
 */
export class Secret {
  readonly id: number
  readonly key: WireKey
  /** Where the key was made, which need not be where the list comes from now. */
  readonly source: Source
  /** The key that it replaces, as it is now; `null` for one that was created. */
  readonly former: WireKey | null
  copied = false
  fresh: 'key' | 'code' | null = null
  copyFailed = false
  /** The user was asked whether to dismiss an uncopied secret. */
  asking = false
  unfolded = false
  used = false

  #secret: string | null
  #shown: HTMLElement | null = null

  constructor({ key, secret, replaced }: Issued, source: Source) {
    secretCount += 1
    this.id = secretCount
    this.key = key
    this.source = source
    this.former = replaced ?? null
    this.#secret = secret
  }

  /** Writes the secret into what was drawn for it. */
  mount(element: HTMLElement | null): void {
    if (element !== null && element !== this.#shown) element.textContent = this.#secret
    this.#shown = element
  }

  /** Copies the secret, alone or between the pieces of the code that `shown` shows without it. */
  async copy(shown = this.#shown, pieces: readonly string[] = ['', '']): Promise<boolean> {
    if (shown === null || this.#secret === null) return false
    return copyShown(shown, pieces.join(this.#secret))
  }

  select(): void {
    if (this.#shown !== null) selectAll(this.#shown)
  }

  /** Gives the whole secret to a copy made by hand, however much of it was selected. */
  fill(event: ClipboardEvent): boolean {
    if (this.#secret === null) return false
    event.clipboardData?.setData('text/plain', this.#secret)
    event.preventDefault()
    return true
  }

  wipe(): void {
    this.#secret = null
    if (this.#shown !== null) this.#shown.textContent = ''
    this.#shown = null
  }
}

/** The secrets on screen, newest first. One never takes the place of another. */
export class Secrets {
  items: readonly Secret[] = []
  readonly #shell: Shell
  #pending = false
  #departures = 0

  constructor(shell: Shell) {
    this.#shell = shell
  }

  get pending(): boolean {
    return this.items.some(({ copied }) => !copied)
  }

  /**
   * Shows the new secret as soon as it is there, whatever else goes wrong. When the page is left meanwhile,
   * somebody else may be in front of it when the Back button brings it back: the answer then counts as lost.
   */
  async reveal<T extends Issued>(change: Promise<T>, source: Source): Promise<T> {
    const departures = this.#departures
    const issued = await change
    if (departures !== this.#departures) throw new ManagementError('outcome_unknown')
    const { key, replaced } = issued
    if (source === this.#shell.source) {
      if (replaced) this.#shell.keep(replaced)
      this.#shell.keep(key, true)
    }
    if (replaced?.status === 'revoked') this.retire(replaced.id)
    const secret = new Secret(issued, source)
    this.#change([secret, ...this.items])
    this.#shell.focusOn(`#copy-${secret.id}`)
    return issued
  }

  /** Notes whether the secret, or code with it, was copied. */
  note(secret: Secret, what: 'key' | 'code', copied: boolean): boolean {
    if (!this.items.includes(secret)) return copied
    if (copied) this.#noteCopied(secret, what)
    else {
      Object.assign(secret, { copyFailed: true, fresh: null })
      this.#shell.say('copy.fail')
      this.#shell.changed()
    }
    return copied
  }

  /** Closes a banner; asks once first when its secret was never copied. */
  dismiss(secret: Secret, sure = false): void {
    if (!secret.copied && !sure) {
      secret.asking = true
      this.#shell.say('dismiss.ask')
      this.#shell.focusOn(`#dismiss-copy-${secret.id}`)
      return
    }
    this.#drop(secret)
    const [next] = this.items
    this.#shell.say('dismissed.live')
    this.#shell.focusOn(next ? `#copy-${next.id}` : places.newKey, ...places.top)
  }

  /** Drops the banner of a key that no longer works: its secret would mislead. */
  retire(keyId: string): void {
    for (const secret of this.items) if (secret.key.id === keyId) this.#drop(secret)
  }

  /** Forgets every secret, and those that are still to come: the page is being left. */
  wipe(): void {
    this.#departures += 1
    for (const secret of this.items) secret.wipe()
    this.#change([])
  }

  #drop(secret: Secret): void {
    secret.wipe()
    getSelection()?.removeAllRanges()
    this.#change(this.items.filter((one) => one !== secret))
  }

  #noteCopied(secret: Secret, what: 'key' | 'code'): void {
    Object.assign(secret, { copied: true, fresh: what, copyFailed: false, asking: false })
    this.#shell.say('banner.copied')
    this.#shell.emit('api-key-copied', { id: secret.key.id })
    setTimeout(() => {
      secret.fresh = null
      this.#shell.changed()
    }, freshForMs)
    this.#change(this.items)
  }

  #change(items: readonly Secret[]): void {
    this.items = items
    this.#shell.changed()
    if (this.pending === this.#pending) return
    this.#pending = this.pending
    if (this.#pending) addEventListener('beforeunload', this.#holdPage)
    else removeEventListener('beforeunload', this.#holdPage)
    this.#shell.emit('pending-secret-change', { pending: this.#pending })
  }

  // Browsers show a sentence of their own.
  readonly #holdPage = (event: BeforeUnloadEvent): void => event.preventDefault()
}

/**
 * Puts a text on the clipboard: through the clipboard API, and where that is refused or absent
 * (plain HTTP, frames, old browsers) by selecting the element that shows it and copying that.
 * After a failure the text stays selected for a copy by hand.
 */
export async function copyShown(element: HTMLElement, text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelected(element)
  }
}

export function selectAll(element: HTMLElement): void {
  const range = document.createRange()
  range.selectNodeContents(element)
  const selection = getSelection()
  selection?.removeAllRanges()
  selection?.addRange(range)
}

function copySelected(element: HTMLElement): boolean {
  let reached = false
  const noteCopy = () => {
    reached = true
  }
  selectAll(element)
  element.addEventListener('copy', noteCopy)
  try {
    // Some browsers answer true without copying; the event shows that the element was reached.
    const copied = document.execCommand('copy') && reached
    if (copied) getSelection()?.removeAllRanges()
    return copied
  } finally {
    element.removeEventListener('copy', noteCopy)
  }
}
