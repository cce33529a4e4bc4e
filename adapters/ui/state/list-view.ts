import { folded } from '../format/search.ts'
import { type Host, places } from './host.ts'
import type { KeyList } from './key-list.ts'
import { isReadable, type ListedKey } from './listed-key.ts'

/** Which keys of the loaded ones are shown. */
export type ListFilter = 'all' | 'active' | 'revoked'

/** What is looked for in the list. */
export interface Wanted {
  readonly filter: ListFilter
  readonly search: string
}

/** From so many keys on, the list can be searched and filtered. */
const searchableFrom = 8

/** So many rows are drawn at first, and with each Show more: a thousand at once would halt the page. */
const rowsAtOnce = 50

// Counting at each letter would talk over the typing.
const pauseMs = 600

const everything: Wanted = { filter: 'all', search: '' }

/** The rows that are drawn: those of the loaded keys that match, as far as they were asked for. */
export class ListView implements Wanted {
  filter: ListFilter = 'all'
  search = ''
  readonly #host: Host
  readonly #list: KeyList
  readonly #texts = new WeakMap<ListedKey, string>()
  #limit = rowsAtOnce
  #pause: ReturnType<typeof setTimeout> | undefined

  constructor(host: Host, list: KeyList) {
    this.#host = host
    this.#list = list
  }

  /** Whether the list is long enough to look for something. */
  get searchable(): boolean {
    return this.#list.keys.length >= searchableFrom
  }

  /** Whether it is not simply all keys. */
  get looking(): boolean {
    return this.searchable && (this.filter !== 'all' || this.search.trim() !== '')
  }

  /** Whether only a part of the keys was looked through. */
  get incomplete(): boolean {
    return this.#list.nextCursor !== null
  }

  /** The loaded keys that match what is looked for. */
  get matches(): readonly ListedKey[] {
    if (!this.searchable) return this.#list.keys
    const wanted = folded(this.search.trim())
    const fits = (key: ListedKey) => this.#passes(key) && this.#textOf(key).includes(wanted)
    return this.#list.keys.filter((key) => key.id === this.#list.added || fits(key))
  }

  /** The keys to draw. */
  get rows(): readonly ListedKey[] {
    return this.matches.slice(0, this.#limit)
  }

  /** Whether Show more shows more. */
  get hasMore(): boolean {
    return this.incomplete || this.matches.length > this.#limit
  }

  /** Looks for something else, in all keys: a search that knows only a part of them would lie. */
  look(change: Partial<Wanted>): void {
    Object.assign(this, change)
    this.#list.added = null
    this.#limit = rowsAtOnce
    this.#host.requestUpdate()
    const read = this.#list.complete()
    clearTimeout(this.#pause)
    this.#pause = setTimeout(() => void read.then(() => this.#tell()), pauseMs)
  }

  /** Shows all keys again. */
  clear(): void {
    this.look(everything)
    this.#host.focusOn(places.search, ...places.top)
  }

  /** Forgets what was looked for. */
  reset(): void {
    clearTimeout(this.#pause)
    Object.assign(this, everything)
    this.#limit = rowsAtOnce
  }

  /** Draws the next rows, and moves the focus to the first of them. */
  async more(): Promise<void> {
    const from = this.#limit
    if (this.matches.length <= from) await this.#list.more()
    const first = this.matches[from]
    if (first === undefined) return
    this.#limit += rowsAtOnce
    this.#host.focusOn(places.row(first.id))
  }

  #passes(key: ListedKey): boolean {
    return this.filter === 'all' || (isReadable(key) && key.status === this.filter)
  }

  #textOf(key: ListedKey): string {
    const known = this.#texts.get(key)
    if (known !== undefined) return known
    const text = folded(isReadable(key) ? `${key.name} ${key.prefix}` : key.id)
    this.#texts.set(key, text)
    return text
  }

  // What could not be loaded is told by the list.
  #tell(): void {
    if (this.incomplete || !this.#host.isConnected) return
    const id = this.filter === 'active' ? 'count.active' : 'count.keys'
    this.#host.announce(this.#host.locale.text(id, { n: this.matches.length }))
  }
}
