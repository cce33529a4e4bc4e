import { StorageError } from '../storage-error.ts'

const QUOTE = 34
const COMMA = 44

/**
 * The fields of a row as PostgreSQL writes it: `(a,"b, ""c""",)`. An empty field is `null`, and within
 * quotes a quote or a backslash is doubled (PostgreSQL manual §8.16.6).
 */
export function fieldsIn(text: string): readonly (string | null)[] {
  if (!text.startsWith('(') || !text.endsWith(')')) throw broken()
  const fields: (string | null)[] = []
  const end = text.length - 1
  let at = 1
  for (;;) {
    const stop = fieldEnd(text, at, end)
    fields.push(stop === at ? null : unquoted(text, at, stop))
    if (stop === end) return fields
    at = stop + 1
  }
}

/** Where the field that starts at `start` ends: at the next comma outside quotes, or at `end`. */
function fieldEnd(text: string, start: number, end: number): number {
  if (text.charCodeAt(start) !== QUOTE) {
    const comma = text.indexOf(',', start)
    return comma === -1 ? end : comma
  }
  const stop = closingQuote(text, start) + 1
  if (stop !== end && text.charCodeAt(stop) !== COMMA) throw broken()
  return stop
}

/** The quote that ends a quoted field: the first that is not doubled. */
function closingQuote(text: string, start: number): number {
  for (let at = start + 1; ; at += 2) {
    at = text.indexOf('"', at)
    if (at === -1) throw broken()
    if (text.charCodeAt(at + 1) !== QUOTE) return at
  }
}

function unquoted(text: string, start: number, stop: number): string {
  if (text.charCodeAt(start) !== QUOTE) return text.slice(start, stop)
  const inner = text.slice(start + 1, stop - 1)
  return /["\\]/.test(inner) ? inner.replace(/(["\\])\1/g, '$1') : inner
}

/**
 * The elements of an array of texts as PostgreSQL writes it: `{a,"b, \"c\""}`. Within quotes a backslash
 * escapes the next character (PostgreSQL manual §8.15.6). Throws for `NULL` and for nested arrays.
 */
export function arrayIn(text: string): readonly string[] {
  if (!text.startsWith('{') || !text.endsWith('}')) throw broken()
  const inner = text.slice(1, -1)
  return inner === '' ? [] : elementsIn(inner)
}

const ELEMENT = /(?:"((?:[^"\\]|\\[\s\S])*)"|([^"\\{},]+))(,|$)/y

function elementsIn(inner: string): readonly string[] {
  const elements: string[] = []
  ELEMENT.lastIndex = 0
  for (;;) {
    const found = ELEMENT.exec(inner)
    if (found === null || found[2] === 'NULL') throw broken()
    elements.push(found[2] ?? (found[1] ?? '').replace(/\\([\s\S])/g, '$1'))
    if (found[3] === '') return elements
  }
}

function broken(): StorageError {
  return new StorageError('broken_row', 'the answer of the server is invalid')
}
