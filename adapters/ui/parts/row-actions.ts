import { html, nothing, type TemplateResult } from 'lit'
import type { WireKey } from '../../client/index.ts'
import { isRotatable } from '../state/listed-key.ts'
import type { Tab } from '../state/tab.ts'
import { icons } from './icons.ts'

/** The two buttons of a key and its menu. */
export function rowActions(tab: Tab, key: WireKey): TemplateResult {
  return html`<td role="cell" class="actions"><span class="row">${keyButtons(tab, key)}${menuButton(tab, key)}</span></td>`
}

/** The buttons of a key, in its row and in its details. */
export function keyButtons(tab: Tab, key: WireKey): readonly unknown[] {
  const { list, refused } = tab
  const rotates = isRotatable(key) && !list.locked && !refused.has('rotate')
  const revokes = key.status !== 'revoked' && !refused.has('revoke')
  const revoke = key.status === 'retiring' ? 'stop' : 'revoke'
  const words = [...(rotates ? (['rotate'] as const) : []), ...(revokes ? ([revoke] as const) : [])]
  return words.map((word) => question(tab, key, word))
}

function question(tab: Tab, key: WireKey, word: 'rotate' | 'revoke' | 'stop'): TemplateResult {
  const { confirmation, lazy, locale } = tab
  const barred = word === 'rotate' && key.withinGrant === false
  const ask = () => {
    lazy.parts?.details.close()
    if (word === 'rotate') void lazy.open(() => confirmation.ask(word, key))
    else confirmation.ask('revoke', key)
  }
  return html`<button
    part="${word}-button"
    class=${word === 'rotate' ? 'quiet' : 'quiet danger'}
    type="button"
    aria-haspopup="dialog"
    aria-label=${locale.text(`${word}.sr`, { name: key.name })}
    aria-disabled=${barred ? 'true' : nothing}
    title=${barred ? locale.text('grant.key') : nothing}
    @click=${() => barred || ask()}
  >
    ${locale.text(word)}
  </button>`
}

function menuButton({ lazy, locale }: Tab, key: WireKey): TemplateResult {
  const toggle = (fromEnd: boolean) => lazy.open(({ menu }) => menu.toggle(key, fromEnd))
  const open = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    void toggle(event.key === 'ArrowUp')
  }
  return html`<button
    part="menu-button"
    class="icon-button"
    type="button"
    data-menu=${key.id}
    aria-haspopup="menu"
    aria-expanded=${lazy.parts?.menu.key?.id === key.id}
    aria-label=${locale.text('menu.sr', { name: key.name })}
    @click=${() => toggle(false)}
    @keydown=${open}
  >
    ${lazy.parts?.details.copied === key.id ? icons.check : icons.more}
  </button>`
}
