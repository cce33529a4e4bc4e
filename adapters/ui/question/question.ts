import { html, nothing, type TemplateResult } from 'lit'
import { rotatedName } from '../../../src/model/name.ts'
import { ManagementError, type RotatedKeyAnswer, type WireKey } from '../../client/index.ts'
import { answered, withPatience } from '../calls/client.ts'
import {
  type Change,
  type Failure,
  goneFailure,
  isGone,
  lateFailure,
  lostAnswer,
} from '../calls/failure.ts'
import type { Source } from '../calls/source.ts'
import { drawable } from '../format/text.ts'
import { isBusy } from '../list/listed-key.ts'
import { code, places } from '../look/controls.ts'
import { Dialog } from '../look/dialog.ts'
import type { MessageId } from '../strings/messages.ts'
import { eventDetailOf } from '../tab/events.ts'
import { OVERLAPS } from '../tab/settings.ts'

/** An action that asks first. */
export type AskedAction = 'rotate' | 'revoke' | 'pause' | 'resume'

const daySeconds = 86_400
const hourSeconds = 3_600

/** One question and its result. Each gets its own object, so a late answer cannot affect another. */
interface Asked {
  readonly action: AskedAction
  readonly key: WireKey
  readonly source: Source
  /** How long the old key goes on working after a rotation, in seconds. */
  overlap: number
  /** The change was made. */
  done: boolean
}

/** What the words of each question begin with, how to leave it, and its button. */
const LOOKS = {
  rotate: { words: 'rot', keep: 'cancel', part: 'warning-button', class: 'blue' },
  revoke: { words: 'rev', keep: 'rev.keep', part: 'danger-button', class: 'filled' },
  pause: { words: 'pause', keep: 'cancel', part: 'warning-button', class: 'primary' },
  resume: { words: 'resume', keep: 'cancel', part: 'primary-button', class: 'primary' },
} as const satisfies Record<AskedAction, Record<string, string>>

/** What is announced, and the event, when a change is made. */
const DONE = {
  revoke: { said: 'rev.done', event: 'api-key-revoked' },
  pause: { said: 'pause.done', event: 'api-key-paused' },
  resume: { said: 'resume.done', event: 'api-key-resumed' },
} as const

/** The dialog that asks before a key is changed. Nothing changes before the server says so. */
export class Question extends Dialog {
  /** Takes the new secret. Set by the tab; asked before anything is sent. */
  declare reveal:
    | ((change: Promise<RotatedKeyAnswer>, source: Source) => Promise<RotatedKeyAnswer>)
    | undefined
  #asked: Asked | null = null

  override get name(): string {
    return 'confirm'
  }

  protected override get change(): Change {
    const { action = 'revoke', key, source } = this.#asked ?? {}
    return { action, name: key?.name ?? '', source: source ?? this.context.source }
  }

  ask(action: AskedAction, key: WireKey): void {
    if (this.busy) return
    const { settings, shell, source } = this.context
    shell.moveOn()
    this.#asked = { action, key, source, overlap: 0, done: false }
    const wanted = settings.defaultOverlap || (isBusy(key) ? daySeconds : 0)
    if (action === 'rotate' && this.#overlaps(key).includes(wanted)) this.#asked.overlap = wanted
    this.show({ open: true, failure: null })
  }

  override close(): void {
    this.#asked = null
    this.busy = false
    super.close()
  }

  protected override frame() {
    const { action, key } = this.#asked as Asked
    const { locale } = this.context
    const { text } = locale
    const look = LOOKS[action]
    const stops = action === 'revoke' && key.status === 'retiring'
    const expired = action === 'revoke' && key.status === 'expired'
    const body = expired ? 'rev.expired' : (`${look.words}.body` as const)
    const title: MessageId = stops ? 'stop.title' : `${look.words}.title`
    return {
      role: 'alertdialog' as const,
      describedBy: 'confirm-body rotation-end',
      title: locale.rich(title, { name: key.name }),
      content: html`
        <div id="confirm-body" class="stack prose">
          <p>${locale.rich(body, { prefix: `${key.prefix}…` })}</p>
          ${action === 'resume' || expired ? nothing : this.#used(key)}
          ${action === 'revoke' ? this.#former(key) : nothing}
        </div>
        ${action === 'rotate' ? this.#rotation(key) : nothing}
        ${this.alert()}
      `,
      foot: html`
        ${action === 'revoke' && key.status === 'active' ? this.#instead(key) : nothing}
        <button type="button" autofocus part="secondary-button" ?disabled=${this.busy} @click=${() => this.close()}>${text(look.keep)}</button>
        ${this.submitButton(text(stops ? 'stop' : `${look.words}.submit`), { ...look, run: () => this.#confirm() })}
      `,
    }
  }

  /** When a key was last used, and how often. */
  #used({ lastUsedAt, uses }: WireKey): TemplateResult {
    const { dates, rich, text } = this.context.locale
    if (lastUsedAt === null) return html`<p>${text('ask.never')}</p>`
    const when = dates.recent(lastUsedAt, Date.now())
    return html`<p class="used">${rich('ask.used', { when })} ${rich('uses.sr', { n: uses })}.</p>`
  }

