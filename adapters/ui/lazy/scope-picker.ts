import { html, nothing, type TemplateResult } from 'lit'
import { drawable } from '../format/text.ts'
import { flag, smallButton, typed } from '../parts/controls.ts'
import { icons } from '../parts/icons.ts'
import type { Tab } from '../state/tab.ts'
import type { Rich } from '../strings/translator.ts'
import type { DraftForm } from './draft-form.ts'
import { type ShownGroup, scopesIn, shownGroups } from './shown-scopes.ts'

const pauseMs = 600

/** So few scopes need no search and nothing that chooses many at once. */
const fewScopes = 8

/** From so many scopes on, the groups are folded at first. */
const manyScopes = 48

/** The scopes in their groups, with boxes for a group and for all. */
export function scopePicker(tab: Tab, form: DraftForm): TemplateResult {
  const { catalogue, locale } = tab
  return html`
    <fieldset class="field" part="scope-list" aria-describedby="scopes-hint">
      <legend>${locale.text('create.scopes')}</legend>
      <p id="scopes-hint" class="hint">${locale.text('create.scopes.hint')}</p>
      ${barredNote(tab, form)}
      <p id="scopes-error" class="error-text" tabindex="-1">${form.errors.scopes ? locale.text(form.errors.scopes) : nothing}</p>
      ${catalogue.groups === null ? missing(tab) : picker(tab, form)}
    </fieldset>
  `
}

/** Why some scopes cannot be chosen. */
function barredNote({ catalogue, locale }: Tab, form: DraftForm): TemplateResult | typeof nothing {
  if (catalogue.all.every((scope) => form.mayHave(scope))) return nothing
  return html`<p class="hint" data-note="barred">${locale.text(form.widens ? 'grant.some' : 'grant.key')}</p>`
}

function missing(tab: Tab): TemplateResult {
  const { catalogue, locale } = tab
  if (!catalogue.failed) {
    return html`<div class="skeleton" aria-hidden="true"><div class="skeleton-row"><i></i><i></i></div></div>`
  }
  return html`
    <div class="note bad" role="alert">
      ${icons.warning}
      <div class="grow"><p>${locale.text('err.body')}</p></div>
      ${smallButton(locale.text('err.retry'), () => catalogue.load())}
    </div>
  `
}

function picker(tab: Tab, form: DraftForm): TemplateResult {
  const { catalogue, locale } = tab
  const shown = shownGroups(tab, form)
  const { scopes: chosen } = form
  const few = form.offered.length <= fewScopes
  const complete = chosen.size > 0 && catalogue.all.every((scope) => chosen.has(scope))
  return html`
    ${few ? nothing : tools(tab, form, scopesIn(shown))}
    ${few ? nothing : scopeSearch(tab, form)}
    <p class="hint scope-count" data-note="count"><span>${locale.rich('create.scopes.count', { n: chosen.size })}</span></p>
    ${
      complete
        ? html`<p class="note warn" data-note="full-access">${icons.warning}<span>${locale.text('create.scopes.allsel')}</span></p>`
        : nothing
    }
    ${shown.length === 0 ? html`<p data-note="unmatched">${unmatched(tab, form)}</p>` : nothing}
    <div class="scope-groups">${shown.map((group) => groupBox(tab, form, group))}</div>
  `
}

function scopeSearch(tab: Tab, form: DraftForm): TemplateResult {
  const { locale } = tab
  return html`<label>
      <span class="muted small">${locale.text('create.scopes.search')}</span>
      <input
        type="search"
        dir=${form.scopeSearch ? 'auto' : locale.settings.dir}
        autocomplete="off"
        .value=${form.scopeSearch}
        @input=${typed((text) => search(tab, form, text))}
        @keydown=${(event: KeyboardEvent) => event.key === 'Enter' && event.preventDefault()}
      />
    </label>`
}

function unmatched({ locale }: Tab, { scopeSearch }: DraftForm): Rich {
  return locale.rich('create.scopes.unmatched', { q: scopeSearch.trim() })
}

// At every keystroke it would talk over the typing.
function search(tab: Tab, form: DraftForm, text: string): void {
  form.searchScopes(text)
  setTimeout(() => {
    if (!form.open || form.scopeSearch !== text || shownGroups(tab, form).length > 0) return
    tab.announce(tab.locale.text('create.scopes.unmatched', { q: text.trim() }))
  }, pauseMs)
}

