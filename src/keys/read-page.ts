import { sha256Hex } from '#sha256'
import type { Context } from '../context.ts'
import { nextTurn } from '../lib/within-time.ts'
import { folded } from '../model/folded.ts'
import type { KeyRecord } from '../model/key-record.ts'
import { pageAnswer } from '../storage/answers.ts'
import type { HeldKey, KeyFilters, KeyPage, KeyPageQuery } from '../storage/contract.ts'
import { type Problem, refuseField } from './input/parse.ts'

/** How many keys a search reads from the storage at a time. */
const KEYS_OF_STEP = 500

/** How many keys one page of a search reads. The next page goes on where it stopped. */
const MOST_KEYS_READ = 10_000

/** Keys of a page, and the place of the last key that was looked at if there may be more after it. */
export interface FoundPage extends Omit<KeyPage, 'more'> {
  readonly after: number | null
}

/** A page of the keys that match a query and, if given, a folded text. */
export async function readPage<S extends string>(
  context: Context<S>,
  workspaceId: string,
  { search, ...query }: KeyPageQuery & { readonly search: string | undefined },
): Promise<FoundPage> {
  const read = (part: KeyPageQuery) => pageOf(context, workspaceId, part)
  if (search !== undefined) return searched(read, query, search)
  const page = await read(query)
  return { ...page, after: page.more ? lastPlace(page.keys) : null }
}

/**
 * Reads and looks at keys until the page is full. Storages hold no folded text: it would contain people's
 * names, which would have to be erased there too.
 */
async function searched(
  read: (query: KeyPageQuery) => Promise<KeyPage>,
  query: KeyPageQuery,
  search: string,
): Promise<FoundPage> {
  const found: HeldKey[] = []
  let { after, countUpTo } = query
  let activeKeys: number | null = null
  for (let keysRead = KEYS_OF_STEP; ; keysRead += KEYS_OF_STEP) {
    const page = await read({ ...query, after, countUpTo, limit: KEYS_OF_STEP })
    activeKeys ??= page.activeKeys
    countUpTo = null
    found.push(...page.keys.filter(({ record }) => isFound(record, search)))
    if (found.length > query.limit) {
      const keys = found.slice(0, query.limit)
      return { keys, after: lastPlace(keys), activeKeys, total: null }
    }
    after = lastPlace(page.keys)
    if (!page.more) return { keys: found, after: null, activeKeys, total: null }
    if (keysRead >= MOST_KEYS_READ) return { keys: found, after, activeKeys, total: null }
  }
}

export async function pageOf<S extends string>(
  { calls, settings: { storage } }: Context<S>,
  workspaceId: string,
  query: KeyPageQuery,
): Promise<KeyPage> {
  return calls.run(
    'list',
    (call) => storage.list(workspaceId, query, call),
    (page) => pageAnswer(page, workspaceId),
  )
}

/** How many keys are read at a time where all are gone through. */
const STEP = 100

/**
 * The keys that pass filters, oldest first, in pages until one is empty: a replacement has a later place than what it
 * replaces, so it is met later. Between pages, requests have their turn.
 */
export async function* pagesOf<S extends string>(
  context: Context<S>,
  workspaceId: string,
  filters: KeyFilters,
  start: number | null = null,
): AsyncGenerator<KeyPage> {
  for (let after = start; ; await nextTurn()) {
    const query = { ...filters, after, oldestFirst: true, limit: STEP, countUpTo: null }
    const page: KeyPage = await pageOf(context, workspaceId, query)
    const last = page.keys.at(-1)
    if (last === undefined) return
    yield page
    after = last.place
  }
}

function lastPlace(keys: readonly HeldKey[]): number | null {
  return keys.at(-1)?.place ?? null
}

/** Whether each word of a folded text is in the name of a key, its creator's name or a scope. */
export function isFound({ name, creator, scopes }: KeyRecord, search: string): boolean {
  const texts = [name, creator.name, ...scopes].map(folded)
  return search.split(' ').every((word) => texts.some((text) => text.includes(word)))
}

/** Hex digits of a digest: enough to tell apart all the lists that a page shows. */
const DIGEST_LENGTH = 16

export type Filters = Readonly<Record<string, unknown>>

export function cursorAt(place: number, filters: Filters): string {
  return `${place}.${digestOf(filters)}`
}

/** The place of a cursor. Throws `invalid_input` for a cursor of a list with other filters. */
export function placeAt(cursor: string, filters: Filters): number {
  const [place = '', digest, ...rest] = cursor.split('.')
  const isPlace = /^\d{1,15}$/.test(place) && rest.length === 0
  const isOwn = isPlace && digest === digestOf(filters)
  refuseField(['cursor'], isOwn ? null : UNKNOWN)
  return Number(place)
}

const UNKNOWN: Problem = { code: 'invalid_value', message: 'is not a cursor of this list.' }

function digestOf(filters: Filters): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  const text = given
    .map((filter) => JSON.stringify(filter))
    .toSorted()
    .join()
  return sha256Hex(text).slice(0, DIGEST_LENGTH)
}
