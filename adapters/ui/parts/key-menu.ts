import { html, nothing, type TemplateResult } from 'lit/html.js'
import { moveInMenu } from '../state/menu-place.ts'
import type { Tab } from '../state/tab.ts'
import { menuItems } from './row-actions.ts'

/** The menu of a key: one for all rows, on top of whatever is around the tab. */
export function keyMenu(tab: Tab): TemplateResult {
  const { locale, menu } = tab
  const { key } = menu
  return html`<div
    id="menu"
    part="menu"
    popover="manual"
    role="menu"
    aria-label=${key ? locale.text('menu.sr', { name: key.name }) : nothing}
    @keydown=${(event: KeyboardEvent) => moveInMenu(event, () => menu.close(true))}
  >
    ${
      key
        ? menuItems(tab, key).map(
            ({ word, run }) => html`<button
              type="button"
              part="menu-item"
              role="menuitem"
              tabindex="-1"
              data-item=${word}
              @click=${() => {
                menu.close(true)
                // Once the button has the focus, which a dialog gives back to it.
                void tab.drawn.then(run)
              }}
            >
              ${locale.text(`menu.${word}`)}
            </button>`,
          )
        : nothing
    }
  </div>`
}
