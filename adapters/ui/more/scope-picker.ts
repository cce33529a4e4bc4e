import { html, nothing, type TemplateResult } from 'lit/html.js'
import type { WireScopeGroup } from '../../client/index.ts'
import { drawable } from '../format/text.ts'
import { icons } from '../parts/icons.ts'
import { scopesOf } from '../state/scope-catalogue.ts'
import type { Tab } from '../state/tab.ts'
import type { DraftForm } from './draft-form.ts'
import { folded } from './folded.ts'

/** The scopes in their groups, with boxes for a group and for all. */
export function scopePicker(tab: Tab, form: DraftForm): TemplateResult {
  const { catalogue, locale } = tab
  return html`
    <fieldset class="field" part="scope-list" aria-describedby="scopes-hint">
      <legend>${locale.text('create.scopes')}</legend>
      <p id="scopes-hint" class="hint">${locale.text('create.scopes.hint')}</p>
      <p id="scopes-error" class="error-text" tabindex="-1">${form.errors.scopes ? locale.text(form.errors.scopes) : nothing}</p>
      ${catalogue.groups === null ? missing(tab) : picker(tab, form, catalogue.groups)}
    </fieldset>
  `
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
      <button type="button" class="small-button" @click=${() => catalogue.load(null)}>
        ${locale.text('err.retry')}
      </button>
    </div>
  `
}

function picker(tab: Tab, form: DraftForm, groups: readonly WireScopeGroup[]): TemplateResult {
  const { catalogue, locale } = tab
  const chosen = form.draft.scopes.size
  const complete = chosen > 0 && catalogue.all.every((scope) => form.draft.scopes.has(scope))
  return html`
    <div class="scope-tools">
      ${selectAllBox(tab, form, complete)}
      <span class="row">
        <button type="button" class="small-button" data-act="read-only" @click=${() => choose(tab, form, catalogue.readOnly)}>
          ${locale.text('create.scopes.read')}
        </button>
        <button type="button" class="small-button" data-act="clear" @click=${() => choose(tab, form, [])}>
          ${locale.text('create.scopes.none')}
        </button>
      </span>
    </div>
    <input
      type="search"
      dir="auto"
      autocomplete="off"
      aria-label=${locale.text('create.scopes.search')}
      placeholder=${locale.text('create.scopes.search')}
      .value=${form.scopeSearch}
      @input=${(event: Event) => event.target instanceof HTMLInputElement && form.searchScopes(event.target.value)}
      @keydown=${(event: KeyboardEvent) => event.key === 'Enter' && event.preventDefault()}
    />
    <p class="hint scope-count" data-note="count"><span>${locale.rich('create.scopes.count', { n: chosen })}</span></p>
    ${
      complete
        ? html`<p class="note warn" data-note="full-access">${icons.warning}<span>${locale.text('create.scopes.allsel')}</span></p>`
        : nothing
    }
    <div class="scope-groups">${groups.map((group) => groupBox(tab, form, group))}</div>
  `
}

function selectAllBox(tab: Tab, form: DraftForm, complete: boolean): TemplateResult {
  const { catalogue, locale } = tab
  return html`<label part="select-all" class="box strong-label">
    <input
      id="scopes-all"
      type="checkbox"
      aria-invalid=${form.errors.scopes ? 'true' : nothing}
      aria-describedby="scopes-error"
      .checked=${complete}
      .indeterminate=${form.draft.scopes.size > 0 && !complete}
      @change=${() => choose(tab, form, complete ? [] : catalogue.all)}
    />
    <span>${locale.text('create.scopes.all')}</span>
  </label>`
}

function groupBox(
  tab: Tab,
  form: DraftForm,
  group: WireScopeGroup,
): TemplateResult | typeof nothing {
  const { locale } = tab
  const own = scopesOf(group)
  const held = own.filter((scope) => form.draft.scopes.has(scope)).length
  const label = drawable(locale.label(group.label))
  const wanted = folded(form.scopeSearch.trim())
  const shown = group.scopes.filter((one) =>
    folded(`${label} ${locale.label(one.label)} ${one.scope}`).includes(wanted),
  )
  if (shown.length === 0) return nothing
  return html`
    <fieldset part="scope-group" class="scope-group">
      <legend>
        <label class="box strong-label">
          <input
            type="checkbox"
            data-group=${group.id}
            aria-label=${locale.text('create.scopes.group', { group: label })}
            .checked=${held === own.length}
            .indeterminate=${held > 0 && held < own.length}
            @change=${() => toggle(tab, form, own, held < own.length)}
          />
          <span>${label}</span>
        </label>
      </legend>
      ${shown.map(({ scope, label }) => scopeBox(tab, form, scope, locale.label(label)))}
    </fieldset>
  `
}

function scopeBox(tab: Tab, form: DraftForm, scope: string, label: string): TemplateResult {
  const has = form.draft.scopes.has(scope)
  return html`<label part="scope" class="box">
    <input type="checkbox" data-scope=${scope} .checked=${has} @change=${() => toggle(tab, form, [scope], !has)} />
    <span class="scope-text"
      ><span>${drawable(label)}</span>
      <code part="scope-code"><bdi dir="ltr">${drawable(scope)}</bdi></code></span
    >
  </label>`
}

function toggle(tab: Tab, form: DraftForm, scopes: readonly string[], on: boolean): void {
  const chosen = new Set(form.draft.scopes)
  for (const scope of scopes) {
    if (on) chosen.add(scope)
    else chosen.delete(scope)
  }
  choose(tab, form, [...chosen])
}

function choose(tab: Tab, form: DraftForm, scopes: readonly string[]): void {
  const chosen = new Set(scopes)
  // Kept in the order of the catalogue, which is the order of the request.
  form.edit({ scopes: new Set(tab.catalogue.all.filter((scope) => chosen.has(scope))) })
  tab.announce(tab.locale.text('create.scopes.count', { n: chosen.size }))
}
