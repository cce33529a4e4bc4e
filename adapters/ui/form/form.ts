import { html, nothing, type TemplateResult } from 'lit'
import {
  type IssuedKeyAnswer,
  ManagementError,
  type WireIssue,
  type WireKey,
} from '../../client/index.ts'
import { answered, codeOf, withPatience } from '../calls/client.ts'
import {
  type Change,
  type Failure,
  goneFailure,
  isGone,
  lateFailure,
  lostAnswer,
} from '../calls/failure.ts'
import type { Source } from '../calls/source.ts'
import { marks } from '../format/text.ts'
import { scopesOf } from '../list/catalogue.ts'
import { hasEnded, isReadable } from '../list/listed-key.ts'
import { flag, places, smallButton, typed } from '../look/controls.ts'
import { Dialog } from '../look/dialog.ts'
import { icons } from '../look/icons.ts'
import { eventDetailOf } from '../tab/events.ts'
import type { CreateDraft } from '../tab/settings.ts'
import {
  bodyOf,
  changesOf,
  type Draft,
  type DraftErrors,
  draftFields,
  draftOf,
  emptyDraft,
  errorsFrom,
  errorsOf,
  nameLength,
  nameLimit,
  noteLimit,
} from './draft.ts'
import {
  choicesFor,
  type ExpiryChoice,
  type ExpiryRules,
  expiryOf,
  firstDay,
  lastDay,
} from './expiry.ts'
import { Resources } from './resources.ts'
import { beyondWords, Rights } from './rights.ts'

/** The counter of characters shows up when this few are left. */
const countedFrom = 20

/** One request. Each gets its own object, so a late answer cannot affect another. */
interface Attempt {
  readonly draft: Draft
  readonly source: Source
  /** The key that is changed; `null` for one that is new. */
  readonly key: WireKey | null
}

