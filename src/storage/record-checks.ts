import { type FieldKind, keyFields, usageFields } from '../model/key-fields.ts'
import type { KeyRecord, KeyUsage } from '../model/key-record.ts'
import { namesOf } from '../model/names-of.ts'
import { ENVIRONMENTS } from '../model/status.ts'
import { PREFIX_LENGTH } from '../secret/format.ts'

type Check = (value: unknown) => boolean

const CHECKS: { readonly [Kind in FieldKind]: Check } = {
  text: isText,
  'text?': orNull(isText),
  texts: (value) => Array.isArray(value) && value.every(isText),
  prefix: (value) => isText(value) && value.length <= PREFIX_LENGTH,
  hash: (value) => isText(value) && /^[0-9a-f]{64}$/.test(value),
  environment: (value) => ENVIRONMENTS.some((known) => known === value),
  metadata: isObjectOf((entry) => typeof entry === 'string'),
  resources: isObjectOf((ids) => Array.isArray(ids) && ids.every(isText)),
  networks: (value) => value === 'any' || (Array.isArray(value) && value.every(isText)),
  count: (value) => isCount(value),
  version: (value) => isCount(value) && value >= 1,
  instant: isInstant,
  'instant?': orNull(isInstant),
  person: isPerson,
  'person?': orNull(isPerson),
}

function checksOf<Field extends string>(
  fields: Readonly<Record<Field, { readonly kind: FieldKind }>>,
) {
  return namesOf(fields).map((field) => ({ field, holds: CHECKS[fields[field].kind] }))
}

const RECORD_CHECKS = checksOf(keyFields)
const USAGE_CHECKS = checksOf(usageFields)

/**
 * Throws when a storage returns a record that is invalid, naming the field and never its value. A broken row
 * must become an outage, not an open door.
 */
export function assertRecord(record: KeyRecord): void {
  for (const { field, holds } of RECORD_CHECKS) if (!holds(record[field])) throw invalid(field)
  // Only an imported key may have a shorter prefix than a secret has.
  if (record.format === null && record.prefix.length < PREFIX_LENGTH) throw invalid('prefix')
}

export function assertUsage(usage: KeyUsage): void {
  for (const { field, holds } of USAGE_CHECKS) if (!holds(usage[field])) throw invalid(field)
}

function invalid(field: string): TypeError {
  return new TypeError(`Stored key has an invalid ${field}.`)
}

function orNull(holds: Check): Check {
  return (value) => value === null || holds(value)
}

function isPerson(value: unknown): boolean {
  return isText(Object(value).id) && isText(Object(value).name)
}

function isObjectOf(holds: Check): Check {
  return (value) => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && Object.values(value).every(holds)
  }
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** ECMA-262 §21.4.1.1: a time value is a whole number of at most ±8.64e15 milliseconds. */
export function isInstant(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(value as number) <= 8.64e15
}
