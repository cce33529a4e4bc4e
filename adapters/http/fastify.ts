import type {} from 'fastify'
import { type ApiKey, type ApiKeys, createGuard, type GuardOptions } from '../../src/index.ts'
import { headerLines, type NodeRequest } from './node/header-lines.ts'
import { type Reply, sendAnswer } from './node/reply.ts'
import { keepVary } from './node/response.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The key that `requireKey` has accepted; nothing on routes without it. */
    apiKey?: ApiKey
  }
}

/** What `requireKey` makes: an `onRequest` hook, for HTTP/1.1 and HTTP/2 alike. */
export type KeyGuard = (
  request: { readonly method: string; readonly raw: NodeRequest; apiKey?: ApiKey },
  reply: Reply,
) => Promise<unknown>

/**
 * An `onRequest` hook that lets a request through only with a key that holds `requiredScope`; `null`
 * accepts any valid key. The key is at `request.apiKey`, frozen; no plugin has to be registered. A
 * refused request is answered before its body is read: 400, 401 or 403 by RFC 6750 §3, and 503
 * during an outage. Every response of the route gets `Vary: Authorization`.
 *
 * Throws `unknown_scope` for a scope outside the catalogue and a `TypeError` for a bad realm, both
 * when it is mounted.
 *
 * @example
 * ```ts
 * import fastify from 'fastify'
 * import { createApiKeys, plans } from 'miftah'
 * import { requireKey } from 'miftah/fastify'
 * import { memoryStorage } from 'miftah/memory'
 *
 * const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.business })
 * const app = fastify()
 * app.get('/contacts', { onRequest: requireKey(keys, 'contacts.read') }, async (request) => ({
 *   workspace: request.apiKey?.workspaceId,
 * }))
 * ```
 */
export function requireKey<S extends string>(
  keys: ApiKeys<S>,
  requiredScope: NoInfer<S> | null,
  options: GuardOptions = {},
): KeyGuard {
  const guard = createGuard(keys, requiredScope, options)
  return async (request, reply) => {
    if (reply.sent) return reply
    keepVary(reply.raw)
    const verdict = await guard.check(request.method, headerLines(request.raw))
    // Someone else, a time-out for example, may have answered meanwhile.
    if (reply.sent) return reply
    if (!verdict.ok) return sendAnswer(reply, verdict.answer)
    request.apiKey = verdict.key
    return undefined
  }
}