/** The form in which a key is made or changed. What was typed for a new key stays until one was made of it. */
export class KeyForm extends Dialog {
  /** Takes the new secret. Set by the tab. */
  declare reveal: (change: Promise<IssuedKeyAnswer>, source: Source) => Promise<IssuedKeyAnswer>
  /** The key that is changed, as far as is known; `null` for one that is new. */
  #key: WireKey | null = null
  #source: Source | null = null
  #draft: Draft = emptyDraft
  #kept: Draft = emptyDraft
  #errors: DraftErrors = {}
  #issues: readonly WireIssue[] = []
  #attempt: Attempt | null = null
  /** Direction marks were just taken out of the name. */
  #unmarked = false
  #unfolded = false
  /** Somebody else has changed the key meanwhile. */
  #overtaken = false
  readonly #resources = new Resources(
    () => this.context,
    () => this.requestUpdate(),
  )

  override get name(): string {
    return this.#key ? 'edit' : 'create'
  }

  protected override get change(): Change {
    const source = this.#source ?? this.context.source
    const name = this.#key?.name ?? this.#attempt?.draft.name ?? ''
    return { action: this.#key ? 'update' : 'create', name, source }
  }

  /** Opens for a new key, with what a page wants filled in. */
  create({ name, environment, scopes, note }: CreateDraft): void {
    if (this.busy) return void this.show({ open: true })
    const given = {
      ...(name && { name }),
      ...(environment && { environment }),
      ...(scopes && { scopes: new Set(scopes) }),
      ...(note && { note }),
    }
    const { kept, isFilled } = { kept: this.#kept, isFilled: Object.keys(given).length > 0 }
    const touched = kept.name !== '' || kept.note !== '' || kept.scopes.size > 0
    const choice = this.context.settings.defaultExpiry as ExpiryChoice
    const fresh = { ...emptyDraft, expiry: { choice, day: '' } }
    const draft = isFilled ? { ...fresh, ...given } : touched ? kept : fresh
    this.#begin(null, new Rights(this.context, null).fit(draft))
    // What the plan allows may have changed since the choice was made.
    const choices = choicesFor(this.#rules)
    const [first = 'never'] = choices
    const { expiry } = this.#draft
    if (!choices.includes(expiry.choice)) this.#edit({ expiry: { ...expiry, choice: first } })
  }

  /** Opens for a key that is to be changed. */
  edit(key: WireKey): void {
    if (!this.busy) this.#begin(key, draftOf(key))
  }

  override close(): void {
    if (this.#key === null) this.#kept = this.#draft
    else this.busy = false
    super.close()
  }

  /** Closes for keys of another place; what was typed stays unless a key is being made of it. */
  leave(): void {
    if (this.busy) this.reset()
    else if (this.open) this.close()
  }

  /** Forgets what was typed. */
  reset(): void {
    this.#draft = emptyDraft
    this.#kept = emptyDraft
    this.#attempt = null
    this.show({ open: false, busy: false, failure: null })
  }

  protected override frame() {
    const { locale } = this.context
    const key = this.#key
    const n = Object.keys(this.#errors).length
    return {
      title: key ? locale.rich('edit.title', { name: key.name }) : locale.text('create.title'),
      submit: () => this.#submit(),
      content: html`
        ${this.#notes()} ${this.alert()} ${this.#nameField()}
        <div class=${key ? '' : 'two'}>${key ? nothing : this.#typeField()}${this.#expiryField()}</div>
        <api-keys-scopes .context=${this.context} .rights=${this.#rights}
          .chosen=${this.#draft.scopes} .error=${this.#errors.scopes}
          @choose=${({ detail }: CustomEvent<ReadonlySet<string>>) => this.#edit({ scopes: detail })}></api-keys-scopes>
        ${this.#options()}
        ${key ? nothing : html`<slot name="form"></slot>`}
      `,
      foot: html`
        ${n > 0 ? html`<p class="error-text grow">${locale.rich('v.summary', { n })}</p>` : nothing}
        <button type="button" part="secondary-button" data-act="cancel" ?disabled=${this.busy} @click=${() => this.close()}>${locale.text('cancel')}</button>
        ${this.submitButton(locale.text(key ? 'edit.submit' : 'create.submit'), { part: 'primary-button', class: 'primary' })}
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
    const { maxLifetimeSeconds: most } = this.context.plan
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
    this.#source = this.context.source
    this.#errors = {}
    this.#issues = []
    this.#overtaken = false
    this.#unmarked = false
    const { networks, note, resources } = draft
    const restricted = Object.values(resources).some((ids) => ids !== 'all')
    this.#unfolded = networks !== null || note !== '' || restricted
    this.#resources.reset()
    this.show({ open: true, failure: null })
    this.context.shell.focusOn(`#${this.name}-name`)
  }

  /** Changes the draft; the objections to the changed fields go away. */
  #edit(change: Partial<Draft>): void {
    this.#draft = { ...this.#draft, ...change }
    const left = Object.entries(this.#errors).filter(([field]) => !(field in change))
    this.#errors = Object.fromEntries(left)
    this.requestUpdate()
  }

  #notes(): TemplateResult {
    const { text } = this.context.locale
    const reload = () => this.#key && this.edit(this.#key)
    return html`
      ${
        this.#overtaken
          ? html`<p class="note" role="alert" tabindex="-1" data-note="overtaken">
              ${icons.warning}<span class="grow">${text('edit.overtaken')}</span>
              ${smallButton(text('edit.reload'), reload, 'reload')}
            </p>`
          : nothing
      }
      ${this.#rights.widens ? nothing : html`<p class="note" data-note="beyond">${icons.lock}<span class="grow">${text('grant.key')} ${text('grant.narrow')}</span></p>`}
    `
  }

  /**
   * The name of a key. Its error stands above it, so that both are in view when the field has the focus.
   * There is no maxlength: it would cut a pasted name without saying so.
   */
  #nameField(): TemplateResult {
    const { locale } = this.context
    const { name } = this.#draft
    const error = this.#errors.name
    const over = nameLength(name) > nameLimit
    const id = `${this.name}-name`
    const edit = ({ target }: Event) => {
      const field = target as HTMLInputElement
      const value = field.value.replace(marks, '')
      this.#unmarked = value !== field.value
      if (this.#unmarked) field.value = value
      this.#edit({ name: value })
    }
    return html`
      <div class="field">
        <label for=${id}>${locale.text('form.name')}</label>
        <p id="${id}-error" class="error-text">${error ? locale.rich(error, { n: nameLimit }) : nothing}</p>
        <input id=${id} part="name-input" type="text" dir=${name ? 'auto' : locale.settings.dir}
          placeholder=${locale.text('form.name.hint')} autocomplete="off" data-1p-ignore
          data-bwignore data-lpignore="true" spellcheck="false" required
          aria-invalid=${flag(error || over)} aria-describedby="${id}-hint ${id}-error"
          .value=${name} @input=${edit} />
        <p id="${id}-hint" class="hint">${this.#unmarked ? locale.text('form.name.marks') : nothing}${this.#counter(name)}</p>
        ${this.#isTaken(name) ? html`<p class="hint" role="status" data-note="taken">${locale.text('form.name.same')}</p>` : nothing}
      </div>
    `
  }

  #counter(name: string): TemplateResult | typeof nothing {
    const { rich } = this.context.locale
    const left = nameLimit - nameLength(name)
    if (left > countedFrom) return nothing
    return left < 0
      ? html`<span class="counter error-text">${rich('v.name.over', { n: -left })}</span>`
      : html`<span class="counter">${rich('form.name.left', { n: left })}</span>`
  }

  /** Whether another key that works has the name. */
  #isTaken(name: string): boolean {
    const wanted = name.trim().toLowerCase()
    const works = this.context.keys.filter(isReadable).filter((key) => !hasEnded(key))
    const others = works.filter(({ id }) => id !== this.#key?.id)
    return wanted !== '' && others.some((key) => key.name.toLowerCase() === wanted)
  }

  /** Live or test: none is chosen for the user. */
  #typeField(): TemplateResult {
    const { text } = this.context.locale
    const error = this.#errors.environment
    const rights = this.#rights
    const barred = !(rights.environment('live') && rights.environment('test'))
    return html`
      <fieldset class="field">
        <legend>${text('col.type')}</legend>
        <p id="create-env-error" class="error-text">${error ? text(error) : nothing}</p>
        <div class="segments">
          ${(['live', 'test'] as const).map(
            (environment) => html`<label part="env-option">
              <input id="env-${environment}" type="radio" name="environment" required
                ?disabled=${!rights.environment(environment)} aria-invalid=${flag(error)}
                aria-describedby="create-env-error create-env-barred"
                .checked=${this.#draft.environment === environment}
                @change=${() => this.#edit({ environment })} />
              <span>${text(`env.${environment}`)}</span>
            </label>`,
          )}
        </div>
        <p id="create-env-barred" class="hint">${barred ? text('grant.some') : nothing}</p>
      </fieldset>
    `
  }

  /** When a key expires. */
  #expiryField(): TemplateResult {
    const { locale } = this.context
    const { dates } = locale
    const { choice, day } = this.#draft.expiry
    const rules = this.#rules
    const error = this.#errors.expiry
    const chosen = expiryOf(this.#draft.expiry, rules) ?? Number.NaN
    const id = `${this.name}-expiry`
    const word = (one: ExpiryChoice) => {
      if (one === 'keep') return dates.day(this.#key?.expiresAt ?? '')
      if (one === 'never' || one === 'plan' || one === 'date') return locale.text(`expiry.${one}`)
      return dates.within(Number(one), 'day')
    }
    const choose = (one: string) => this.#edit({ expiry: { choice: one as ExpiryChoice, day } })
    const until = Number.isNaN(chosen)
      ? nothing
      : locale.rich('expiry.until', { date: dates.dayInFull(chosen) })
    return html`
      <div class="field">
        <label for=${id}>${locale.text('expiry')}</label>
        <p id="${id}-error" class="error-text">${error ? locale.text(error) : nothing}</p>
        <select id=${id} part="expiry-select" aria-invalid=${flag(error && choice !== 'date')} aria-describedby="${id}-error ${id}-hint" @change=${typed(choose)}>
          ${choicesFor(rules, this.#key?.expiresAt).map((one) => html`<option value=${one} .selected=${one === choice}>${word(one)}</option>`)}
        </select>
        ${
          choice === 'date'
            ? html`<input id="${this.name}-day" type="date" aria-invalid=${flag(error)}
                aria-label=${locale.text('expiry.day')} aria-describedby="${id}-error ${id}-hint"
                min=${firstDay(rules)} max=${lastDay(rules) ?? nothing} .value=${day}
                @input=${typed((one) => this.#edit({ expiry: { choice, day: one } }))} />`
            : nothing
        }
        <p id="${id}-hint" class="hint">${until}</p>
      </div>
    `
  }

  /** What few keys need. Routes of an earlier release know none of it. */
  #options(): TemplateResult | typeof nothing {
    if (this.context.plan.grantable === undefined) return nothing
    const { rich, text } = this.context.locale
    const { note } = this.#draft
    const error = this.#errors.note
    const id = `${this.name}-note`
    const toggled = ({ target }: Event) => {
      this.#unfolded = (target as HTMLDetailsElement).open
    }
    return html`<details class="options" .open=${this.#unfolded} @toggle=${toggled}>
      <summary class="fold">${text('form.more')}</summary>
      <div class="field">
        <label for=${id}>${text('note')}</label>
        <p id="${id}-error" class="error-text">${error ? rich(error, { n: noteLimit }) : nothing}</p>
        <input id=${id} type="text" dir=${note ? 'auto' : this.context.locale.settings.dir}
          autocomplete="off" data-1p-ignore data-bwignore data-lpignore="true"
          aria-invalid=${flag(error)} aria-describedby="${id}-hint ${id}-error" .value=${note}
          @input=${typed((one) => this.#edit({ note: one }))} />
        <p id="${id}-hint" class="hint">${rich('note.hint', { n: noteLimit })}</p>
      </div>
      <api-keys-restrictions .context=${this.context} .draft=${this.#draft} .errors=${this.#errors}
        .rights=${this.#rights} .resources=${this.#resources} .issues=${this.#issues}
        .form=${this.name} @edit=${({ detail }: CustomEvent<Partial<Draft>>) => this.#edit(detail)}></api-keys-restrictions>
    </details>`
  }

  async #submit(): Promise<void> {
    if (this.busy || this.#overtaken) return
    const key = this.#key
    const draft = this.#current
    const rules = this.#rules
    const errors = errorsOf(draft, rules)
    this.show({ failure: null })
    if (Object.keys(errors).length > 0) return this.#refuse(errors)
    const attempt = { draft: this.#draft, source: this.context.source, key }
    if (key === null) return this.#create(attempt, bodyOf(draft, rules))
    const changes = changesOf(key, draft, rules)
    if (Object.keys(changes).length === 0) return this.close()
    const { client } = this.context
    await this.#send(attempt, async () => {
      const changed = await client.updateKey(key.id, key.version, changes, attempt.source.tie)
      this.#saved(attempt, answered(changed, key.id))
    })
  }

  async #create(attempt: Attempt, body: ReturnType<typeof bodyOf>): Promise<void> {
    const { client, shell } = this.context
    if (body === null) return
    const { name, environment, scopes } = body
    if (!shell.emit('before-create', { name, environment, scopes })) return
    await this.#send(attempt, async () => {
      const created = client.createKey(body, attempt.source.tie)
      this.#created(attempt, await this.reveal(created, attempt.source))
    })
  }

  async #send(attempt: Attempt, change: () => Promise<void>): Promise<void> {
    this.#attempt = attempt
    this.show({ busy: true })
    const late = () => this.#fail(attempt, lostAnswer(attempt.key ? 'update' : 'create'))
    try {
      await withPatience(change(), late)
    } catch (error) {
      await this.#explain(attempt, error)
    } finally {
      if (this.#attempt === attempt) this.show({ busy: false })
    }
  }

  /** Whether the form is still about this attempt. */
  #holds({ draft, key }: Attempt): boolean {
    return this.#draft === draft && this.#key?.id === key?.id
  }

  #created(attempt: Attempt, { key }: IssuedKeyAnswer): void {
    const { locale, shell, source } = this.context
    // The key whose answer was called lost is there, and the form would cover its secret.
    if (this.#holds(attempt)) this.reset()
    else if (this.#attempt === attempt && this.failure !== null) this.close()
    if (attempt.source === source) void shell.reload()
    shell.announce(locale.text('created.done', { name: key.name }))
    shell.emit('api-key-created', eventDetailOf(key))
  }

  #saved(attempt: Attempt, key: WireKey): void {
    const { locale, shell, source } = this.context
    if (this.#holds(attempt) && this.open) {
      this.close()
      shell.focusOn(places.row(key.id), ...places.top)
    }
    if (attempt.source === source) shell.keep(key)
    shell.announce(locale.text('edit.done', { name: key.name }))
    shell.emit('api-key-updated', eventDetailOf(key))
  }

  async #explain(attempt: Attempt, error: unknown): Promise<void> {
    const { key, source } = attempt
    const { shell } = this.context
    const { issues = [], key: stale } = error instanceof ManagementError ? error : {}
    const errors = errorsFrom(issues)
    const name = key?.name ?? attempt.draft.name
    const what = beyondWords(this.context, this.#resources, error)
    if (codeOf(error) === 'workspace_changed' && source === this.context.source) this.busy = false
    const failure = shell.refused(error, { action: key ? 'update' : 'create', name, source, what })
    if (failure === null) return
    const isHere = this.open && this.#holds(attempt) && source === this.context.source
    if (key && isGone(error) && source === this.context.source)
      return this.#leaveGone(attempt, key, failure)
    if (isHere && codeOf(error) === 'stale' && stale) this.#overtake(stale)
    else if (isHere && Object.keys(errors).length > 0) this.#refuse(errors, issues)
    else this.#fail(attempt, failure)
  }

  /** The key is gone or revoked; a fresh list shows which. */
  async #leaveGone(attempt: Attempt, key: WireKey, failure: Failure): Promise<void> {
    const { shell } = this.context
    await shell.reload()
    const isOpen = this.open && this.#holds(attempt)
    if (isOpen) this.close()
    const gone = goneFailure(key, this.context.find(key.id), failure)
    shell.notify(isOpen ? gone : lateFailure({ action: 'update', name: key.name }, gone))
    if (isOpen) shell.focusOn(places.row(key.id), places.ended, ...places.top)
  }

  /** Nothing can be saved on top of what somebody else has changed. */
  #overtake(key: WireKey): void {
    this.#key = key
    this.#overtaken = true
    this.context.shell.keep(key)
    this.context.shell.focusOn(places.alert)
    this.requestUpdate()
  }

  /** Says what is wrong with the fields, and goes to the first of them. */
  #refuse(errors: DraftErrors, issues: readonly WireIssue[] = []): void {
    const { locale, shell } = this.context
    this.#errors = errors
    this.#issues = issues
    if (errors.note || errors.networks || errors.resources) this.#unfolded = true
    if (errors.scopes === 'v.scopes.unknown') shell.loadScopes(true)
    const first = draftFields.find((field) => errors[field])
    if (first) shell.focusOn(...this.#placesOf(first))
    shell.announce(locale.text('v.summary', { n: Object.keys(errors).length }))
    this.requestUpdate()
  }

  #placesOf(field: (typeof draftFields)[number]): readonly string[] {
    if (field === 'environment') return ['#env-live:enabled', '#env-test']
    // Without a catalogue there is no box to focus.
    if (field === 'scopes') return ['#scopes-all:enabled', '#scopes-error']
    const place = `#${this.name}-${field}`
    return field === 'expiry' ? [`#${this.name}-day`, place] : [place]
  }

  /** Says what went wrong: in the form while it is about this attempt, above the list after that. */
  #fail(attempt: Attempt, failure: Failure): void {
    const { draft, key } = attempt
    const about = { action: key ? 'update' : 'create', name: key?.name ?? draft.name } as const
    if (this.open && this.#holds(attempt)) this.fail(failure)
    else this.context.shell.notify(lateFailure(about, failure))
  }
}
