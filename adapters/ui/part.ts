import { LitElement, type PropertyDeclarations } from 'lit'
import type { Context } from './context.ts'

/**
 * A part of the tab: an element that draws into the shadow root around it, so that one sheet styles all
 * parts and `::part` and slots reach into them. It knows the context and nothing of the tab.
 */
export abstract class Part extends LitElement {
  static override properties: PropertyDeclarations = { context: { attribute: false } }
  /** Set by whoever draws it, before it draws itself. */
  declare context: Context

  protected get shell(): Context['shell'] {
    return this.context.shell
  }

  /** A sentence for attributes. */
  protected get text(): Context['locale']['text'] {
    return this.context.locale.text
  }

  /** A sentence to draw. */
  protected get rich(): Context['locale']['rich'] {
    return this.context.locale.rich
  }

  /** Draws into itself: its root is that of the tab. */
  protected override createRenderRoot(): this {
    return this
  }

  protected override shouldUpdate(): boolean {
    return this.context !== undefined
  }

  protected show(change: object): void {
    Object.assign(this, change)
    this.requestUpdate()
  }
}

/** Defines parts by their tags, unless a copy of the tab has done it; on a server, does nothing. */
export function defineParts(parts: Readonly<Record<string, CustomElementConstructor>>): void {
  for (const [tag, part] of Object.entries(parts)) {
    if (globalThis.customElements && !customElements.get(tag)) customElements.define(tag, part)
  }
}
