import { html, nothing, type TemplateResult } from 'lit'
import type { WireKey } from '../../client/index.ts'
import type { Context } from '../context.ts'
import { icons } from '../look/controls.ts'
import { itemsOf } from './facts.ts'

/**
 * The menu of a key with its button: the browser opens and closes it. What is in it is drawn once it is
 * opened, which `opened` is told.
 */
export function keyMenu(
  context: Context,
  key: WireKey,
  isOpen: boolean,
  opened: (isOpen: boolean) => void,
): TemplateResult {
  const label = context.locale.text('menu.sr', { name: key.name })
  const toggles = ({ currentTarget, newState }: ToggleEvent) => {
    const menu = currentTarget as HTMLElement
    // The focus goes back to the button, which browsers forget within a shadow root.
    const button = menu.previousElementSibling as HTMLElement
    if (newState === 'closed' && menu.querySelector(':focus')) button.focus({ preventScroll: true })
    opened(newState === 'open')
  }
  const toggled = ({ currentTarget }: Event) =>
    itemsIn(currentTarget)[0]?.focus({ preventScroll: true })
  return html`<button part="menu-button" class="icon-button" type="button"
      popovertarget="menu-${key.id}" aria-haspopup="menu" aria-expanded=${isOpen}
      aria-label=${label}>
      ${icons.more}
    </button>
    <div id="menu-${key.id}" part="menu" class="menu" popover role="menu" aria-label=${label}
      data-menu=${key.id} @keydown=${move} @beforetoggle=${toggles} @toggle=${toggled}>
      ${isOpen ? items(context, key) : nothing}
    </div>`
}

function items(context: Context, key: WireKey): TemplateResult {
  const { locale, shell } = context
  const words = ['details', ...itemsOf(context, key)] as const
  const choose = (event: Event, word: (typeof words)[number]) => {
    ;(event.currentTarget as HTMLElement).closest<HTMLElement>('.menu')?.hidePopover()
    shell.open(word, key)
  }
  return html`
    ${words.map((word) => html`<button type="button" part="menu-item" role="menuitem" tabindex="-1" data-item=${word} @click=${(event: Event) => choose(event, word)}>${locale.text(word)}</button>`)}
    <slot name="menu"></slot>
  `
}

function itemsIn(menu: EventTarget | null): readonly HTMLElement[] {
  return [...(menu as HTMLElement).querySelectorAll<HTMLElement>('[role=menuitem]')]
}

/** What the keys do in a menu (ARIA menu button pattern). */
function move(event: KeyboardEvent): void {
  const { currentTarget, key } = event
  const items = itemsIn(currentTarget)
  const at = items.findIndex((item) => item.matches(':focus'))
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[key]
  // Tab goes on from the button.
  if (key === 'Tab') (currentTarget as HTMLElement).hidePopover()
  if (next === undefined) return
  event.preventDefault()
  items.at(next % items.length)?.focus()
}
