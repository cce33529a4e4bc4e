import { rowFrom, type SqlRow } from '../sql/cells.ts'
import { StorageError } from '../storage-error.ts'

// Every answer is one JSON text. One that no statement here gives is an error (`broken_row`), never a guess.

/** The JSON object in an answer. */
export function objectOf(answer: string | null): SqlRow {
  return rowFrom(parsed(answer))
}

/** The JSON array in an answer, or in a part of one; `null` is an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === null) return []
  return Array.isArray(value) ? value : invalid()
}

/** The value of an answer, which is JSON. */
export function parsed(answer: string | null): unknown {
  try {
    return JSON.parse(answer ?? 'null')
  } catch {
    return invalid()
  }
}

/** The message does not quote the answer. */
function invalid(): never {
  throw new StorageError('broken_row', 'the answer of the server is invalid')
}
