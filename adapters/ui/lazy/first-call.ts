import { html, nothing, type TemplateResult } from 'lit'
import { smallButton } from '../parts/controls.ts'
import { icons } from '../parts/icons.ts'
import type { Tab } from '../state/tab.ts'
import type { Reveal } from './reveal.ts'

/** A call that ends where the secret belongs, and the rest of it. */
function callTo(address: string): readonly [before: string, after: string] {
  // Whatever ends a text of a shell; encoded, it means the same to HTTP.
  const { href } = new URL(address, document.baseURI)
  const url = href.replace(/['\\$`]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
  return [`curl '${url}' \\\n  -H 'Authorization: Bearer `, `'`]
}

/** The first call with a new key, ready to paste, and whether it has arrived. Only its copy holds the secret. */
export function firstCall(tab: Tab, reveal: Reveal): TemplateResult | typeof nothing {
  const { locale, settings } = tab
  if (!settings.callUrl) return nothing
  const snippet = callTo(settings.callUrl)
  const id = `call-${reveal.id}`
  const copy = () => {
    const shown = tab.root.querySelector<HTMLElement>(`#${id}`)
    if (shown) void tab.parts.reveals.copyCode(reveal, { shown, snippet })
  }
  return html`
    <div part="first-call" class="banner-line stack call" role="group" aria-labelledby="${id}-title">
      <div class="row">
        <span id="${id}-title" class="grow strong-label">${locale.text('call.title')}</span>
        <button type="button" class="small-button copy" part="copy-code-button" data-act="copy-code" @click=${copy}>
          ${reveal.fresh === 'code' ? icons.check : icons.copy}${locale.text(reveal.fresh === 'code' ? 'copied' : 'call.copy')}
        </button>
      </div>
      <pre
        id=${id}
        class="secret code"
        tabindex="0"
        dir="ltr"
        role="group"
        @copy=${(event: ClipboardEvent) => tab.parts.reveals.copyCodeByHand(reveal, event)}
        aria-label="${locale.text('call.title')}: curl"
      >${snippet[0]}<span data-mask>${reveal.mask}</span>${snippet[1]}</pre>
      ${arrival(tab, reveal)}
    </div>
  `
}

/** Whether the call has arrived; nothing for a key of another place, which is not watched. */
function arrival(tab: Tab, { source, used }: Reveal) {
  const { text } = tab.locale
  const { watch } = tab.parts
  if (used)
    return html`<p class="small row strong-label works" data-note="call">${icons.check}${text('call.works')}</p>`
  if (source !== tab.source || tab.list.phase === 'session') return nothing
  if (!watch.stopped)
    return html`<p class="small waiting" data-note="call">${text('call.waiting')}</p>`
  return html`<p class="small row" data-note="call">
    ${text('call.stopped')}
    ${smallButton(text('call.again'), () => watch.again(), 'check-again')}
  </p>`
}
