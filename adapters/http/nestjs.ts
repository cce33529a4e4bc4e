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
import { type Exchange, exchangeOf } from './lib/nestjs/exchange.ts'
import { headerLines, type NodeRequest } from './lib/node/header-lines.ts'
import type { KeyHolder } from './lib/node/side.ts'
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
 * A guard that lets a request through only with a key that meets `requirement`; `null` accepts any
 * valid key. Give it to `@UseGuards` or `app.useGlobalGuards`; it runs on Express and on Fastify.
 * The key is at `request.apiKey`, frozen, and injected by `@CurrentKey()`. A refused request is
 * answered by the guard itself: 400, 401 or 403 by RFC 6750 §3, and 503 during an outage; no
 * exception filter runs, so that these answers are the same everywhere. It adds `Authorization` to
 * `Vary`.
 *
 * The guard reads no body, but NestJS parses bodies before any guard, unless the application is
 * created with `bodyParser: false`.
 *
 * It reads the header lines as they came, whatever middleware has made of its headers. Put one on a route: a
 * second looks the key up, counts a use and asks the limiter again.
 *
 * Throws `unknown_scope` for a scope outside the catalogue and a `TypeError` for a bad option, both
 * when it is made; and a `TypeError` for what is not HTTP, when it is called.
 *
 * @example
 * ```ts
 * import { Controller, Get, UseGuards } from '@nestjs/common'
 * import { type AuthenticatedKey, createApiKeys, plans } from 'miftah'
 * import { memoryStorage } from 'miftah/memory'
 * import { CurrentKey, requireKey } from 'miftah/nestjs'
 *
 * const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.business })
 *
 * @Controller('contacts')
 * export class ContactsController {
 *   @Get()
 *   @UseGuards(requireKey(keys, 'contacts.read'))
 *   list(@CurrentKey() key: AuthenticatedKey) {
 *     return { workspace: key.workspaceId }
 *   }
 * }
 * ```
 */
export function requireKey<S extends string, R = unknown, T extends string = string>(
  keys: ApiKeys<S, T>,
  requirement: Requirement<NoInfer<S>>,
  options: GuardOptions<NoInfer<S>, R, NoInfer<T>> = {},
): KeyGuard {
  const guard = createGuard<S, R>(keys, requirement, options)
  reportFaults(keys)
  return guarding((exchange) => {
    exchange.varyBy(guard.vary)
    const { request, holder } = exchange
    return guard.check(request.method ?? '', headerLines(request), holder as R)
  })
}

/**
 * A guard for one route behind a `requireKey` that guards many: the key must also meet `requirement`, or the
 * answer is 403 (RFC 6750 §3.1). The request still costs one lookup and counts as one use.
 *
 * Throws as `requireKey` does when it is made. Without a `requireKey` before it NestJS answers 500.
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
 *
 * @example
 * ```ts
 * import { Module } from '@nestjs/common'
 * import { NestFactory } from '@nestjs/core'
 * import { createApiKeys, plans } from 'miftah'
 * import { memoryStorage } from 'miftah/memory'
 * import { manageKeys } from 'miftah/nestjs'
 *
 * const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.business })
 * const user = { id: 'u_1', name: 'نورة' }
 *
 * @Module({})
 * class AppModule {}
 *
 * const app = await NestFactory.create(AppModule, { logger: false })
 * app.use(
 *   manageKeys(keys, {
 *     basePath: '/api/settings',
 *     context: (req) => (req.headers.cookie === undefined ? null : { workspaceId: 'ws_1', user }),
 *   }),
 * )
 * ```
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

function exchangeIn(context: ExecutionContext): Exchange {
  if (context.getType() !== 'http') throw new TypeError('requireKey: guards HTTP routes only.')
  const http = context.switchToHttp()
  return exchangeOf(http.getRequest(), http.getResponse())
}

function guarding(check: (exchange: Exchange) => GuardVerdict | Promise<GuardVerdict>): KeyGuard {
  return Object.freeze({
    async canActivate(context: ExecutionContext): Promise<boolean> {
      const exchange = exchangeIn(context)
      if (exchange.isAnswered()) return answered()
      return exchange.passes(await check(exchange)) || answered()
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
