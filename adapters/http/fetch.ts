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
import { ownOptions } from '../../src/lib/own-data.ts'
import { type Endpoints, endpointsFor } from './lib/endpoints/endpoints-for.ts'
import { reportFaults } from './lib/faults/report.ts'
import type { ManageKeysOptions } from './lib/management/call.ts'
import { createManagement } from './lib/management/create-management.ts'
import { basePathOf } from './lib/management/routes.ts'
import { completed, linesOf, toFetch, toResponse } from './lib/web.ts'

export type * from './lib/host-types.ts'

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
 * Put one on a route: a second looks the key up, counts a use and asks the limiter again.
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
export function requireKey<S extends string, T extends string = string>(
  keys: ApiKeys<S, T>,
  requirement: Requirement<NoInfer<S>>,
  options: GuardOptions<NoInfer<S>, Request, NoInfer<T>> = {},
): KeyGuard<S> {
  const guard = createGuard(keys, requirement, options)
  reportFaults(keys)
  return (handler) =>
    async (request, ...rest) => {
      const verdict = await guard.check(request.method, linesOf(request.headers), request)
      if (!verdict.ok) return toResponse(verdict.answer, request.method)
      // Without a key, a `requireScope` around the handler decides; see `resource: 'by_route'`.
      const auth = verdict.key === null ? {} : { apiKey: verdict.key }
      const response = await handler(
        request,
        auth as { readonly apiKey: AuthenticatedKey<S> },
        ...rest,
      )
      return completed(response, { vary: guard.vary, ...verdict.headers })
    }
}

/**
 * Wraps a handler for one route behind a `requireKey` that guards many, as in
 * `requireKey(keys, null)(requireScope(keys, 'contacts.read')(handler))`: the key must also meet `requirement`, or the
 * answer is 403 (RFC 6750 §3.1). The request still costs one lookup and counts as one use.
 *
 * Throws as `requireKey` does when it is made. Without a `requireKey` before it the wrapped handler rejects with a
 * `TypeError`.
 */
export function requireScope<S extends string, T extends string = string>(
  keys: ApiKeys<S, T>,
  requirement: Requirement<NoInfer<S>>,
  options: ScopeGuardOptions<NoInfer<S>, Request, NoInfer<T>> = {},
): ScopeGuard<S> {
  const guard = createScopeGuard(keys, requirement, options)
  return (handler) =>
    async (request, auth, ...rest) => {
      const verdict = await guard.check(auth.apiKey, request)
      if (!verdict.ok) return toResponse(verdict.answer, request.method)
      return handler(request, { apiKey: verdict.key ?? auth.apiKey }, ...rest)
    }
}

/** How the management routes are set up on a Web-standard host, whose requests are `R`. */
export interface ManageKeysFetchOptions<R extends Request = Request> extends ManageKeysOptions<R> {
  /**
   * The path the routes live under, as `/api/settings`; percent-encoded or not. Default: none, so that
   * `/keys` is a route.
   */
  readonly basePath?: string
}

/**
 * The management routes as one Web-standard handler. The guide `docs/http-management.md` lists them, and
 * `miftah/openapi.json` describes them.
 *
 * Only the host's `context` identifies the caller; an API key grants nothing here. Changes are refused when
 * they come from a page of another origin. Bodies are JSON of at most 64 KiB. Failures are problems
 * (RFC 9457) and never repeat a value of the request; the handler itself never rejects. Throws a
 * `TypeError` for a bad `basePath` or origin.
 *
 * @example
 * ```ts
 * import { createApiKeys, plans } from 'miftah'
 * import { manageKeys } from 'miftah/fetch'
 * import { memoryStorage } from 'miftah/memory'
 *
 * const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.business })
 * const manage = manageKeys(keys, {
 *   basePath: '/api/settings',
 *   context: () => ({ workspaceId: 'ws_1', user: { id: 'u_1', name: 'نورة' } }),
 * })
 * const response = await manage(new Request('https://example.com/api/settings/keys'))
 * response.status //=> 200
 * ```
 */
export function manageKeys<S extends string, R extends Request = Request>(
  keys: ApiKeys<S>,
  options: ManageKeysFetchOptions<R>,
): (request: R) => Promise<Response> {
  const { basePath: own = '' } = ownOptions(options)
  const basePath = own === '' ? '' : basePathOf(own)
  const { answer } = createManagement(keys, options, { basePath: true })
  return toFetch(answer, basePath)
}

