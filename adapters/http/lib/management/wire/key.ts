import type { ApiKey, KeyMetadata } from '../../../../../src/index.ts'
import { keyFields, usageFields } from '../../../../../src/storage/index.ts'

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

const STORED = Object.values({ ...keyFields, ...usageFields }).map(({ view }) => view)

/** Every field of a key that leaves the server, but for the metadata. */
export const SENT_FIELDS = [
  ...STORED.filter((view) => view !== null && view !== 'metadata'),
  'status',
  'withinGrant',
] as readonly Exclude<keyof WireKey, 'metadata'>[]

/** A key as it is sent: only the fields above, so that a new field never leaks. */
export function toWire(key: ApiKey, shownMetadata: readonly string[] = []): WireKey {
  const fields = Object.fromEntries(SENT_FIELDS.map((name) => [name, onWire(key[name])]))
  if (shownMetadata.length === 0) return fields as unknown as WireKey
  const shown = shownMetadata.filter((name) => Object.hasOwn(key.metadata, name))
  const metadata = Object.fromEntries(shown.map((name) => [name, key.metadata[name]]))
  return { ...fields, metadata } as unknown as WireKey
}

function onWire(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value
}
