import type { ApiKey, Environment, Person } from '../api-key.ts'
import type { ScopeCatalogue } from '../scopes/catalogue.ts'
import { PREFIX_LENGTH } from '../secret/format.ts'
import type { KeyRecord } from './contract.ts'

/** A record that makes sense, and the parts that every view of it shares. */
export class CheckedRecord<S extends string> {
  readonly record: KeyRecord
  /** The key's scopes that the catalogue still has, in its order. */
  readonly scopes: readonly S[]
  readonly creator: Person
  #accepted: ApiKey<S> | null = null
  #acceptance: Promise<Accepted<S>> | null = null

  constructor(record: KeyRecord, { scopes, creator }: Shared<S>) {
    this.record = record
    this.scopes = scopes
    this.creator = creator
  }

  /** What `authenticate` answers for this key, made once. */
  accepted(): Promise<Accepted<S>> {
    const known = this.#acceptance
    if (known !== null && hasItsDates(this.#accepted, this.record)) return known
    const key = toKey(this)
    this.#accepted = key
    this.#acceptance = Promise.resolve(Object.freeze({ ok: true, key }))
    return this.#acceptance
  }
}

type Shared<S extends string> = Pick<CheckedRecord<S>, 'scopes' | 'creator'>

interface Accepted<S extends string> {
  readonly ok: true
  readonly key: ApiKey<S>
}

/** A `Date` can be changed even in a frozen key: one that was is not handed out again. */
function hasItsDates(key: ApiKey | null, { createdAtMs, lastUsedAtMs }: KeyRecord): boolean {
  return (
    key !== null &&
    key.createdAt.getTime() === createdAtMs &&
    (key.lastUsedAt === null || key.lastUsedAt.getTime() === lastUsedAtMs)
  )
}

/**
 * Turns records into keys. A record that is frozen through and through cannot change, so it is
 * checked once and remembered while the storage keeps its list of scopes; any other is checked at
 * each sight. Of a later state of a remembered record only what can change is checked.
 */
export class RecordReader<S extends string> {
  readonly #catalogue: ScopeCatalogue<S>
  readonly #checked = new WeakMap<readonly string[], CheckedRecord<S>>()

  constructor(catalogue: ScopeCatalogue<S>) {
    this.#catalogue = catalogue
  }

  /** Throws when the record makes no sense. */
  check(record: KeyRecord): CheckedRecord<S> {
    const known = this.#checked.get(record.scopes)
    return known?.record === record ? known : this.#checkNew(record, known)
  }

  /** The key of a record. Throws when the record makes no sense. */
  read(record: KeyRecord): ApiKey<S> {
    return toKey(this.check(record))
  }

  #checkNew(record: KeyRecord, known: CheckedRecord<S> | undefined): CheckedRecord<S> {
    const isLater = known !== undefined && isLaterState(record, known.record)
    assertRecord(record, isLater ? CHANGING : CHECKS)
    const checked = new CheckedRecord(record, isLater ? known : this.#shared(record))
    const { creator, scopes } = record
    const fixed = Object.isFrozen(record) && Object.isFrozen(scopes) && Object.isFrozen(creator)
    if (fixed) this.#checked.set(scopes, checked)
    return checked
  }

  #shared({ scopes, creator }: KeyRecord): Shared<S> {
    return {
      scopes: Object.freeze(this.#catalogue.scopes.filter((scope) => scopes.includes(scope))),
      creator: Object.freeze({ id: creator.id, name: creator.name }),
    }
  }
}

/** Whether a record is the same key as another, in all that a key keeps for life. */
function isLaterState(record: KeyRecord, before: KeyRecord): boolean {
  return (
    record.hash === before.hash &&
    record.id === before.id &&
    record.workspaceId === before.workspaceId &&
    record.name === before.name &&
    record.environment === before.environment &&
    record.scopes === before.scopes &&
    record.prefix === before.prefix &&
    record.creator === before.creator &&
    record.createdAtMs === before.createdAtMs &&
    record.replaces === before.replaces
  )
}

/** The key of a checked record, without its hash. Its dates are its own: a `Date` can be changed. */
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
