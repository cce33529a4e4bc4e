import { html, nothing, type TemplateResult } from 'lit/html.js'
import type { WireKey } from '../../client/index.ts'
import { hasEnded, isRotatable } from '../state/listed-key.ts'
import type { Tab } from '../state/tab.ts'
import { icons } from './icons.ts'

/** The two buttons of a key and its menu. */
export function rowActions(tab: Tab, key: WireKey): TemplateResult {
  const { list, refused } = tab
  const rotates = isRotatable(key) && !list.locked && !refused.has('rotate')
  const revokes = key.status !== 'revoked' && !refused.has('revoke')
  return html`<span class="row"
    >${rotates ? question(tab, key, 'rotate') : nothing}${
      revokes ? question(tab, key, key.status === 'retiring' ? 'stop' : 'revoke') : nothing
    }${menuButton(tab, key)}</span
  >`
}

function question(tab: Tab, key: WireKey, word: 'rotate' | 'revoke' | 'stop'): TemplateResult {
  const { confirmation, locale, online } = tab
  const action = word === 'rotate' ? word : 'revoke'
  return html`<button
    part="${word}-button"
    class=${word === 'rotate' ? '' : 'quiet-danger'}
    type="button"
    aria-haspopup="dialog"
    aria-label=${locale.text(`${word}.sr`, { name: key.name })}
    aria-disabled=${online ? nothing : 'true'}
    aria-describedby=${online ? nothing : 'offline-note'}
    @click=${() => tab.online && confirmation.ask(action, key)}
  >
    ${locale.text(word)}
  </button>`
}

function menuButton({ locale, menu }: Tab, key: WireKey): TemplateResult {
  const open = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    menu.toggle(key, event.key === 'ArrowUp')
  }
  return html`<button
    part="menu-button"
    class="icon-button"
    type="button"
    data-menu=${key.id}
    aria-haspopup="menu"
    aria-expanded=${menu.key?.id === key.id ? 'true' : 'false'}
    aria-label=${locale.text('menu.sr', { name: key.name })}
    @click=${() => menu.toggle(key)}
    @keydown=${open}
  >
    ${icons.more}
  </button>`
}

/** Something that the menu of a key offers. */
interface Item {
  readonly word: 'details' | 'edit' | 'pause' | 'resume' | 'copy' | 'like'
  readonly run: () => unknown
}

/** What can be done with a key now, beyond its two buttons. */
export function menuItems(tab: Tab, key: WireKey): readonly Item[] {
  const { confirmation, editing, form, list, refused } = tab
  const changeable = isRotatable(key) && tab.online
  const all: readonly (Item | false)[] = [
    { word: 'details', run: () => tab.details.show(key) },
    changeable && !refused.has('update') && { word: 'edit', run: () => editing.show(key) },
    changeable &&
      key.status === 'active' &&
      !refused.has('pause') && { word: 'pause', run: () => confirmation.ask('pause', key) },
    changeable &&
      key.status === 'paused' &&
      !(list.locked || refused.has('resume')) && {
        word: 'resume',
        run: () => confirmation.ask('resume', key),
      },
    { word: 'copy', run: () => tab.copyId(key.id) },
    hasEnded(key) && !tab.creationBlock && { word: 'like', run: () => form.showLike(key) },
  ]
  return all.filter((item) => item !== false)
}
