import type { Context } from '../context.ts'
import type { StoredKey } from '../model/key-record.ts'
import { pageAnswer } from '../storage/answers.ts'
import type { KeyPage, KeyPageQuery } from '../storage/contract.ts'
import { isFound } from './search.ts'

/** How many keys a search reads from the storage at a time. */
const KEYS_OF_STEP = 500

/** How many keys one page of a search reads. The next page goes on where it stopped. */
const MOST_KEYS_READ = 10_000

/** Keys of a page, and the last key that was looked at if there may be more after it. */
export interface FoundPage {
  readonly records: readonly StoredKey[]
  readonly after: string | null
  readonly activeKeys: number
  /** How many keys match, if it was counted. */
  readonly total: number | null
}

/** A page of the keys that match a query and, if given, a folded text; `null` for an unknown `after`. */
export async function readPage<S extends string>(
  context: Context<S>,
  workspaceId: string,
  { search, ...query }: KeyPageQuery & { readonly search: string | undefined },
): Promise<FoundPage | null> {
  const read = (part: KeyPageQuery) => pageOf(context, workspaceId, part)
  if (search === undefined) {
    const page = await read(query)
    return page && { ...page, after: page.more ? lastId(page.records) : null }
  }
  return searched(read, query, search)
}

/**
 * Reads and looks at keys until the page is full. Storages hold no folded text: it would contain
 * people's names, which would have to be erased there too.
 */
async function searched(
  read: (query: KeyPageQuery) => Promise<KeyPage | null>,
  query: KeyPageQuery,
  search: string,
): Promise<FoundPage | null> {
  const found: StoredKey[] = []
  let { after } = query
  for (let keysRead = 0; ; keysRead += KEYS_OF_STEP) {
    const page = await read({ ...query, after, limit: KEYS_OF_STEP })
    if (page === null) return null
    const { activeKeys } = page
    found.push(...page.records.filter((record) => isFound(record, search)))
    if (found.length > query.limit) {
      const records = found.slice(0, query.limit)
      return { records, after: lastId(records), activeKeys, total: null }
    }
    after = lastId(page.records)
    if (!page.more) return { records: found, after: null, activeKeys, total: null }
    if (keysRead + KEYS_OF_STEP >= MOST_KEYS_READ)
      return { records: found, after, activeKeys, total: null }
  }
}

function pageOf<S extends string>(
  context: Context<S>,
  workspaceId: string,
  query: KeyPageQuery,
): Promise<KeyPage | null> {
  const { storage } = context.settings
  const page = context.calls.run(
    'list',
    (call) => storage.list(workspaceId, query, call),
    (page) => pageAnswer(page, workspaceId),
  )
  return Promise.resolve(page)
}

function lastId(records: readonly StoredKey[]): string | null {
  return records.at(-1)?.id ?? null
}
