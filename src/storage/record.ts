import { fixedDate } from '../lib/fixed-date.ts'
import type {
  ApiKey,
  AuthenticatedKey,
  KeyMetadata,
  KeyNetworks,
  KeyResources,
  Person,
} from '../model/key.ts'
import type { KeyRecord, ResourceIds } from '../model/key-record.ts'
import { endOf, statusAt } from '../model/status.ts'
import { assertRecord } from './answers.ts'
import type { HeldKey } from './contract.ts'

interface Catalogue<S extends string> {
  readonly scopes: readonly S[]
}

/** Turns records into keys. Everything throws for a record that is invalid. */
export class RecordReader<S extends string> {
  readonly #catalogue: Catalogue<S>
  /** What an unrestricted key reaches. */
  readonly #allResources: KeyResources

  constructor(catalogue: Catalogue<S>, resourceTypes: readonly string[] = []) {
    this.#catalogue = catalogue
    const all = Object.fromEntries(resourceTypes.map((type) => [type, 'all' as const]))
    this.#allResources = Object.freeze(Object.assign(Object.create(null), all))
  }

  /** The key of a record at an instant. */
  keyAt(record: KeyRecord, atMs: number): AuthenticatedKey<S> {
    assertRecord(record)
    return Object.freeze(this.#view(record, atMs))
  }

  /** A stored key at an instant. `isWithin`: a grant; default: any. */
  key(
    { record, usage }: Pick<HeldKey, 'record' | 'usage'>,
    atMs: number,
    isWithin: (record: KeyRecord) => boolean = () => true,
  ): ApiKey<S> {
    const { uses, lastUsedAtMs } = usage
    const view = this.#view(record, atMs)
    const withinGrant = isWithin(record)
    return Object.freeze({ ...view, uses, lastUsedAt: dateOrNull(lastUsedAtMs), withinGrant })
  }

  /** The key of a record that was just made. */
  newKey(record: KeyRecord): ApiKey<S> {
    return this.key({ record, usage: { uses: 0, lastUsedAtMs: null } }, record.createdAtMs)
  }

  /** The scopes of a record that the catalogue still has, in its order. */
  scopes({ scopes }: KeyRecord): readonly S[] {
    const known = this.#catalogue.scopes.filter((scope) => scopes.includes(scope))
    // A copy has no room for more, which is 120 bytes.
    return Object.freeze(known.slice())
  }

  /** Only the known fields: a storage may return more. */
  #view(record: KeyRecord, atMs: number): AuthenticatedKey<S> {
    const { pausedBy } = record
    const status = statusAt(record, atMs)
    const createdAt = fixedDate(record.createdAtMs)
    const isUnchanged = record.updatedAtMs === record.createdAtMs
    // One literal: spreading a copy of the fields took 40 % of an authentication on SQLite.
    return {
      id: record.id,
      workspaceId: record.workspaceId,
      name: record.name,
      environment: record.environment,
      note: record.note,
      scopes: this.scopes(record),
      resources: this.#resourcesOf(record.resources),
      networks: networksOf(record.networks),
      prefix: record.prefix,
      creator: personOf(record.creator),
      replaces: record.replaces,
      replacedBy: record.replacedBy,
      version: record.version,
      pausedBy: pausedBy === null ? null : personOf(pausedBy),
      metadata: frozenMetadata(record.metadata),
      format: record.format,
      createdAt,
      updatedAt: isUnchanged ? createdAt : fixedDate(record.updatedAtMs),
      expiresAt: dateOrNull(record.expiresAtMs),
      pausedAt: dateOrNull(record.pausedAtMs),
      retiresAt: dateOrNull(record.retiresAtMs),
      status,
      revokedAt: status === 'revoked' ? dateOrNull(endOf(record)) : null,
    }
  }

  #resourcesOf(resources: ResourceIds): KeyResources {
    const lists = Object.entries(resources)
    if (lists.length === 0) return this.#allResources
    const all: Record<string, 'all' | readonly string[]> = Object.create(null)
    Object.assign(all, this.#allResources)
    for (const [type, ids] of lists) all[type] = Object.freeze([...ids])
    return Object.freeze(all)
  }
}

/** A list that cannot change is shared, so that what was made of it is found again. */
function networksOf(networks: KeyNetworks): KeyNetworks {
  return Object.isFrozen(networks) ? networks : Object.freeze([...networks])
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