/** What acts on many scopes at once: no box here chooses one that the search hides. */
function tools(tab: Tab, form: DraftForm, shown: readonly string[]): TemplateResult {
  const { catalogue, locale } = tab
  const reads = openTo(form, catalogue.readOnly).filter((scope) => shown.includes(scope))
  const hidden = () => [...form.scopes].filter((scope) => !shown.includes(scope))
  return html`
    <div class="row scope-tools">
      ${selectAllBox(tab, form, shown)}
      <span class="row">
        ${smallButton(locale.text('create.scopes.read'), () => choose(tab, form, [...hidden(), ...reads]), 'read-only')}
        ${smallButton(locale.text('create.scopes.none'), () => choose(tab, form, []), 'clear')}
      </span>
    </div>
  `
}

function selectAllBox(tab: Tab, form: DraftForm, shown: readonly string[]): TemplateResult {
  const { locale } = tab
  const open = openTo(form, shown)
  const held = heldOf(form, open)
  const all = held > 0 && held === open.length
  return html`<label part="select-all" class="box strong-label">
    <input
      id="scopes-all"
      type="checkbox"
      aria-invalid=${flag(form.errors.scopes)}
      aria-describedby="scopes-error"
      .checked=${all}
      .indeterminate=${held > 0 && !all}
      ?disabled=${open.length === 0}
      @change=${() => toggle(tab, form, open, !all)}
    />
    <span>${withCount(tab, locale.text('create.scopes.all'), shown.length < form.offered.length ? shown.length : null)}</span>
  </label>`
}

function groupBox(tab: Tab, form: DraftForm, group: ShownGroup): TemplateResult {
  const { id, label, rows, size } = group
  const shown = rows.map(({ scope }) => scope)
  const open = openTo(form, shown)
  const held = heldOf(form, open)
  const all = held > 0 && held === open.length
  const part = shown.length < size ? shown.length : null
  const unfolded =
    form.scopeSearch.trim() !== '' || form.folded.has(id) === form.offered.length > manyScopes
  return html`
    <fieldset part="scope-group" class="scope-group">
      <legend>
        <label class="box strong-label">
          <input
            type="checkbox"
            data-group=${id}
            aria-label=${part === null ? tab.locale.text('create.scopes.group', { group: label }) : nothing}
            .checked=${all}
            .indeterminate=${held > 0 && !all}
            ?disabled=${open.length === 0}
            @change=${() => toggle(tab, form, open, !all)}
          />
          <span>${withCount(tab, label, part)}</span>
        </label>
        <button
          type="button"
          class="fold"
          aria-expanded=${unfolded}
          aria-label="${label}: ${tab.locale.number(size)}"
          @click=${() => form.fold(id)}
        >${tab.locale.number(size)}</button>
      </legend>
      ${unfolded ? rows.map(({ scope, label }) => scopeBox(tab, form, scope, label)) : nothing}
    </fieldset>
  `
}

/** The words beside a box, which say so where it stands for a part of its scopes. */
function withCount({ locale }: Tab, group: string, n: number | null): string | Rich {
  return n === null ? group : locale.rich('create.scopes.shown', { group, n })
}

/** The scopes that can be chosen, or taken away. */
function openTo(form: DraftForm, scopes: readonly string[]): readonly string[] {
  return scopes.filter((scope) => form.mayHave(scope) || form.scopes.has(scope))
}

function heldOf(form: DraftForm, scopes: readonly string[]): number {
  return scopes.filter((scope) => form.scopes.has(scope)).length
}

function scopeBox(tab: Tab, form: DraftForm, scope: string, label: string): TemplateResult {
  const has = form.scopes.has(scope)
  const barred = !has && !form.mayHave(scope)
  return html`<label part="scope" class="box">
    <input
      type="checkbox"
      data-scope=${scope}
      ?disabled=${barred}
      title=${barred ? tab.locale.text('grant.not') : nothing}
      .checked=${has}
      @change=${() => toggle(tab, form, [scope], !has)}
    />
    <span class="scope-text"
      ><span>${label}</span>
      <code part="scope-code"><bdi dir="ltr">${drawable(scope)}</bdi></code></span
    >
  </label>`
}

function toggle(tab: Tab, form: DraftForm, scopes: readonly string[], on: boolean): void {
  const others = [...form.scopes].filter((scope) => !scopes.includes(scope))
  choose(tab, form, on ? [...others, ...scopes] : others)
}

function choose(tab: Tab, form: DraftForm, scopes: readonly string[]): void {
  const chosen = new Set(scopes)
  // Kept in the order of the catalogue, which is the order of the request.
  form.edit({ scopes: new Set(form.offered.filter((scope) => chosen.has(scope))) })
  tab.announce(tab.locale.text('create.scopes.count', { n: chosen.size }))
}
