/**
 * The guard as an `onRequest` hook and the management routes as a plugin, for Fastify 5 over HTTP/1.1
 * and HTTP/2.
 *
 * @module miftah/fastify
 */

import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import {
  createGuard,
  createScopeGuard,
  type GuardOptions,
  type ScopeGuardOptions,
} from '../../src/http/index.ts'
import type { ApiKeys, AuthenticatedKey, Requirement } from '../../src/index.ts'
import { propertyOf } from '../../src/lib/own-data.ts'
import type { CallBody, Endpoint } from './lib/call.ts'
import { type Endpoints, endpointsFor } from './lib/endpoints/endpoints-for.ts'
import { reportFaults } from './lib/faults/report.ts'
import { secured } from './lib/headers.ts'
import type { ManageKeysOptions } from './lib/management/call.ts'
import { createManagement } from './lib/management/create-management.ts'
import { refusals } from './lib/management/refusal.ts'
import { headerLines, type NodeRequest } from './lib/node/header-lines.ts'
import { FASTIFY, type Reply } from './lib/node/side.ts'
import { discardRest, nodeCall, splitTarget, streamBody } from './lib/node/to-node.ts'

export type * from './lib/host-types.ts'
export type { NodeRequest } from './lib/node/header-lines.ts'
export type { NodeResponse, Reply } from './lib/node/side.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The key that `requireKey` accepted; absent on routes without it. */
    apiKey?: AuthenticatedKey
  }
}

/**
 * What `requireKey` makes: an `onRequest` hook, for HTTP/1.1 and HTTP/2 alike. It calls `done` if it
 * need not wait, and otherwise returns a promise. A hook of your own may call it without `done` and
 * await it.
 */
export type KeyGuard = (
  request: { readonly method: string; readonly raw: NodeRequest; apiKey?: AuthenticatedKey },
  reply: Reply,
  done?: () => void,
) => undefined | Promise<unknown>

/**
 * `requireKey` of `miftah/fetch` as an `onRequest` hook:
 * `app.get('/contacts', { onRequest: requireKey(keys, 'contacts.read') }, …)`. The key is at `request.apiKey`, frozen;
 * no plugin has to be registered. A refused request is answered before its body is read. The header lines are read as
 * they came, whatever middleware has made of `request.headers`.
 *
 * Throws as that one does, when it is mounted.
 */
export function requireKey<S extends string, T extends string = string>(
  keys: ApiKeys<S, T>,
  requirement: Requirement<NoInfer<S>>,
  options: GuardOptions<NoInfer<S>, FastifyRequest, NoInfer<T>> = {},
): KeyGuard {
  const guard = createGuard(keys, requirement, options)
  reportFaults(keys)
  return (request, reply, done) => {
    if (reply.sent) return
    FASTIFY.add(reply, { vary: guard.vary })
    const { method, raw } = request
    const verdict = guard.check(method, headerLines(raw), request as unknown as FastifyRequest)
    if (verdict instanceof Promise)
      return verdict.then((decided) => answered(decided, request, reply))
    if (FASTIFY.passes(verdict, request, reply)) done?.()
  }
}

/**
 * `requireScope` of `miftah/fetch` as an `onRequest` hook for a route behind `requireKey`. Throws as `requireKey` does
 * when it is made. Without a `requireKey` before it the request fails with a `TypeError`.
 */
export function requireScope<S extends string, T extends string = string>(
  keys: ApiKeys<S, T>,
  requirement: Requirement<NoInfer<S>>,
  options: ScopeGuardOptions<NoInfer<S>, FastifyRequest, NoInfer<T>> = {},
): KeyGuard {
  const guard = createScopeGuard(keys, requirement, options)
  return async (request, reply) => {
    if (reply.sent) return reply
    const key = propertyOf(request, 'apiKey')
    const verdict = await guard.check(key, request as unknown as FastifyRequest)
    return answered(verdict, request, reply)
  }
}

/** The reply if there is nothing left for the route to do. */
function answered(...[verdict, request, reply]: Parameters<typeof FASTIFY.passes>) {
  return FASTIFY.passes(verdict, request, reply) ? undefined : reply
}

/** What Fastify is given when it registers the routes. */
export interface PluginOptions {
  /** The path below which they are mounted. Default: none. */
  readonly prefix?: string
}

