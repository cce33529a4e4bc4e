import { html, nothing, type TemplateResult } from 'lit/html.js'
import type { WireKey } from '../../client/index.ts'
import type { Confirmation } from '../state/confirmation.ts'
import type { Tab } from '../state/tab.ts'
import { dialog, failureAlert } from './dialog.ts'

const words = {
  rotate: {
    title: 'rot.title',
    body: 'rot.body',
    used: 'rot.used',
    keep: 'cancel',
    submit: 'rot.submit',
    busy: 'rot.busy',
  },
  revoke: {
    title: 'rev.title',
    body: 'rev.body',
    used: 'rev.used',
    keep: 'rev.keep',
    submit: 'rev.submit',
    busy: 'rev.busy',
  },
} as const

/** The question before a key is rotated or revoked: which key, when it was last used, what happens. */
export function confirmDialog(tab: Tab): TemplateResult {
  return dialog(tab, tab.confirmation, {
    id: 'confirm',
    role: 'alertdialog',
    describedBy: 'confirm-body',
    content: () => question(tab, tab.confirmation),
  })
}

function question(tab: Tab, confirmation: Confirmation): TemplateResult {
  const { action, busy, failure, key } = confirmation
  if (key === null) return html``
  const { locale } = tab
  const close = () => confirmation.close()
  return html`
    <div class="dialog-box">
      <div class="dialog-head">
        <h2 id="confirm-title" part="dialog-title">${locale.rich(words[action].title, { name: key.name })}</h2>
      </div>
      <div class="dialog-body" part="dialog-body">
        <div id="confirm-body" class="prose">
          <p>${locale.rich(words[action].body, { prefix: `${key.prefix}…` })}</p>
          <p>${usedSentence(tab, key)}</p>
        </div>
        ${failureAlert(tab, failure, close)}
      </div>
      <div class="dialog-foot" part="dialog-footer">
        <button type="button" autofocus part="secondary-button" ?disabled=${busy} @click=${close}>
          ${locale.text(words[action].keep)}
        </button>
        <button
          type="button"
          part=${action === 'revoke' ? 'danger-button' : 'primary-button'}
          class=${action === 'revoke' ? 'danger filled' : 'primary'}
          aria-busy=${busy ? 'true' : nothing}
          data-act="confirm"
          @click=${() => confirmation.confirm()}
        >
          ${locale.text(busy ? words[action].busy : words[action].submit)}
        </button>
      </div>
    </div>
  `
}

// A key that was never used breaks nothing, so only the fact is told.
function usedSentence({ confirmation, locale }: Tab, key: WireKey): TemplateResult | string {
  if (key.lastUsedAt === null) return `${locale.text('never')}.`
  const when = locale.dates.recent(key.lastUsedAt, Date.now())
  return locale.rich(words[confirmation.action].used, { when })
}
