import { html, nothing, type TemplateResult } from 'lit'
import type { NamedResource, WireResourceType } from '../../client/index.ts'
import { codeOf } from '../calls/client.ts'
import type { Context } from '../context.ts'
import { drawable } from '../format/text.ts'
import { code, lines, smallButton, typed } from '../look/controls.ts'
import { Part } from '../part.ts'
import type { Rights } from './rights.ts'

const idsAtOnce = 100
// The server is not queried at every keystroke.
const typingMs = 250

function isNamed({ catalogue, client }: Context, type: string): boolean {
  const named = catalogue.types.some((one) => one.type === type && one.isNamed)
  return named && client.listResources !== undefined
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
    const { client, shell, source } = context
    if (ids.length === 0 || !isNamed(context, type)) return
    try {
      const query = { id: ids.slice(0, idsAtOnce) }
      this.learn(type, (await client.listResources?.(type, query, source.tie))?.resources ?? [])
    } catch (error) {
      if (codeOf(error) === 'unauthenticated') shell.expire()
    }
  }
}

/**
 * Which resources of a type a key reaches: those that the user may give, those that a search finds, or ids
 * to type.
 */
export class ResourcePicker extends Part {
  static override properties = {
    ...Part.properties,
    chosen: { attribute: false },
    rights: { attribute: false },
  }
  declare type: WireResourceType
  declare chosen: readonly string[]
  declare rights: Rights
  declare names: Names
  /** What the ids of its fields begin with. */
  declare field: string
  text = ''
  ids: readonly string[] = []
  nextCursor: string | null = null
  phase: 'loading' | 'ready' | 'failed' = 'loading'
  /** What was chosen at first stays in sight. */
  #kept: readonly string[] = []
  #request: unknown = null
  #typing: ReturnType<typeof setTimeout> | undefined

  protected override firstUpdated(): void {
    const { type } = this.type
    const given = this.rights.givable(type)
    this.#kept = given === 'all' ? this.chosen : [...this.#reached, ...given]
    void this.names.read(this.context, type, this.#kept).then(() => this.requestUpdate())
    if (given === 'all' && isNamed(this.context, type)) void this.#read()
  }

  protected override render(): TemplateResult {
    const { text } = this.context.locale
    const { chosen } = this
    const { type } = this.type
    const given = this.rights.givable(type)
    const list = () =>
      given === 'all' ? this.#search() : this.#boxes([...this.#reached, ...given])
    const typing = given === 'all' && !isNamed(this.context, type)
    const ids = text('res.ids')
    return html`
      ${typing ? html`${lines(this.field, ids, chosen.join('\n'), (value) => this.#choose(value.split('\n')))}<p class="hint">${ids}</p>` : list()}
      ${chosen.every((one) => one.trim() === '') ? html`<p class="hint soon" data-note="no-resources">${text('res.none')}</p>` : nothing}
    `
  }

  get #reached(): readonly string[] {
    const ids = this.rights.key?.resources[this.type.type] ?? []
    return ids === 'all' ? [] : ids
  }

  #choose(ids: readonly string[]): void {
    this.dispatchEvent(new CustomEvent('choose', { detail: ids }))
  }

  #search(): TemplateResult {
    const { settings, text } = this.context.locale
    const { ids, nextCursor, phase } = this
    const look = (wanted: string) => {
      this.show({ text: wanted, ids: [], nextCursor: null, phase: 'loading' })
      clearTimeout(this.#typing)
      this.#typing = setTimeout(() => void this.#read(), typingMs)
    }
    const label = phase === 'failed' ? 'err.retry' : 'more'
    return html`
      <input id=${this.field} type="search" aria-label=${text('res.search')}
        placeholder=${text('res.search')} dir=${this.text ? 'auto' : settings.dir}
        autocomplete="off" maxlength="120" .value=${this.text} @input=${typed(look)}
        @keydown=${(event: KeyboardEvent) => event.key === 'Enter' && event.preventDefault()} />
      <div aria-busy=${phase === 'loading'}>${this.#boxes([...this.#kept, ...ids])}</div>
      ${phase === 'failed' ? html`<p class="error-text">${text('res.failed')}</p>` : nothing}
      ${phase === 'ready' && ids.length === 0 ? html`<p class="hint">${text('res.unmatched')}</p>` : nothing}
      ${phase === 'failed' || (phase === 'ready' && nextCursor) ? smallButton(text(label), () => this.#read(), 'more-resources') : nothing}
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
      return html`<label class="box" title=${barred ? this.context.locale.text('grant.not') : nothing}>
        <input type="checkbox" data-resource=${id} ?disabled=${barred} .checked=${has} @change=${toggle} />
        <span><bdi>${drawable(name)}</bdi> ${name === id ? nothing : code(id)}</span>
      </label>`
    }
    return html`<div class="choices">${[...new Set(ids)].map(box)}</div>`
  }

  /** Reads the next resources, or those that could not be loaded. */
  async #read(): Promise<void> {
    if (!this.isConnected) return
    const { client, locale, shell, source } = this.context
    const { nextCursor: cursor } = this
    const { type } = this.type
    const request = {}
    this.#request = request
    this.show({ phase: 'loading' })
    try {
      const search = this.text.trim()
      const query = { ...(search && { search }), ...(cursor && { cursor }) }
      const page = await client.listResources?.(type, query, source.tie)
      if (this.#request !== request || page === undefined) return
      this.names.learn(type, page.resources)
      const ids = [...this.ids, ...page.resources.map(({ id }) => id)]
      this.show({ ids, nextCursor: page.nextCursor, phase: 'ready' })
      shell.announce(locale.text('res.found', { n: ids.length }))
    } catch (error) {
      if (this.#request !== request) return
      if (codeOf(error) === 'unauthenticated') shell.expire()
      else this.show({ phase: 'failed' })
    }
  }
}
