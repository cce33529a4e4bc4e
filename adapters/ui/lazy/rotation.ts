import { html, nothing, type TemplateResult } from 'lit'
import { rotatedName } from '../../../src/model/rotated-name.ts'
import type { WireKey } from '../../client/index.ts'
import { drawable } from '../format/text.ts'
import type { Sentence } from '../state/failure.ts'
import type { Tab } from '../state/tab.ts'

const hourSeconds = 3_600
const daySeconds = 24 * hourSeconds

/** What a rotation makes of a key, side by side, and how long the old one goes on working. */
export function rotation(tab: Tab, key: WireKey): TemplateResult {
  const { confirmation, locale } = tab
  const name = drawable(key.name)
  const start = startOfSecrets(key)
  return html`
    <div class="options">
      <div class="side">
        <span class="muted small">${locale.text('rot.old')}</span>
        <strong><bdi>${name}</bdi></strong>
        <code><bdi dir="ltr">${drawable(key.prefix)}…</bdi></code>
      </div>
      <div class="side">
        <span class="muted small">${locale.text('new')}</span>
        <strong data-note="new-name"><bdi>${drawable(rotatedName(key.name))}</bdi></strong>
        ${start === null ? nothing : html`<code data-note="new-prefix"><bdi dir="ltr">${start}…</bdi></code>`}
      </div>
    </div>
    ${confirmation.overlaps.length > 1 ? overlapField(tab, key) : nothing}
  `
}

/** What the secrets of the host begin with, as the key itself shows; an imported key does not. */
function startOfSecrets({ prefix, environment, format }: WireKey): string | null {
  const mark = `_${environment}_`
  const at = prefix.indexOf(mark)
  return format === null && at > 0 ? drawable(prefix.slice(0, at + mark.length)) : null
}

/** What becomes of the current key, by what is chosen now. */
export function currentEnd(tab: Tab, key: WireKey): TemplateResult {
  const { id, values } = ending(tab, key)
  return html`<p data-note="end"><strong>${tab.locale.rich(id, values)}</strong></p>`
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
