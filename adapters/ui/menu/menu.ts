import { html, nothing, type TemplateResult } from 'lit'
import type { WireKey } from '../../client/index.ts'
import type { MenuRequest, Opening } from '../context.ts'
import { itemsOf } from '../list/key-actions.ts'
import { Part } from '../part.ts'

/** The menu of a key: one for all rows. The browser closes it, and gives the focus back. */
export class KeyMenu extends Part {
  key: WireKey | null = null
  #request: MenuRequest | null = null
  #button: HTMLElement | null = null

  openFor(request: MenuRequest): void {
    this.#request = request
    this.#button = request.button
    this.show({ key: request.key })
    this.context.shell.changed()
  }

  hide(): void {
    this.querySelector<HTMLElement>('#menu:popover-open')?.hidePopover()
  }

  protected override updated(): void {
    const menu = this.querySelector<HTMLElement>('#menu')
    const request = this.#request
    if (menu === null || request === null || menu.matches(':popover-open')) return
    this.#request = null
    menu.showPopover({ source: request.button } as never)
    const items = this.#items
    items.at(request.fromEnd ? -1 : 0)?.focus({ preventScroll: true })
  }

  protected override render(): TemplateResult {
    const { key } = this
    const { locale } = this.context
    return html`<div id="menu" part="menu" popover role="menu"
        aria-label=${key ? locale.text('menu.sr', { name: key.name }) : nothing}
        @keydown=${(event: KeyboardEvent) => this.#move(event)}
        @beforetoggle=${(event: ToggleEvent) => event.newState === 'closed' && this.#giveBack()}
        @toggle=${(event: ToggleEvent) => event.newState === 'closed' && this.#closed()}>
      ${key ? (['details', ...itemsOf(this.context, key)] as const).map((item) => this.#item(key, item)) : nothing}
      <slot name="menu"></slot>
    </div>`
  }

  #item(key: WireKey, word: Exclude<Opening, 'rotate' | 'revoke'>): TemplateResult {
    const { locale, shell } = this.context
    const run = () => {
      this.hide()
      shell.open(word, key)
    }
    return html`<button type="button" part="menu-item" role="menuitem" tabindex="-1"
      data-item=${word} @click=${run}>${locale.text(`menu.${word}`)}</button>`
  }

  get #items(): readonly HTMLElement[] {
    return [...this.querySelectorAll<HTMLElement>('[role=menuitem]')]
  }

  /** The focus goes back to the button, which browsers forget within a shadow root. */
  #giveBack(): void {
    if (this.querySelector(':focus')) this.#button?.focus({ preventScroll: true })
  }

  #closed(): void {
    if (this.#request !== null) return
    this.key = null
    this.context.shell.changed()
  }

  /** What the keys do in a menu (ARIA menu button pattern). */
  #move(event: KeyboardEvent): void {
    const { key } = event
    const items = this.#items
    const at = items.findIndex((item) => item.matches(':focus'))
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[key]
    // Tab goes on from the button.
    if (key === 'Tab') this.hide()
    else if (next !== undefined) items.at(next % items.length)?.focus()
    if (next !== undefined) event.preventDefault()
  }
}
