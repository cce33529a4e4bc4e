import { html, nothing, type TemplateResult } from 'lit'
import type { WireKey } from '../../client/index.ts'
import type { Confirmation, ConfirmedAction } from '../state/confirmation.ts'
import { lateFailure } from '../state/failure.ts'
import type { Tab } from '../state/tab.ts'
import type { MessageId } from '../strings/messages.ts'
import { dialog, failureAlert, submitButton } from './dialog.ts'

interface Look {
  readonly words: 'rot' | 'rev' | 'pause' | 'resume'
  /** What follows for the systems that use the key. */
  readonly used: MessageId | null
  readonly keep: MessageId
  /** In place of the title, the body and the button that the words stand for. */
  readonly title?: MessageId
  readonly body?: MessageId
  readonly submit?: MessageId
  readonly part: string
  readonly class: string
}

const amber = { part: 'warning-button', class: 'amber' } as const

const LOOKS: Readonly<Record<ConfirmedAction, Look>> = {
  rotate: { words: 'rot', used: 'rot.used', keep: 'cancel', ...amber },
  revoke: {
    words: 'rev',
    used: 'rev.used',
    keep: 'rev.keep',
    part: 'danger-button',
    class: 'danger filled',
  },
  pause: { words: 'pause', used: 'rev.used', keep: 'cancel', ...amber },
  resume: {
    words: 'resume',
    used: null,
    keep: 'cancel',
    part: 'primary-button',
    class: 'primary',
  },
}

/** A key that ends or has ended is not asked about like one that works. */
function lookOf(action: ConfirmedAction, { status }: WireKey): Look {
  const look = LOOKS[action]
  if (action !== 'revoke') return look
  if (status === 'retiring') return { ...look, title: 'stop.title', submit: 'stop' }
  return status === 'expired' ? { ...look, body: 'rev.expired', used: null } : look
}

/** The question before a key is changed: which key, when it was last used, what happens. */
export function confirmDialog(tab: Tab): TemplateResult {
  return dialog(tab, tab.confirmation, {
    id: 'confirm',
    role: 'alertdialog',
    describedBy: 'confirm-body rotation-end',
    content: () => question(tab, tab.confirmation),
  })
}

function question(tab: Tab, confirmation: Confirmation): TemplateResult {
  const { action, busy, failure, key } = confirmation
  if (key === null) return html``
  const { lazy, locale } = tab
  const { file } = lazy
  const look = lookOf(action, key)
  const close = () => confirmation.close()
  const run = () => confirmation.confirm()
  return html`
    <div class="dialog-box">
      <div class="dialog-head">
        <h2 id="confirm-title" part="dialog-title">${locale.rich(look.title ?? `${look.words}.title`, { name: key.name })}</h2>
      </div>
      <div class="dialog-body" part="dialog-body">
        <div id="confirm-body" class="stack prose">
          <p>${locale.rich(look.body ?? `${look.words}.body`, { prefix: `${key.prefix}…` })}</p>
          ${look.used ? usedSentence(tab, key, look.used) : nothing}
          ${action === 'revoke' ? file?.former(tab, key) : nothing}
        </div>
        ${(action === 'rotate' && file?.rotation(tab, key)) || nothing}
        ${failureAlert(tab, failure, { close, late: (one) => lateFailure(action, key.name, one) })}
      </div>
      <div class="dialog-foot" part="dialog-footer">
        ${action === 'revoke' && key.status === 'active' ? insteadButton(tab) : nothing}
        <button type="button" autofocus part="secondary-button" ?disabled=${busy} @click=${close}>
          ${locale.text(look.keep)}
        </button>
        ${submitButton(busy, { ...look, text: locale.text(look.submit ?? `${look.words}.submit`), run })}
      </div>
    </div>
  `
}

// A key that was never used breaks nothing, so only the fact is said.
function usedSentence({ locale }: Tab, key: WireKey, id: MessageId): TemplateResult {
  if (key.lastUsedAt === null) return html`<p>${locale.text('never')}.</p>`
  const when = locale.dates.recent(key.lastUsedAt, Date.now())
  return html`<p class="used">${locale.rich(id, { when })}</p>`
}

function insteadButton(tab: Tab): TemplateResult | typeof nothing {
  const { confirmation, lazy, locale, refused } = tab
  if (lazy.parts === null || refused.has('pause')) return nothing
  return html`<button
    type="button"
    class="instead"
    data-act="instead"
    ?disabled=${confirmation.busy}
    @click=${() => confirmation.pauseInstead()}
  >
    ${locale.text('pause.instead')}
  </button>`
}
