/**
 * The guard and the management routes for hosts that speak the Web's own `Request` and `Response`:
 * Bun, Deno, Workers, Hono, Next.js route handlers and others.
 *
 * @module miftah/fetch
 */

import {
  createGuard,
  createScopeGuard,
  type GuardOptions,
  type ScopeGuardOptions,
} from '../../src/http/index.ts'
import type { ApiKeys, AuthenticatedKey, Requirement } from '../../src/index.ts'
import { onlyFor } from './lib/called-by.ts'
import { reportFaults } from './lib/faults/report.ts'
import { completed, linesOf, toResponse } from './lib/web.ts'

export type {
  ContextAnswer,
  KeyOperation,
  ManageKeysOptions,
  ManagementContext,
  ManagementDetail,
  ManagementOperation,
  NamedResource,
  ResourcePage,
  ResourceSource,
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
  ...none: readonly never[]
) => (request: R, ...rest: Rest) => Promise<Response>

/** What `requireScope` makes: it narrows a handler that `requireKey` guards. */
export type ScopeGuard<S extends string> = <R extends Request, Rest extends readonly unknown[]>(
  handler: GuardedHandler<S, R, Rest>,
  ...none: readonly never[]
) => (
  request: R,
  auth: { readonly apiKey: AuthenticatedKey<S> },
  ...rest: Rest
) => Promise<Response>

/**
 * Wraps a Web-standard handler so that it runs only for requests with a key that meets
 * `requirement`; `null` accepts any valid key. The handler gets the key, frozen, as `apiKey`. A
 * refused request is answered without touching its body: 400, 401 or 403 by RFC 6750 §3 with a body
 * by RFC 9457, and 503 during an outage. It adds `Authorization` to `Vary` (RFC 9110
 * §12.5.5). What the handler throws is the runtime's to answer.
 *
 * Throws `unknown_scope` for a scope outside the catalogue and a `TypeError` for a bad option, both
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
  requirement: Requirement<NoInfer<S>>,
  options: GuardOptions<NoInfer<S>, Request> = {},
): KeyGuard<S> {
  const guard = createGuard(keys, requirement, options)
  reportFaults(keys)
  return onlyFor('fetchHandler', 'requireKey', (handler) =>
    onlyFor('fetch', 'requireKey', async (request, ...rest) => {
      const verdict = await guard.check(request.method, linesOf(request.headers), request)
      if (!verdict.ok) return toResponse(verdict.answer, request.method)
      // Without a key, a `requireScope` around the handler decides; see `resource: 'by_route'`.
      const auth =
        verdict.key === null
          ? ({} as { readonly apiKey: AuthenticatedKey<S> })
          : { apiKey: verdict.key }
      const response = await handler(request, auth, ...rest)
      return completed(response, { vary: guard.vary, ...verdict.headers })
    }),
  )
}

/**
 * Wraps a handler for one route behind a `requireKey` that guards many: the key must also meet `requirement`, or the
 * answer is 403 (RFC 6750 §3.1). The request still costs one lookup and counts as one use.
 *
 * Throws as `requireKey` does when it is made. Without a `requireKey` before it the wrapped handler rejects with a
 * `TypeError`.
 *
 * @example
 * ```ts
 * import { createApiKeys, plans } from 'miftah'
 * import { requireKey, requireScope } from 'miftah/fetch'
 * import { memoryStorage } from 'miftah/memory'
 *
 * const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.business })
 * const guarded = requireKey(keys, null)
 * const reading = requireScope(keys, 'contacts.read')
 * const contacts = guarded(reading((request, { apiKey }) =>
 *   Response.json({ workspace: apiKey.workspaceId }),
 * ))
 * const response = await contacts(new Request('https://example.com/contacts'))
 * response.status //=> 401
 * ```
 */
export function requireScope<S extends string>(
  keys: ApiKeys<S>,
  requirement: Requirement<NoInfer<S>>,
  options: ScopeGuardOptions<NoInfer<S>, Request> = {},
): ScopeGuard<S> {
  const guard = createScopeGuard(keys, requirement, options)
  reportFaults(keys)
  return onlyFor('fetchHandler', 'requireScope', (handler) =>
    onlyFor('fetch', 'requireScope', async (request, auth, ...rest) => {
      const verdict = await guard.check(auth.apiKey, request)
      if (!verdict.ok) return toResponse(verdict.answer, request.method)
      return handler(request, { apiKey: verdict.key ?? auth.apiKey }, ...rest)
    }),
  )
}
