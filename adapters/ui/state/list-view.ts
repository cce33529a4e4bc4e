import type { WireKey } from '../../client/index.ts'
import type { ListSearch } from '../lazy/list-search.ts'
import { hasEnded, isReadable, type ListedKey } from './listed-key.ts'
import { places } from './places.ts'
import type { Tab } from './tab.ts'

/** From so many keys on, the list can be searched and filtered. */
const searchableFrom = 8

/** Beyond so many, keys are not all loaded to be sorted. */
const sortable = 1_000

/** What the keys can be sorted by. */
export type SortColumn = 'name' | 'created' | 'last-used' | 'uses'

const orders: Readonly<Record<SortColumn, (one: WireKey, other: WireKey) => number>> = {
  name: (one, other) => one.name.localeCompare(other.name),
  created: (one, other) => Date.parse(one.createdAt) - Date.parse(other.createdAt),
  'last-used': (one, other) =>
    Date.parse(one.lastUsedAt ?? '1970') - Date.parse(other.lastUsedAt ?? '1970'),
  uses: (one, other) => one.uses - other.uses,
}

/** The rows that are drawn: those of the keys that are looked for, as far as they were asked for. */
export class ListView {
  readonly #tab: Tab
  /** By what the keys are sorted; the newest first without it. */
  sort: { readonly by: SortColumn; readonly up: boolean } | null = null
  #pages = 1
  /** The next rows are on their way. */
  busy = false
  /** The keys whose scopes are unfolded, by their ids. */
  readonly unfolded: Set<string> = new Set()
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
    const inOrder = (one: ListedKey, other: ListedKey) =>
      ended(one) - ended(other) || this.#compare(one, other)
    return this.matches.toSorted(inOrder).slice(0, this.#limit)
  }

  /** Whether Show more shows more. */
  get hasMore(): boolean {
    return this.#tab.list.nextCursor !== null || this.matches.length > this.#limit
  }

  /** How many rows are drawn: a thousand at once would halt the page. */
  get #limit(): number {
    return this.#pages * this.#tab.settings.pageSize
  }

  /** Begins with the first rows again. */
  reset(): void {
    this.#pages = 1
  }

  /** Whether the keys can be sorted by a column: by all but the creation only where all can be loaded. */
  sorts(by: SortColumn): boolean {
    const { nextCursor, total } = this.#tab.list
    return by === 'created' || nextCursor === null || (total !== null && total <= sortable)
  }

  /** Sorts by a column, or the other way round. */
  async sortBy(by: SortColumn): Promise<void> {
    if (!this.sorts(by)) return
    const up = this.sort?.by === by ? !this.sort.up : by === 'name'
    this.sort = { by, up }
    this.reset()
    this.#tab.requestUpdate()
    if (this.#tab.list.nextCursor === null) return
    if (by !== 'created') return this.#tab.list.more(true)
    this.#tab.list.oldestFirst = up
    await this.#tab.list.look(this.#tab.list.query)
  }

  #compare(one: ListedKey, other: ListedKey): number {
    const { sort } = this
    if (sort === null || !isReadable(one) || !isReadable(other)) return 0
    const order = orders[sort.by](one, other)
    return sort.up ? order : -order
  }

  /** Unfolds the scopes of a key, or folds them. */
  fold(id: string): void {
    if (!this.unfolded.delete(id)) this.unfolded.add(id)
    this.#tab.requestUpdate()
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
