import type { KeyRecord } from '../../../src/storage/index.ts'
import { StorageError } from './storage-error.ts'

// With the u flag a pair counts as the one character that it stands for.
const LONE_SURROGATE = /\p{Surrogate}/u

const HASH = /^[0-9a-f]{64}$/

/**
 * Whether a database gives this text back as it is. Drivers cut text at U+0000 or refuse it, and
 * turn a lone surrogate into U+FFFD, so that two different texts would become one.
 */
export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && !LONE_SURROGATE.test(text)
}

/** Whether a text is 64 lower-case hex digits, as every hash is. */
export function isHash(text: string): boolean {
  return HASH.test(text)
}

/** The same record. Throws `StorageError` (`unstorable_value`) unless it comes back as it goes in. */
export function storableRecord(record: KeyRecord): KeyRecord {
  if (isHash(record.hash)) return storable(record)
  throw new StorageError('unstorable_value', 'a hash must be 64 lower-case hex digits')
}

/**
 * The same value. Throws `StorageError` (`unstorable_value`) unless each text and each number in it, names of
 * properties among them, comes back as it goes in.
 */
export function storable<T>(value: T): T {
  if (typeof value === 'string') checkText(value)
  else if (typeof value === 'number') checkInteger(value)
  else if (Array.isArray(value)) value.forEach(storable)
  else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      checkText(name)
      storable(inner)
    }
  }
  return value
}

function checkInteger(number: number): void {
  if (Number.isSafeInteger(number)) return
  throw new StorageError('unstorable_value', 'a number is not a whole number within ±2^53')
}

function checkText(text: string): void {
  if (isStorableText(text)) return
  throw new StorageError('unstorable_value', 'a text contains U+0000 or a lone surrogate')
}
