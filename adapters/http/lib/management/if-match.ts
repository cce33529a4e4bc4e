import { invalid, refusal } from './refusal.ts'

/** One entity tag (RFC 9110 §8.8.3), which may be weak. */
const ENTITY_TAG = /^(W\/)?"([\x21\x23-\x7E\x80-\xFF]*)"$/

/** A version of a key as this package writes it. */
const VERSION = /^[1-9]\d{0,15}$/

/** The entity tag of a version of a key. */
export function etagOf(version: number): string {
  return `"${version}"`
}

/**
 * The version that `If-Match` names; `null` for a tag that no version has, as a weak one in a strong
 * comparison (RFC 9110 §13.1.1). Throws for a call without the header (428, RFC 6585 §3), and
 * `invalid_input` for `*` and for lists: a change is made for one version that somebody has seen.
 */
export function versionIn(lines: readonly string[]): number | null {
  const [line, ...more] = lines
  if (line === undefined) throw refusal('precondition_required')
  const match = more.length === 0 ? ENTITY_TAG.exec(line) : null
  if (match === null) {
    const message = 'must be exactly one ETag, as returned with the key.'
    throw invalid(['If-Match'], 'invalid_value', message)
  }
  const [, weak, tag = ''] = match
  const version = weak === undefined && VERSION.test(tag) ? Number(tag) : Number.NaN
  return Number.isSafeInteger(version) ? version : null
}
