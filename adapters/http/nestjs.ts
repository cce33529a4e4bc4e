/**
 * The guard, the decorator that returns its key, and the management routes as middleware for NestJS
 * 10 to 12, on Express and on Fastify.
 *
 * @module miftah/nestjs
 */

import { createParamDecorator, type ExecutionContext } from '@nestjs/common'
import {
  createGuard,
  createScopeGuard,
  type GuardOptions,
  type GuardVerdict,
  type ScopeGuardOptions,
} from '../../src/http/index.ts'
import type { ApiKeys, AuthenticatedKey, Requirement } from '../../src/index.ts'
import { propertyOf } from '../../src/lib/own-data.ts'
import { type Endpoints, endpointsFor } from './lib/endpoints/endpoints-for.ts'
import { reportFaults } from './lib/faults/report.ts'
import type { ManageKeysOptions } from './lib/management/call.ts'
import { headerLines, type NodeRequest } from './lib/node/header-lines.ts'
import { FASTIFY, type KeyHolder, NODE } from './lib/node/side.ts'
import {
  type EndpointMiddleware,
  type ManagementMiddleware,
  manageOnNode,
  toNode,
} from './lib/node/to-node.ts'

export type * from './lib/host-types.ts'
export type { NodeRequest } from './lib/node/header-lines.ts'
export type { NodeResponse } from './lib/node/side.ts'
export type { EndpointMiddleware, ManagementMiddleware } from './lib/node/to-node.ts'

/** What `requireKey` makes: a `CanActivate` that needs no injection. */
export interface KeyGuard {
  /** Whether the request holds the key; while it does not, nothing behind the guard runs. */
  canActivate(context: ExecutionContext): Promise<boolean>
}

/**
 * `requireKey` of `miftah/fetch` as a guard, on Express and on Fastify: `@UseGuards(requireKey(keys, 'contacts.read'))`
 * or `app.useGlobalGuards(requireKey(keys, null))`. The key is at `request.apiKey`, frozen, and injected by
 * `@CurrentKey()`. The guard itself answers a refused request; no
 * exception filter runs, so that these answers are the same everywhere. The header lines are read as they came.
 *
 * The guard reads no body, but NestJS parses bodies before any guard, unless the application is
 * created with `bodyParser: false`.
 *
 * Throws as that one does when it is made, and a `TypeError` for what is not HTTP when it is called.
 */
export function requireKey<S extends string, R = unknown, T extends string = string>(
  keys: ApiKeys<S, T>,
  requirement: Requirement<NoInfer<S>>,
  options: GuardOptions<NoInfer<S>, R, NoInfer<T>> = {},
): KeyGuard {
  const guard = createGuard<S, R>(keys, requirement, options)
  reportFaults(keys)
  return guarding(({ request, holder, response, side }) => {
    side.add(response, { vary: guard.vary })
    return guard.check(request.method ?? '', headerLines(request), holder as R)
  })
}

/**
 * `requireScope` of `miftah/fetch` as a guard for a route behind `requireKey`. Throws as `requireKey` does when it is
 * made. Without a `requireKey` before it NestJS answers 500.
 */
export function requireScope<S extends string, R = unknown, T extends string = string>(
  keys: ApiKeys<S, T>,
  requirement: Requirement<NoInfer<S>>,
  options: ScopeGuardOptions<NoInfer<S>, R, NoInfer<T>> = {},
): KeyGuard {
  const guard = createScopeGuard<S, R>(keys, requirement, options)
  return guarding(({ holder }) => guard.check(propertyOf(holder, 'apiKey'), holder as R))
}

/**
 * A parameter decorator that injects the key that `requireKey` accepted, frozen. It also works with
 * `requireKey` of `miftah/express` and `miftah/fastify`.
 *
 * On a route without such a guard it throws a `TypeError`, which NestJS answers with 500.
 */
