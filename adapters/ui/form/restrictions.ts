import { html, nothing, type TemplateResult } from 'lit'
import type { WireIssue, WireResourceType } from '../../client/index.ts'
import type { Context } from '../context.ts'
import type { Locale } from '../format/locale.ts'
import { drawable } from '../format/text.ts'
import { lines } from '../look/controls.ts'
import { type Draft, type DraftErrors, linesOf, resourceLimit } from './draft.ts'
import type { Names } from './resources.ts'
import type { Rights } from './rights.ts'

interface Fields {
  readonly context: Context
  readonly draft: Draft
  readonly errors: DraftErrors
  readonly issues: readonly WireIssue[]
  readonly rights: Rights
  readonly names: Names
  /** What the ids of the fields begin with. */
  readonly form: string
  readonly edit: (change: Partial<Draft>) => void
}

/** What the key reaches, for each type of resources, and where it may be used from. */
export function restrictions(fields: Fields): unknown {
  const { types } = fields.context.catalogue
  return [
    ...types.map((type, at) => resourcesOf(fields, type, `${fields.form}-resources${at || ''}`)),
    networksOf(fields),
  ]
}

function resourcesOf(fields: Fields, type: WireResourceType, id: string): TemplateResult {
  const { context, draft, edit, errors, names, rights } = fields
  const { locale } = context
  const chosen = draft.resources[type.type] ?? 'all'
  const label = drawable(locale.label(type.label))
  const all = rights.resource(type.type, null)
  const choose = (ids: 'all' | readonly string[]) =>
    edit({ resources: { ...draft.resources, [type.type]: ids } })
  return restriction(locale, {
    id,
    title: html`<bdi>${label}</bdi>`,
    error: errors.resources && locale.rich(errors.resources, { n: resourceLimit }),
    any: locale.rich('res.all', { type: label }),
    barred: !all,
    choose: (some) => choose(some ? [] : 'all'),
    content:
      chosen === 'all'
        ? null
        : html`<api-keys-resources .context=${context} .type=${type} .chosen=${chosen}
            .rights=${rights} .names=${names} .field=${id}
            @choose=${({ detail }: CustomEvent<readonly string[]>) => choose(detail)}></api-keys-resources>`,
    hint: all ? nothing : locale.text(rights.widens ? 'grant.some' : 'grant.key'),
  })
}

function networksOf(fields: Fields): TemplateResult {
  const { context, draft, edit, errors, form, issues, rights } = fields
  const { locale } = context
  const { rich, text } = locale
  const { networks } = draft
  const bounds = rights.grant?.networks ?? 'any'
  const bounded = rights.widens && bounds !== 'any'
  const why = bounded ? rich('grant.networks', { id: bounds.join(' ') }) : text('grant.key')
  const any = rights.anyNetwork()
  const id = `${form}-networks`
  const set = (value: string | null) => edit({ networks: value })
  const written = linesOf(networks ?? '')
  const refused = issues.flatMap(({ path: [field, at] }) =>
    field === 'networks' ? (written[Number(at)] ?? []) : [],
  )
  return restriction(locale, {
    id,
    title: text('net.title'),
    error: errors.networks && rich(errors.networks, { id: refused.join(' ') }),
    any: text('net.any'),
    barred: !any,
    choose: (some) => set(some ? (networks ?? '') : null),
    content:
      networks === null ? null : lines(id, text('net.title'), networks, set, errors.networks),
    hint: html`${networks === null ? nothing : rich('net.hint', { id: '198.51.100.0/24' })} ${any ? nothing : why}`,
  })
}

/** A choice between all and some of something, with what is chosen of it. */
function restriction(
  { text }: Locale,
  of: {
    readonly id: string
    readonly title: unknown
    readonly error: unknown
    readonly any: unknown
    readonly barred: boolean
    readonly choose: (some: boolean) => void
    /** What is chosen; `null` where all is. */
    readonly content: TemplateResult | null
    readonly hint: unknown
  },
): TemplateResult {
  const { id } = of
  const choice = (some: boolean, words: unknown) =>
    html`<label class="box">
      <input id="${id}-${some ? 'some' : 'any'}" type="radio" name=${id}
        ?disabled=${!some && of.barred} aria-describedby="${id}-hint" .checked=${some === (of.content !== null)}
        @change=${() => of.choose(some)} />
      <span>${words}</span>
    </label>`
  return html`
    <fieldset class="field">
      <legend>${of.title}</legend>
      <p id="${id}-error" class="error-text">${of.error || nothing}</p>
      <div class="pair">${choice(false, of.any)}${choice(true, text('res.some'))}</div>
      ${of.content}
      <p id="${id}-hint" class="hint">${of.hint}</p>
    </fieldset>
  `
}
