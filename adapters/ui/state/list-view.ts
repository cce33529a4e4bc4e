import type { LazyParts } from '../lazy/index.ts'
import type { ListSearch } from '../lazy/list-search.ts'
import { type Host, places } from './host.ts'
import type { KeyList } from './key-list.ts'
import type { ListedKey } from './listed-key.ts'

/** From so many keys on, the list can be searched and filtered. */
const searchableFrom = 8

/** So many rows are drawn at first, and with each Show more: a thousand at once would halt the page. */
const rowsAtOnce = 50

/** The rows that are drawn: those of the keys that are looked for, as far as they were asked for. */
export class ListView {
  readonly #host: Host & { readonly lazy: { readonly parts: LazyParts | null } }
  readonly #list: KeyList
  #limit = rowsAtOnce
  /** The next rows are on their way. */
  busy = false
  /** The keys whose scopes are unfolded, by their ids. */
  readonly unfolded: Set<string> = new Set()

  constructor(host: Host & { readonly lazy: { readonly parts: LazyParts | null } }, list: KeyList) {
    this.#host = host
    this.#list = list
  }

  /** Whether the list is long enough to look for something. */
  get searchable(): boolean {
    return this.#list.keys.length >= searchableFrom || this.looking
  }

  /** What is looked for; `null` while nothing can be. */
  get search(): ListSearch | null {
    return this.#host.lazy.parts?.search ?? null
  }

  /** Whether it is not simply all keys. */
  get looking(): boolean {
    return this.search?.looking ?? false
  }

  /** The keys that match what is looked for. */
  get matches(): readonly ListedKey[] {
    return this.looking && this.search ? this.search.matches : this.#list.keys
  }

  /** The keys to draw. */
  get rows(): readonly ListedKey[] {
    return this.matches.slice(0, this.#limit)
  }

  /** Whether Show more shows more. */
  get hasMore(): boolean {
    return this.#list.nextCursor !== null || this.matches.length > this.#limit
  }

  /** Begins with the first rows again. */
  reset(): void {
    this.#limit = rowsAtOnce
  }

  /** Unfolds the scopes of a key, or folds them. */
  fold(id: string): void {
    if (!this.unfolded.delete(id)) this.unfolded.add(id)
    this.#host.requestUpdate()
  }

  /** Draws the next rows, and moves the focus to the first of them. */
  async more(): Promise<void> {
    if (this.busy) return
    const from = this.#limit
    if (this.matches.length <= from) await this.#read()
    const first = this.matches[from]
    if (first === undefined) return
    this.#limit += rowsAtOnce
    this.#host.focusOn(places.row(first.id))
  }

  async #read(): Promise<void> {
    this.busy = true
    this.#host.requestUpdate()
    await this.#list.more()
    this.busy = false
    this.#host.requestUpdate()
  }
}
