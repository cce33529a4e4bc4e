/**
 * The guard and the management routes for hosts that speak the Web's own `Request` and `Response`:
 * Bun, Deno, Workers, Hono, Next.js route handlers and others.
 *
 * @module miftah/fetch
 */

import { createGuard, type GuardOptions } from '../../src/http/index.ts'
import type { ApiKeys, AuthenticatedKey } from '../../src/index.ts'
import { reportFaults } from './lib/faults/report.ts'
import { completed, linesOf, toResponse } from './lib/web.ts'

export type {
  ContextAnswer,
  ManageKeysOptions,
  ManagementContext,
  ManagementDetail,
  ManagementOperation,
} from './lib/management/call.ts'
export { type ManageKeysFetchOptions, manageKeys } from './management.ts'

/** A handler behind `requireKey`: the request, the key, and whatever else the runtime passes. */
export type GuardedHandler<S extends string, R extends Request, Rest extends readonly unknown[]> = (
  request: R,
  auth: { readonly apiKey: AuthenticatedKey<S> },
  ...rest: Rest
) => Response | Promise<Response>

/** What `requireKey` makes: it turns a handler that wants a key into one that any runtime can call. */
export type KeyGuard<S extends string> = <R extends Request, Rest extends readonly unknown[]>(
  handler: GuardedHandler<S, R, Rest>,
) => (request: R, ...rest: Rest) => Promise<Response>

/**
 * Wraps a Web-standard handler so that it runs only for requests with a key that holds
 * `requiredScope`; `null` accepts any valid key. The handler gets the key, frozen, as `apiKey`. A
 * refused request is answered without touching its body: 400, 401 or 403 by RFC 6750 §3 with a body
 * by RFC 9457, and 503 during an outage. It adds `Authorization` to `Vary` (RFC 9110
 * §12.5.5). What the handler throws is the runtime's to answer.
 *
 * Throws `unknown_scope` for a scope outside the catalogue and a `TypeError` for a bad realm, both
 * when it is mounted.
 *
 * @example
 * ```ts
 * import { createApiKeys, plans } from 'miftah'
 * import { requireKey } from 'miftah/fetch'
 * import { memoryStorage } from 'miftah/memory'
 *
 * const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.business })
 * const contacts = requireKey(keys, 'contacts.read')((request, { apiKey }) =>
 *   Response.json({ workspace: apiKey.workspaceId }),
 * )
 * const response = await contacts(new Request('https://example.com/contacts'))
 * response.status //=> 401
 * ```
 */
export function requireKey<S extends string>(
  keys: ApiKeys<S>,
  requiredScope: NoInfer<S> | null,
  options: GuardOptions = {},
): KeyGuard<S> {
  const guard = createGuard(keys, requiredScope, options)
  reportFaults(keys)
  return (handler) =>
    async (request, ...rest) => {
      const verdict = await guard.check(request.method, linesOf(request.headers))
      if (!verdict.ok) return toResponse(verdict.answer, request.method)
      const response = await handler(request, { apiKey: verdict.key }, ...rest)
      return completed(response, verdict.headers)
    }
}
