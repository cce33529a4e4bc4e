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

const PATHS = new Set(OPERATION_NAMES.map((name) => OPERATIONS[name].path))

/** Every route. */
export const ROUTES: readonly Route[] = [...PATHS].map(routeOf)

/** The route of a path and the id in it, or `null`. */
export function findRoute(path: string): { readonly route: Route; readonly id: string } | null {
  for (const candidate of ROUTES) {
    const match = candidate.pattern.exec(path)
    if (match !== null) return { route: candidate, id: match[1] ?? '' }
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

function routeOf(path: string): Route {
  const names = OPERATION_NAMES.filter((name) => OPERATIONS[name].path === path)
  return {
    path,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/, '([^/]+)')}$`),
    operations: new Map(names.map((name) => [OPERATIONS[name].method, name])),
  }
}
