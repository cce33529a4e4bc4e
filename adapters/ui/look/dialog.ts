import { html, nothing, type TemplateResult } from 'lit'
import type { WireKey } from '../../client/index.ts'
import {
  about,
  type Change,
  type Failure,
  failureLine,
  isGone,
  lostAnswer,
} from '../calls/failure.ts'
import { Part } from '../part.ts'
import type { MessageId } from '../strings/messages.ts'
import { eventDetailOf } from '../tab/events.ts'
import { closeButton, flag, icons, note, places, smallButton } from './controls.ts'

interface Frame {
  readonly title: unknown
  readonly content: unknown
  readonly foot: unknown
  /** The ids of what it asks: it is an alert dialog, without a button to close it. */
  readonly asks?: string
  /** It only shows something, at the side: a press outside closes it. */
  readonly drawer?: boolean
  /** It has fields: Enter in one of them submits it. */
  readonly submit?: () => unknown
}

type Done = `api-key-${'updated' | 'revoked' | 'paused' | 'resumed'}`

/** After so long without an answer the outcome of a change is called unknown. */
const patienceMs = 30_000

/**
 * A native dialog with its own live region: while it is open, the one outside is not exposed. The element
 * stays in the page so that the region exists before it has something to say.
 */
export abstract class Dialog extends Part {
  open = false
  busy = false
  failure: Failure | null = null
  #wasOpen = false
  #change: Change | null = null

  close(): void {
    this.#change = null
    this.show({ open: false, busy: false, failure: null })
    this.context?.shell.changed()
  }

  /** What is in the dialog; only drawn while it is open. */
  protected abstract frame(): Frame

  /** The id of its element, which those of its title and its fields begin with. */
  abstract get name(): string

  protected override updated(): void {
    const dialog = this.querySelector('dialog')
    if (dialog === null) return
    if (this.open && !dialog.open) {
      dialog.showModal()
      // The focused button may be below what is asked.
      dialog.firstElementChild?.scrollTo(0, 0)
    }
    if (this.#wasOpen && !this.open) {
      dialog.close()
      const root = this.getRootNode()
      // What opened it may have left the list meanwhile.
      if (root instanceof ShadowRoot && root.activeElement === null) {
        this.closest<HTMLElement>('#root')?.focus({ preventScroll: true })
      }
    }
    this.#wasOpen = this.open
  }

  protected override render(): TemplateResult {
    const { dir, lang } = this.context.locale.settings
    const frame = this.open ? this.frame() : null
    const { name } = this
    return html`
      <dialog id=${name} part="dialog" class=${frame?.drawer ? 'drawer' : nothing}
        role=${frame?.asks ? 'alertdialog' : nothing} lang=${lang} dir=${dir}
        closedby=${this.busy ? 'none' : frame?.drawer ? 'any' : 'closerequest'}
        aria-labelledby="${name}-title" aria-describedby=${frame?.asks ?? nothing}
        @cancel=${(event: Event) => this.busy && event.preventDefault()}
        @click=${(event: Event) => frame?.drawer && event.target === event.currentTarget && this.close()}
        @close=${() => this.open && this.close()}>
        ${frame ? this.#box(frame) : nothing}
        <div class="sr" role="status" data-live></div>
      </dialog>
    `
  }

  /**
   * Makes a change. What goes wrong is said here, or above the list where this is about something else by
   * then. The request is never given up: its answer still counts whenever it comes.
   */
  protected async send(change: Change, run: () => Promise<void>): Promise<void> {
    this.#change = change
    this.show({ busy: true, failure: null })
    const late = setTimeout(() => this.#tell(change, lostAnswer(change.action)), patienceMs)
    try {
      await run()
    } catch (error) {
      this.busy = false
      await this.explain(change, error)
    } finally {
      clearTimeout(late)
      if (this.#change === change) this.show({ busy: false })
    }
  }

  /** A key is changed: the focus goes to it, and users and the page hear of it. */
  protected done(change: Change, key: WireKey, words: MessageId, event: Done): void {
    if (this.isAbout(change)) {
      this.close()
      this.shell.focusOn(places.row(key.id), places.ended, places.filter, ...places.top)
    }
    if (change.source === this.shell.source) this.shell.keep(key)
    this.shell.say(words, { name: key.name })
    this.shell.emit(event, eventDetailOf(key))
  }

  protected isAbout(change: Change): boolean {
    return this.open && this.#change === change
  }

  protected async explain(change: Change, error: unknown): Promise<void> {
    const failure = this.shell.refused(error, change)
    if (failure === null) return
    if (!isGone(error) || change.source !== this.shell.source) return this.#tell(change, failure)
    // A fresh list shows whether the key was revoked or is not of this workspace.
    await this.shell.reload()
    if (!this.isAbout(change)) return this.#tell(change, failure)
    this.close()
    this.shell.notify(failure)
    this.shell.focusOn(places.ended, places.filter, ...places.top)
  }

  /** What went wrong, and a way to look at the list when it matters. */
  protected alert(): TemplateResult | typeof nothing {
    const { failure } = this
    if (failure === null) return nothing
    const { locale } = this.context
    const refresh = () => {
      const name = this.#change?.name ?? ''
      this.close()
      if (failure.unknown) {
        // What to look for stays in sight beside the fresh list, with its name.
        this.shell.notify(about(name, failure))
        this.shell.focusOn(places.notice)
      }
      void this.shell.reload()
    }
    const action = failure.refresh && smallButton(this.text('refresh'), refresh, 'refresh')
    return note('failure', icons.warning, failureLine(locale, failure), { action, alert: 'bad' })
  }

  #tell(change: Change, failure: Failure): void {
    if (this.isAbout(change)) {
      this.show({ failure, busy: false })
      this.shell.focusOn(places.alert)
    } else this.shell.notify(about(change.name, failure))
  }

  protected submitButton(text: string, look: { part: string; class: string; run?: () => unknown }) {
    return html`<button type=${look.run ? 'button' : 'submit'} part=${look.part} class=${look.class}
        aria-busy=${flag(this.busy)} data-act=${look.run ? 'confirm' : 'submit'} @click=${look.run}>
      ${text}
    </button>`
  }

  #box({ title, content, foot, asks, submit }: Frame): TemplateResult {
    const { locale } = this.context
    const inside = html`
      <div class="dialog-head">
        <h2 id="${this.name}-title" part="dialog-title" tabindex="-1">${title}</h2>
        ${asks ? nothing : closeButton(locale, () => this.close(), this.busy)}
      </div>
      <div class="dialog-body" part="dialog-body" ?inert=${this.busy && submit !== undefined}>${content}</div>
      ${foot ? html`<div class="dialog-foot" part="dialog-footer">${foot}</div>` : nothing}
    `
    if (submit === undefined) return html`<div class="dialog-box">${inside}</div>`
    const send = (event: Event) => {
      event.preventDefault()
      void submit()
    }
    return html`<form class="dialog-box" novalidate autocomplete="off" @submit=${send}>${inside}</form>`
  }
}