  /** Somebody who revokes a leaked replacement may not know that the key before it goes on working. */
  #former({ replaces }: WireKey): TemplateResult | typeof nothing {
    const { find, locale } = this.context
    const before = find(replaces)
    if (before?.status !== 'retiring' || before.retiresAt === null) return nothing
    const date = locale.dates.moment(before.retiresAt)
    return html`<p data-note="former">${locale.rich('rev.former', { name: before.name, date })}</p>`
  }

  #instead(key: WireKey): TemplateResult | typeof nothing {
    const { locale, may } = this.context
    if (!may('pause')) return nothing
    const pause = () => {
      this.ask('pause', key)
      void this.#confirm()
    }
    return html`<button type="button" class="link instead" data-act="instead" ?disabled=${this.busy} @click=${pause}>${locale.text('pause.instead')}</button>`
  }

  #overlaps({ status }: WireKey): readonly number[] {
    const most = status === 'active' ? this.context.plan.maxOverlapSeconds : 0
    return OVERLAPS.filter((seconds) => seconds === 0 || seconds <= most)
  }

  /** What the new key will be, and when the current one stops. */
  #rotation(key: WireKey): TemplateResult {
    const { catalogue, locale } = this.context
    const start = catalogue.brand && drawable(`${catalogue.brand}_${key.environment}_`)
    const overlaps = this.#overlaps(key)
    return html`
      <p class="row">
        <span class="muted">${locale.text('rot.name')}</span>
        <strong data-note="new-name"><bdi>${drawable(rotatedName(key.name))}</bdi></strong>
        ${start ? html`<span data-note="new-prefix">${code(`${start}…`)}</span>` : nothing}
      </p>
      ${
        overlaps.length > 1
          ? html`<fieldset class="field" ?disabled=${this.busy}>
              <legend>${locale.text('rot.stop')}</legend>
              ${overlaps.map((seconds) => this.#overlap(key, seconds))}
            </fieldset>`
          : this.#end(key)
      }
    `
  }

  #overlap(key: WireKey, seconds: number): TemplateResult {
    const { locale, shell } = this.context
    const asked = this.#asked as Asked
    const chosen = seconds === asked.overlap
    const choose = () => {
      asked.overlap = seconds
      this.requestUpdate()
      const { id, values } = this.#ending(key)
      shell.announce(locale.text(id, values))
    }
    const time = this.#later(seconds)
    const recommended = seconds === daySeconds && isBusy(key)
    return html`<label class="box">
        <input type="radio" name="overlap" value=${seconds} .checked=${chosen} @change=${choose} />
        <span>${recommended ? locale.rich('rot.recommended', { time }) : time}</span>
      </label>
      ${chosen ? this.#end(key) : nothing}`
  }

  #later(seconds: number): string {
    const { dates, text } = this.context.locale
    if (seconds === 0) return text('rot.now')
    if (seconds > daySeconds) return dates.within(seconds / daySeconds, 'day')
    return dates.within(seconds / hourSeconds, 'hour')
  }

  /** What becomes of the current key, by what is chosen now, and of whatever uses it. */
  #end(key: WireKey): TemplateResult {
    const { locale } = this.context
    const { id, values } = this.#ending(key)
    const breaks = this.#asked?.overlap === 0 && isBusy(key)
    return html`<div id="rotation-end" class="consequence prose ${breaks ? 'soon' : ''}">
      <p data-note="end">${locale.rich(id, values)}</p>
      ${breaks ? html`<p data-note="breaks">${locale.text('rot.breaks')}</p>` : nothing}
    </div>`
  }

  #ending({ prefix, expiresAt }: WireKey): { id: MessageId; values: Record<string, string> } {
    const { dates } = this.context.locale
    const overlap = this.#asked?.overlap ?? 0
    const values = { prefix: `${prefix}…` }
    if (overlap === 0) return { id: 'rot.end', values }
    const until = Math.min(Date.now() + overlap * 1_000, Date.parse(expiresAt ?? '') || Infinity)
    const date = dates.moment(new Date(until).toISOString())
    return { id: 'rot.until', values: { ...values, date } }
  }

  async #confirm(): Promise<void> {
    const asked = this.#asked
    if (asked === null || this.busy) return
    const { action, key } = asked
    const { shell } = this.context
    const before = action === 'rotate' || action === 'revoke' ? (`before-${action}` as const) : null
    if (before && !shell.emit(before, eventDetailOf(key))) return
    this.show({ busy: true, failure: null })
    const late = () => asked.done || this.#fail(asked, lostAnswer(action))
    try {
      const change = action === 'rotate' ? this.#rotate(asked) : this.#change(asked, action)
      await withPatience(change, late)
      if (asked.source === this.context.source) void shell.reload()
    } catch (error) {
      await this.#explain(error, asked)
    } finally {
      if (this.#asked === asked) this.show({ busy: false })
    }
  }

  async #rotate(asked: Asked): Promise<void> {
    const { key, source, overlap } = asked
    const { client, shell } = this.context
    const how = { ...source.tie, ...(overlap > 0 ? { overlapSeconds: overlap } : {}) }
    const change = client.rotateKey(key.id, how)
    const issued = await (this.reveal?.(change, source) ?? change)
    asked.done = true
    if (this.#asked === asked) this.close()
    shell.announce(this.context.locale.text('rot.done', { name: key.name }))
    shell.emit('api-key-rotated', eventDetailOf(issued.key))
  }

  async #change(asked: Asked, action: Exclude<AskedAction, 'rotate'>): Promise<void> {
    const { key, source } = asked
    const { client, shell } = this.context
    const changed = answered(await client[`${action}Key`](key.id, source.tie), key.id)
    if (action === 'revoke' && changed.status !== 'revoked')
      throw new ManagementError('outcome_unknown')
    asked.done = true
    if (this.#asked === asked) {
      this.close()
      shell.focusOn(places.row(key.id), places.ended, places.filter, ...places.top)
    }
    if (source === this.context.source) shell.keep(changed)
    shell.announce(this.context.locale.text(DONE[action].said, { name: key.name }))
    shell.emit(DONE[action].event, eventDetailOf(changed))
  }

  async #explain(error: unknown, asked: Asked): Promise<void> {
    const { action, key, source } = asked
    const { shell } = this.context
    const change = { action, name: key.name, source }
    const failure = shell.refused(error, change)
    if (failure === null) return
    if (!isGone(error) || source !== this.context.source) return this.#fail(asked, failure)
    // A fresh list shows whether the key was revoked or is not of this workspace.
    await shell.reload()
    const isOpen = this.#asked === asked
    if (isOpen) this.close()
    const gone = goneFailure(key, this.context.find(key.id), failure)
    shell.notify(isOpen ? gone : lateFailure(change, gone))
    if (isOpen) shell.focusOn(places.row(key.id), places.ended, ...places.top)
  }

  /** Says what went wrong: in the dialog while it asks this question, above the list after that. */
  #fail(asked: Asked, failure: Failure): void {
    if (this.#asked === asked) this.fail(failure)
    else
      this.context.shell.notify(
        lateFailure({ action: asked.action, name: asked.key.name }, failure),
      )
  }
}
