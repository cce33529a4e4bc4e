import { html, nothing, type TemplateResult } from 'lit'
import type { WireIssue, WireResourceType } from '../../client/index.ts'
import { drawable } from '../format/text.ts'
import { code, smallButton, typed } from '../look/controls.ts'
import { Part } from '../part.ts'
import { type Draft, type DraftErrors, linesOf, resourceLimit } from './draft.ts'
import type { Resources } from './resources.ts'
import type { Rights } from './rights.ts'

/** So many ids that may be given are shown without a search. */
const shownAtOnce = 100

type Type = WireResourceType & { readonly id: string }

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
  declare resources: Resources
  /** What the server objects to, in its words. */
  declare issues: readonly WireIssue[]
  /** What the ids of the fields begin with. */
  declare form: string

  protected override render(): TemplateResult {
    const { types } = this.context.catalogue
    const named = types.map((type, at) => ({ ...type, id: `${this.form}-resources${at || ''}` }))
    return html`${named.map((type) => this.#resource(type))}${this.#networks()}`
  }

  #edit(change: Partial<Draft>): void {
    this.dispatchEvent(new CustomEvent('edit', { detail: change }))
  }

  #choose({ type }: Type, ids: 'all' | readonly string[]): void {
    this.#edit({ resources: { ...this.draft.resources, [type]: ids } })
  }

  #resource(type: Type): TemplateResult {
    const { id } = type
    const { locale } = this.context
    const { errors, rights } = this
    const chosen = this.draft.resources[type.type] ?? 'all'
    const label = drawable(locale.label(type.label))
    const all = rights.resource(type.type, null)
    const some = () => {
      this.#look(type, [])
      this.#choose(type, [])
    }
    const error = errors.resources ? locale.rich(errors.resources, { n: resourceLimit }) : nothing
    return html`
      <fieldset class="field">
        <legend><bdi>${label}</bdi></legend>
        <p id="${id}-error" class="error-text">${error}</p>
        <div class="pair">
          ${choice({ id: `${id}-all`, name: id, text: locale.rich('res.all', { type: label }), checked: chosen === 'all', disabled: !all, choose: () => this.#choose(type, 'all') })}
          ${choice({ id: `${id}-some`, name: id, text: locale.text('res.some'), checked: chosen !== 'all', choose: some })}
        </div>
        ${chosen === 'all' ? nothing : this.#picker(type, chosen)}
        <p id="${id}-hint" class="hint">${all ? nothing : locale.text(rights.widens ? 'grant.some' : 'grant.key')}</p>
      </fieldset>
    `
  }

  /** Looks for the first resources; what is chosen stays in sight. */
  #look({ type }: Type, chosen: readonly string[], text = ''): void {
    const { resources } = this
    if (!resources.isNamed(type)) return
    const given = this.rights.givable(type)
    const near = given === 'all' || given.length > shownAtOnce ? [] : given
    const kept = [...new Set([...chosen, ...near])]
    resources.look(type, text, kept)
    void resources.name(type, kept)
  }

  #picker(type: Type, chosen: readonly string[]): TemplateResult {
    const { text } = this.context.locale
    const none = chosen.every((one) => one.trim() === '')
    const warning = none
      ? html`<p class="hint soon" data-note="no-resources">${text('res.none')}</p>`
      : nothing
    if (this.resources.isNamed(type.type)) return html`${this.#search(type, chosen)}${warning}`
    const given = this.rights.givable(type.type)
    if (given !== 'all') {
      const ids = [...new Set([...(this.rights.reached?.[type.type] ?? []), ...given])]
      return html`<div class="choices">${this.#boxes(type, chosen, ids)}</div>${warning}`
    }
    const edit = (value: string) => this.#choose(type, value.split('\n'))
    return html`${this.#lines(type.id, text('res.ids'), chosen.join('\n'), edit)}<p class="hint">${text('res.ids')}</p>${warning}`
  }

  #search(type: Type, chosen: readonly string[]): TemplateResult {
    const { locale } = this.context
    const { resources } = this
    const found = resources.found(type.type)
    if (found === undefined) queueMicrotask(() => this.#look(type, chosen))
    const { kept, ids, nextCursor, phase, text } = found ?? { kept: chosen, ids: [], text: '' }
    const rows = [...kept, ...ids.filter((one) => !kept.includes(one))]
    const more = () => resources.more(type.type)
    return html`
      <input id=${type.id} type="search" aria-label=${locale.text('res.search')}
        placeholder=${locale.text('res.search')} dir=${text ? 'auto' : locale.settings.dir}
        autocomplete="off" maxlength="120" .value=${text}
        @input=${typed((wanted) => this.#look(type, chosen, wanted))}
        @keydown=${(event: KeyboardEvent) => event.key === 'Enter' && event.preventDefault()} />
      <div class="choices" aria-busy=${phase === 'loading'}>${this.#boxes(type, chosen, rows)}</div>
      ${phase === 'failed' ? html`<p class="error-text">${locale.text('res.failed')}</p>` : nothing}
      ${phase === 'ready' && ids.length === 0 ? html`<p class="hint">${locale.text('res.unmatched')}</p>` : nothing}
      ${phase === 'failed' || (phase === 'ready' && nextCursor) ? smallButton(locale.text(phase === 'failed' ? 'err.retry' : 'more'), more, 'more-resources') : nothing}
    `
  }

  #boxes(type: Type, chosen: readonly string[], ids: readonly string[]): readonly TemplateResult[] {
    return ids.map((id) => {
      const has = chosen.includes(id)
      const barred = !has && !this.rights.resource(type.type, id)
      const name = this.resources.nameOf(type.type, id)
      const toggle = () =>
        this.#choose(type, has ? chosen.filter((one) => one !== id) : [...chosen, id])
      const title = barred ? this.context.locale.text('grant.not') : nothing
      return html`<label class="box">
        <input type="checkbox" data-resource=${id} ?disabled=${barred} title=${title} .checked=${has} @change=${toggle} />
        <span><bdi>${drawable(name)}</bdi> ${name === id ? nothing : code(id)}</span>
      </label>`
    })
  }

  #networks(): TemplateResult {
    const { locale } = this.context
    const { rich, text } = locale
    const { errors, rights } = this
    const { networks } = this.draft
    const any = rights.anyNetwork()
    const bounds = rights.grant?.networks ?? 'any'
    const name = `${this.form}-networks`
    const set = (lines: string | null) => this.#edit({ networks: lines })
    const why =
      rights.widens && bounds !== 'any'
        ? rich('grant.networks', { id: bounds.join(' ') })
        : text('grant.key')
    return html`
      <fieldset class="field">
        <legend>${text('net.title')}</legend>
        <p id="${name}-error" class="error-text">${errors.networks ? text(errors.networks) : nothing}</p>
        ${errors.networks === 'v.networks' ? this.#objections(name) : nothing}
        <div class="pair">
          ${choice({ id: `${name}-any`, name, text: text('net.any'), checked: networks === null, disabled: !any, choose: () => set(null) })}
          ${choice({ id: `${name}-some`, name, text: text('net.some'), checked: networks !== null, choose: () => set(networks ?? '') })}
        </div>
        ${networks === null ? nothing : this.#lines(name, text('net.some'), networks, set)}
        <p id="${name}-hint" class="hint">${networks === null ? nothing : rich('net.hint', { id: '198.51.100.0/24' })} ${any ? nothing : why}</p>
      </fieldset>
    `
  }

  /** What the server says about a line, with the form that is meant where it knows one. */
  #objections(name: string): readonly unknown[] {
    const { locale, shell } = this.context
    const lines = linesOf(this.draft.networks ?? '')
    return this.issues.map(({ code: kind, message, path: [field, at] }) => {
      const line = lines[Number(at)]
      if (field !== 'networks' || line === undefined) return nothing
      const meant = kind === 'not_canonical' ? /(\S+)\.$/.exec(message)?.[1] : undefined
      const take = () => {
        const networks = lines.map((one) => (one === line ? meant : one)).join('\n')
        this.#edit({ networks })
        shell.focusOn(`#${name}`)
      }
      const words = locale.rich('net.meant', { id: meant ?? '' })
      return html`<p class="error-text row">${code(line)} ${meant === undefined ? html`<bdi lang="en" dir="ltr">${message}</bdi>` : smallButton(html`<span>${words}</span>`, take, 'meant')}</p>`
    })
  }

  /** Several ids or networks, one a line. They are Latin, whatever the language. */
  #lines(id: string, label: string, value: string, edit: (text: string) => void): TemplateResult {
    const invalid = id.endsWith('-networks') ? this.errors.networks : this.errors.resources
    return html`<textarea id=${id} rows="3" dir="ltr" autocomplete="off" spellcheck="false"
        aria-label=${label} aria-describedby="${id}-error ${id}-hint"
        aria-invalid=${invalid !== undefined} .value=${value} @input=${typed(edit)}></textarea>`
  }
}

/** One of two choices beside each other. */
function choice(of: {
  readonly id: string
  readonly name: string
  readonly text: unknown
  readonly checked: boolean
  readonly disabled?: boolean
  readonly choose: () => void
}): TemplateResult {
  const { id, name, text, checked, disabled = false } = of
  return html`<label class="box">
    <input id=${id} type="radio" name=${name} ?disabled=${disabled} aria-describedby="${name}-hint" .checked=${checked} @change=${of.choose} />
    <span>${text}</span>
  </label>`
}
