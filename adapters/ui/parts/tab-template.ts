import { html, nothing, type TemplateResult } from 'lit'
import type { Tab } from '../state/tab.ts'
import { confirmDialog } from './confirm-dialog.ts'
import { header } from './header.ts'
import { keysTable } from './keys-table.ts'
import { allowance, notes } from './notes.ts'
import { emptyPanel, errorPanel, forbiddenPanel, sessionPanel, skeleton } from './panels.ts'

/** The whole tab. */
export function tabTemplate(tab: Tab): TemplateResult {
  const { dir, lang } = tab.localize().settings
  const { lazy, list } = tab
  list.age(Date.now())
  const busy = list.refreshing || lazy.waiting !== null
  const preload = () => lazy.preload()
  return html`
    <div class="reset"><div id="root" part="root" lang=${lang} dir=${dir} data-theme=${tab.settings.theme} tabindex="-1" @pointerover=${preload} @focusin=${preload}>
      ${drawn(() => header(tab))} ${lazy.file?.banners(tab)} ${drawn(() => notes(tab))}
      ${drawn(() => allowance(tab))}
      <div
        class="list"
        aria-busy=${list.phase === 'loading' || busy}
      >
        ${busy ? html`<div class="progress" aria-hidden="true"></div>` : nothing}
        ${drawn(() => content(tab))}
      </div>
      ${drawn(() => confirmDialog(tab))}
      ${drawn(() => lazy.parts?.draw() ?? nothing)}
      <div id="live" class="sr" role="status" data-live></div>
    </div></div>
  `
}

// A part that cannot be drawn is left out: it must not take a secret on screen with it.
function drawn<T>(part: () => T): T | typeof nothing {
  try {
    return part()
  } catch (error) {
    reportError(error)
    return nothing
  }
}

function content(tab: Tab): TemplateResult | typeof nothing {
  switch (tab.list.phase) {
    case 'loading':
      return skeleton(tab)
    case 'error':
      return errorPanel(tab)
    case 'forbidden':
      return forbiddenPanel(tab)
    case 'session':
      return sessionPanel(tab)
    case 'ready':
      return tab.list.keys.length > 0 || tab.view.looking ? keysTable(tab) : emptyPanel(tab)
  }
}
