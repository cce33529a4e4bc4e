import type { ApiKey, Environment, Person } from '../api-key.ts'
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

/** Turns records into keys. */
export class RecordReader<S extends string> {
  readonly #catalogue: ScopeCatalogue<S>

  constructor(catalogue: ScopeCatalogue<S>) {
    this.#catalogue = catalogue
  }

  /** Throws when the record makes no sense. */
  check(record: KeyRecord): CheckedRecord<S> {
    assertRecord(record)
    const { creator, scopes } = record
    return {
      record,
      scopes: Object.freeze(this.#catalogue.scopes.filter((scope) => scopes.includes(scope))),
      creator: Object.freeze({ id: creator.id, name: creator.name }),
    }
  }

  /** A later state of a checked record. Only what can change is checked. */
  checkLater(record: KeyRecord, { scopes, creator }: CheckedRecord<S>): CheckedRecord<S> {
    assertRecord(record, CHANGING)
    return { record, scopes, creator }
  }

  /** The key of a record. Throws when the record makes no sense. */
  read(record: KeyRecord): ApiKey<S> {
    return toKey(this.check(record))
  }
}

/** The key of a checked record, without its hash. Its dates are its own: a `Date` can be changed. */
export function toKey<S extends string>(checked: CheckedRecord<S>): ApiKey<S> {
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
    createdAt: new Date(record.createdAtMs),
    lastUsedAt: lastUsedAtMs === null ? null : new Date(lastUsedAtMs),
    uses: record.uses,
    status: revokedAtMs === null ? 'active' : 'revoked',
    revokedAt: revokedAtMs === null ? null : new Date(revokedAtMs),
    replaces: record.replaces,
    replacedBy: record.replacedBy,
  })
}

const ENVIRONMENTS: readonly Environment[] = ['live', 'test']

/**
 * Throws when a storage hands out a record that makes no sense, naming the field and never its
 * value. A broken row must become an outage, not an open door.
 */
export function assertRecord(record: KeyRecord, checks = CHECKS): void {
  const wrong = checks.find(([, holds]) => !holds(record))
  if (wrong !== undefined) throw new TypeError(`A stored key has a senseless ${wrong[0]}.`)
}

type Checks = readonly (readonly [keyof KeyRecord, (record: KeyRecord) => boolean])[]

/** What may differ between two states of one key. */
const CHANGING: Checks = [
  ['lastUsedAtMs', ({ lastUsedAtMs }) => lastUsedAtMs === null || isInstant(lastUsedAtMs)],
  ['uses', ({ uses }) => Number.isSafeInteger(uses) && uses >= 0],
  ['revokedAtMs', ({ revokedAtMs }) => revokedAtMs === null || isInstant(revokedAtMs)],
  ['replacedBy', ({ replacedBy }) => replacedBy === null || isText(replacedBy)],
]

const CHECKS: Checks = [
  ['hash', ({ hash }) => isText(hash) && /^[0-9a-f]{64}$/.test(hash)],
  ['id', ({ id }) => isText(id)],
  ['workspaceId', ({ workspaceId }) => isText(workspaceId)],
  ['name', ({ name }) => isText(name)],
  ['environment', ({ environment }) => ENVIRONMENTS.includes(environment)],
  ['scopes', ({ scopes }) => Array.isArray(scopes) && scopes.every(isText)],
  ['prefix', ({ prefix }) => isText(prefix) && prefix.length === PREFIX_LENGTH],
  ['creator', ({ creator }) => isText(creator?.id) && isText(creator?.name)],
  ['createdAtMs', ({ createdAtMs }) => isInstant(createdAtMs)],
  ['replaces', ({ replaces }) => replaces === null || isText(replaces)],
  ...CHANGING,
]

/** Whether a value is text and not empty. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** ECMA-262 §21.4.1.1: a time value is a whole number of at most ±8.64e15 milliseconds. */
export function isInstant(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(value as number) <= 8.64e15
}
