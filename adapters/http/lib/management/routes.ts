import type { Place } from '../call.ts'
import { reportMisplaced } from '../faults/report.ts'
import type { ManagementOperation } from './call.ts'
import { OPERATION_NAMES, OPERATIONS } from './wire/operations.ts'

/** One path and what its methods do. */
export interface Route {
  /** As OpenAPI writes it. */
  readonly path: string
  readonly pattern: RegExp
  /** The operations by their methods. */
  readonly operations: ReadonlyMap<string, ManagementOperation>
}

export const ROUTES: readonly Route[] = [
  ...new Set(OPERATION_NAMES.map((name) => OPERATIONS[name].path)),
].map((path) => {
  const names = OPERATION_NAMES.filter((name) => OPERATIONS[name].path === path)
  return {
    path,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/, '([^/]+)')}$`),
    operations: new Map(names.map((name) => [OPERATIONS[name].method, name])),
  }
})

/** The route of a path and the id in it, or `null`. */
function findRoute(path: string): { readonly route: Route; readonly id: string } | null {
  for (const route of ROUTES) {
    const match = route.pattern.exec(path)
    if (match !== null) return { route, id: match[1] ?? '' }
  }
  return null
}

/** What a method does on a route; HEAD does what GET does (RFC 9110 §9.3.2). */
export function operationOf(route: Route, method: string): ManagementOperation | null {
  return route.operations.get(method === 'HEAD' ? 'GET' : method) ?? null
}

/** The value of `Allow` (RFC 9110 §10.2.1). */
export function allowOf({ operations }: Route): string {
  const methods = [...operations.keys()]
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
}

/** The route of a place and the id in it, or `null`. */
type FindRoute = (place: Place) => ReturnType<typeof findRoute>

/**
 * Finds the routes of calls. Where the first call finds none, the routes are probably mounted elsewhere than
 * callers think, which is said once.
 */
export function routeFinder(keys: object): FindRoute {
  let isFirst = true
  return (place) => {
    const path = below(place)
    const found = path === null ? null : findRoute(path)
    if (isFirst && found === null) reportMisplaced(keys, inWords(place))
    isFirst = false
    return found
  }
}

/**
 * Whether a call is one for the host to pass on: not below the routes' path, or at the root none of the
 * routes. One that ends as the first calls of a page do is looked for all the same, so that a wrong path is said.
 */
export function isElsewhere(place: Place, find: FindRoute): boolean {
  const path = below(place)
  if (path !== null && (place.basePath !== '' || findRoute(path) !== null)) return false
  if (/\/(?:keys|scopes)$/.test(place.pathname)) find(place)
  return true
}

function below({ basePath, pathname }: Place): string | null {
  const isBelow = pathname === basePath || pathname.startsWith(`${basePath}/`)
  return isBelow ? pathname.slice(basePath.length) : null
}

/** Segments as long as a secret, and characters that would break the line, are left out. */
function inWords({ basePath, pathname }: Place): string {
  const shown = pathname.replace(/[^/]{25,}|[^!-~]+/g, '…').slice(0, 200)
  const paths = ROUTES.map(({ path }) => path).join(', ')
  return `manageKeys has no route "${shown}". Its routes are below "${basePath}": ${paths}.`
}

/**
 * The path that routes are mounted under, percent-encoded as clients call it. Throws a `TypeError` for one
 * that no request could ever match.
 */
export function basePathOf(basePath: string): string {
  const { pathname } = new URL(`http://a${basePath}`)
  // As many segments as before: a URL has none of dots.
  const isKept = pathname.split('/').length === `${basePath}`.split('/').length
  if (isKept && /^(?:\/[^/?#\\]+)+$/.test(basePath)) return pathname
  throw new TypeError(
    'manageKeys: option "basePath" must be a path like /api/settings, with no slash at its end.',
  )
}
