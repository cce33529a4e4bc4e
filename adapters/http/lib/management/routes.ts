import type { ManagementOperation } from './call.ts'

/** One path of the table and what its methods do. */
export interface Route {
  /** As OpenAPI writes it. */
  readonly path: string
  readonly pattern: RegExp
  readonly operations: ReadonlyMap<string, ManagementOperation>
}

/** Every route there is. */
export const ROUTES: readonly Route[] = [
  route('/keys', [
    ['GET', 'listKeys'],
    ['POST', 'createKey'],
  ]),
  route('/keys/{id}/rotate', [['POST', 'rotateKey']]),
  route('/keys/{id}/revoke', [['POST', 'revokeKey']]),
  route('/scopes', [['GET', 'listScopes']]),
]

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

function route(
  path: string,
  operations: readonly (readonly [string, ManagementOperation])[],
): Route {
  const pattern = new RegExp(`^${path.replace('{id}', '([^/]+)')}$`)
  return { path, pattern, operations: new Map(operations) }
}
