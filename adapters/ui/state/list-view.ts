import type { ListSearch } from '../lazy/list-search.ts'
import { hasEnded, isReadable, type ListedKey } from './listed-key.ts'
import { places } from './places.ts'
import type { Tab } from './tab.ts'

/** From so many keys on, the list can be searched and filtered. */
const searchableFrom = 8

/** So many more rows are drawn at once. */
const pageSize = 50

/** The rows that are drawn: those of the keys that are looked for, as far as they were asked for. */
export class ListView {
  readonly #tab: Tab
  #pages = 1
  /** The next rows are on their way. */
  busy = false
  /** Whether the keys that no longer work are folded. */
  foldsEnded = false

  constructor(tab: Tab) {
    this.#tab = tab
  }

  /** Whether the list is long enough to look for something. */
  get searchable(): boolean {
    return this.#tab.list.keys.length >= searchableFrom || this.looking
  }

  /** What is looked for; `null` while nothing can be. */
  get search(): ListSearch | null {
    return this.#tab.lazy.parts?.search ?? null
  }

  /** Whether it is not simply all keys. */
  get looking(): boolean {
    return this.search?.looking ?? false
  }

  /** The keys that match what is looked for. */
  get matches(): readonly ListedKey[] {
    return this.looking && this.search ? this.search.matches : this.#tab.list.keys
  }

  /** The keys to draw: those that no longer work after the others. */
  get rows(): readonly ListedKey[] {
    const ended = (key: ListedKey) => Number(isReadable(key) && hasEnded(key))
    const inOrder = (one: ListedKey, other: ListedKey) => ended(one) - ended(other)
    return this.matches.toSorted(inOrder).slice(0, this.#limit)
  }

  /** Whether Show more shows more. */
  get hasMore(): boolean {
    return this.#tab.list.nextCursor !== null || this.matches.length > this.#limit
  }

  /** How many rows are drawn: a thousand at once would halt the page. */
  get #limit(): number {
    return this.#pages * pageSize
  }

  /** Begins with the first rows again. */
  reset(): void {
    this.#pages = 1
  }

  /** Folds the keys that no longer work, or unfolds them. */
  foldEnded(): void {
    this.foldsEnded = !this.foldsEnded
    this.#tab.requestUpdate()
  }

  /** Draws the next rows, and moves the focus to the first of them. */
  async more(): Promise<void> {
    if (this.busy) return
    const before = this.rows
    if (this.matches.length <= this.#limit) await this.#read()
    this.#pages += 1
    const first = this.rows.find((row) => !before.includes(row))
    if (first === undefined) return
    this.#tab.focusOn(places.row(first.id))
  }

  async #read(): Promise<void> {
    this.busy = true
    this.#tab.requestUpdate()
    await this.#tab.list.more()
    this.busy = false
    this.#tab.requestUpdate()
  }
}
