import { html, nothing, type TemplateResult } from 'lit'
import {
  type IssuedKeyAnswer,
  ManagementError,
  type WireIssue,
  type WireKey,
} from '../../client/index.ts'
import type { Secrets } from '../banner/secrets.ts'
import { codeOf } from '../calls/client.ts'
import type { Change } from '../calls/failure.ts'
import { scopesOf } from '../list/catalogue.ts'
import { flag, icons, note, places, smallButton, typed } from '../look/controls.ts'
import { Dialog } from '../look/dialog.ts'
import { eventDetailOf } from '../tab/events.ts'
import type { Draft, DraftErrors } from './draft.ts'
import * as drafts from './draft.ts'
import {
  choicesFor,
  type ExpiryChoice,
  type ExpiryRules,
  expiryOf,
  firstDay,
  lastDay,
} from './expiry.ts'
import { Names } from './resources.ts'
import { restrictions } from './restrictions.ts'
import { Rights } from './rights.ts'

/** The form in which a key is made or changed. What was typed for a new key stays until one was made of it. */
export class KeyForm extends Dialog {
  declare secrets: Secrets
  /** The key that is changed, as far as is known; `null` for one that is new. */
  #key: WireKey | null = null
  #draft: Draft = drafts.emptyDraft
  #kept: Draft | null = null
  #errors: DraftErrors = {}
  #issues: readonly WireIssue[] = []
  #names = new Names()
  #unfolded = false
  #overtaken = false

  override get name(): string {
    return this.#key ? 'edit' : 'create'
  }

  create(): void {
    const choice = this.context.settings.defaultExpiry as ExpiryChoice
    const draft = this.#kept ?? { ...drafts.emptyDraft, expiry: { choice, day: '' } }
    this.#begin(null, new Rights(this.context, null).fit(draft))
    // What the plan allows may have changed since the choice was made.
    const choices = choicesFor(this.#rules)
    const [first = 'never'] = choices
    const { expiry } = this.#draft
    if (!choices.includes(expiry.choice)) this.#edit({ expiry: { ...expiry, choice: first } })
  }

  edit(key: WireKey): void {
    this.#begin(key, drafts.draftOf(key))
  }

  override close(): void {
    // The place has changed while a key was being made of it.
    if (this.#key === null) this.#kept = this.busy ? null : this.#draft
    super.close()
  }

  reset(): void {
    this.#kept = null
    if (this.open) super.close()
  }

  protected override frame() {
    const key = this.#key
    const n = Object.keys(this.#errors).length
    return {
      title: key ? this.rich('edit.title', { name: key.name }) : this.text('create.title'),
      submit: () => this.#submit(),
      content: html`
        ${this.#notes()} ${this.alert()} ${this.#textField('name', this.text('col.name'))}
        <div class=${key ? '' : 'two'}>${key ? nothing : this.#typeField()}${this.#expiryField()}</div>
        <api-keys-scopes .context=${this.context} .rights=${this.#rights}
          .chosen=${this.#draft.scopes} .error=${this.#errors.scopes}
          @choose=${({ detail }: CustomEvent<ReadonlySet<string>>) => this.#edit({ scopes: detail })}></api-keys-scopes>
        ${this.#options()}
        ${key ? nothing : html`<slot name="form"></slot>`}
      `,
      foot: html`
        ${n > 0 ? html`<p class="error-text grow">${this.rich('v.summary', { n })}</p>` : nothing}
        <button type="button" part="secondary-button" data-act="cancel" ?disabled=${this.busy} @click=${() => this.close()}>${this.text('cancel')}</button>
        ${this.submitButton(this.text(key ? 'edit.submit' : 'create.submit'), { part: 'primary-button', class: 'primary' })}
      `,
    }
  }

  get #rights(): Rights {
    return new Rights(this.context, this.#key)
  }

  /** When the key may end: by the plan, and not later than now where it has more than the user may give. */
  get #rules(): ExpiryRules {
    const now = Date.now()
    const key = this.#key
    const { maxLifetimeSeconds: most } = this.context.list.plan
    const from = key ? Date.parse(key.createdAt) : now
    const planned = typeof most === 'number' ? from + most * 1_000 : Infinity
    const end = this.#rights.widens ? Infinity : Date.parse(key?.expiresAt ?? '') || Infinity
    const latest = Math.min(planned, end)
    return { dates: this.context.locale.dates, now, latest: latest === Infinity ? null : latest }
  }

  /** The draft without scopes that are no longer on offer; before anybody knows, as it is. */
  get #current(): Draft {
    const { catalogue } = this.context
    if (catalogue.groups === null) return this.#draft
    const offered = [...scopesOf(catalogue), ...(this.#key?.scopes ?? [])]
    const scopes = offered.filter((scope) => this.#draft.scopes.has(scope))
    return { ...this.#draft, scopes: new Set(scopes) }
  }

  #begin(key: WireKey | null, draft: Draft): void {
    this.#key = key
    this.#draft = draft
    this.#errors = {}
    this.#issues = []
    this.#names = new Names()
    this.#overtaken = false
    const { networks, note, resources } = draft
    const restricted = Object.values(resources).some((ids) => ids !== 'all')
    this.#unfolded = networks !== null || note !== '' || restricted
    this.show({ open: true, failure: null })
    this.shell.focusOn(`#${this.name}-name`)
  }

  #edit(change: Partial<Draft>): void {
    this.#draft = { ...this.#draft, ...change }
    const left = Object.entries(this.#errors).filter(([field]) => !(field in change))
    this.#errors = Object.fromEntries(left)
    this.requestUpdate()
  }

  #notes(): TemplateResult {
    const reload = () => this.#key && this.edit(this.#key)
    const action = smallButton(this.text('edit.reload'), reload, 'reload')
    const overtaken = () =>
      note('overtaken', icons.warning, this.text('edit.overtaken'), { action, alert: 'warn' })
    const beyond = () =>
      note('beyond', icons.lock, `${this.text('grant.key')} ${this.text('grant.narrow')}`)
    return html`${this.#overtaken ? overtaken() : nothing} ${this.#rights.widens ? nothing : beyond()}`
  }

  /** There is no maxlength: it would cut a pasted text without saying so. */
  #textField(field: 'name' | 'note', label: string): TemplateResult {
    const { locale } = this.context
    const value = this.#draft[field]
    const isName = field === 'name'
    const n = drafts.limitOf[field]
    return this.#field(
      field,
      label,
      isName ? nothing : this.rich('note.hint', { n }),
      (id, error) =>
        html`<input id=${id} part=${isName ? 'name-input' : nothing} type="text"
        dir=${value ? 'auto' : locale.settings.dir}
        placeholder=${isName ? this.text('form.name.hint') : nothing} autocomplete="off"
        data-1p-ignore data-bwignore data-lpignore="true" spellcheck="false" ?required=${isName}
        aria-invalid=${flag(error)} aria-describedby="${id}-hint ${id}-error" .value=${value}
        @input=${typed((text) => this.#edit({ [field]: text }))} />`,
    )
  }

  /** A field with its error above it, so that both are in view when it has the focus. */
  #field(
    field: 'name' | 'note' | 'expiry',
    label: string,
    hint: unknown,
    control: (id: string, error: unknown) => unknown,
  ): TemplateResult {
    const id = `${this.name}-${field}`
    const error = this.#errors[field]
    const n = field === 'expiry' ? 0 : drafts.limitOf[field]
    return html`<div class="field">
      <label for=${id}>${label}</label>
      <p id="${id}-error" class="error-text">${error ? this.rich(error, { n }) : nothing}</p>
      ${control(id, error)}
      <p id="${id}-hint" class="hint">${hint}</p>
    </div>`
  }

