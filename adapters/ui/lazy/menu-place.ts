import { places } from '../state/places.ts'
import type { KeyMenu } from './menu-state.ts'

const gap = 4

/** Shows the menu of the key that it is of, below its button or above it, or hides it. */
export function syncMenu(root: ParentNode, { key, fromEnd }: KeyMenu): void {
  const menu = root.querySelector<HTMLElement>('#menu')
  if (menu === null) return
  const open = menu.matches(':popover-open')
  const button = key && root.querySelector<HTMLElement>(places.menu(key.id))
  if (!button) {
    if (open) menu.hidePopover()
    return
  }
  if (open) return
  menu.showPopover()
  placeAt(menu, button)
  const items = menu.querySelectorAll<HTMLElement>('[role=menuitem]')
  items[fromEnd ? items.length - 1 : 0]?.focus({ preventScroll: true })
}

/** Moves the open menu with its button; once that is out of sight, closes it and gives the focus back. */
export function followMenu(root: ParentNode, state: KeyMenu): void {
  const menu = root.querySelector<HTMLElement>('#menu:popover-open')
  const button = state.key && root.querySelector<HTMLElement>(places.menu(state.key.id))
  if (menu === null || !button) return
  const { top, bottom } = button.getBoundingClientRect()
  if (bottom > 0 && top < innerHeight) {
    placeAt(menu, button)
    return
  }
  if (menu.querySelector(':focus') !== null) button.focus({ preventScroll: true })
  state.close()
}

function placeAt(menu: HTMLElement, button: HTMLElement): void {
  const { top, bottom, left, right } = button.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = menu
  const start = getComputedStyle(menu).direction === 'rtl' ? left : right - width
  const below = bottom + gap + height <= innerHeight
  menu.style.left = `${Math.max(gap, Math.min(start, innerWidth - width - gap))}px`
  menu.style.top = `${Math.max(gap, below ? bottom + gap : top - gap - height)}px`
}

/** What the keys do in a menu (ARIA menu button pattern). */
export function moveInMenu(event: KeyboardEvent, close: () => void): void {
  const { currentTarget, key } = event
  if (!(currentTarget instanceof HTMLElement)) return
  const items = [...currentTarget.querySelectorAll<HTMLElement>('[role=menuitem]')]
  const at = items.findIndex((item) => item.matches(':focus'))
  const next = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: -1,
  }[key]
  // Tab goes on from the button.
  if (key === 'Tab') {
    close()
    return
  }
  if (key === 'Escape') close()
  else if (next !== undefined) items.at(next % items.length)?.focus()
  else if (!typed(key, items, at)) return
  event.preventDefault()
}

/** Moves to the next item that begins with a letter. */
function typed(key: string, items: readonly HTMLElement[], at: number): boolean {
  if (key.length !== 1 || key === ' ') return false
  const rest = [...items.slice(at + 1), ...items.slice(0, at + 1)]
  const starts = ({ textContent }: HTMLElement) =>
    (textContent ?? '').trim().toLocaleLowerCase().startsWith(key.toLocaleLowerCase())
  rest.find(starts)?.focus()
  return true
}
