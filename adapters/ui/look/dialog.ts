import { html, nothing, type TemplateResult } from 'lit'
import { type Change, type Failure, isOver, lateFailure } from '../calls/failure.ts'
import { Part } from '../part.ts'
import { closeButton, failureLine, flag, places, smallButton } from './controls.ts'
import { icons } from './icons.ts'

/** What makes one dialog differ from another. */
interface Frame {
  readonly title: unknown
  readonly content: unknown
  readonly foot: unknown
  readonly role?: 'alertdialog'
  readonly class?: string
  readonly describedBy?: string
  /** It only shows something: a press outside closes it. */
  readonly light?: boolean
  /** It has fields: Enter in one of them submits it. */
  readonly submit?: () => unknown
}

let open = 0
let stillness: CSSStyleSheet | undefined

/** Stops the page behind the dialogs of all tabs from scrolling; its own styles stay untouched. */
function hold(holds: boolean): void {
  open += holds ? 1 : -1
  stillness ??= new CSSStyleSheet()
  const bar = innerWidth > document.documentElement.clientWidth ? 'scrollbar-gutter:stable' : ''
  if (holds && open === 1) stillness.replaceSync(`:root{overflow:hidden!important;${bar}}`)
  const sheets = document.adoptedStyleSheets.filter((sheet) => sheet !== stillness)
  document.adoptedStyleSheets = open > 0 ? [...sheets, stillness] : sheets
}

/**
 * A native dialog with its own live region: while it is open, the one outside is not exposed. The element
 * stays in the page so that the region exists before it has something to say.
 */
export abstract class Dialog extends Part {
  open = false
  busy = false
  failure: Failure | null = null
  #held = false

  close(): void {
    this.show({ open: false, failure: null })
    this.context?.shell.changed()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#hold(false)
  }

  /** What is in the dialog; only drawn while it is open. */
  protected abstract frame(): Frame

  /** The id of its element, which those of its title and its fields begin with. */
  abstract get name(): string

  /** What the dialog changes, for its failures. */
  protected abstract get change(): Change

  protected override updated(): void {
    const dialog = this.querySelector('dialog')
    if (dialog === null) return
    if (this.open && !dialog.open) {
      dialog.showModal()
      // The focused button may be below what is asked.
      dialog.firstElementChild?.scrollTo(0, 0)
    }
    if (!this.open && this.#held) {
      dialog.close()
      const root = this.getRootNode()
      // What opened it may have left the list meanwhile.
      if (root instanceof ShadowRoot && root.activeElement === null) {
        this.closest<HTMLElement>('#root')?.focus({ preventScroll: true })
      }
    }
    this.#hold(this.open)
  }

  protected override render(): TemplateResult {
    const { dir, lang } = this.context.locale.settings
    const frame = this.open ? this.frame() : null
    const { name } = this
    return html`
      <dialog id=${name} part="dialog" class=${frame?.class ?? nothing}
        role=${frame?.role ?? nothing} lang=${lang} dir=${dir}
        closedby=${this.busy ? 'none' : frame?.light ? 'any' : 'closerequest'}
        aria-labelledby="${name}-title" aria-describedby=${frame?.describedBy ?? nothing}
        @cancel=${(event: Event) => this.busy && event.preventDefault()}
        @click=${(event: Event) => frame?.light && event.target === event.currentTarget && this.close()}
        @close=${(event: Event) => event.target instanceof HTMLDialogElement && !event.target.open && this.open && this.close()}>
        ${frame ? this.#box(frame) : nothing}
        <div class="sr" role="status" data-live></div>
      </dialog>
    `
  }

  /** What went wrong, and a way to look at the list when it matters. */
  protected alert(): TemplateResult | typeof nothing {
    const { failure } = this
    if (failure === null || isOver(failure)) return nothing
    const { locale, shell } = this.context
    const refresh = () => {
      const late = lateFailure(this.change, failure)
      this.close()
      if (failure.unknown) {
        // What to look for stays in sight beside the fresh list, with its name.
        shell.notify(late)
        shell.focusOn(places.notice)
      }
      void shell.reload()
    }
    return html`
      <div class="note bad" part="error-message" role="alert" tabindex="-1">
        ${icons.warning}
        <p class="grow">${failureLine(locale, failure)}</p>
        ${failure.refresh ? smallButton(locale.text('refresh'), refresh, 'refresh') : nothing}
      </div>
    `
  }

  /** Says what went wrong in the open dialog. */
  protected fail(failure: Failure): void {
    this.show({ failure, busy: false })
    this.context.shell.focusOn(places.alert)
  }

  protected submitButton(text: string, look: { part: string; class: string; run?: () => unknown }) {
    return html`<button type=${look.run ? 'button' : 'submit'} part=${look.part} class=${look.class}
        aria-busy=${flag(this.busy)} data-act=${look.run ? 'confirm' : 'submit'} @click=${look.run}>
      ${text}
    </button>`
  }

  #box({ title, content, foot, role, submit }: Frame): TemplateResult {
    const { locale } = this.context
    const inside = html`
      <div class="dialog-head">
        <h2 id="${this.name}-title" part="dialog-title" tabindex="-1">${title}</h2>
        ${role ? nothing : closeButton(locale, () => this.close(), this.busy)}
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

  #hold(holds: boolean): void {
    if (holds !== this.#held) hold(holds)
    this.#held = holds
  }
}
