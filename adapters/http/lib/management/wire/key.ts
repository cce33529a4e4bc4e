import * as z from 'zod/mini'
import type { ApiKey, KeyMetadata } from '../../../../../src/index.ts'
import {
  ENVIRONMENTS,
  type FieldKind,
  KEY_STATUSES,
  keyFields,
  usageFields,
} from '../../../../../src/storage/index.ts'

/** What JSON makes of a value: instants become ISO 8601 strings in UTC, as RFC 3339 has them. */
export type OnWire<T> = {
  readonly [Field in keyof T]: T[Field] extends Date
    ? string
    : T[Field] extends Date | null
      ? string | null
      : T[Field]
}

/** A key as the management routes send it. */
export interface WireKey extends OnWire<Omit<ApiKey, 'metadata'>> {
  /** The entries that the host lets its pages show; left out unless it names any. */
  readonly metadata?: KeyMetadata
}

export const environment = z.enum(ENVIRONMENTS)
export const status = z.enum(KEY_STATUSES)
export const count = z.int().check(z.nonnegative())

export const instant = z.iso.datetime()
export const person = z.strictObject({ id: z.string(), name: z.string() })
const ids = z.array(z.string())
export const networks = z.union([z.literal('any'), z.array(z.string())])

/** A value of each kind as it is sent. */
export const SCHEMAS = {
  text: z.string(),
  'text?': z.nullable(z.string()),
  texts: z.array(z.string()),
  prefix: z.string().check(z.minLength(1), z.maxLength(12)),
  hash: z.string(),
  environment,
  metadata: z.record(z.string(), z.string()),
  resources: z.record(z.string(), z.union([z.literal('all'), ids])),
  networks,
  count,
  version: z.int().check(z.minimum(1)),
  instant,
  'instant?': z.nullable(instant),
  person,
  'person?': z.nullable(person),
} satisfies { readonly [Kind in FieldKind]: z.ZodMiniType }

type Stored = typeof keyFields & typeof usageFields
type FixedField = Exclude<keyof WireKey, 'metadata'>

/** The schema of every stored field that is sent, by the name of the field in a view. */
type StoredSchemas = {
  readonly [Field in keyof Stored as Exclude<
    Stored[Field]['view'],
    null | 'metadata'
  >]: (typeof SCHEMAS)[Stored[Field]['kind']]
}

/** Every field of a key that leaves the server. It does not compile unless it matches `ApiKey`. */
const FIELDS = {
  ...storedSchemas(),
  status,
  withinGrant: z.boolean(),
} satisfies { readonly [Field in FixedField]: z.ZodMiniType<WireKey[Field], WireKey[Field]> }

function storedSchemas(): StoredSchemas {
  const stored = Object.values({ ...keyFields, ...usageFields })
  const sent = stored.filter(({ view }) => view !== null && view !== 'metadata')
  return Object.fromEntries(
    sent.map(({ view, kind }) => [view, SCHEMAS[kind]]),
  ) as unknown as StoredSchemas
}

/** The names of every field of a key, in whatever order it is sent. */
export const KEY_FIELDS: readonly string[] = [...Object.keys(FIELDS), 'metadata']

/** The schema of a key whose scopes fit `scope`. */
export function keySchema(scope: z.ZodMiniType<string, string> = z.string()) {
  return z.strictObject({
    ...FIELDS,
    scopes: z.array(scope),
    metadata: z.exactOptional(SCHEMAS.metadata),
  })
}

/** A key as it is sent: only the fields above, so that a new field never leaks. */
export function toWire(key: ApiKey, shownMetadata: readonly string[] = []): WireKey {
  const names = Object.keys(FIELDS) as readonly FixedField[]
  const fields = Object.fromEntries(names.map((name) => [name, onWire(key[name])]))
  if (shownMetadata.length === 0) return fields as unknown as WireKey
  const shown = shownMetadata.filter((name) => Object.hasOwn(key.metadata, name))
  const metadata = Object.fromEntries(shown.map((name) => [name, key.metadata[name]]))
  return { ...fields, metadata } as unknown as WireKey
}

function onWire(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value
}
