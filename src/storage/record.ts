import type { ApiKey, Environment, Person } from '../keys/api-key.ts'
import { fixedDate } from '../lib/fixed-date.ts'
import type { ScopeCatalogue } from '../scopes/catalogue.ts'
import { PREFIX_LENGTH } from '../secret/format.ts'
import type { KeyRecord } from './contract.ts'

/** A record that makes sense, and the parts that every view of it shares. */
export interface CheckedRecord<S extends string> {
  readonly record: KeyRecord
  /** The key's scopes that the catalogue still has, in its order. */
  readonly scopes: readonly S[]
  readonly creator: Person
}

/** More sets of scopes than this are not shared. */
const MOST_SETS = 1_000

/** Turns records into keys. */
export class RecordReader<S extends string> {
  readonly #catalogue: ScopeCatalogue<S>
  // Keys of the same scopes share one list: a request then finds it in the processor's cache.
  readonly #sets = new Map<string, ScopeSet<S>>()

  constructor(catalogue: ScopeCatalogue<S>) {
    this.#catalogue = catalogue
  }

  /** Throws when the record makes no sense. */
  check(record: KeyRecord): CheckedRecord<S> {
    assertRecord(record)
    const { id, name } = record.creator
    return { record, scopes: this.#known(record.scopes), creator: Object.freeze({ id, name }) }
  }

  /** The key of a record. Throws when the record makes no sense. */
  read(record: KeyRecord): ApiKey<S> {
    return toKey(this.check(record))
  }

  #known(stored: readonly string[]): readonly S[] {
    const name = stored.join()
    const shared = this.#sets.get(name)
    // A comma in a scope gives two sets one name, and each must keep to its own list.
    if (shared?.stored.every((scope, at) => scope === stored[at])) return shared.scopes
    const scopes = Object.freeze(this.#catalogue.scopes.filter((scope) => stored.includes(scope)))
    const isNew = shared === undefined && this.#sets.size < MOST_SETS
    if (isNew) this.#sets.set(name, { stored: [...stored], scopes })
    return scopes
  }
}

/** Scopes as a storage has them, and those of them that the catalogue still has. */
interface ScopeSet<S extends string> {
  readonly stored: readonly string[]
  readonly scopes: readonly S[]
}

/** The key of a checked record, without its hash. */
function toKey<S extends string>(checked: CheckedRecord<S>): ApiKey<S> {
  const { record, scopes, creator } = checked
  const { lastUsedAtMs, revokedAtMs } = record
  return Object.freeze({
    id: record.id,
    workspaceId: record.workspaceId,
    name: record.name,
    environment: record.environment,
    scopes,
    prefix: record.prefix,
    creator,
    createdAt: fixedDate(record.createdAtMs),
    lastUsedAt: lastUsedAtMs === null ? null : fixedDate(lastUsedAtMs),
    uses: record.uses,
    status: revokedAtMs === null ? 'active' : 'revoked',
    revokedAt: revokedAtMs === null ? null : fixedDate(revokedAtMs),
    replaces: record.replaces,
    replacedBy: record.replacedBy,
  })
}

const ENVIRONMENTS: readonly Environment[] = ['live', 'test']

/**
 * Throws when a storage hands out a record that makes no sense, naming the field and never its
 * value. A broken row must become an outage, not an open door.
 */
export function assertRecord(record: KeyRecord): void {
  const wrong = senselessIdentity(record) ?? senselessState(record)
  if (wrong !== null) throw new TypeError(`A stored key has a senseless ${wrong}.`)
}

// One test after another, because a list of checks would take most of the time of a look-up.
function senselessIdentity(record: KeyRecord): keyof KeyRecord | null {
  if (!isHash(record.hash)) return 'hash'
  if (!isText(record.id)) return 'id'
  if (!isText(record.workspaceId)) return 'workspaceId'
  if (!isText(record.name)) return 'name'
  if (!ENVIRONMENTS.includes(record.environment)) return 'environment'
  if (!Array.isArray(record.scopes) || !record.scopes.every(isText)) return 'scopes'
  if (!isText(record.prefix) || record.prefix.length !== PREFIX_LENGTH) return 'prefix'
  if (!isText(record.creator?.id) || !isText(record.creator.name)) return 'creator'
  if (!isInstant(record.createdAtMs)) return 'createdAtMs'
  return isTextOrNull(record.replaces) ? null : 'replaces'
}

function senselessState(record: KeyRecord): keyof KeyRecord | null {
  if (!isInstantOrNull(record.lastUsedAtMs)) return 'lastUsedAtMs'
  if (!Number.isSafeInteger(record.uses) || record.uses < 0) return 'uses'
  if (!isInstantOrNull(record.revokedAtMs)) return 'revokedAtMs'
  return isTextOrNull(record.replacedBy) ? null : 'replacedBy'
}

function isHash(value: unknown): boolean {
  return isText(value) && /^[0-9a-f]{64}$/.test(value)
}

function isTextOrNull(value: unknown): boolean {
  return value === null || isText(value)
}

function isInstantOrNull(value: unknown): boolean {
  return value === null || isInstant(value)
}

/** Whether a value is text and not empty. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** ECMA-262 §21.4.1.1: a time value is a whole number of at most ±8.64e15 milliseconds. */
export function isInstant(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(value as number) <= 8.64e15
}
