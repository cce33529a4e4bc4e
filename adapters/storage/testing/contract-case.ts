import type {
  KeyPageQuery,
  KeyRecord,
  KeyStorage,
  RevokeChange,
  RotateChange,
  StoredKey,
  UpdateChange,
} from '../../../src/storage/index.ts'
import { check } from './assertions.ts'
import { sampleCreatedEvent, sampleRecord, WORKSPACE } from './samples.ts'

/** The instant of lists, unless a case says otherwise. */
const NOW_MS = Date.UTC(2026, 0, 2)

/** Holds up every change that is called from now on, until the function that it answers is called. */
export type Hold = (storage: KeyStorage) => Promise<() => unknown>

/** One promise of the contract, checked on a fresh and empty storage. */
export interface ContractCase {
  readonly name: string
  /**
   * Resolves if the storage keeps the promise, and throws an error that says how it does not. `hold` is
   * `null` where nothing can be held up.
   */
  readonly check: (storage: KeyStorage, hold: Hold | null) => Promise<void>
}

/** Puts the name of the idea in front of the cases that prove it. */
export function contractGroup(
  idea: string,
  cases: Readonly<Record<string, ContractCase['check']>>,
): readonly ContractCase[] {
  return Object.entries(cases).map(([name, check]) => ({ name: `${idea}: ${name}`, check }))
}

/** A key that was never used. */
export function unused(record: KeyRecord): StoredKey {
  return { ...record, uses: 0, lastUsedAtMs: null }
}

/** What `findByHash` answers for a key: everything but its usage. */
export function recordOf({
  uses: _uses,
  lastUsedAtMs: _lastUsedAtMs,
  ...record
}: KeyRecord & Partial<StoredKey>): KeyRecord {
  return record
}

/** The key after a revocation. */
export function revokedBy<T extends KeyRecord>(key: T, { revokedAtMs }: RevokeChange): T {
  return { ...key, revokedAtMs, version: key.version + 1, updatedAtMs: revokedAtMs }
}

/** The key after an update. */
export function updatedBy<T extends KeyRecord>(key: T, { state, updatedAtMs }: UpdateChange): T {
  return { ...key, ...state, version: key.version + 1, updatedAtMs }
}

/** The old key after a rotation. */
export function replacedBy<T extends KeyRecord>(key: T, change: RotateChange): T {
  const { rotatedAtMs, retiresAtMs, replacement } = change
  const end = retiresAtMs === null ? { revokedAtMs: rotatedAtMs } : { retiresAtMs }
  const version = key.version + 1
  return { ...key, ...end, version, updatedAtMs: rotatedAtMs, replacedBy: replacement.id }
}

/** Inserts a sample record without a limit and returns it as it must be stored. */
export async function inserted(
  storage: KeyStorage,
  fields: Partial<KeyRecord> = {},
): Promise<StoredKey> {
  const record = sampleRecord(fields)
  const outcome = await storage.insert(record, null, sampleCreatedEvent(record))
  check(outcome.inserted, 'insert without a limit stores the record')
  return unused(record)
}

/** Inserts `count` sample records one after another, so that their order is known. */
export async function insertedMany(
  storage: KeyStorage,
  count: number,
  fields: (index: number) => Partial<KeyRecord> = () => ({}),
): Promise<readonly StoredKey[]> {
  const records: StoredKey[] = []
  for (let index = 0; index < count; index += 1) {
    records.push(await inserted(storage, fields(index)))
  }
  return records
}

/** The key as `findById` answers it now; throws when it is not there. */
export async function stored(storage: KeyStorage, record: KeyRecord): Promise<StoredKey> {
  const found = await storage.findById(record.workspaceId, record.id)
  check(found !== null, `findById finds ${record.id}`)
  return found
}

/** The first page of everything in a workspace, with room for all that these cases insert. */
export async function firstPage(storage: KeyStorage, workspaceId: string, atMs = NOW_MS) {
  const query = { status: null, environment: null, atMs, after: null, limit: 1000 }
  const page = await storage.list(workspaceId, query)
  check(page !== null, 'list without a cursor answers a page')
  return page
}

/** A page of keys, with room for all of them unless the query says otherwise. */
export async function list(storage: KeyStorage, query: Partial<KeyPageQuery>) {
  const whole = { status: null, environment: null, atMs: 0, after: null, limit: 1000, ...query }
  const page = await storage.list(WORKSPACE, whole)
  check(page !== null, 'list answers a page')
  check(page.records.length <= whole.limit, `a page has at most ${whole.limit} keys`)
  return page
}

/** Every record from the first page to the last; `between` runs after each page. */
export async function walk(
  storage: KeyStorage,
  query: Partial<KeyPageQuery>,
  between: (page: readonly StoredKey[]) => Promise<unknown> = async () => undefined,
): Promise<readonly StoredKey[]> {
  const seen: StoredKey[] = []
  let after: string | null = null
  for (let pages = 0; pages < 1000; pages += 1) {
    const page = await list(storage, { ...query, after })
    seen.push(...page.records)
    if (!page.more) return seen
    await between(page.records)
    after = page.records.at(-1)?.id ?? null
  }
  throw new Error('storage contract: the walk does not end')
}

/** How many keys of the workspace are active or paused, as `list` counts them. */
export async function activeKeysOf(
  storage: KeyStorage,
  workspaceId: string,
  atMs = NOW_MS,
): Promise<number> {
  return (await firstPage(storage, workspaceId, atMs)).activeKeys
}

/** All events of a workspace, oldest first. */
export async function eventsOf(storage: KeyStorage, workspaceId: string) {
  const events = await storage.events(workspaceId, { after: null, limit: 1000 })
  check(events !== null, 'events without a cursor answers a list')
  return events
}

/** Runs `call` for 0, 1, … `count - 1` without waiting in between. */
export function inParallel<T>(count: number, call: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => call(index)))
}
