import { ApiKeyError, type InputIssue } from '../../../../src/index.ts'
import { listQuery } from './wire/requests.ts'

const FILTERS: ReadonlySet<string> = new Set(Object.keys(listQuery.shape))

/**
 * The filters of a query, each given at most once. `limit` becomes a number if it is one; the
 * core checks the values. Throws `invalid_input` for anything else.
 */
export function listFilters(query: string): Readonly<Record<string, unknown>> {
  const params = read(query)
  refuse([...new Set(params.keys())].flatMap((name) => issueOf(name, params.getAll(name).length)))
  const filters = Object.fromEntries(params)
  const limit = params.get('limit')
  return limit !== null && /^\d{1,9}$/.test(limit) ? { ...filters, limit: Number(limit) } : filters
}

/** Throws `invalid_input` for any query at all. */
export function demandNoQuery(query: string): void {
  refuse([...new Set(read(query).keys())].map(unknownField))
}

function read(query: string): URLSearchParams {
  try {
    // URLSearchParams turns invalid escapes into U+FFFD; this throws.
    decodeURIComponent(query)
  } catch {
    refuse([{ path: [], code: 'invalid_value', message: 'the query has a broken escape.' }])
  }
  return new URLSearchParams(query)
}

function issueOf(name: string, times: number): readonly InputIssue[] {
  if (!FILTERS.has(name)) return [unknownField(name)]
  if (times === 1) return []
  return [{ path: [name], code: 'repeated', message: 'must be given once.' }]
}

function unknownField(name: string): InputIssue {
  return { path: [name], code: 'unknown_field', message: 'is not a known parameter.' }
}

function refuse(issues: readonly InputIssue[]): void {
  if (issues.length > 0) throw new ApiKeyError('invalid_input', { issues: issues.slice(0, 50) })
}
