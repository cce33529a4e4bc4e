import { html, nothing, type TemplateResult } from 'lit'
import type { WireResourceType } from '../../client/index.ts'
import { drawable } from '../format/text.ts'
import { code, smallButton, typed } from '../parts/controls.ts'
import type { Tab } from '../state/tab.ts'
import { resourceLimit } from './draft.ts'
import type { DraftForm } from './draft-form.ts'
import { givable } from './grant.ts'
import { choice, linesField } from './lines-field.ts'

/** So many ids that may be given are shown without a search. */
const shownAtOnce = 100

/** What the key reaches, for each type of resources. */
export function resourceFields(
  tab: Tab,
  form: DraftForm,
): readonly TemplateResult[] | typeof nothing {
  if (!form.restricts) return nothing
  return tab.catalogue.types.map((type, at) => resourceField(tab, form, { ...type, at }))
}

type Type = WireResourceType & { readonly at: number }

function resourceField(tab: Tab, form: DraftForm, type: Type): TemplateResult {
  const { locale } = tab
  const { errors } = form
  const chosen = form.draft.resources[type.type] ?? 'all'
  const label = drawable(locale.label(type.label))
  const id = idOf(form, type)
  const all = form.mayReach(type.type, null)
  const some = () => {
    begin(form, type.type, [])
    choose(form, type, [])
  }
  return html`
    <fieldset class="field">
      <legend><bdi>${label}</bdi></legend>
      <p id="${id}-error" class="error-text">${errors.resources ? locale.rich(errors.resources, { n: resourceLimit }) : nothing}</p>
      <div class="overlaps">
        ${choice({
          id: `${id}-all`,
          name: id,
          text: locale.rich('res.all', { type: label }),
          checked: chosen === 'all',
          disabled: !all,
          describedBy: `${id}-hint`,
          choose: () => choose(form, type, 'all'),
        })}
        ${choice({
          id: `${id}-some`,
          name: id,
          text: locale.text('res.some'),
          checked: chosen !== 'all',
          choose: some,
        })}
      </div>
      ${chosen === 'all' ? nothing : picker(tab, form, type, chosen)}
      <p id="${id}-hint" class="hint">${all ? nothing : locale.text(form.widens ? 'grant.some' : 'grant.key')}</p>
    </fieldset>
  `
}

function idOf({ id }: DraftForm, { at }: Type): string {
  return `${id}-resources${at === 0 ? '' : at}`
}

/** Looks for the first resources; what is chosen stays in sight. */
function begin(form: DraftForm, type: string, chosen: readonly string[], text = ''): void {
  const { resources } = form
  if (!resources.isNamed(type)) return
  const given = givable(form.grant, type)
  const near = given === 'all' || given.length > shownAtOnce ? [] : given
  const kept = [...new Set([...chosen, ...near])]
  resources.look(type, text, kept)
  void resources.name(type, kept)
}

function choose(form: DraftForm, { type }: Type, ids: 'all' | readonly string[]): void {
  form.edit({ resources: { ...form.draft.resources, [type]: ids } })
}

function picker(tab: Tab, form: DraftForm, type: Type, chosen: readonly string[]): TemplateResult {
  const { text } = tab.locale
  const given = givable(form.grant, type.type)
  const id = idOf(form, type)
  const none = chosen.every((one) => one.trim() === '')
  const warning = none
    ? html`<p class="hint" data-note="no-resources">${text('res.none')}</p>`
    : nothing
  if (form.resources.isNamed(type.type)) return html`${search(tab, form, type, chosen)}${warning}`
  if (given !== 'all') {
    const ids = [...new Set([...(form.resourcesBefore?.[type.type] ?? []), ...given])]
    return html`<div class="choices">${boxes(tab, form, type, { chosen, ids })}</div>${warning}`
  }
  const field = linesField({
    id,
    label: text('res.ids'),
    describedBy: `${id}-error ${id}-ids`,
    value: chosen.join('\n'),
    invalid: form.errors.resources !== undefined,
    edit: (typed) => choose(form, type, typed.split('\n')),
  })
  return html`<p id="${id}-ids" class="hint">${text('res.ids')}</p>${field}${warning}`
}

function search(tab: Tab, form: DraftForm, type: Type, chosen: readonly string[]): TemplateResult {
  const { locale } = tab
  const { resources } = form
  const found = resources.found(type.type)
  if (found === undefined) queueMicrotask(() => begin(form, type.type, chosen))
  const { kept, ids, nextCursor, phase, text } = found ?? { kept: chosen, ids: [], text: '' }
  const rows = [...kept, ...ids.filter((one) => !kept.includes(one))]
  const look = typed((wanted) => begin(form, type.type, chosen, wanted))
  const more = () => resources.more(type.type)
  return html`
    <label>
      <span class="muted small">${locale.text('res.search')}</span>
      <input
        id=${idOf(form, type)}
        type="search"
        dir=${text ? 'auto' : locale.settings.dir}
        autocomplete="off"
        maxlength="120"
        .value=${text}
        @input=${look}
        @keydown=${(event: KeyboardEvent) => event.key === 'Enter' && event.preventDefault()}
      />
    </label>
    <div class="choices" aria-busy=${phase === 'loading'}>${boxes(tab, form, type, { chosen, ids: rows })}</div>
    ${phase === 'failed' ? html`<p class="error-text">${locale.text('res.failed')}</p>` : nothing}
    ${phase === 'ready' && ids.length === 0 ? html`<p class="hint">${locale.text('res.unmatched')}</p>` : nothing}
    ${
      phase === 'failed' || (phase === 'ready' && nextCursor)
        ? html`<div>${smallButton(locale.text(phase === 'failed' ? 'err.retry' : 'more'), more, 'more-resources')}</div>`
        : nothing
    }
  `
}

function boxes(
  tab: Tab,
  form: DraftForm,
  type: Type,
  { chosen, ids }: { readonly chosen: readonly string[]; readonly ids: readonly string[] },
): readonly TemplateResult[] {
  return ids.map((id) => {
    const has = chosen.includes(id)
    const barred = !has && !form.mayReach(type.type, id)
    const name = form.resources.nameOf(type.type, id)
    const toggle = () =>
      choose(form, type, has ? chosen.filter((one) => one !== id) : [...chosen, id])
    return html`<label class="box">
      <input
        type="checkbox"
        data-resource=${id}
        ?disabled=${barred}
        title=${barred ? tab.locale.text('grant.not') : nothing}
        .checked=${has}
        @change=${toggle}
      />
      <span class="scope-text"
        ><bdi>${drawable(name)}</bdi>${name === id ? nothing : code(id)}</span
      >
    </label>`
  })
}
