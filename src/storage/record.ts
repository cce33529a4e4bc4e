import { fixedDate } from '../lib/fixed-date.ts'
import type { ApiKey, AuthenticatedKey, KeyMetadata, Person } from '../model/key.ts'
import type { KeyRecord, KeyUsage, StoredKey } from '../model/key-record.ts'
import { endOf, statusAt } from '../model/status.ts'
import { PREFIX_LENGTH } from '../secret/format.ts'

/** The fields of a record in which a new key differs from one that has lived. */
export const NEW_KEY_STATE: Pick<
  KeyRecord,
  | 'version'
  | 'expiresAtMs'
  | 'pausedAtMs'
  | 'pausedBy'
  | 'retiresAtMs'
  | 'revokedAtMs'
  | 'replaces'
  | 'replacedBy'
  | 'metadata'
  | 'format'
> = Object.freeze({
  version: 1,
  expiresAtMs: null,
  pausedAtMs: null,
  pausedBy: null,
  retiresAtMs: null,
  revokedAtMs: null,
  replaces: null,
  replacedBy: null,
  metadata: Object.freeze({}),
  format: null,
})

/** The scopes on offer, in their order. */
interface Catalogue<S extends string> {
  readonly scopes: readonly S[]
}

/** Turns records into keys. Everything throws for a record that is invalid. */
export class RecordReader<S extends string> {
  readonly #catalogue: Catalogue<S>

  constructor(catalogue: Catalogue<S>) {
    this.#catalogue = catalogue
  }

  /** The key of a record at an instant. */
  keyAt(record: KeyRecord, atMs: number): AuthenticatedKey<S> {
    assertRecord(record)
    return Object.freeze(this.#view(record, atMs))
  }

  /** The key of a record and its usage at an instant. */
  key(stored: StoredKey, atMs: number): ApiKey<S> {
    assertRecord(stored)
    assertUsage(stored)
    const { uses, lastUsedAtMs } = stored
    const view = this.#view(stored, atMs)
    return Object.freeze({ ...view, uses, lastUsedAt: dateOrNull(lastUsedAtMs) })
  }

  /** The key of a record that was just made. */
  newKey(record: KeyRecord): ApiKey<S> {
    return this.key({ ...record, uses: 0, lastUsedAtMs: null }, record.createdAtMs)
  }

  /** The scopes of a record that the catalogue still has, in its order. */
  scopes({ scopes }: KeyRecord): readonly S[] {
    return Object.freeze(this.#catalogue.scopes.filter((scope) => scopes.includes(scope)))
  }

  /** Only the known fields: a storage may return more. */
  #view(record: KeyRecord, atMs: number): AuthenticatedKey<S> {
    const { pausedBy } = record
    const status = statusAt(record, atMs)
    // One literal: spreading a copy of the fields took 40 % of an authentication on SQLite.
    return {
      id: record.id,
      workspaceId: record.workspaceId,
      name: record.name,
      environment: record.environment,
      scopes: this.scopes(record),
      prefix: record.prefix,
      creator: personOf(record.creator),
      replaces: record.replaces,
      replacedBy: record.replacedBy,
      version: record.version,
      pausedBy: pausedBy === null ? null : personOf(pausedBy),
      metadata: frozenMetadata(record.metadata),
      format: record.format,
      createdAt: fixedDate(record.createdAtMs),
      updatedAt: fixedDate(record.updatedAtMs),
      expiresAt: dateOrNull(record.expiresAtMs),
      pausedAt: dateOrNull(record.pausedAtMs),
      retiresAt: dateOrNull(record.retiresAtMs),
      status,
      revokedAt: status === 'revoked' ? dateOrNull(endOf(record)) : null,
    }
  }
}

function personOf({ id, name }: Person): Person {
  return Object.freeze({ id, name })
}

const NO_METADATA: KeyMetadata = Object.freeze(Object.create(null))

/** A frozen copy without a prototype, so that it has no names but those of its entries. */
export function frozenMetadata(metadata: KeyMetadata): KeyMetadata {
  const entries = Object.entries(metadata)
  if (entries.length === 0) return NO_METADATA
  const copy: Record<string, string> = Object.create(null)
  for (const [name, value] of entries) copy[name] = value
  return Object.freeze(copy)
}

function dateOrNull(atMs: number | null): Date | null {
  return atMs === null ? null : fixedDate(atMs)
}

type Checks<T> = { readonly [Field in keyof T]-?: (value: unknown) => boolean }

const RECORD_CHECKS: Checks<KeyRecord> = {
  hash: (value) => isText(value) && /^[0-9a-f]{64}$/.test(value),
  id: isText,
  workspaceId: isText,
  name: isText,
  environment: (value) => value === 'live' || value === 'test',
  prefix: (value) => isText(value) && value.length <= PREFIX_LENGTH,
  creator: isPerson,
  replaces: orNull(isText),
  replacedBy: orNull(isText),
  version: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
  pausedBy: orNull(isPerson),
  metadata: isMetadata,
  format: orNull(isText),
  scopes: (value) => Array.isArray(value) && value.every(isText),
  createdAtMs: isInstant,
  updatedAtMs: isInstant,
  expiresAtMs: orNull(isInstant),
  pausedAtMs: orNull(isInstant),
  retiresAtMs: orNull(isInstant),
  revokedAtMs: orNull(isInstant),
}

const USAGE_CHECKS: Checks<KeyUsage> = {
  uses: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  lastUsedAtMs: orNull(isInstant),
}

/**
 * Throws when a storage returns a record that is invalid, naming the field and never its value. A
 * broken row must become an outage, not an open door.
 */
export function assertRecord(record: KeyRecord): void {
  check(record, RECORD_CHECKS)
  // Only an imported key may have a shorter prefix than a secret has.
  if (record.format === null && record.prefix.length < PREFIX_LENGTH) throw invalid('prefix')
}

/** The same for the usage of a key. */
export function assertUsage(usage: KeyUsage): void {
  check(usage, USAGE_CHECKS)
}

function check<T extends object>(value: T, checks: Checks<T>): void {
  for (const field of Object.keys(checks) as (keyof T & string)[]) {
    if (!checks[field](value[field])) throw invalid(field)
  }
}

function invalid(field: string): TypeError {
  return new TypeError(`Stored key has an invalid ${field}.`)
}

function orNull(holds: (value: unknown) => boolean) {
  return (value: unknown) => value === null || holds(value)
}

function isPerson(value: unknown): boolean {
  return isText(Object(value).id) && isText(Object(value).name)
}

function isMetadata(value: unknown): boolean {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && Object.values(value).every((entry) => typeof entry === 'string')
}

/** Whether a value is text and not empty. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** ECMA-262 §21.4.1.1: a time value is a whole number of at most ±8.64e15 milliseconds. */
export function isInstant(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(value as number) <= 8.64e15
}
