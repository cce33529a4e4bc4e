import { html, nothing, type TemplateResult } from 'lit'
import type { WireKey } from '../../client/index.ts'
import { flag } from '../parts/controls.ts'
import { isRotatable } from '../state/listed-key.ts'
import type { Tab } from '../state/tab.ts'
import { moveInMenu } from './menu-place.ts'

/** The menu of a key: one for all rows, on top of whatever is around the tab. */
export function keyMenu(tab: Tab): TemplateResult {
  const { locale } = tab
  const { menu } = tab.parts
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
            ({ word, run, barred }) => html`<button
              type="button"
              part="menu-item"
              role="menuitem"
              tabindex="-1"
              data-item=${word}
              aria-disabled=${flag(barred)}
              @click=${() => {
                if (barred) return
                menu.close(true)
                // Once the button has the focus, which a dialog gives back to it.
                void tab.drawn.then(run)
              }}
            >
              <span
                >${locale.text(`menu.${word}`)}${barred ? html`<span class="hint reason">${locale.text('grant.key')}</span>` : nothing}</span
              >
            </button>`,
          )
        : nothing
    }
    <slot name="menu"></slot>
  </div>`
}

/** Something that the menu of a key offers. */
interface Item {
  readonly word: 'details' | 'edit' | 'pause' | 'resume' | 'copy'
  readonly run: () => unknown
  /** Whether it would give more than the user may. */
  readonly barred?: boolean
}

/** What can be done with a key now, beyond its two buttons. */
function menuItems(tab: Tab, key: WireKey): readonly Item[] {
  const { confirmation, list, refused } = tab
  const { details, editing } = tab.parts
  const changeable = isRotatable(key)
  const all: readonly (Item | false)[] = [
    { word: 'details', run: () => details.show(key) },
    changeable && !refused.has('update') && { word: 'edit', run: () => editing.show(key) },
    key.status === 'active' &&
      !refused.has('pause') && { word: 'pause', run: () => confirmation.ask('pause', key) },
    key.status === 'paused' &&
      !(list.locked || refused.has('resume')) && {
        word: 'resume',
        run: () => confirmation.ask('resume', key),
        barred: key.withinGrant === false,
      },
    { word: 'copy', run: () => details.copyId(key.id) },
  ]
  return all.filter((item) => item !== false)
}
