import { render, type TemplateResult } from 'lit/html.js'
import { styles } from './styles/index.ts'

// Absent on a server, where the module may be imported although nothing is drawn there.
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement

let sheet: CSSStyleSheet | undefined

/**
 * A custom element that draws a lit-html template into its shadow root, at most once per microtask.
 * LitElement does this and much more; the tab needs none of the rest, and its two kilobytes.
 */
export abstract class DrawnElement extends Base {
  readonly renderRoot: ShadowRoot
  #drawn: Promise<boolean> = Promise.resolve(true)
  #waiting = false
  /** What is drawn stands before it. A new one makes lit-html forget what it has drawn. */
  #end: ChildNode = document.createComment('')

  constructor() {
    super()
    this.renderRoot = this.attachShadow({ mode: 'open' })
    sheet ??= sheetOf(styles)
    this.renderRoot.adoptedStyleSheets = [sheet]
  }

  /** Settles when the latest change is drawn. */
  get updateComplete(): Promise<boolean> {
    return this.#drawn
  }

  /** Asks for a new drawing. An element outside of a page, or with `defer-hydration`, is not drawn. */
  requestUpdate(): void {
    if (this.#waiting || !this.isConnected || this.hasAttribute('defer-hydration')) return
    this.#waiting = true
    this.#drawn = Promise.resolve().then(() => this.#draw())
  }

  /** What to draw. */
  protected abstract render(): TemplateResult

  /** Called after each drawing. */
  protected abstract updated(): void

  #draw(): boolean {
    this.#waiting = false
    try {
      this.#drawOver()
    } catch (error) {
      // Page translation and other extensions move nodes that lit-html holds on to: begin with none.
      reportError(error)
      this.#end.remove()
      this.#drawOver()
    }
    this.updated()
    return !this.#waiting
  }

  #drawOver(): void {
    if (this.#end.parentNode !== this.renderRoot) {
      this.#end = document.createComment('')
      this.renderRoot.replaceChildren(this.#end)
    }
    render(this.render(), this.renderRoot, { host: this, renderBefore: this.#end })
  }
}

/** A style sheet of this text. */
export function sheetOf(text: string): CSSStyleSheet {
  const made = new CSSStyleSheet()
  made.replaceSync(text)
  return made
}
