import type { ResourcesAnswer } from '../../client/index.ts'
import { codeOf } from '../state/failure.ts'
import { fieldsOf, isText } from '../state/fields.ts'
import type { KeySource } from '../state/key-source.ts'
import type { Tab } from '../state/tab.ts'

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
  readonly #tab: Tab
  #source: KeySource | null = null
  readonly #names = new Map<string, string>()
  readonly #requested = new Set<string>()
  readonly #found = new Map<string, Found>()
  #typing: ReturnType<typeof setTimeout> | undefined

  constructor(tab: Tab) {
    this.#tab = tab
  }

  /** Whether names can be looked up; otherwise ids are typed. */
  isNamed(type: string): boolean {
    const named = this.#tab.catalogue.types.some((one) => one.type === type && one.isNamed)
    return named && this.#tab.management.listResources !== undefined
  }

  labelOf(type: string): string {
    const { catalogue, locale } = this.#tab
    return locale.label(catalogue.types.find((one) => one.type === type)?.label ?? {}) || type
  }

  /** The name of a resource, or its id. */
  nameOf(type: string, id: string): string {
    this.#follow()
    return this.#names.get(keyOf(type, id)) ?? id
  }

  /** Reads names that are not known yet. An id without one is shown as it is. */
  async name(type: string, ids: readonly string[]): Promise<void> {
    this.#follow()
    const unknown = ids.filter((id) => !this.#requested.has(keyOf(type, id))).slice(0, idsAtOnce)
    if (unknown.length === 0 || !this.isNamed(type)) return
    for (const id of unknown) this.#requested.add(keyOf(type, id))
    const { source } = this.#tab
    try {
      const page = await this.#tab.management.listResources?.(type, { id: unknown }, source.tie)
      if (page && source === this.#tab.source) this.#learn(type, page)
      this.#tab.requestUpdate()
    } catch (error) {
      for (const id of unknown) this.#requested.delete(keyOf(type, id))
      if (codeOf(error) === 'unauthenticated') this.#tab.expireSession()
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
    const rows = { ids: before?.ids ?? [], nextCursor: null }
    this.#found.set(type, { ...rows, text, kept, phase: 'loading' })
    this.#typing = setTimeout(() => void this.more(type), before ? typingMs : 0)
    this.#tab.requestUpdate()
  }

  /** Reads the next resources, or those that could not be loaded. */
  async more(type: string): Promise<void> {
    const before = this.found(type)
    if (before === undefined) return
    const { nextCursor: cursor, text, ids } = before
    const pending: Found = { ...before, phase: 'loading' }
    this.#found.set(type, pending)
    this.#tab.requestUpdate()
    try {
      const query = { ...(text.trim() && { search: text.trim() }), ...(cursor && { cursor }) }
      const { management, source } = this.#tab
      const page = await management.listResources?.(type, query, source.tie)
      if (this.#found.get(type) !== pending || page === undefined) return
      const read = this.#learn(type, page)
      const all = cursor === null ? read : [...new Set([...ids, ...read])]
      this.#show(type, { ...pending, ids: all, nextCursor: page.nextCursor, phase: 'ready' })
      this.#tab.announce(this.#tab.locale.text('res.found', { n: all.length }))
    } catch (error) {
      if (this.#found.get(type) !== pending) return
      if (codeOf(error) === 'unauthenticated') this.#tab.expireSession()
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
    this.#tab.requestUpdate()
  }

  #learn(type: string, { resources }: ResourcesAnswer): readonly string[] {
    const rows = resources.map(fieldsOf)
    return rows.flatMap(({ id, name }) => {
      if (!isText(id)) return []
      this.#requested.add(keyOf(type, id))
      if (isText(name)) this.#names.set(keyOf(type, id), name)
      return [id]
    })
  }

  /** Another place has other resources. */
  #follow(): void {
    if (this.#source === this.#tab.source) return
    this.#source = this.#tab.source
    this.#names.clear()
    this.#requested.clear()
    this.reset()
  }
}

function keyOf(type: string, id: string): string {
  return `${type}:${id}`
}
