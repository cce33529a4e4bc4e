/**
 * The guard and the management routes as middleware for Express 4 and 5. The guard also works with anything
 * else that calls functions with Node's own request and response, over HTTP/1.1 and HTTP/2.
 *
 * @module miftah/express
 */

import type { Request, Response } from 'express'
import {
  createGuard,
  createScopeGuard,
  type GuardOptions,
  type GuardVerdict,
  type ScopeGuardOptions,
} from '../../src/http/index.ts'
import type { ApiKeys, AuthenticatedKey, Requirement } from '../../src/index.ts'
import { propertyOf } from '../../src/lib/own-data.ts'
import type { Endpoint } from './lib/call.ts'
import { type Endpoints, endpointsFor } from './lib/endpoints/endpoints-for.ts'
import { reportFaults } from './lib/faults/report.ts'
import type { ManageKeysOptions } from './lib/management/call.ts'
import { headerLines, type NodeRequest } from './lib/node/header-lines.ts'
import { NODE, type NodeResponse } from './lib/node/side.ts'
import { type EndpointMiddleware, manageOnNode, splitTarget, toNode } from './lib/node/to-node.ts'

export type * from './lib/host-types.ts'
export type { NodeRequest } from './lib/node/header-lines.ts'
export type { NodeResponse } from './lib/node/side.ts'
export type { EndpointMiddleware } from './lib/node/to-node.ts'

declare global {
  namespace Express {
    interface Request {
      /** The key that `requireKey` accepted; absent on routes without it. */
      apiKey?: AuthenticatedKey
    }
  }
}

/**
 * What `requireKey` makes: middleware for Express, and for anything else that calls a function with
 * Node's own request and response. Typed by what it touches, so that the types of a route's
 * parameters stay as the route has them.
 */
export type KeyGuard = (
  req: NodeRequest & { apiKey?: AuthenticatedKey },
  res: NodeResponse,
  next: (error?: unknown) => void,
) => void | Promise<void>

/**
 * `requireKey` of `miftah/fetch` as middleware: `app.get('/contacts', requireKey(keys, 'contacts.read'), …)`. The
 * key is at `req.apiKey`, frozen. A refused request is answered before its body is read. The header lines are read
 * as they came, whatever middleware has made of `req.headers`.
 *
 * Throws as that one does, when it is mounted.
 */
export function requireKey<S extends string, T extends string = string>(
  keys: ApiKeys<S, T>,
  requirement: Requirement<NoInfer<S>>,
  options: GuardOptions<NoInfer<S>, Request, NoInfer<T>> = {},
): KeyGuard {
  const guard = createGuard(keys, requirement, options)
  reportFaults(keys)
  return (req, res, next) => {
    if (res.headersSent) return
    NODE.add(res, { vary: guard.vary })
    const carryOut = (verdict: GuardVerdict) => {
      if (NODE.passes(verdict, req, res)) next()
    }
    const verdict = guard.check(req.method ?? '', headerLines(req), req as Request)
    return verdict instanceof Promise ? verdict.then(carryOut) : carryOut(verdict)
  }
}

/**
 * `requireScope` of `miftah/fetch` as middleware for a route behind `requireKey`. Throws as `requireKey` does when it
 * is made. Without a `requireKey` before it the request fails with a `TypeError`.
 */
export function requireScope<S extends string, T extends string = string>(
  keys: ApiKeys<S, T>,
  requirement: Requirement<NoInfer<S>>,
  options: ScopeGuardOptions<NoInfer<S>, Request, NoInfer<T>> = {},
): KeyGuard {
  const guard = createScopeGuard(keys, requirement, options)
  return async (req, res, next) => {
    if (res.headersSent) return
    try {
      const verdict = await guard.check(propertyOf(req, 'apiKey'), req as Request)
      if (!NODE.passes(verdict, req, res)) return
    } catch (error) {
      return next(error)
    }
    next()
  }
}

/**
 * The routes of `manageKeys` in `miftah/fetch` as middleware; mount it at their path:
 * `app.use('/api/settings', manageKeys(keys, { context }))`. `context` gets the request of Express, with whatever
 * session middleware has added to it. Mount it before `express.json()`: it reads and limits its own bodies. It also
 * works behind one, but then the host's error page answers a body that is not JSON.
 *
 * With `basePath` it can be mounted at the root, and passes on what is elsewhere.
 *
 * Throws a `TypeError` for a bad option, and when it is mounted at the root without `basePath`.
 */
export function manageKeys<S extends string, R extends Request = Request>(
  keys: ApiKeys<S>,
  options: ManageKeysOptions<R> & {
    /** The whole path the routes live under, as `/api/settings`. Default: where they are mounted. */
    readonly basePath?: string
  },
): (req: Request, res: Response, next: (error?: unknown) => void) => void | Promise<void> {
  // Express does not know what earlier middleware has added; the host does.
  const own = options as ManageKeysOptions<Request> & { readonly basePath?: string }
  const manage = manageOnNode(keys, own, placeIn)
  if (propertyOf(own, 'basePath') !== undefined) return manage
  // Express does not wait for an application.
  return refusingRoot((req, res, next) =>
    req.baseUrl ? manage(req, res, next).catch(next) : next(atRoot()),
  )
}

type KeyManagement = ReturnType<typeof manageKeys>

const placeIn = (req: Request) => ({
  basePath: req.baseUrl,
  pathname: req.baseUrl + splitTarget(req.url).path,
})

/** Express tells where it is mounted to whatever looks like an application. */
function refusingRoot(middleware: KeyManagement): KeyManagement {
  const application = Object.assign(middleware, {
    handle: middleware,
    set: true,
    mountpath: '' as string | readonly string[],
    emit() {
      if ([application.mountpath].flat().includes('/')) throw atRoot()
    },
  })
  return application
}

function atRoot(): TypeError {
  return new TypeError(
    'manageKeys: mounted at the root it would answer every path. Give it a path, as in ' +
      'app.use("/api/settings", manageKeys(…)), or set "basePath".',
  )
}

const endpoints = endpointsFor<Request, EndpointMiddleware>(
  toNode as (answer: Endpoint<Request>) => EndpointMiddleware,
)

/**
 * `introspectKeys` of `miftah/fetch` as middleware; `authorize` gets the request of Express. Mount it before
 * a parser of forms, or behind one.
 */
export const introspectKeys: Endpoints<Request, EndpointMiddleware>['introspectKeys'] =
  endpoints.introspectKeys

/** `revokeBySecret` of `miftah/fetch` as middleware. It is public: nobody has to sign in. */
export const revokeBySecret: Endpoints<Request, EndpointMiddleware>['revokeBySecret'] =
  endpoints.revokeBySecret

/** `forwardAuth` of `miftah/fetch` as middleware; its functions get the request of Express. */
export const forwardAuth: Endpoints<Request, EndpointMiddleware>['forwardAuth'] =
  endpoints.forwardAuth