export const CurrentKey: () => ParameterDecorator = createParamDecorator(keyOf)

/** How the management routes are set up in NestJS, whose middleware sees requests of type `R`. */
export interface ManageKeysNestOptions<R extends NodeRequest> extends ManageKeysOptions<R> {
  /**
   * The path the routes live under, as clients call it: `/api/settings`; percent-encoded or not. Global
   * prefixes included.
   */
  readonly basePath: string
}

/**
 * The routes of `manageKeys` in `miftah/fetch` as functional middleware, for Express and Fastify
 * alike. It answers calls below `basePath` and passes on all others. Give it to `app.use` before
 * `app.listen`: there it comes before the body parser of NestJS, and reads and limits its own bodies.
 * Or to `consumer.apply` of a module, where `context` can use what was injected; on Express a body
 * has been parsed by then.
 *
 * `context` gets the request as middleware sees it: that of Express, or on Fastify the one of Node.
 * Guards run later, so it must find the session by itself.
 *
 * Throws a `TypeError` for a bad option.
 */
export function manageKeys<S extends string, R extends NodeRequest = NodeRequest>(
  keys: ApiKeys<S>,
  options: ManageKeysNestOptions<R>,
): ManagementMiddleware<R> {
  return manageOnNode(keys, options)
}

const endpoints = endpointsFor<NodeRequest, EndpointMiddleware>(toNode)

/**
 * `introspectKeys` of `miftah/fetch` as functional middleware, for Express and Fastify alike. Give it to
 * `app.use` with its path, before `app.listen`. `authorize` gets the request as middleware sees it.
 */
export const introspectKeys: Endpoints<NodeRequest, EndpointMiddleware>['introspectKeys'] =
  endpoints.introspectKeys

/** `revokeBySecret` of `miftah/fetch` as functional middleware. It is public: nobody has to sign in. */
export const revokeBySecret: Endpoints<NodeRequest, EndpointMiddleware>['revokeBySecret'] =
  endpoints.revokeBySecret

/** `forwardAuth` of `miftah/fetch` as functional middleware; its functions get the request as it sees it. */
export const forwardAuth: Endpoints<NodeRequest, EndpointMiddleware>['forwardAuth'] =
  endpoints.forwardAuth

type Exchange = ReturnType<typeof exchangeIn>

/** A request and its response, whichever platform NestJS runs on: Fastify wraps Node's, Express extends them. */
function exchangeIn(context: ExecutionContext) {
  if (context.getType() !== 'http') throw new TypeError('requireKey: guards HTTP routes only.')
  const http = context.switchToHttp()
  const [holder, response] = [http.getRequest<KeyHolder>(), http.getResponse()]
  return 'writeHead' in response
    ? { holder, response, request: holder as NodeRequest, side: NODE }
    : { holder, response, request: (holder as { raw: NodeRequest }).raw, side: FASTIFY }
}

function guarding(check: (exchange: Exchange) => GuardVerdict | Promise<GuardVerdict>): KeyGuard {
  return Object.freeze({
    async canActivate(context: ExecutionContext): Promise<boolean> {
      const exchange = exchangeIn(context)
      const { holder, response, side } = exchange
      if (side.isAnswered(response)) return answered()
      return side.passes(await check(exchange), holder, response) || answered()
    },
  })
}

/**
 * A guard can only accept, or refuse and have NestJS answer. After an answer neither must happen:
 * filters would write a second one. So NestJS waits for a promise that never settles; nothing refers
 * to it, and it is garbage-collected.
 */
function answered(): Promise<never> {
  return new Promise(() => {})
}

function keyOf(_data: unknown, context: ExecutionContext): AuthenticatedKey {
  const apiKey = propertyOf(context.switchToHttp().getRequest<KeyHolder>(), 'apiKey')
  if (apiKey === undefined) {
    throw new TypeError('CurrentKey: no requireKey guards this route.')
  }
  return apiKey
}
