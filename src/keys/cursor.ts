import { sha256Hex } from '#sha256'
import type { ApiKeyError } from '../model/errors.ts'
import { invalidField } from './input/invalid-field.ts'
import { isKeyId } from './key-id.ts'

/** Hex digits of a digest: enough to tell apart all the lists that a page shows. */
const DIGEST_LENGTH = 16

/** The filters of a list, which its cursors belong to. */
export type Filters = Readonly<Record<string, unknown>>

/** The place after a key in the list with these filters. */
export function cursorAfter(id: string, filters: Filters): string {
  return id + suffixOf(filters)
}

/** The id of the key that a cursor is after. Throws for a cursor of a list with other filters. */
export function keyBefore(cursor: string, filters: Filters): string {
  const suffix = suffixOf(filters)
  const id = cursor.endsWith(suffix) ? cursor.slice(0, cursor.length - suffix.length) : ''
  if (!isKeyId(id)) throw unknownCursor()
  return id
}

/** The error for a cursor that no page of this workspace has returned. */
export function unknownCursor(): ApiKeyError {
  return invalidField(['cursor'], {
    code: 'invalid_value',
    message: 'is not a cursor of this list.',
  })
}

/** Nothing for a list without filters. */
function suffixOf(filters: Filters): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  if (given.length === 0) return ''
  const text = given
    .map((filter) => JSON.stringify(filter))
    .toSorted()
    .join()
  return `.${sha256Hex(text).slice(0, DIGEST_LENGTH)}`
}