  /** Live or test: none is chosen for the user. */
  #typeField(): TemplateResult {
    const error = this.#errors.environment
    const rights = this.#rights
    const barred = !(rights.environment('live') && rights.environment('test'))
    return html`
      <fieldset class="field">
        <legend>${this.text('col.type')}</legend>
        <p id="create-env-error" class="error-text">${error ? this.text(error) : nothing}</p>
        <div class="segments">
          ${(['live', 'test'] as const).map(
            (environment) => html`<label part="env-option">
              <input id="env-${environment}" type="radio" name="environment" required
                ?disabled=${!rights.environment(environment)} aria-invalid=${flag(error)}
                aria-describedby="create-env-error create-env-barred"
                .checked=${this.#draft.environment === environment}
                @change=${() => this.#edit({ environment })} />
              <span>${this.text(`env.${environment}`)}</span>
            </label>`,
          )}
        </div>
        <p id="create-env-barred" class="hint">${barred ? this.text('grant.some') : nothing}</p>
      </fieldset>
    `
  }

  #expiryField(): TemplateResult {
    const { dates } = this.context.locale
    const { choice, day } = this.#draft.expiry
    const rules = this.#rules
    const chosen = expiryOf(this.#draft.expiry, rules) ?? Number.NaN
    const until = Number.isNaN(chosen)
      ? nothing
      : this.rich('expiry.until', { date: dates.dayInFull(chosen) })
    const word = (one: ExpiryChoice) => {
      if (one === 'keep') return dates.day(this.#key?.expiresAt ?? '')
      if (one === 'never' || one === 'plan' || one === 'date') return this.text(`expiry.${one}`)
      return dates.within(Number(one), 'day')
    }
    const choose = (one: string) => this.#edit({ expiry: { choice: one as ExpiryChoice, day } })
    return this.#field('expiry', this.text('expiry'), until, (id, error) => {
      const described = `${id}-error ${id}-hint`
      const date = html`<input id="${this.name}-day" type="date" aria-invalid=${flag(error)}
        aria-label=${this.text('expiry.date')} aria-describedby=${described} min=${firstDay(rules)}
        max=${lastDay(rules) ?? nothing} .value=${day}
        @input=${typed((one) => this.#edit({ expiry: { choice, day: one } }))} />`
      return html`
        <select id=${id} aria-invalid=${flag(error && choice !== 'date')} aria-describedby=${described} @change=${typed(choose)}>
          ${choicesFor(rules, this.#key?.expiresAt).map((one) => html`<option value=${one} .selected=${one === choice}>${word(one)}</option>`)}
        </select>
        ${choice === 'date' ? date : nothing}
      `
    })
  }

