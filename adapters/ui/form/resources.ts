import type { ResourcesAnswer } from '../../client/index.ts'
import { codeOf } from '../calls/client.ts'
import type { Source } from '../calls/source.ts'
import type { Context } from '../context.ts'

/** The most ids whose names are read at once. */
const idsAtOnce = 100
// The server is not queried at every keystroke.
const typingMs = 250

/** What is looked for among the resources of a type, and what was found. */
export interface Found {
  readonly text: string
  /** Shown whatever is looked for. */
  readonly kept: readonly string[]
  readonly ids: readonly string[]
  readonly nextCursor: string | null
  readonly phase: 'loading' | 'ready' | 'failed'
}

/** The resources of the host: their names, and what is looked for among them. */
export class Resources {
  readonly #context: () => Context
  readonly #changed: () => void
  #source: Source | null = null
  readonly #names = new Map<string, string>()
  readonly #requested = new Set<string>()
  readonly #found = new Map<string, Found>()
  #typing: ReturnType<typeof setTimeout> | undefined

  constructor(context: () => Context, changed: () => void) {
    this.#context = context
    this.#changed = changed
  }

  /** Whether names can be looked up; otherwise ids are typed. */
  isNamed(type: string): boolean {
    const { catalogue, client } = this.#context()
    const named = catalogue.types.some((one) => one.type === type && one.isNamed)
    return named && client.listResources !== undefined
  }

  labelOf(type: string): string {
    const { catalogue, locale } = this.#context()
    return locale.label(catalogue.types.find((one) => one.type === type)?.label ?? {}) || type
  }

  /** The name of a resource, or its id. */
  nameOf(type: string, id: string): string {
    this.#follow()
    return this.#names.get(`${type}:${id}`) ?? id
  }

  /** Reads names that are not known yet. An id without one is shown as it is. */
  async name(type: string, ids: readonly string[]): Promise<void> {
    this.#follow()
    const isNew = (id: string) => !this.#requested.has(`${type}:${id}`)
    const unknown = ids.filter(isNew).slice(0, idsAtOnce)
    if (unknown.length === 0 || !this.isNamed(type)) return
    for (const id of unknown) this.#requested.add(`${type}:${id}`)
    const { client, shell, source } = this.#context()
    try {
      const page = await client.listResources?.(type, { id: unknown }, source.tie)
      if (page && source === this.#context().source) this.#learn(type, page)
      this.#changed()
    } catch (error) {
      for (const id of unknown) this.#requested.delete(`${type}:${id}`)
      if (codeOf(error) === 'unauthenticated') shell.expire()
    }
  }

  found(type: string): Found | undefined {
    this.#follow()
    return this.#found.get(type)
  }

  /** Begins to look for something, once the typing pauses. */
  look(type: string, text: string, kept: readonly string[]): void {
    clearTimeout(this.#typing)
    const before = this.found(type)
    const ids = before?.ids ?? []
    this.#show(type, { ids, nextCursor: null, text, kept, phase: 'loading' })
    this.#typing = setTimeout(() => void this.more(type), before ? typingMs : 0)
  }

  /** Reads the next resources, or those that could not be loaded. */
  async more(type: string): Promise<void> {
    const before = this.found(type)
    if (before === undefined) return
    const { nextCursor: cursor, text, ids } = before
    const pending: Found = { ...before, phase: 'loading' }
    this.#show(type, pending)
    const { client, locale, shell, source } = this.#context()
    try {
      const query = { ...(text.trim() && { search: text.trim() }), ...(cursor && { cursor }) }
      const page = await client.listResources?.(type, query, source.tie)
      if (this.#found.get(type) !== pending || page === undefined) return
      const read = this.#learn(type, page)
      const all = cursor === null ? read : [...new Set([...ids, ...read])]
      this.#show(type, { ...pending, ids: all, nextCursor: page.nextCursor, phase: 'ready' })
      shell.announce(locale.text('res.found', { n: all.length }))
    } catch (error) {
      if (this.#found.get(type) !== pending) return
      if (codeOf(error) === 'unauthenticated') shell.expire()
      else this.#show(type, { ...pending, phase: 'failed' })
    }
  }

  /** Forgets what was looked for. */
  reset(): void {
    clearTimeout(this.#typing)
    this.#found.clear()
  }

  #show(type: string, found: Found): void {
    this.#found.set(type, found)
    this.#changed()
  }

  #learn(type: string, { resources }: ResourcesAnswer): readonly string[] {
    for (const { id, name } of resources) {
      this.#requested.add(`${type}:${id}`)
      if (typeof name === 'string') this.#names.set(`${type}:${id}`, name)
    }
    return resources.map(({ id }) => id)
  }

  /** Another place has other resources. */
  #follow(): void {
    const { source } = this.#context()
    if (this.#source === source) return
    this.#source = source
    this.#names.clear()
    this.#requested.clear()
    this.reset()
  }
}
