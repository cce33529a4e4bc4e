import * as z from 'zod/mini'
import type { ApiKey, KeyMetadata, KeyStatus } from '../../../../../src/index.ts'

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

const STATUSES = {
  active: true,
  retiring: true,
  paused: true,
  expired: true,
  revoked: true,
} satisfies Record<KeyStatus, true>

export const environment = z.enum(['live', 'test'])
export const status = z.enum(Object.keys(STATUSES) as KeyStatus[])
export const count = z.int().check(z.nonnegative())

export const instant = z.iso.datetime()
export const person = z.strictObject({ id: z.string(), name: z.string() })
const metadata = z.record(z.string(), z.string())

type FixedField = Exclude<keyof WireKey, 'metadata'>

/** Every field of a key that leaves the server. It does not compile unless it matches `ApiKey`. */
const FIELDS = {
  id: z.string(),
  workspaceId: z.string(),
  name: z.string(),
  environment,
  scopes: z.array(z.string()),
  prefix: z.string().check(z.minLength(1), z.maxLength(12)),
  creator: person,
  version: z.int().check(z.minimum(1)),
  createdAt: instant,
  updatedAt: instant,
  expiresAt: z.nullable(instant),
  pausedAt: z.nullable(instant),
  pausedBy: z.nullable(person),
  retiresAt: z.nullable(instant),
  lastUsedAt: z.nullable(instant),
  uses: count,
  status,
  revokedAt: z.nullable(instant),
  replaces: z.nullable(z.string()),
  replacedBy: z.nullable(z.string()),
  format: z.nullable(z.string()),
} satisfies { readonly [Field in FixedField]: z.ZodMiniType<WireKey[Field], WireKey[Field]> }

/** The names of every field of a key, in whatever order it is sent. */
export const KEY_FIELDS: readonly string[] = [...Object.keys(FIELDS), 'metadata']

/** The schema of a key whose scopes fit `scope`. */
export function keySchema(scope: z.ZodMiniType<string, string> = z.string()) {
  return z.strictObject({
    ...FIELDS,
    scopes: z.array(scope),
    metadata: z.exactOptional(metadata),
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
