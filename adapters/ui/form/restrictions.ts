import { html, nothing, type TemplateResult } from 'lit'
import type { WireIssue, WireResourceType } from '../../client/index.ts'
import { drawable } from '../format/text.ts'
import { lines } from '../look/controls.ts'
import { Part } from '../part.ts'
import { type Draft, type DraftErrors, linesOf, resourceLimit } from './draft.ts'
import type { Names } from './resources.ts'
import type { Rights } from './rights.ts'

/** What the key reaches, for each type of resources, and where it may be used from. */
export class Restrictions extends Part {
  static override properties = {
    ...Part.properties,
    draft: { attribute: false },
    errors: { attribute: false },
    rights: { attribute: false },
  }
  declare draft: Draft
  declare errors: DraftErrors
  declare rights: Rights
  declare names: Names
  /** What the server objects to. */
  declare issues: readonly WireIssue[]
  /** What the ids of the fields begin with. */
  declare form: string

  protected override render(): TemplateResult {
    const { types } = this.context.catalogue
    return html`${types.map((type, at) => this.#resource(type, `${this.form}-resources${at || ''}`))}${this.#networks()}`
  }

  #edit(change: Partial<Draft>): void {
    this.dispatchEvent(new CustomEvent('edit', { detail: change }))
  }

  #resource(type: WireResourceType, id: string): TemplateResult {
    const { locale } = this.context
    const { errors, rights } = this
    const chosen = this.draft.resources[type.type] ?? 'all'
    const label = drawable(locale.label(type.label))
    const all = rights.resource(type.type, null)
    const choose = (ids: 'all' | readonly string[]) =>
      this.#edit({ resources: { ...this.draft.resources, [type.type]: ids } })
    return restriction({
      id,
      title: html`<bdi>${label}</bdi>`,
      error: errors.resources && locale.rich(errors.resources, { n: resourceLimit }),
      any: { text: locale.rich('res.all', { type: label }), barred: !all },
      some: locale.text('res.some'),
      isSome: chosen !== 'all',
      choose: (some) => choose(some ? [] : 'all'),
      content:
        chosen === 'all'
          ? nothing
          : html`<api-keys-resources .context=${this.context} .type=${type} .chosen=${chosen}
              .rights=${rights} .names=${this.names} .field=${id}
              @choose=${({ detail }: CustomEvent<readonly string[]>) => choose(detail)}></api-keys-resources>`,
      hint: all ? nothing : locale.text(rights.widens ? 'grant.some' : 'grant.key'),
    })
  }

  #networks(): TemplateResult {
    const { rich, text } = this.context.locale
    const { errors, rights } = this
    const { networks } = this.draft
    const any = rights.anyNetwork()
    const bounds = rights.grant?.networks ?? 'any'
    const id = `${this.form}-networks`
    const set = (value: string | null) => this.#edit({ networks: value })
    const bounded = rights.widens && bounds !== 'any'
    const why = bounded ? rich('grant.networks', { id: bounds.join(' ') }) : text('grant.key')
    return restriction({
      id,
      title: text('net.title'),
      error: errors.networks && rich(errors.networks, { id: this.#refused() }),
      any: { text: text('net.any'), barred: !any },
      some: text('net.some'),
      isSome: networks !== null,
      choose: (some) => set(some ? (networks ?? '') : null),
      content:
        networks === null ? nothing : lines(id, text('net.some'), networks, set, errors.networks),
      hint: html`${networks === null ? nothing : rich('net.hint', { id: '198.51.100.0/24' })} ${any ? nothing : why}`,
    })
  }

  /** The networks that the server refuses. */
  #refused(): string {
    const all = linesOf(this.draft.networks ?? '')
    const refused = this.issues.flatMap(({ path: [field, at] }) =>
      field === 'networks' ? (all[Number(at)] ?? []) : [],
    )
    return refused.join(' ')
  }
}

/** A choice between all and some of something, with what is chosen of it. */
function restriction(of: {
  readonly id: string
  readonly title: unknown
  readonly error: unknown
  readonly any: { readonly text: unknown; readonly barred: boolean }
  readonly some: unknown
  readonly isSome: boolean
  readonly choose: (some: boolean) => void
  readonly content: unknown
  readonly hint: unknown
}): TemplateResult {
  const { id, any, choose, isSome } = of
  const choice = (some: boolean, text: unknown) =>
    html`<label class="box">
      <input id="${id}-${some ? 'some' : 'any'}" type="radio" name=${id}
        ?disabled=${!some && any.barred} aria-describedby="${id}-hint" .checked=${some === isSome}
        @change=${() => choose(some)} />
      <span>${text}</span>
    </label>`
  return html`
    <fieldset class="field">
      <legend>${of.title}</legend>
      <p id="${id}-error" class="error-text">${of.error || nothing}</p>
      <div class="pair">${choice(false, any.text)}${choice(true, of.some)}</div>
      ${of.content}
      <p id="${id}-hint" class="hint">${of.hint}</p>
    </fieldset>
  `
}
