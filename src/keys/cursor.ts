import { sha256Hex } from '#sha256'
import { type Problem, refuseField } from './input/parse.ts'

/** Hex digits of a digest: enough to tell apart all the lists that a page shows. */
const DIGEST_LENGTH = 16

export type Filters = Readonly<Record<string, unknown>>

export function cursorAt(place: number, filters: Filters): string {
  return `${place}.${digestOf(filters)}`
}

/** The place of a cursor. Throws `invalid_input` for a cursor of a list with other filters. */
export function placeAt(cursor: string, filters: Filters): number {
  const [place = '', digest, ...rest] = cursor.split('.')
  const isPlace = /^\d{1,15}$/.test(place) && rest.length === 0
  const isOwn = isPlace && digest === digestOf(filters)
  refuseField(['cursor'], isOwn ? null : UNKNOWN)
  return Number(place)
}

const UNKNOWN: Problem = { code: 'invalid_value', message: 'is not a cursor of this list.' }

function digestOf(filters: Filters): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  const text = given
    .map((filter) => JSON.stringify(filter))
    .toSorted()
    .join()
  return sha256Hex(text).slice(0, DIGEST_LENGTH)
}
