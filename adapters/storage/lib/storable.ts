import type { AuditEventRecord, KeyRecord, KeyState } from '../../../src/storage/index.ts'
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

/** Throws `StorageError` (`unstorable_value`) unless the record comes back as it goes in. */
export function checkStorableRecord(record: KeyRecord): void {
  checkValues(record)
  if (isHash(record.hash)) return
  throw new StorageError('unstorable_value', 'a hash must be 64 lower-case hex digits')
}

/** Whether a text is 64 lower-case hex digits, as every hash is. */
export function isHash(text: string): boolean {
  return HASH.test(text)
}

/** Throws `StorageError` (`unstorable_value`) unless the state comes back as it goes in. */
export function checkStorableState(state: KeyState): void {
  checkValues(state)
}

/** Throws `StorageError` (`unstorable_value`) unless the event comes back as it goes in. */
export function checkStorableEvent(event: AuditEventRecord): void {
  checkValues(event)
}

/** Every text and number in a value, names of properties among them. */
function checkValues(value: unknown): void {
  if (typeof value === 'string') checkTexts([value])
  else if (typeof value === 'number') checkIntegers([value])
  else if (typeof value === 'object' && value !== null) {
    checkTexts(Object.keys(value))
    for (const inner of Object.values(value)) checkValues(inner)
  }
}

/** Throws `StorageError` (`unstorable_value`) for a fraction, NaN or a number beyond 2^53. */
export function checkIntegers(numbers: readonly number[]): void {
  if (numbers.every(Number.isSafeInteger)) return
  throw new StorageError('unstorable_value', 'a number is not a whole number within ±2^53')
}

/** Throws `StorageError` (`unstorable_value`) for U+0000 and lone surrogates. */
export function checkTexts(texts: readonly string[]): void {
  if (texts.every(isStorableText)) return
  throw new StorageError('unstorable_value', 'a text contains U+0000 or a lone surrogate')
}
