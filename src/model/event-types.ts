import { namesOf } from '../lib/values.ts'
import type { AuditEvent, ChangedFields, KeySnapshot } from './audit-event.ts'
import type { Environment, KeyNetworks } from './key.ts'
import type { ResourceIds } from './key-record.ts'
import type { RevocationReason } from './revocation-reason.ts'

/** What the data of an event can hold; a `?` says that it may be `null`. Instants are ISO 8601. */
export interface DataTypes {
  /** A text. */
  readonly text: string
  /** A text or `null`. */
  readonly 'text?': string | null
  /** A list of texts. */
  readonly texts: readonly string[]
  /** Ids by the type of resource, for the types in which the key is restricted. */
  readonly resources: ResourceIds
  /** `any`, or a list of networks. */
  readonly networks: KeyNetworks
  /** The names of metadata entries. */
  readonly names: readonly string[]
  /** `live` or `test`. */
  readonly environment: Environment
  /** An instant in ISO 8601 and UTC. */
  readonly instant: string
  /** An instant or `null`. */
  readonly 'instant?': string | null
  /** Yes or no. */
  readonly flag: boolean
  /** Why a key was revoked or paused, or `null`. */
  readonly 'reason?': RevocationReason | null
  /** The fields that an update has changed. */
  readonly changes: ChangedFields
}

/** The kind of a field of an event's data. */
export type DataKind = keyof DataTypes

type KindOf<T> = {
  readonly [Kind in DataKind]: [T, DataTypes[Kind]] extends [DataTypes[Kind], T] ? Kind : never
}[DataKind]

type Kinds<T> = { readonly [Field in keyof T]-?: KindOf<Exclude<T[Field], undefined>> }

type DataOf<Type extends AuditEvent['type']> = Extract<AuditEvent, { readonly type: Type }>['data']

/** What every event says of its key. @internal */
export const snapshotFields = {
  name: 'text',
  environment: 'environment',
  scopes: 'texts',
  prefix: 'text',
} as const satisfies Kinds<KeySnapshot>

/** Every type of event, with what its data says beside the snapshot. @internal */
export const eventTypes = {
  'api_key.created': {},
  'api_key.imported': { format: 'text' },
  'api_key.updated': { before: 'changes', after: 'changes' },
  'api_key.paused': {},
  'api_key.resumed': {},
  'api_key.rotated': {
    replacementId: 'text',
    replacementPrefix: 'text',
    replacementScopes: 'texts',
    overlapEndsAt: 'instant?',
  },
  'api_key.revoked': { endedOverlap: 'flag', reason: 'reason?' },
  'api_key.expiring': { expiresAt: 'instant' },
  'api_key.expired': { expiresAt: 'instant' },
  'api_key.retired': { replacementId: 'text', overlapEndsAt: 'instant' },
} as const satisfies {
  readonly [Type in AuditEvent['type']]: Kinds<Omit<DataOf<Type>, keyof KeySnapshot>>
}

/** Every type of event. */
export const EVENT_TYPES = namesOf(eventTypes)

/** The fields that `before` and `after` of an update can have; of metadata they tell only the names. @internal */
export const changedFields = {
  name: 'text',
  note: 'text?',
  scopes: 'texts',
  resources: 'resources',
  networks: 'networks',
  expiresAt: 'instant?',
  metadata: 'names',
} as const satisfies Kinds<ChangedFields>
