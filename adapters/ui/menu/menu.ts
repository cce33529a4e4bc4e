import { html, nothing, type TemplateResult } from 'lit'
import type { WireKey } from '../../client/index.ts'
import type { Opening } from '../context.ts'
import { isChangeable } from '../list/listed-key.ts'
import { flag } from '../look/controls.ts'
import { Part } from '../part.ts'

/** Whose menu is to be shown, at which button, and whether with its last item first. */
export interface MenuRequest {
  readonly key: WireKey
  readonly button: HTMLElement
  readonly fromEnd: boolean
}

const gap = 4

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
    this.#placeAt(menu, request.button)
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
      ${key ? this.#choices(key) : nothing}
      <slot name="menu"></slot>
    </div>`
  }

  /** What can be done with a key now, beyond its two buttons. */
  #choices(key: WireKey): readonly TemplateResult[] {
    const { locked, may } = this.context
    const all: readonly (TemplateResult | false)[] = [
      this.#item(key, 'details'),
      isChangeable(key) && may('update') && this.#item(key, 'edit'),
      key.status === 'active' && may('pause') && this.#item(key, 'pause'),
      key.status === 'paused' && !locked && may('resume') && this.#item(key, 'resume'),
    ]
    return all.filter((item) => item !== false)
  }

  #item(key: WireKey, word: Exclude<Opening, 'rotate' | 'revoke'>): TemplateResult {
    const { locale, shell } = this.context
    const barred = word === 'resume' && key.withinGrant === false
    const run = () => {
      if (barred) return
      this.hide()
      shell.open(word, key)
    }
    return html`<button type="button" part="menu-item" role="menuitem" tabindex="-1"
        data-item=${word} aria-disabled=${flag(barred)} @click=${run}>
      ${locale.text(`menu.${word}`)}${barred ? html`<span class="hint">${locale.text('grant.key')}</span>` : nothing}
    </button>`
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
    else if (key.length === 1 && key !== ' ') {
      const rest = [...items.slice(at + 1), ...items.slice(0, at + 1)]
      rest
        .find((item) => item.innerText.trim().toLowerCase().startsWith(key.toLowerCase()))
        ?.focus()
    }
    if (next !== undefined) event.preventDefault()
  }

  // Where the browser anchors a popover at its button, the style sheet does; this is for the others.
  #placeAt(menu: HTMLElement, button: HTMLElement): void {
    if (CSS.supports('position-area', 'block-end')) return
    const { bottom, left, right, top } = button.getBoundingClientRect()
    const { offsetHeight: height, offsetWidth: width } = menu
    const start = getComputedStyle(menu).direction === 'rtl' ? left : right - width
    const below = bottom + gap + height <= innerHeight
    menu.style.left = `${Math.max(gap, Math.min(start, innerWidth - width - gap))}px`
    menu.style.top = `${Math.max(gap, below ? bottom + gap : top - gap - height)}px`
  }
}
