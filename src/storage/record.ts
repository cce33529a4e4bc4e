import type { Accepted } from '../authenticate/denial.ts'
import type { ApiKey, AuthenticatedKey, KeyDetails } from '../keys/api-key.ts'
import { fixedDate } from '../lib/fixed-date.ts'
import type { ScopeCatalogue } from '../scopes/catalogue.ts'
import { PREFIX_LENGTH } from '../secret/format.ts'
import type { KeyRecord, KeyUsage, StoredKey } from './contract.ts'

/** The fields of a record in which a new key differs from one that has lived. */
export const NEW_KEY_STATE: Pick<KeyRecord, 'revokedAtMs' | 'replaces' | 'replacedBy'> =
  Object.freeze({ revokedAtMs: null, replaces: null, replacedBy: null })

/** A key as its record gives it: what decides about it, and what may be shown of it. */
export interface ReadKey<S extends string> {
  readonly record: KeyRecord
  readonly key: AuthenticatedKey<S>
  /** The answer to a request that the key opens. Made once: -7 % in memory. */
  readonly accepted: Accepted<S>
}

/** Turns records into keys. Everything throws for a record that is invalid. */
export class RecordReader<S extends string> {
  readonly #catalogue: ScopeCatalogue<S>
  readonly #known = new WeakMap<KeyRecord, ReadKey<S>>()

  constructor(catalogue: ScopeCatalogue<S>) {
    this.#catalogue = catalogue
  }

  /**
   * The key of a record. A record that is frozen through and through cannot change, so it is checked
   * once and gives the same answer for as long as the storage keeps it.
   */
  read(record: KeyRecord): ReadKey<S> {
    const known = this.#known.get(record)
    if (known !== undefined) return known
    assertRecord(record)
    const key = Object.freeze(this.#view(record))
    const read: ReadKey<S> = { record, key, accepted: Object.freeze({ ok: true, key }) }
    const { creator, scopes } = record
    if ([record, creator, scopes].every(Object.isFrozen)) this.#known.set(record, read)
    return read
  }

  /** The key of a record and its usage. */
  key(stored: StoredKey): ApiKey<S> {
    assertRecord(stored)
    assertUsage(stored)
    const { uses, lastUsedAtMs } = stored
    return Object.freeze({ ...this.#view(stored), uses, lastUsedAt: dateOrNull(lastUsedAtMs) })
  }

  /** The key of a record that was just made. */
  newKey(record: KeyRecord): ApiKey<S> {
    return this.key({ ...record, uses: 0, lastUsedAtMs: null })
  }

  /** The scopes of a record that the catalogue still has, in its order. */
  scopes({ scopes }: KeyRecord): readonly S[] {
    return Object.freeze(this.#catalogue.scopes.filter((scope) => scopes.includes(scope)))
  }

  /** Only the known fields: a storage may return more. */
  #view(record: KeyRecord): AuthenticatedKey<S> {
    const { id, name } = record.creator
    return {
      ...detailsOf(record),
      creator: Object.freeze({ id, name }),
      scopes: this.scopes(record),
      createdAt: fixedDate(record.createdAtMs),
      status: record.revokedAtMs === null ? 'active' : 'revoked',
      revokedAt: dateOrNull(record.revokedAtMs),
    }
  }
}

function dateOrNull(atMs: number | null): Date | null {
  return atMs === null ? null : fixedDate(atMs)
}

type Checks<T> = { readonly [Field in keyof T]-?: (value: unknown) => boolean }

const DETAIL_CHECKS: Checks<KeyDetails> = {
  id: isText,
  workspaceId: isText,
  name: isText,
  environment: (value) => value === 'live' || value === 'test',
  prefix: (value) => isText(value) && value.length === PREFIX_LENGTH,
  creator: (value) => isText(Object(value).id) && isText(Object(value).name),
  replaces: orNull(isText),
  replacedBy: orNull(isText),
}

const RECORD_CHECKS: Checks<KeyRecord> = {
  hash: (value) => isText(value) && /^[0-9a-f]{64}$/.test(value),
  ...DETAIL_CHECKS,
  scopes: (value) => Array.isArray(value) && value.every(isText),
  createdAtMs: isInstant,
  revokedAtMs: orNull(isInstant),
}

const USAGE_CHECKS: Checks<KeyUsage> = {
  uses: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  lastUsedAtMs: orNull(isInstant),
}

const DETAILS = Object.keys(DETAIL_CHECKS) as readonly (keyof KeyDetails)[]

function detailsOf(record: KeyRecord): KeyDetails {
  return Object.fromEntries(DETAILS.map((field) => [field, record[field]])) as unknown as KeyDetails
}

/**
 * Throws when a storage returns a record that is invalid, naming the field and never its value. A
 * broken row must become an outage, not an open door.
 */
export function assertRecord(record: KeyRecord): void {
  check(record, RECORD_CHECKS)
}

/** The same for the usage of a key. */
export function assertUsage(usage: KeyUsage): void {
  check(usage, USAGE_CHECKS)
}

function check<T extends object>(value: T, checks: Checks<T>): void {
  for (const field of Object.keys(checks) as (keyof T & string)[]) {
    if (!checks[field](value[field])) throw new TypeError(`Stored key has an invalid ${field}.`)
  }
}

function orNull(holds: (value: unknown) => boolean) {
  return (value: unknown) => value === null || holds(value)
}

/** Whether a value is text and not empty. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** ECMA-262 §21.4.1.1: a time value is a whole number of at most ±8.64e15 milliseconds. */
export function isInstant(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(value as number) <= 8.64e15
}
