import { html, nothing, type TemplateResult } from 'lit'
import { folded } from '../../../src/model/folded.ts'
import { drawable } from '../format/text.ts'
import { scopesOf } from '../list/catalogue.ts'
import { flag, icons, note, searchField, smallButton } from '../look/controls.ts'
import { Part } from '../part.ts'
import type { MessageId } from '../strings/messages.ts'
import type { Rights } from './rights.ts'

/** So few scopes need nothing that chooses many at once; so many need a search. */
const fewScopes = 3
const searchableFrom = 40

interface Choice {
  readonly scope: string
  readonly label: string
  /** The label without the object that the group names, where the catalogue has one. */
  readonly short: string
}

interface Group {
  readonly label: string
  readonly choices: readonly Choice[]
}

/** The permissions of a key: one list, with a row for each group. */
export class ScopePicker extends Part {
  // The form makes the rights anew whenever it draws: what else it gives needs no property of Lit.
  static override properties = { ...Part.properties, rights: { attribute: false } }
  declare chosen: ReadonlySet<string>
  declare rights: Rights
  declare error: MessageId | undefined
  wanted = ''

  protected override render(): TemplateResult {
    const { catalogue } = this.context
    const n = this.#offered.filter((scope) => this.chosen.has(scope)).length
    return html`
      <fieldset class="field" part="scope-list">
        <legend>${this.text('form.scopes')}</legend>
        <p class="scope-head">
          <span class="muted small" data-note="count">${this.rich('form.scopes.count', { n })}</span>
          ${catalogue.groups !== null && this.#offered.length > fewScopes ? this.#tools() : nothing}
        </p>
        <p id="scopes-error" class="error-text" tabindex="-1">${this.error ? this.text(this.error) : nothing}</p>
        ${catalogue.groups === null ? this.#missing() : this.#groups()}
      </fieldset>
    `
  }

  /** What can be chosen: the scopes of the catalogue, and what the key has beside them. */
  get #offered(): readonly string[] {
    return [...scopesOf(this.context.catalogue), ...this.#others]
  }

  get #others(): readonly string[] {
    const known = scopesOf(this.context.catalogue)
    return (this.rights.key?.scopes ?? []).filter((scope) => !known.includes(scope))
  }

  /** The groups in words, with those of their scopes that the search leaves. */
  get #shown(): readonly Group[] {
    const { catalogue, locale } = this.context
    const groups = (catalogue.groups ?? []).map((group) => ({
      label: drawable(locale.label(group.label)),
      choices: group.scopes.map(({ scope, label, short = label }) => ({
        scope,
        label: drawable(locale.label(label)),
        short: drawable(locale.label(short)),
      })),
    }))
    const others = this.#others.map((scope) => ({ scope, label: scope, short: scope }))
    const all = [...groups, { label: this.text('form.scopes.others'), choices: others }]
    const wanted = folded(this.wanted)
    const isLike = ({ label }: Group, one: Choice) =>
      folded(`${label} ${one.label} ${one.scope}`).includes(wanted)
    return all
      .map((group) => ({ ...group, choices: group.choices.filter((one) => isLike(group, one)) }))
      .filter(({ choices }) => choices.length > 0)
  }

  #missing(): TemplateResult {
    const { catalogue } = this.context
    if (!catalogue.failed)
      return html`<div class="skeleton" aria-hidden="true"><div class="skeleton-row"><i></i><i></i></div></div>`
    const action = smallButton(this.text('err.retry'), () => this.shell.loadScopes())
    return note('no-scopes', icons.warning, this.text('err.body'), { action, alert: 'bad' })
  }

  #tools(): TemplateResult {
    const shown = this.#shown.flatMap(({ choices }) => choices.map(({ scope }) => scope))
    const open = shown.filter((scope) => this.rights.scope(scope) || this.chosen.has(scope))
    const held = open.filter((scope) => this.chosen.has(scope)).length
    const all = held > 0 && held === open.length
    const hidden = [...this.chosen].filter((scope) => !shown.includes(scope))
    const reads = open.filter((scope) => scope.endsWith('.read'))
    return html`
      <button type="button" class="link" data-act="read-only" @click=${() => this.#choose([...hidden, ...reads])}>${this.text('form.scopes.read')}</button>
      <button id="scopes-all" type="button" class="link" part="select-all" ?disabled=${open.length === 0} aria-invalid=${flag(this.error)} aria-describedby="scopes-error" @click=${() => this.#choose(all ? hidden : [...hidden, ...open])}>${this.text(all ? 'form.scopes.none' : 'form.scopes.all')}</button>
    `
  }

  #groups(): TemplateResult {
    const shown = this.#shown
    const offered = this.#offered
    const full = offered.length > 1 && offered.every((scope) => this.chosen.has(scope))
    const barred = offered.some((scope) => !this.rights.scope(scope))
    return html`
      ${offered.length < searchableFrom ? nothing : this.#search()}
      ${shown.length === 0 ? html`<p data-note="unmatched">${this.rich('search.none', { q: this.wanted.trim() })}</p>` : nothing}
      <div class="scopes">${shown.map((group) => this.#row(group))}</div>
      ${full ? html`<p class="hint soon" data-note="full-access">${this.text('form.scopes.full')}</p>` : nothing}
      ${barred ? html`<p class="hint" data-note="barred">${this.text(this.rights.widens ? 'grant.some' : 'grant.key')}</p>` : nothing}
    `
  }

  #search(): TemplateResult {
    const look = (wanted: string) => {
      this.show({ wanted })
      if (this.#shown.length > 0) return
      this.shell.say('search.none', { q: wanted.trim() })
    }
    const label = this.text('search.hint')
    return searchField(this.context.locale, { label, text: this.wanted, look })
  }

  #row({ label, choices }: Group): TemplateResult {
    return html`<div part="scope-group" class="scope-row ${choices.length > 3 ? 'many' : ''}" role="group" aria-label=${label}>
      <span class="scope-name">${label}</span>
      <span class="boxes">${choices.map((choice) => this.#box(choice))}</span>
    </div>`
  }

  #box({ scope, label, short }: Choice): TemplateResult {
    const has = this.chosen.has(scope)
    const barred = !has && !this.rights.scope(scope)
    const toggle = () =>
      this.#choose(has ? [...this.chosen].filter((one) => one !== scope) : [...this.chosen, scope])
    const title = barred ? this.text('grant.not') : scope
    return html`<label part="scope" class="box" title=${title}>
      <input type="checkbox" data-scope=${scope} aria-label=${label} ?disabled=${barred} .checked=${has} @change=${toggle} />
      <span>${short}</span>
    </label>`
  }

  #choose(scopes: readonly string[]): void {
    const chosen = new Set(scopes)
    // Kept in the order of the catalogue, which is the order of the request.
    const detail = new Set(this.#offered.filter((scope) => chosen.has(scope)))
    this.dispatchEvent(new CustomEvent('choose', { detail }))
    this.shell.say('form.scopes.count', { n: detail.size })
  }
}
