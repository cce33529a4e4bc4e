import { folded } from '../../../src/model/folded.ts'
import { KEY_STATUSES } from '../../../src/model/status.ts'
import type { ListQuery, WireKey } from '../../client/index.ts'
import type { ListFilters } from '../page-input.ts'
import { isReadable, isUnused, type ListedKey } from '../state/listed-key.ts'
import { places } from '../state/places.ts'
import type { ScopeCatalogue } from '../state/scope-catalogue.ts'
import type { Tab } from '../state/tab.ts'

/** Which keys are shown. */
export type ListFilter = NonNullable<ListFilters['filter']>

/** What is looked for in the list, and whose keys; `null` for those of everybody. */
type Wanted = Required<ListFilters> & { readonly creator: Creator | null }

const anything = { search: '', creator: null, environment: null, scope: null, resource: null }

/** Who has made keys. */
export type Creator = NonNullable<WireKey['creator']>

/** The longest search that the routes take. */
const longestSearch = 120

/** A shorter text is in the names of too many scopes to say anything. */
const shortestName = 3

/** So many keys are loaded for what the routes do not look for. */
const mostLoaded = 1_000

// The server is not queried at every keystroke.
const typingMs = 250
// Announcing a count at every keystroke would talk over the typing.
const pauseMs = 600

const queries: Readonly<Record<ListFilter, ListQuery>> = {
  all: {},
  active: { status: 'active' },
  unused: { status: ['active', 'paused'] },
  revoked: { status: 'revoked' },
}

/**
 * What is looked for in the list: in the keys that are loaded where these are all, and otherwise by the
 * server.
 */
export class ListSearch implements Wanted {
  filter: ListFilter = 'all'
  search = ''
  creator: Creator | null = null
  environment: Wanted['environment'] = null
  scope: string | null = null
  resource: string | null = null
  /** Whether the further filters are shown. */
  open = false
  readonly #tab: Tab
  /** How many keys there are, whatever is looked for. */
  #size = 0
  #texts = new WeakMap<ListedKey, string>()
  /** The scopes whose labels are in the texts. */
  #groups: ScopeCatalogue['groups'] = null
  readonly #creators = new Map<string, Creator>()
  #typing: ReturnType<typeof setTimeout> | undefined
  #pause: ReturnType<typeof setTimeout> | undefined

  constructor(tab: Tab) {
    this.#tab = tab
    this.reset()
    if (this.looking) this.ask()
  }

  /** Whether it is not simply all keys. */
  get looking(): boolean {
    return this.filter !== 'all' || this.search.trim() !== '' || this.further > 0
  }

  /** How many of the further filters are in use. */
  get further(): number {
    const { creator, environment, resource, scope } = this
    return [creator, environment, resource, scope].filter((one) => one !== null).length
  }

  /** The resources that the loaded keys are restricted to, each a type and an id. */
  get resources(): readonly string[] {
    const reached = this.#tab.list.keys
      .filter(isReadable)
      .flatMap(({ resources = {} }) => Object.entries(resources))
      .flatMap(([type, ids]) => (ids === 'all' ? [] : ids.map((id) => `${type}:${id}`)))
    return [...new Set([...reached, ...(this.resource ? [this.resource] : [])])].sort()
  }

  /** Shows only what a page wants. */
  set({ filter = 'all', ...wanted }: ListFilters): void {
    this.look({ ...anything, ...wanted, filter })
  }

  fold(): void {
    this.open = !this.open
    this.#tab.requestUpdate()
  }

  /** Everybody whose keys were seen, by name. */
  get creators(): readonly Creator[] {
    for (const key of this.#tab.list.keys) {
      if (isReadable(key) && key.creator?.id && key.creator.name) {
        this.#creators.set(key.creator.id, key.creator)
      }
    }
    const { lang } = this.#tab.locale.settings
    return [...this.#creators.values()].sort((one, other) =>
      one.name.localeCompare(other.name, lang),
    )
  }

  /** Shows the keys of one person. */
  of(creator: Creator): void {
    this.open = true
    this.look({ ...anything, filter: 'all', creator })
    this.#tab.focusOn('#creators', places.search)
  }

