import * as z from 'zod/mini'
import type { ApiKey } from '../../../../../src/index.ts'

/** What JSON makes of a value: instants become ISO 8601 strings in UTC, as RFC 3339 has them. */
export type OnWire<T> = {
  readonly [Field in keyof T]: T[Field] extends Date
    ? string
    : T[Field] extends Date | null
      ? string | null
      : T[Field]
}

/** A key as the management routes send it. */
export type WireKey = OnWire<ApiKey>

export const environment = z.enum(['live', 'test'])
export const status = z.enum(['active', 'revoked'])
export const count = z.int().check(z.nonnegative())

const instant = z.iso.datetime()

/** Every field of a key that leaves the server. It does not compile unless it matches `ApiKey`. */
const FIELDS = {
  id: z.string(),
  workspaceId: z.string(),
  name: z.string(),
  environment,
  scopes: z.array(z.string()),
  prefix: z.string().check(z.length(12)),
  creator: z.strictObject({ id: z.string(), name: z.string() }),
  createdAt: instant,
  lastUsedAt: z.nullable(instant),
  uses: count,
  status,
  revokedAt: z.nullable(instant),
  replaces: z.nullable(z.string()),
  replacedBy: z.nullable(z.string()),
} satisfies { readonly [Field in keyof WireKey]: z.ZodMiniType<WireKey[Field], WireKey[Field]> }

export const KEY_FIELDS = Object.keys(FIELDS) as readonly (keyof ApiKey)[]

/** The schema of a key whose scopes fit `scope`. */
export function keySchema(scope: z.ZodMiniType<string, string> = z.string()) {
  return z.strictObject({ ...FIELDS, scopes: z.array(scope) })
}

/** A key as it is sent: only the fields above, so that a new field never leaks. */
export function toWire(key: ApiKey): WireKey {
  const fields = KEY_FIELDS.map((name) => [name, onWire(key[name])])
  return Object.fromEntries(fields)
}

function onWire(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value
}
