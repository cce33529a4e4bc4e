import { html, nothing, type TemplateResult } from 'lit'
import { smallButton } from '../parts/controls.ts'
import { icons } from '../parts/icons.ts'
import type { Tab } from '../state/tab.ts'
import type { Reveal } from './reveal.ts'
import { type Snippet, snippetLanguages, snippetOf } from './snippets.ts'

/** The first call with a new key, ready to paste, and whether it has arrived. Only its copy holds the secret. */
export function firstCall(tab: Tab, reveal: Reveal): TemplateResult {
  const { callUrl } = tab.settings
  const { locale } = tab
  const language = callUrl ? reveal.language : '.env'
  const snippet = snippetOf(language, callUrl)
  const title = callUrl ? locale.text('call.title') : html`<bdi dir="ltr">${language}</bdi>`
  const id = `call-${reveal.id}`
  return html`
    <div part="first-call" class="banner-line stack call" role="group" aria-labelledby="${id}-title">
      <div class="row">
        <span id="${id}-title" class="grow strong-label">${title}</span>
        ${callUrl ? choices(tab, reveal) : ''}
        <button
          type="button"
          class="small-button copy"
          part="copy-code-button"
          data-act="copy-code"
          @click=${(event: Event) => copyCode(tab, reveal, { event, snippet })}
        >
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
        aria-label="${locale.text('call.title')}: ${language}"
      >${snippet[0]}<span data-mask>${reveal.mask}</span>${snippet[1]}</pre>
      <div class="row">
        ${smallButton(locale.text('call.file'), () => tab.parts.reveals.download(reveal), 'download')}
        <span class="grow">${arrival(tab, reveal)}</span>
      </div>
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

function choices(tab: Tab, reveal: Reveal): TemplateResult {
  return html`<span class="filter" role="group" aria-labelledby="call-${reveal.id}-title"
    >${snippetLanguages.map(
      (language) => html`<button
        type="button"
        class="small-button"
        dir="ltr"
        aria-pressed=${language === reveal.language}
        @click=${() => {
          reveal.language = language
          tab.requestUpdate()
        }}
      >
        <span>${language}</span>
      </button>`,
    )}</span
  >`
}

function copyCode(
  tab: Tab,
  reveal: Reveal,
  { event, snippet }: { readonly event: Event; readonly snippet: Snippet },
): void {
  const { currentTarget } = event
  const shown =
    currentTarget instanceof Element && currentTarget.closest('.call')?.querySelector('pre')
  if (shown) void tab.parts.reveals.copyCode(reveal, { shown, snippet })
}
