import { type IssuedKeyAnswer, ManagementError, type WireKey } from '../../client/index.ts'
import type { KeySource } from '../state/key-source.ts'
import { places } from '../state/places.ts'
import type { Tab } from '../state/tab.ts'
import { Reveal, type RevealKind, type ShownCode } from './reveal.ts'

const freshForMs = 3_000

/** The secrets on screen, newest first. One never takes the place of another. */
export class Reveals {
  items: readonly Reveal[] = []
  /** Called when a secret has come on screen. */
  onShow: () => void = () => {}
  readonly #tab: Tab
  #pending = false
  #departures = 0

  constructor(tab: Tab) {
    this.#tab = tab
  }

  /** Whether a secret is on screen that was not copied yet. */
  get pending(): boolean {
    return this.items.some(({ copied }) => !copied)
  }

  show(
    kind: RevealKind,
    issued: IssuedKeyAnswer,
    source: KeySource,
    former: WireKey | null = null,
  ): void {
    // A tab that has left the page has nowhere to show it, and must not keep it.
    if (!this.#tab.isConnected) return
    const reveal = new Reveal(kind, issued, source, former)
    this.#change([reveal, ...this.items])
    this.onShow()
    this.#tab.focusOn(places.copy(reveal.id))
  }

  /**
   * The answer of a change that begins now. When the page is left meanwhile, somebody else may be in
   * front of it when the Back button brings it back: the answer then counts as lost.
   */
  async unlessLeft<T>(change: Promise<T>): Promise<T> {
    const departures = this.#departures
    const answer = await change
    if (departures === this.#departures) return answer
    throw new ManagementError('outcome_unknown')
  }

  /** Forgets every secret, and those that are still to come: the page is being left. */
  leave(): void {
    this.#departures += 1
    this.wipe()
  }

  async copy(reveal: Reveal): Promise<boolean> {
    return this.#note(reveal, 'key', await reveal.copy())
  }

  /** Copies the code of the first call, which holds the secret. */
  async copyCode(reveal: Reveal, code: ShownCode): Promise<void> {
    this.#note(reveal, 'code', await reveal.copyCode(code))
  }

  /** A copy made by hand counts like one made by the button. */
  copyByHand(reveal: Reveal, event: ClipboardEvent): void {
    if (reveal.fill(event)) this.#noteCopied(reveal, 'key')
  }

  /** Of the code any part can be copied by hand, which counts when the secret is in it. */
  copyCodeByHand(reveal: Reveal, event: ClipboardEvent): void {
    if (reveal.fillCode(event)) this.#noteCopied(reveal, 'code')
  }

  /** Closes a banner; asks once first when its secret was never copied. */
  dismiss(reveal: Reveal, sure = false): void {
    if (!reveal.copied && !sure) {
      reveal.asking = true
      this.#tab.announce(this.#tab.locale.text('dismiss.ask'))
      this.#tab.focusOn(places.copyAndDismiss(reveal.id))
      return
    }
    this.#drop(reveal)
    const next = this.items[0]
    this.#tab.announce(this.#tab.locale.text('dismissed.live'))
    this.#tab.focusOn(next ? places.copy(next.id) : places.newKey, ...places.top)
  }

  async copyAndDismiss(reveal: Reveal): Promise<void> {
    if (await this.copy(reveal)) this.dismiss(reveal, true)
  }

  /** Drops the banner of a key that no longer works: its secret would mislead. */
  retire(keyId: string): void {
    for (const reveal of this.items) if (reveal.key.id === keyId) this.#drop(reveal)
  }

  /** Forgets every secret: the tab is leaving the page. */
  readonly wipe = (): void => {
    for (const reveal of this.items) reveal.wipe()
    this.#change([])
  }

  #drop(reveal: Reveal): void {
    reveal.wipe()
    getSelection()?.removeAllRanges()
    this.#change(this.items.filter((one) => one !== reveal))
  }

  #note(reveal: Reveal, what: 'key' | 'code', copied: boolean): boolean {
    if (!this.items.includes(reveal)) return copied
    if (copied) this.#noteCopied(reveal, what)
    else this.#noteRefused(reveal)
    return copied
  }

  #noteCopied(reveal: Reveal, what: 'key' | 'code'): void {
    Object.assign(reveal, { copied: true, fresh: what, copyFailed: false, asking: false })
    this.#tab.announce(this.#tab.locale.text('copied.live'))
    this.#tab.emit('api-key-copied', { id: reveal.key.id })
    setTimeout(() => {
      reveal.fresh = null
      this.#tab.requestUpdate()
    }, freshForMs)
    this.#change(this.items)
  }

  #noteRefused(reveal: Reveal): void {
    reveal.copyFailed = true
    reveal.fresh = null
    this.#tab.announce(copyInstruction(this.#tab))
    this.#tab.requestUpdate()
  }

  #change(items: readonly Reveal[]): void {
    this.items = items
    this.#tab.requestUpdate()
    if (this.pending === this.#pending) return
    this.#pending = this.pending
    if (this.#pending) addEventListener('beforeunload', this.#holdPage)
    else removeEventListener('beforeunload', this.#holdPage)
    this.#tab.emit('pending-secret-change', { pending: this.#pending })
  }

  // Browsers show a sentence of their own; the one given matters to old ones only.
  readonly #holdPage = (event: BeforeUnloadEvent): void => {
    event.preventDefault()
    event.returnValue = this.#tab.locale.text('unload')
  }
}

/** What to press after the clipboard refused: a shortcut, or a long press on touch screens. */
export function copyHint(): { id: 'copy.fail' | 'copy.fail.touch'; shortcut: string } {
  const touch = matchMedia('(hover: none) and (pointer: coarse)').matches
  const mac = /Mac|iP/.test(navigator.platform)
  return { id: touch ? 'copy.fail.touch' : 'copy.fail', shortcut: mac ? '⌘C' : 'Ctrl+C' }
}

function copyInstruction({ locale }: Tab): string {
  const { id, shortcut } = copyHint()
  return locale.text(id, { shortcut })
}
