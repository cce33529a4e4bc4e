import { html, nothing, type TemplateResult } from 'lit/html.js'
import type { WireKey } from '../../client/index.ts'
import { drawable } from '../format/text.ts'
import type { Tab } from '../state/tab.ts'
import { nameLimit } from './draft.ts'

/** What a replacement has after the name, which is cut to make room for it. */
const SUFFIX = ' (rotated)'

const hourSeconds = 3_600
const daySeconds = 24 * hourSeconds

/** What a rotation makes of a key, side by side, and how long the old one goes on working. */
export function rotation(tab: Tab, key: WireKey): TemplateResult {
  const { confirmation, locale } = tab
  const name = drawable(key.name)
  const kept = [...name]
    .slice(0, nameLimit - SUFFIX.length)
    .join('')
    .trimEnd()
  return html`
    <div class="options">
      <div class="side">
        <span class="muted small">${locale.text('rot.old')}</span>
        <strong><bdi>${name}</bdi></strong>
        <code><bdi dir="ltr">${drawable(key.prefix)}…</bdi></code>
      </div>
      <div class="side">
        <span class="muted small">${locale.text('new')}</span>
        <strong data-note="new-name"><bdi>${kept}${SUFFIX}</bdi></strong>
        <code><bdi dir="ltr">svc_${key.environment}_…</bdi></code>
      </div>
    </div>
    ${confirmation.overlaps.length > 1 ? overlapField(tab) : nothing}
  `
}

function overlapField({ confirmation, locale }: Tab): TemplateResult {
  return html`
    <fieldset class="field" ?disabled=${confirmation.busy}>
      <legend>${locale.text('rot.stop')}</legend>
      <div class="overlaps">
        ${confirmation.overlaps.map(
          (seconds) => html`<label class="box">
            <input
              type="radio"
              name="overlap"
              value=${seconds}
              .checked=${seconds === confirmation.overlap}
              @change=${() => {
                confirmation.overlap = seconds
              }}
            />
            <span>${later(seconds, locale)}</span>
          </label>`,
        )}
      </div>
    </fieldset>
  `
}

function later(seconds: number, { dates, text }: Tab['locale']): string {
  if (seconds === 0) return text('rot.now')
  return seconds > daySeconds
    ? dates.within(seconds / daySeconds, 'day')
    : dates.within(seconds / hourSeconds, 'hour')
}
