import { ApiKeyError, type InputIssue } from '../../../../src/index.ts'
import { invalid } from './refusal.ts'
import { QUERIES, type QueryKind } from './wire/requests.ts'

/** The numbers among the parameters. */
const NUMBERS = ['limit', 'unusedForDays']

/** Parameters that can be given several times. */
const LISTS = ['status', 'id']

/**
 * The values of a query by parameter: a list for a repeated parameter that may repeat, a number for
 * a numeric one, otherwise text. The core checks the values. Throws `invalid_input` for unknown
 * parameters and for others that repeat.
 */
export function valuesIn(query: string, kind: QueryKind): Readonly<Record<string, unknown>> {
  const params = read(query)
  const names = [...new Set(params.keys())]
  const known = Object.keys(QUERIES[kind])
  refuse(names.flatMap((name) => issueOf(name, params.getAll(name).length, known)))
  return Object.fromEntries(names.map((name) => [name, readValue(name, params)]))
}

function readValue(name: string, params: URLSearchParams): unknown {
  const [text = '', ...more] = params.getAll(name)
  if (more.length > 0) return [text, ...more]
  return NUMBERS.includes(name) && /^\d{1,9}$/.test(text) ? Number(text) : text
}

/** Throws `invalid_input` for any query at all. */
export function assertNoQuery(query: string): void {
  refuse([...new Set(read(query).keys())].map(unknownField))
}

function read(query: string): URLSearchParams {
  try {
    // URLSearchParams turns invalid escapes into U+FFFD; this throws.
    decodeURIComponent(query)
  } catch {
    throw invalid([], 'invalid_value', 'the query has an invalid escape.')
  }
  return new URLSearchParams(query)
}

function issueOf(name: string, times: number, known: readonly string[]): readonly InputIssue[] {
  if (!known.includes(name)) return [unknownField(name)]
  if (times === 1 || LISTS.includes(name)) return []
  return [{ path: [name], code: 'repeated', message: 'must be given once.' }]
}

function unknownField(name: string): InputIssue {
  return { path: [name], code: 'unknown_field', message: 'is not a known parameter.' }
}

function refuse(issues: readonly InputIssue[]): void {
  if (issues.length > 0) throw new ApiKeyError('invalid_input', { issues: issues.slice(0, 50) })
}
