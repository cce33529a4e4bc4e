import { html, nothing, type TemplateResult } from 'lit'
import { rotatedName } from '../../../src/model/name.ts'
import { ManagementError, type WireKey } from '../../client/index.ts'
import type { Secrets } from '../banner/secrets.ts'
import type { Change } from '../calls/failure.ts'
import { drawable } from '../format/text.ts'
import { code } from '../look/controls.ts'
import { Dialog } from '../look/dialog.ts'
import type { MessageId } from '../strings/messages.ts'
import { eventDetailOf } from '../tab/events.ts'
import { OVERLAPS } from '../tab/settings.ts'

export type AskedAction = 'rotate' | 'revoke' | 'pause' | 'resume'

const daySeconds = 86_400
const hourSeconds = 3_600

/** One question. Each gets its own object, so a late answer cannot affect another. */
interface Asked extends Change {
  readonly action: AskedAction
  readonly key: WireKey
  /** How long the old key goes on working after a rotation, in seconds. */
  overlap: number
}

const LOOKS = { rotate: 'blue', revoke: 'filled', pause: 'primary', resume: 'primary' } as const

function isBusy({ lastUsedAt }: WireKey): boolean {
  return lastUsedAt !== null && Date.now() - Date.parse(lastUsedAt) < daySeconds * 1_000
}

/** The dialog that asks before a key is changed. Nothing changes before the server says so. */
export class Question extends Dialog {
  declare secrets: Secrets
  #asked: Asked | null = null

  override get name(): string {
    return 'confirm'
  }

  ask(action: AskedAction, key: WireKey): void {
    const { settings } = this.context
    this.shell.moveOn()
    const wanted = settings.defaultOverlap || (isBusy(key) ? daySeconds : 0)
    const overlap = this.#overlaps(key).includes(wanted) ? wanted : 0
    this.#asked = { action, key, name: key.name, source: this.shell.source, overlap }
    this.show({ open: true, failure: null })
  }

  protected override frame() {
    const { action, key } = this.#asked as Asked
    const stops = action === 'revoke' && key.status === 'retiring'
    const expired = action === 'revoke' && key.status === 'expired'
    const look = {
      class: LOOKS[action],
      part: action === 'revoke' ? 'danger-button' : 'primary-button',
    }
    return {
      asks: 'confirm-body rotation-end',
      title: this.rich(stops ? 'stop.title' : `${action}.title`, { name: key.name }),
      content: html`
        <div id="confirm-body" class="stack prose">
          <p>${this.rich(expired ? 'revoke.expired' : `${action}.body`, { prefix: `${key.prefix}…` })}</p>
          ${action === 'resume' || expired ? nothing : this.#used(key)}
        </div>
        ${action === 'rotate' ? this.#rotation(key) : nothing}
        ${this.alert()}
      `,
      foot: html`
        ${action === 'revoke' && key.status === 'active' ? this.#instead(key) : nothing}
        <button type="button" autofocus part="secondary-button" ?disabled=${this.busy} @click=${() => this.close()}>${this.text(action === 'revoke' ? 'revoke.keep' : 'cancel')}</button>
        ${this.submitButton(this.text(stops ? 'stop' : action), { ...look, run: () => this.#confirm() })}
      `,
    }
  }

