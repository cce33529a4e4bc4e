import { html, nothing, type TemplateResult } from 'lit'
import type { NamedResource, WireResourceType } from '../../client/index.ts'
import type { Context } from '../context.ts'
import { drawable } from '../format/text.ts'
import { code, lines, paused, searchField, smallButton } from '../look/controls.ts'
import { ReadPart } from '../look/read-part.ts'
import { Part } from '../part.ts'
import type { Rights } from './rights.ts'

const idsAtOnce = 100

function isNamed({ catalogue, shell }: Context, type: string): boolean {
  const named = catalogue.types.some((one) => one.type === type && one.isNamed)
  return named && shell.client.listResources !== undefined
}

/** The names of the host's resources, as far as they are known. */
export class Names {
  readonly #names = new Map<string, string>()

  of(type: string, id: string): string {
    return this.#names.get(`${type}:${id}`) ?? id
  }

  learn(type: string, resources: readonly NamedResource[]): void {
    for (const { id, name } of resources) {
      if (typeof name === 'string') this.#names.set(`${type}:${id}`, name)
    }
  }

  /** Reads the names of ids. One without a name is shown as it is. */
  async read(context: Context, type: string, ids: readonly string[]): Promise<void> {
    const { shell } = context
    const { client, source } = shell
    if (ids.length === 0 || !isNamed(context, type)) return
    try {
      const query = { id: ids.slice(0, idsAtOnce) }
      this.learn(type, (await client.listResources?.(type, query, source.tie))?.resources ?? [])
    } catch (error) {
      shell.signedOut(error)
    }
  }
}

/**
 * Which resources of a type a key reaches: those that the user may give, those that a search finds, or ids
 * to type.
 */
export class ResourcePicker extends ReadPart {
  // The form makes the rights anew whenever it draws: what else it gives needs no property of Lit.
  static override properties = { ...Part.properties, rights: { attribute: false } }
  declare type: WireResourceType
  declare chosen: readonly string[]
  declare rights: Rights
  declare names: Names
  /** What the ids of its fields begin with. */
  declare field: string
  wanted = ''
  ids: readonly string[] = []
  nextCursor: string | null = null
  /** What was chosen at first stays in sight. */
  #kept: readonly string[] = []
  readonly #read = paused(() => this.load())

  protected override firstUpdated(): void {
    const given = this.#given
    this.#kept = given === 'all' ? this.chosen : given
    void this.names.read(this.context, this.type.type, this.#kept).then(() => this.requestUpdate())
    super.firstUpdated()
  }

  protected override async read(signal: AbortSignal) {
    const { client, source } = this.shell
    const { type } = this.type
    const { ids: before, nextCursor: cursor } = this
    if (this.#given !== 'all' || !isNamed(this.context, type)) return null
    const search = this.wanted.trim()
    const query = { ...(search && { search }), ...(cursor && { cursor }) }
    const page = await client.listResources?.(type, query, { signal, ...source.tie })
    if (page === undefined || signal.aborted) return null
    this.names.learn(type, page.resources)
    const ids = [...before, ...page.resources.map(({ id }) => id)]
    this.shell.say('search.found', { n: ids.length })
    return { ids, nextCursor: page.nextCursor }
  }

  protected override render(): TemplateResult {
    const { chosen } = this
    const given = this.#given
    return html`
      ${given === 'all' ? (this.phase === 'absent' ? this.#typed() : this.#search()) : this.#boxes(given)}
      ${chosen.every((one) => one.trim() === '') ? html`<p class="hint soon" data-note="no-resources">${this.text('res.none')}</p>` : nothing}
    `
  }

  /** What can be chosen: anything, or what the key has and what the user may give. */
  get #given(): 'all' | readonly string[] {
    const { key } = this.rights
    const { type } = this.type
    const given = this.rights.givable(type)
    const reached = key?.resources[type] ?? []
    return given === 'all' ? given : [...(reached === 'all' ? [] : reached), ...given]
  }

  #typed(): TemplateResult {
    const ids = this.text('res.ids')
    const edit = (text: string) => this.#choose(text.split('\n'))
    return html`${lines(this.field, ids, this.chosen.join('\n'), edit)}<p class="hint">${ids}</p>`
  }

  #choose(ids: readonly string[]): void {
    this.dispatchEvent(new CustomEvent('choose', { detail: ids }))
  }

  #search(): TemplateResult {
    const { locale } = this.context
    const { ids, nextCursor, phase } = this
    const look = (wanted: string) => {
      this.show({ wanted, ids: [], nextCursor: null, phase: 'loading' })
      this.#read()
    }
    const label = phase === 'failed' ? 'err.retry' : 'more'
    return html`
      ${searchField(locale, { id: this.field, label: this.text('search.hint'), text: this.wanted, look })}
      <div aria-busy=${phase === 'loading'}>${this.#boxes([...this.#kept, ...ids])}</div>
      ${phase === 'failed' ? html`<p class="error-text">${this.text('load.failed')}</p>` : nothing}
      ${phase === 'ready' && ids.length === 0 ? html`<p class="hint">${this.rich('search.none', { q: this.wanted.trim() })}</p>` : nothing}
      ${phase === 'failed' || (phase === 'ready' && nextCursor) ? smallButton(this.text(label), () => this.load(), 'more-resources') : nothing}
    `
  }

  #boxes(ids: readonly string[]): TemplateResult {
    const { chosen } = this
    const { type } = this.type
    const box = (id: string) => {
      const has = chosen.includes(id)
      const barred = !has && !this.rights.resource(type, id)
      const name = this.names.of(type, id)
      const toggle = () => this.#choose(has ? chosen.filter((one) => one !== id) : [...chosen, id])
      return html`<label class="box" title=${barred ? this.text('grant.not') : nothing}>
        <input type="checkbox" data-resource=${id} ?disabled=${barred} .checked=${has} @change=${toggle} />
        <span><bdi>${drawable(name)}</bdi> ${name === id ? nothing : code(id)}</span>
      </label>`
    }
    return html`<div class="choices">${[...new Set(ids)].map(box)}</div>`
  }
}
