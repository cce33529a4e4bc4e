import { folded } from '../../../src/model/folded.ts'
import type { ListQuery } from '../../client/index.ts'
import { isReadable, isUnused, type ListedKey, unusedDays } from '../state/listed-key.ts'
import { places } from '../state/places.ts'
import type { Tab } from '../state/tab.ts'

/** Which keys are shown. */
export const filters = ['all', 'active', 'paused', 'unused', 'live', 'test'] as const

export type ListFilter = (typeof filters)[number]

/** The longest search that the routes take. */
const longestSearch = 120

// The server is not queried at every keystroke.
const typingMs = 250
// Announcing a count at every keystroke would talk over the typing.
const pauseMs = 600

const queries: Readonly<Record<ListFilter, ListQuery>> = {
  all: {},
  active: { status: 'active' },
  paused: { status: 'paused' },
  unused: { status: ['active', 'paused'], unusedForDays: unusedDays },
  live: { environment: 'live' },
  test: { environment: 'test' },
}

/** What is looked for in the list: in the loaded keys where these are all, and otherwise by the routes. */
export class ListSearch {
  filter: ListFilter = 'all'
  search = ''
  readonly #tab: Tab
  #typing: ReturnType<typeof setTimeout> | undefined
  #pause: ReturnType<typeof setTimeout> | undefined

  constructor(tab: Tab) {
    this.#tab = tab
  }

  /** Whether it is not simply all keys. */
  get looking(): boolean {
    return this.filter !== 'all' || this.search.trim() !== ''
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
    return keys.filter((key) => key.id === added || (this.#passes(key) && has(key, words)))
  }

  look(change: { readonly filter?: ListFilter; readonly search?: string }): void {
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

  /** Asks the server, unless all keys are loaded. */
  ask(): void {
    this.#stop()
    const { found, nextCursor } = this.#tab.list
    if (found === null && nextCursor === null) return
    void this.#tab.list.look(this.looking ? this.#query : null)
  }

  /** A list that was complete has grown beyond what is loaded: its keys are looked for anew. */
  keepUp(): void {
    const { nextCursor, query, refreshing, stale } = this.#tab.list
    const partial = this.looking && query === null && nextCursor !== null
    if (partial && !refreshing && !stale && this.#typing === undefined) this.ask()
  }

  /** Shows all keys again. */
  clear(): void {
    this.look({ search: '', filter: 'all' })
    this.#tab.focusOn(places.search, ...places.top)
  }

  /** Forgets what was looked for. */
  reset(): void {
    this.#stop()
    clearTimeout(this.#pause)
    Object.assign(this, { search: '', filter: 'all' })
  }

  get #query(): ListQuery {
    const search = [...this.search.trim()].slice(0, longestSearch).join('')
    return { ...queries[this.filter], ...(search ? { search } : {}) }
  }

  #stop(): void {
    clearTimeout(this.#typing)
    this.#typing = undefined
  }

  #passes(key: ListedKey): boolean {
    const { filter } = this
    if (filter === 'all') return true
    if (!isReadable(key)) return false
    if (filter === 'unused') return isUnused(key)
    return key.status === filter || key.environment === filter
  }

  // The list says what could not be loaded.
  #announceFound(): void {
    if (this.#tab.list.nextCursor !== null || !this.settled || !this.#tab.isConnected) return
    this.#tab.announce(this.#tab.locale.text('count.keys', { n: this.matches.length }))
  }
}

/** Whether a key has every word in what the routes search too. */
function has(key: ListedKey, words: readonly string[]): boolean {
  const texts = isReadable(key)
    ? [key.id, key.name, key.prefix, key.creator?.name, ...key.scopes]
    : [key.id]
  const text = folded(texts.join(' '))
  return words.every((word) => text.includes(word))
}
