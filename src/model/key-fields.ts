import { namesOf } from '../lib/values.ts'
import type { ApiKey, Environment, KeyMetadata, KeyNetworks, Person } from './key.ts'
import type { KeyRecord, KeyUsage, ResourceIds } from './key-record.ts'

/**
 * What a field of a key can hold; a `?` says that it may be `null`. Each kind is checked, stored and sent in
 * one way.
 */
export interface FieldTypes {
  /** A text that is not empty. */
  readonly text: string
  /** A text or `null`. */
  readonly 'text?': string | null
  /** A list of texts. */
  readonly texts: readonly string[]
  /** What is shown of a secret: 1 to 12 characters. */
  readonly prefix: string
  /** 64 lower-case hex digits. */
  readonly hash: string
  /** `live` or `test`. */
  readonly environment: Environment
  /** Texts by name. */
  readonly metadata: KeyMetadata
  /** Lists of ids by the type of resource. */
  readonly resources: ResourceIds
  /** `any`, or a list of networks. */
  readonly networks: KeyNetworks
  /** A whole number from 0. */
  readonly count: number
  /** A whole number from 1. */
  readonly version: number
  /** Milliseconds since the epoch. */
  readonly instant: number
  /** An instant or `null`. */
  readonly 'instant?': number | null
  /** An id and a name. */
  readonly person: Person
  /** A person or `null`. */
  readonly 'person?': Person | null
}

/** The kind of a field. */
export type FieldKind = keyof FieldTypes

type KindOf<T> = {
  readonly [Kind in FieldKind]: [T, FieldTypes[Kind]] extends [FieldTypes[Kind], T] ? Kind : never
}[FieldKind]

interface FieldSpec<T> {
  readonly kind: KindOf<T>
  /** Who sets it after the creation, by an update of the key: its caller, or the pausing of the key. */
  readonly update?: 'caller' | 'pause'
  /** The value of a new key for which nobody gives one. */
  readonly initial?: T
  /** What a view of the key calls it; `null` for what leaves the core for nobody but the storage. */
  readonly view: keyof ApiKey | null
}

/** Every field of a record, in the order in which databases name them. @internal */
export const keyFields = {
  id: { kind: 'text', view: 'id' },
  workspaceId: { kind: 'text', view: 'workspaceId' },
  name: { kind: 'text', update: 'caller', view: 'name' },
  note: { kind: 'text?', update: 'caller', initial: null, view: 'note' },
  environment: { kind: 'environment', view: 'environment' },
  scopes: { kind: 'texts', update: 'caller', view: 'scopes' },
  resources: { kind: 'resources', update: 'caller', initial: Object.freeze({}), view: 'resources' },
  networks: { kind: 'networks', update: 'caller', initial: 'any', view: 'networks' },
  prefix: { kind: 'prefix', view: 'prefix' },
  creator: { kind: 'person', view: 'creator' },
  createdAtMs: { kind: 'instant', view: 'createdAt' },
  revokedAtMs: { kind: 'instant?', initial: null, view: 'revokedAt' },
  replaces: { kind: 'text?', initial: null, view: 'replaces' },
  replacedBy: { kind: 'text?', initial: null, view: 'replacedBy' },
  version: { kind: 'version', initial: 1, view: 'version' },
  updatedAtMs: { kind: 'instant', view: 'updatedAt' },
  expiresAtMs: { kind: 'instant?', update: 'caller', initial: null, view: 'expiresAt' },
  pausedAtMs: { kind: 'instant?', update: 'pause', initial: null, view: 'pausedAt' },
  pausedBy: { kind: 'person?', update: 'pause', initial: null, view: 'pausedBy' },
  retiresAtMs: { kind: 'instant?', initial: null, view: 'retiresAt' },
  metadata: { kind: 'metadata', update: 'caller', initial: Object.freeze({}), view: 'metadata' },
  format: { kind: 'text?', initial: null, view: 'format' },
  hash: { kind: 'hash', view: null },
  noticeAtMs: { kind: 'instant?', initial: null, view: null },
} as const satisfies { readonly [Field in keyof KeyRecord]-?: FieldSpec<KeyRecord[Field]> }

/** Every field of a key's usage. @internal */
export const usageFields = {
  uses: { kind: 'count', view: 'uses' },
  lastUsedAtMs: { kind: 'instant?', view: 'lastUsedAt' },
} as const satisfies {
  readonly [Field in keyof KeyUsage]-?: Pick<FieldSpec<KeyUsage[Field]>, 'kind' | 'view'>
}

type KeyFields = typeof keyFields

type FieldsWith<Spec> = {
  readonly [Field in keyof KeyFields]: KeyFields[Field] extends Spec ? Field : never
}[keyof KeyFields]

type StateField = FieldsWith<{ readonly update: string }>

/** The fields of a record that an update may change, besides its version and `updatedAtMs`. */
export interface KeyState extends Pick<KeyRecord, StateField> {}

/** The names of the fields that an update may change. */
export const STATE_FIELDS = namesOf(keyFields).filter(
  (field): field is keyof KeyState => 'update' in keyFields[field],
)

export type ChangeableField = FieldsWith<{ readonly update: 'caller' }>

export const CHANGEABLE_FIELDS = STATE_FIELDS.filter(
  (field): field is ChangeableField => keyFields[field].update === 'caller',
)

type InitialField = FieldsWith<{ readonly initial: unknown }>

/** The fields of a record in which a new key differs from one that has lived. */
export const NEW_KEY_STATE: Pick<KeyRecord, InitialField> = Object.freeze(
  Object.fromEntries(
    Object.entries(keyFields).flatMap(([field, spec]) =>
      'initial' in spec ? [[field, spec.initial] as const] : [],
    ),
  ) as Pick<KeyRecord, InitialField>,
)

/** The part of a record that an update may change. */
export function stateOf(record: KeyState): KeyState {
  return Object.fromEntries(STATE_FIELDS.map((name) => [name, record[name]])) as unknown as KeyState
}