  #used({ lastUsedAt, uses }: WireKey): TemplateResult {
    const { dates } = this.context.locale
    if (lastUsedAt === null) return html`<p>${this.text('ask.never')}</p>`
    const when = dates.recent(lastUsedAt, Date.now())
    return html`<p class="muted">${this.rich('ask.used', { when })} ${this.rich('uses.sr', { n: uses })}.</p>`
  }

  #instead(key: WireKey): TemplateResult | typeof nothing {
    const { may } = this.context
    if (!may('pause')) return nothing
    const pause = () => {
      this.ask('pause', key)
      void this.#confirm()
    }
    return html`<button type="button" class="link instead" data-act="instead" ?disabled=${this.busy} @click=${pause}>${this.text('pause.instead')}</button>`
  }

  #overlaps({ status }: WireKey): readonly number[] {
    const most = status === 'active' ? this.context.list.plan.maxOverlapSeconds : 0
    return OVERLAPS.filter((seconds) => seconds === 0 || seconds <= most)
  }

  /** What the new key will be, and when the current one stops. */
  #rotation(key: WireKey): TemplateResult {
    const { catalogue } = this.context
    const start = catalogue.brand && drawable(`${catalogue.brand}_${key.environment}_`)
    const overlaps = this.#overlaps(key)
    return html`
      <p class="row">
        <span class="muted">${this.text('rotate.name')}</span>
        <strong data-note="new-name"><bdi>${drawable(rotatedName(key.name))}</bdi></strong>
        ${start ? html`<span data-note="new-prefix">${code(`${start}…`)}</span>` : nothing}
      </p>
      ${
        overlaps.length > 1
          ? html`<fieldset class="field" ?disabled=${this.busy}>
              <legend>${this.text('rotate.stop')}</legend>
              ${overlaps.map((seconds) => this.#overlap(key, seconds))}
            </fieldset>`
          : this.#end(key)
      }
    `
  }

  #overlap(key: WireKey, seconds: number): TemplateResult {
    const asked = this.#asked as Asked
    const chosen = seconds === asked.overlap
    const choose = () => {
      asked.overlap = seconds
      this.requestUpdate()
      this.shell.say(...this.#ending(key))
    }
    const time = this.#later(seconds)
    const recommended = seconds === daySeconds && isBusy(key)
    return html`<label class="box">
        <input type="radio" name="overlap" value=${seconds} .checked=${chosen} @change=${choose} />
        <span>${recommended ? this.rich('rotate.recommended', { time }) : time}</span>
      </label>
      ${chosen ? this.#end(key) : nothing}`
  }

  #later(seconds: number): string {
    const { dates } = this.context.locale
    if (seconds === 0) return this.text('rotate.now')
    if (seconds > daySeconds) return dates.within(seconds / daySeconds, 'day')
    return dates.within(seconds / hourSeconds, 'hour')
  }

  #end(key: WireKey): TemplateResult {
    const ending = this.rich(...this.#ending(key))
    return html`<p id="rotation-end" class="consequence prose" data-note="end">${ending}</p>`
  }

  #ending({ prefix, expiresAt }: WireKey): [MessageId, Record<string, string>] {
    const overlap = this.#asked?.overlap ?? 0
    const values = { prefix: `${prefix}…` }
    if (overlap === 0) return ['revoke.body', values]
    const until = Math.min(Date.now() + overlap * 1_000, Date.parse(expiresAt ?? '') || Infinity)
    const date = this.context.locale.dates.moment(new Date(until).toISOString())
    return ['rotate.until', { ...values, date }]
  }

  async #confirm(): Promise<void> {
    const asked = this.#asked as Asked
    const { action, key, source } = asked
    if (this.busy) return
    const before = action === 'rotate' || action === 'revoke' ? (`before-${action}` as const) : null
    if (before && !this.shell.emit(before, eventDetailOf(key))) return
    await this.send(asked, async () => {
      await (action === 'rotate' ? this.#rotate(asked) : this.#change(asked, action))
      if (source === this.shell.source) void this.shell.reload()
    })
  }

  async #rotate(asked: Asked): Promise<void> {
    const { key, source, overlap } = asked
    const how = { ...source.tie, ...(overlap > 0 ? { overlapSeconds: overlap } : {}) }
    const rotated = this.shell.client.rotateKey(key.id, how)
    const issued = await this.secrets.reveal(rotated, source)
    if (this.isAbout(asked)) this.close()
    this.shell.say('rotated.title', { name: key.name })
    this.shell.emit('api-key-rotated', eventDetailOf(issued.key))
  }

  async #change(asked: Asked, action: Exclude<AskedAction, 'rotate'>): Promise<void> {
    const { key, source } = asked
    const changed = await this.shell.client[`${action}Key`](key.id, source.tie)
    if (action === 'revoke' && changed.status !== 'revoked') {
      throw new ManagementError('outcome_unknown')
    }
    this.done(asked, changed, `${action}.done`, `api-key-${action}d`)
  }
}
