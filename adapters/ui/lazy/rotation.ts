import { html, nothing, type TemplateResult } from 'lit'
import { rotatedName } from '../../../src/model/rotated-name.ts'
import type { WireKey } from '../../client/index.ts'
import { drawable } from '../format/text.ts'
import type { Sentence } from '../state/failure.ts'
import type { Tab } from '../state/tab.ts'

const hourSeconds = 3_600
const daySeconds = 24 * hourSeconds

/** What a rotation makes of a key, and how long the old one goes on working. */
export function rotation(tab: Tab, key: WireKey): TemplateResult {
  const { confirmation, locale } = tab
  const start = startOfSecrets(tab, key)
  return html`
    <p class="row">
      <span class="muted">${locale.text('new')}:</span>
      <strong data-note="new-name"><bdi>${drawable(rotatedName(key.name))}</bdi></strong>
      ${start === null ? nothing : html`<code data-note="new-prefix"><bdi dir="ltr">${start}…</bdi></code>`}
    </p>
    ${confirmation.overlaps.length > 1 ? overlapField(tab, key) : nothing}
    ${consequence(tab, key)}
  `
}

/** What the new secret begins with; routes of an earlier release do not say it. */
function startOfSecrets({ catalogue }: Tab, { environment }: WireKey): string | null {
  return catalogue.brand ? drawable(`${catalogue.brand}_${environment}_`) : null
}

/** What becomes of the current key, by what is chosen now, and of whatever uses it. */
function consequence(tab: Tab, key: WireKey): TemplateResult {
  const { confirmation, locale } = tab
  const { id, values } = ending(tab, key)
  const breaks = confirmation.overlap === 0 && isBusy(key)
  return html`<div id="rotation-end" class="note ${breaks ? 'warn' : ''} stack prose">
    <p data-note="end"><strong>${locale.rich(id, values)}</strong></p>
    ${breaks ? html`<p data-note="breaks">${locale.text('rot.breaks')}</p>` : nothing}
  </div>`
}

/** Whether a key was used in the last day. */
function isBusy({ lastUsedAt }: WireKey): boolean {
  return lastUsedAt !== null && Date.now() - Date.parse(lastUsedAt) < daySeconds * 1_000
}

function ending({ confirmation, locale }: Tab, key: WireKey): Sentence {
  const prefix = `${key.prefix}…`
  const { overlap } = confirmation
  if (overlap === 0) return { id: 'rot.end', values: { prefix } }
  const until = Math.min(Date.now() + overlap * 1_000, Date.parse(key.expiresAt ?? '') || Infinity)
  const date = locale.dates.moment(new Date(until).toISOString())
  return { id: 'rot.until', values: { prefix, date } }
}

function overlapField(tab: Tab, key: WireKey): TemplateResult {
  const { confirmation, locale } = tab
  const choose = (seconds: number) => {
    confirmation.overlap = seconds
    const { id, values } = ending(tab, key)
    tab.announce(locale.text(id, values))
  }
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
              @change=${() => choose(seconds)}
            />
            <span>${seconds === daySeconds && isBusy(key) ? locale.rich('rot.recommended', { time: later(seconds, locale) }) : later(seconds, locale)}</span>
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