  /** Whether the answer is there: all keys are loaded, or those that the server has found. */
  get settled(): boolean {
    const { found, nextCursor, query, refreshing } = this.#tab.list
    return found
      ? found === query && !(refreshing && this.#tab.list.keys.length === 0)
      : nextCursor === null
  }

  /** The keys that match, as far as they are known. */
  get matches(): readonly ListedKey[] {
    const { added, found, keys, query } = this.#tab.list
    // What the server has found is right, although this file may compare otherwise.
    if (found !== null && found === query) return keys
    const words = folded(this.search.trim()).split(/\s+/)
    return keys.filter((key) => key.id === added || (this.#passes(key) && this.#has(key, words)))
  }

  look(change: Partial<Wanted>): void {
    Object.assign(this, change)
    this.#tab.list.added = null
    this.#tab.view.reset()
    this.#tab.requestUpdate()
    this.#stop()
    clearTimeout(this.#pause)
    const waits = change.search === undefined ? 0 : typingMs
    this.#typing = setTimeout(() => this.ask(), waits)
    this.#pause = setTimeout(
      () => void this.#tab.list.settled().then(() => this.#announceFound()),
      pauseMs,
    )
  }

  /** Folds what is searched, so that the first letter need not wait for it. */
  prepare(): void {
    for (const key of this.#tab.list.keys) this.#textOf(key)
  }

  /** Asks the server, unless all keys are loaded. */
  ask(): void {
    this.#stop()
    const { found, nextCursor, total } = this.#tab.list
    if (found === null) this.#size = total ?? 0
    if (found === null && nextCursor === null) return
    if (!this.looking) void this.#tab.list.look(null)
    else if (this.#isLocal) void this.#tab.list.look(null, true)
    else void this.#askServer()
  }

  /** The server knows scopes and statuses by their codes: where it finds nothing, it gets these. */
  async #askServer(): Promise<void> {
    const query = this.#query
    await this.#tab.list.look(query)
    const { found, keys } = this.#tab.list
    const [scope, ...further] = this.#namedScopes
    const [status] = this.#namedStatuses
    const meant = {
      ...(scope && further.length === 0 && !this.scope && { scope }),
      ...(status && this.filter === 'all' && { status }),
    }
    if (found !== query || keys.length > 0 || Object.keys(meant).length === 0) return
    const { search, ...others } = query
    await this.#tab.list.look({ ...others, ...meant })
  }

  /** A list that was complete has grown beyond what is loaded: its keys are looked for anew. */
  keepUp(): void {
    const { nextCursor, query, refreshing, stale } = this.#tab.list
    const partial = this.looking && query === null && nextCursor !== null
    if (partial && !refreshing && !stale && this.#typing === undefined) this.ask()
  }

  /** Shows all keys again. */
  clear(): void {
    this.look({ ...anything, filter: 'all' })
    this.#tab.focusOn(places.search, ...places.top)
  }

  /** Forgets what was looked for. */
  reset(): void {
    this.#stop()
    clearTimeout(this.#pause)
    Object.assign(this, anything, { filter: this.#tab.settings.defaultFilter, open: false })
    this.#creators.clear()
  }

  /** Whether all keys are to be loaded: the routes look for no beginning of a key, no id, no name of a scope. */
  get #isLocal(): boolean {
    if (/^[a-z0-9]{2,4}_/.test(folded(this.search))) return true
    // Beyond that the keys are too many to load for a word.
    if (this.#size > mostLoaded) return false
    return this.#namedStatuses.length > 0 || this.#namedScopes.length > 0
  }

  /** The statuses whose names have the text in them. */
  get #namedStatuses(): readonly WireKey['status'][] {
    return KEY_STATUSES.filter((status) => this.#named(this.#tab.locale.text(`status.${status}`)))
  }

  /** The scopes whose names, in any language, have it. */
  get #namedScopes(): readonly string[] {
    const scopes = this.#tab.catalogue.groups?.flatMap((group) => group.scopes) ?? []
    return scopes
      .filter(({ label }) => Object.values(label).some((name) => this.#named(name)))
      .map(({ scope }) => scope)
  }

  #named(name: string): boolean {
    const text = folded(this.search.trim())
    return text.length >= shortestName && folded(name).includes(text)
  }

  get #query(): ListQuery {
    const search = [...this.search.trim()].slice(0, longestSearch).join('')
    return {
      ...queries[this.filter],
      ...(this.filter === 'unused' && { unusedForDays: this.#tab.settings.unusedDays }),
      ...(this.environment && { environment: this.environment }),
      ...(this.scope && { scope: this.scope }),
      ...(this.resource && { resource: this.resource }),
      ...(search ? { search } : {}),
      ...(this.creator ? { creatorId: this.creator.id } : {}),
    }
  }

  #stop(): void {
    clearTimeout(this.#typing)
    this.#typing = undefined
  }

  #passes(key: ListedKey): boolean {
    if (!isReadable(key)) return this.filter === 'all' && this.further === 0
    const [type = '', id = ''] = this.resource?.split(/:(.*)/s) ?? []
    const reached = key.resources?.[type] ?? 'all'
    if (this.environment !== null && key.environment !== this.environment) return false
    if (this.scope !== null && !key.scopes.includes(this.scope)) return false
    if (this.resource !== null && reached !== 'all' && !reached.includes(id)) return false
    if (this.creator !== null && key.creator?.id !== this.creator.id) return false
    if (this.filter === 'all') return true
    return this.filter === 'unused'
      ? isUnused(key, this.#tab.settings.unusedDays)
      : key.status === this.filter
  }

  #has(key: ListedKey, words: readonly string[]): boolean {
    const text = this.#textOf(key)
    return words.every((word) => text.includes(word))
  }

  #textOf(key: ListedKey): string {
    const { groups } = this.#tab.catalogue
    if (groups !== this.#groups) this.#texts = new WeakMap()
    this.#groups = groups
    const known = this.#texts.get(key)
    if (known !== undefined) return known
    const text = folded(isReadable(key) ? this.#wordsOf(key).join(' ') : key.id)
    this.#texts.set(key, text)
    return text
  }

  /** What a row says of a key; the scopes by their codes and, in every language, by their labels. */
  #wordsOf({ id, name, prefix, creator, scopes, status }: WireKey): readonly unknown[] {
    const labels = scopes.flatMap((scope) =>
      Object.values(this.#tab.catalogue.labelOf(scope) ?? {}),
    )
    return [
      id,
      name,
      prefix,
      this.#tab.locale.text(`status.${status}`),
      creator?.name,
      ...scopes,
      ...labels,
    ]
  }

  // The list says what could not be loaded.
  #announceFound(): void {
    if (this.#tab.list.nextCursor !== null || !this.settled || !this.#tab.isConnected) return
    const id = this.filter === 'active' ? 'count.active' : 'count.keys'
    this.#tab.announce(this.#tab.locale.text(id, { n: this.matches.length }))
  }
}