  #options(): TemplateResult {
    const toggled = ({ target }: Event) => {
      this.#unfolded = (target as HTMLDetailsElement).open
    }
    return html`<details class="options" .open=${this.#unfolded} @toggle=${toggled}>
      <summary class="fold">${this.text('form.more')}</summary>
      ${this.#textField('note', this.text('note'))}
      ${restrictions({
        context: this.context,
        draft: this.#draft,
        errors: this.#errors,
        issues: this.#issues,
        rights: this.#rights,
        names: this.#names,
        form: this.name,
        edit: (change) => this.#edit(change),
      })}
    </details>`
  }

  async #submit(): Promise<void> {
    if (this.busy || this.#overtaken) return
    const { client, source } = this.shell
    const key = this.#key
    const draft = this.#current
    const rules = this.#rules
    const errors = drafts.errorsOf(draft, rules)
    this.show({ failure: null })
    if (Object.keys(errors).length > 0) return this.#refuse(errors)
    if (key === null) {
      const body = drafts.bodyOf(draft, rules)
      const { name, environment, scopes } = body
      if (!this.shell.emit('before-create', { name, environment, scopes })) return
      const change: Change = { action: 'create', name, source }
      return this.send(change, () => this.#create(change, client.createKey(body, source.tie)))
    }
    const changes = drafts.changesOf(key, draft, rules)
    if (Object.keys(changes).length === 0) return this.close()
    const change: Change = { action: 'update', name: key.name, source }
    await this.send(change, async () => {
      const changed = await client.updateKey(key.id, key.version, changes, source.tie)
      this.done(change, changed, 'edit.done', 'api-key-updated')
    })
  }

  async #create(change: Change, created: Promise<IssuedKeyAnswer>): Promise<void> {
    const { key } = await this.secrets.reveal(created, change.source)
    if (this.isAbout(change)) this.reset()
    if (change.source === this.shell.source) void this.shell.reload()
    this.shell.say('created.title', { name: key.name })
    this.shell.emit('api-key-created', eventDetailOf(key))
  }

  protected override async explain(change: Change, error: unknown): Promise<void> {
    const { issues = [], key: stale } = error instanceof ManagementError ? error : {}
    const errors = drafts.errorsFrom(issues)
    if (!this.isAbout(change)) return super.explain(change, error)
    if (codeOf(error) === 'stale' && stale) this.#overtake(stale)
    else if (Object.keys(errors).length > 0) this.#refuse(errors, issues)
    else await super.explain(change, error)
  }

  #overtake(key: WireKey): void {
    this.#key = key
    this.#overtaken = true
    this.shell.keep(key)
    this.shell.focusOn(places.alert)
    this.requestUpdate()
  }

  /** Says what is wrong with the fields, and goes to the first of them. */
  #refuse(errors: DraftErrors, issues: readonly WireIssue[] = []): void {
    this.#errors = errors
    this.#issues = issues
    if (errors.note || errors.networks || errors.resources) this.#unfolded = true
    if (errors.scopes === 'v.scopes.unknown') this.shell.loadScopes(true)
    const fields = Object.keys(drafts.emptyDraft) as (keyof Draft)[]
    const first = fields.find((field) => errors[field])
    if (first) this.shell.focusOn(...this.#placesOf(first))
    this.shell.say('v.summary', { n: Object.keys(errors).length })
    this.requestUpdate()
  }

  #placesOf(field: keyof Draft): readonly string[] {
    if (field === 'environment') return ['#env-live:enabled', '#env-test']
    // Without a catalogue there is no box to focus.
    if (field === 'scopes') return ['#scopes-all:enabled', '#scopes-error']
    const place = `#${this.name}-${field}`
    return field === 'expiry' ? [`#${this.name}-day`, place] : [place, `${place}-some`]
  }
}
