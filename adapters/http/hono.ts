/**
 * The guard as middleware and the management routes as a handler for Hono 4.8 and later, on every runtime that
 * Hono runs on.
 *
 * @module miftah/hono
 */

import type { Context, Env, MiddlewareHandler } from 'hono'
import type { StatusCode } from 'hono/utils/http-status'
import {
  createGuard,
  createScopeGuard,
  type GuardOptions,
  type HttpAnswer,
  type ScopeGuardOptions,
} from '../../src/http/index.ts'
import type { ApiKeys, AuthenticatedKey, Requirement } from '../../src/index.ts'
import { bytesOf, type CallBody, type Endpoint } from './lib/call.ts'
import { type Endpoints, endpointsFor } from './lib/endpoints/endpoints-for.ts'
import { reportFaults } from './lib/faults/report.ts'
import { addToVary } from './lib/headers.ts'
import type { ManageKeysOptions } from './lib/management/call.ts'
import { createManagement } from './lib/management/create-management.ts'
import { callOf, isUpgrade, linesOf, streamOf, toResponse } from './lib/web.ts'

export type * from './lib/host-types.ts'

/** What `requireKey` makes: middleware after which `c.var.apiKey` is the key, in its type too. */
export type KeyGuard<S extends string> = MiddlewareHandler<{
  /** The variables of the request. */
  Variables: {
    /** The key that was accepted, frozen. */
    readonly apiKey: AuthenticatedKey<S>
  }
}>

/**
 * `requireKey` of `miftah/fetch` as middleware: `app.get('/contacts', requireKey(keys, 'contacts.read'), …)`. The key is
 * at `c.var.apiKey`, frozen. A refused request is answered without touching its body. `Authorization` is added to
 * `Vary` also on the responses of `app.onError` and `app.notFound`.
 *
 * Throws as that one does, when it is mounted.
 */
export function requireKey<S extends string, T extends string = string>(
  keys: ApiKeys<S, T>,
  requirement: Requirement<NoInfer<S>>,
  options: GuardOptions<NoInfer<S>, Context, NoInfer<T>> = {},
): KeyGuard<S> {
  const guard = createGuard(keys, requirement, options)
  reportFaults(keys)
  return async (c, next) => {
    const verdict = await guard.check(c.req.method, linesOf(c.req.raw.headers), c)
    if (!verdict.ok) return refuse(c, verdict.answer)
    if (verdict.key !== null) c.set('apiKey', verdict.key)
    await next()
    // Added to the finished response: Hono drops headers set earlier when a handler returns its own.
    if (!isUpgrade(c.res)) addHeaders(c, { vary: guard.vary, ...verdict.headers })
  }
}

/**
 * `requireScope` of `miftah/fetch` as middleware for a route behind `requireKey`. Throws as `requireKey` does when it is
 * made. Without a `requireKey` before it the request fails with a `TypeError`.
 */
export function requireScope<S extends string, T extends string = string>(
  keys: ApiKeys<S, T>,
  requirement: Requirement<NoInfer<S>>,
  options: ScopeGuardOptions<NoInfer<S>, Context, NoInfer<T>> = {},
): KeyGuard<S> {
  const guard = createScopeGuard(keys, requirement, options)
  return async (c, next) => {
    const verdict = await guard.check(c.get('apiKey'), c)
    if (!verdict.ok) return refuse(c, verdict.answer)
    if (verdict.key !== null) c.set('apiKey', verdict.key)
    await next()
  }
}

/**
 * The routes of `manageKeys` in `miftah/fetch` as a handler; mount it on a path that ends with `/*`, behind whatever
 * middleware knows the session: `app.all('/api/settings/*', manageKeys(keys, { context }))`. `context` gets Hono's `c`.
 * The routes read and limit their own bodies; one that earlier middleware has read through `c.req` is taken from there.
 *
 * At the root it passes on requests that match no route.
 *
 * Throws a `TypeError` for a bad option. On a path they cannot be mounted on (an optional or a
 * constrained parameter, no `/*` at the end) every call throws one, which Hono answers with 500.
 */
export function manageKeys<S extends string, E extends Env = Env>(
  keys: ApiKeys<S>,
  options: ManageKeysOptions<Context<E, string>>,
): MiddlewareHandler<E, string> {
  const { answer, isElsewhere } = createManagement(keys, options)
  return async (c, next) => {
    const { pathname } = new URL(c.req.raw.url)
    const basePath = basePathIn(pathname, c.req.routePath)
    // At the root, where it would otherwise take the routes of others.
    if (isElsewhere({ basePath, pathname })) return next()
    return answered(answer, c, basePath)
  }
}

/** An endpoint as a handler. */
export type HonoEndpoint = (c: Context) => Promise<Response>

const endpoints = endpointsFor<Context, HonoEndpoint>((answer) => (c) => answered(answer, c))

async function answered<C extends Context>(answer: Endpoint<C>, c: C, basePath = '') {
  const call = callOf(c.req.raw, await bodyOf(c), basePath)
  return toResponse(await answer({ ...call, request: c }), c.req.method)
}

/**
 * `introspectKeys` of `miftah/fetch` as a handler; `authorize` gets Hono's `c`.
 */
export const introspectKeys: Endpoints<Context, HonoEndpoint>['introspectKeys'] =
  endpoints.introspectKeys

/** `revokeBySecret` of `miftah/fetch` as a handler. It is public: nobody has to sign in. */
export const revokeBySecret: Endpoints<Context, HonoEndpoint>['revokeBySecret'] =
  endpoints.revokeBySecret

/** `forwardAuth` of `miftah/fetch` as a handler; its functions get Hono's `c`. */
export const forwardAuth: Endpoints<Context, HonoEndpoint>['forwardAuth'] = endpoints.forwardAuth

/** Headers set by the host stay, except those that the answer sets itself. */
function refuse(c: Context, { status, headers, body }: HttpAnswer): Response {
  addHeaders(c, headers)
  // Set as well: `some` of Hono before 4.13 drops what a middleware returns.
  c.res = c.newResponse(body === '' ? null : body, status as StatusCode)
  return c.res
}

function addHeaders(c: Context, headers: HttpAnswer['headers']): void {
  for (const [name, value] of Object.entries(headers)) {
    const listed = () => c.res.headers.get(name) ?? undefined
    c.header(name, name === 'vary' ? addToVary(listed(), value) : value)
  }
}

const MOUNT = /^(?:\/[^/*?{}]+)*\/\*$/

/** The path in front of the `*` that the handler is mounted on. */
function basePathIn(pathname: string, routePath: string): string {
  if (!MOUNT.test(routePath)) {
    throw new TypeError('manageKeys: mount it on a path like /api/settings/*.')
  }
  return pathname.split('/', routePath.split('/').length - 1).join('/')
}

async function bodyOf({ req }: Context): Promise<CallBody> {
  if (!req.raw.bodyUsed) return streamOf(req.raw)
  try {
    return bytesOf(new Uint8Array(await req.arrayBuffer()))
  } catch {
    return 'lost'
  }
}