/**
 * The routes of `manageKeys` in `miftah/fetch` as a plugin; register it with their `prefix`:
 * `app.register(manageKeys(keys, { context }), { prefix: '/api/settings' })`. `context` gets the request of Fastify,
 * after the host's hooks up to `preHandler`. Inside the plugin no content-type parser of the host's applies: the routes
 * read and limit their own bodies.
 *
 * Throws a `TypeError` for a bad option.
 */
export function manageKeys<S extends string, R extends FastifyRequest = FastifyRequest>(
  keys: ApiKeys<S>,
  options: ManageKeysOptions<R>,
): EndpointPlugin {
  return pluginOf(createManagement(keys, options).answer as Endpoint<FastifyRequest>)
}

/** An endpoint as a plugin. */
export type EndpointPlugin = FastifyPluginAsync<PluginOptions>

const endpoints = endpointsFor<FastifyRequest, EndpointPlugin>(pluginOf)

/**
 * `introspectKeys` of `miftah/fetch` as a plugin; `authorize` gets the request of Fastify. Inside the plugin
 * no content-type parser of the host's applies.
 */
export const introspectKeys: Endpoints<FastifyRequest, EndpointPlugin>['introspectKeys'] =
  endpoints.introspectKeys

/** `revokeBySecret` of `miftah/fetch` as a plugin. It is public: nobody has to sign in. */
export const revokeBySecret: Endpoints<FastifyRequest, EndpointPlugin>['revokeBySecret'] =
  endpoints.revokeBySecret

/** `forwardAuth` of `miftah/fetch` as a plugin; its functions get the request of Fastify. */
export const forwardAuth: Endpoints<FastifyRequest, EndpointPlugin>['forwardAuth'] =
  endpoints.forwardAuth

/** A plugin in which one endpoint answers every request, with the body as it came: Envoy appends the original path. */
function pluginOf(answer: Endpoint<FastifyRequest>): EndpointPlugin {
  return async (instance) => {
    const depth = depthOf(instance.prefix)
    assertFastify5(instance)
    takeBodies(instance)
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const pathname = splitTarget(request.url).path
      // The prefix may have parameters in it.
      const basePath = pathname.split('/', depth + 1).join('/')
      const call = nodeCall(request.raw, bodyOf(request.body))
      const answered = await answer({ ...call, basePath, pathname, request })
      if (!reply.sent) FASTIFY.write(reply, answered)
      // A `preParsing` hook may have put a stream of its own in front of the request.
      if (isStream(request.body)) request.body.resume()
      discardRest(request.raw)
      return reply
    }
    for (const url of ['/', '/*']) {
      instance.route({ method: instance.supportedMethods, url, handler })
    }
  }
}

/**
 * How many segments a prefix has. Throws a `TypeError` for one under which Fastify would answer 404 to
 * everything: it decodes a path before it looks for the route.
 */
function depthOf(prefix: string): number {
  // The expression of a parameter may hold any character.
  const path = prefix.replace(/\([^)]*\)/g, '')
  if (/[?#]|%[0-9a-f]{2}|\/\.{1,2}(?:\/|$)/i.test(path)) {
    throw new TypeError(
      'The prefix must not be percent-encoded or contain a query, a fragment or dot segments.',
    )
  }
  return prefix.replace(/\/+$/, '').split('/').length - 1
}

/** Has the routes of a plugin get bodies as streams. */
function takeBodies(instance: FastifyInstance): void {
  instance.removeAllContentTypeParsers()
  instance.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  instance.setErrorHandler(async (error, request, reply) => {
    // Errors of the host's own hooks are the host's.
    if (Object(error).code !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE' || !(error instanceof Error))
      throw error
    // An invalid content type ends here. `preHandler` has not run, so the session may be unknown.
    discardRest(request.raw)
    FASTIFY.write(reply, secured(refusals.notJson().answer))
    return reply
  })
}

/** Fastify 4 cannot list its methods, and would refuse the route without a reason. */
function assertFastify5({ supportedMethods }: { readonly supportedMethods?: readonly string[] }) {
  if (supportedMethods === undefined) throw new TypeError('miftah/fastify needs Fastify 5.')
}

/** The stream from the plugin's own parser, what a hook of the host has made of it, or nothing. */
function bodyOf(body: unknown): CallBody {
  if (isStream(body)) return streamBody(body)
  return body == null ? null : { parsed: body }
}

function isStream(body: unknown): body is Readable {
  return typeof Object(body).iterator === 'function' && typeof Object(body).resume === 'function'
}