/** An endpoint as one Web-standard handler. */
export type FetchEndpoint = (request: Request) => Promise<Response>

const endpoints = endpointsFor<Request, FetchEndpoint>(toFetch)

/**
 * Token introspection (RFC 7662), so that services in other languages can check a key: `POST` with the form
 * parameters `token`, `miftah_resource=type:id` once for each resource that the request touches, and
 * `client_address`. Only callers that `authorize` knows get an answer. An active key is described by `scope`,
 * `client_id` (its id), `sub` and `username` (its workspace), `iat`, and an `exp` of at most 60 seconds ahead.
 * Every other token gets the same bytes, and a key that is restricted to resources or networks counts
 * as one of them until the call names what the request touches and where it comes from. A use is
 * counted; the limiter is not called.
 *
 * Failures are errors of RFC 6749 §5.2: 400, 401, 405, 413, and 503 with `Retry-After` during an outage. The
 * handler never rejects. Throws a `TypeError` for a bad option.
 *
 * @example
 * ```ts
 * import { createApiKeys, plans } from 'miftah'
 * import { introspectKeys } from 'miftah/fetch'
 * import { memoryStorage } from 'miftah/memory'
 *
 * const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.business })
 * const introspect = introspectKeys(keys, {
 *   authorize: (request) => (request.headers.has('authorization') ? { workspaceId: 'ws_1' } : null),
 * })
 * const body = new URLSearchParams({ token: 'abc' })
 * const headers = { authorization: 'Basic cnM6c2VjcmV0' }
 * const response = await introspect(new Request('https://a.example', { method: 'POST', headers, body }))
 * await response.json() //=> { active: false }
 * ```
 */
export const introspectKeys: Endpoints<Request, FetchEndpoint>['introspectKeys'] =
  endpoints.introspectKeys

/**
 * The endpoint at which the holder of a secret revokes its key, without signing in: the syntax of RFC 7009,
 * `POST` with the form parameter `token`. Once the revocation holds in every process the answer is 200 with
 * the same bytes, whether there was a key or not. The audit event has the reason `reported` and the actor
 * `miftah:holder`. The query is not read. It works on 16 calls at once and
 * answers others with 503.
 *
 * Failures are those of `introspectKeys`. The handler never rejects. Throws a `TypeError` for a bad option.
 *
 * @example
 * ```ts
 * import { createApiKeys, plans } from 'miftah'
 * import { revokeBySecret } from 'miftah/fetch'
 * import { memoryStorage } from 'miftah/memory'
 *
 * const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.business })
 * const revoke = revokeBySecret(keys)
 * const body = new URLSearchParams({ token: 'abc' })
 * const response = await revoke(new Request('https://a.example', { method: 'POST', body }))
 * response.status //=> 200
 * ```
 */
export const revokeBySecret: Endpoints<Request, FetchEndpoint>['revokeBySecret'] =
  endpoints.revokeBySecret

/**
 * The decision of a proxy about each request: `auth_request` of nginx, `forward_auth` of Caddy, ForwardAuth
 * of Traefik, `ext_authz` of Envoy. Only an accepted key is answered with 200, also for `OPTIONS`; then
 * `X-Api-Key-Id`, `X-Workspace-Id` and `X-Api-Key-Scopes` say whose it is, percent-encoded, and `-` where there
 * is nothing to say. Everything else gets the answer of `requireKey`; a path that is missing, repeated or
 * ambiguous gets 400, and one for which `requirement` returns `undefined` gets 403. Mount it where the
 * proxy alone can call it, and configure the proxy as `docs/gateways.md` shows.
 *
 * The handler never rejects. Throws a `TypeError` for a bad option.
 *
 * @example
 * ```ts
 * import { createApiKeys, plans } from 'miftah'
 * import { forwardAuth } from 'miftah/fetch'
 * import { memoryStorage } from 'miftah/memory'
 *
 * const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.business })
 * const auth = forwardAuth(keys, {
 *   proxy: 'nginx',
 *   requirement: (method, path) =>
 *     method === 'GET' && path === '/contacts' ? 'contacts.read' : undefined,
 * })
 * const headers = { 'X-Original-Method': 'GET', 'X-Original-URI': '/contacts' }
 * const response = await auth(new Request('https://a.example/auth', { headers }))
 * response.status //=> 401
 * ```
 */
export const forwardAuth: Endpoints<Request, FetchEndpoint>['forwardAuth'] = endpoints.forwardAuth
