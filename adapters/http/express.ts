import { type ApiKey, type ApiKeys, createGuard, type GuardOptions } from '../../src/index.ts'
import { headerLines, type NodeRequest } from './node/header-lines.ts'
import { keepVary, type NodeResponse, writeAnswer } from './node/response.ts'

declare global {
  namespace Express {
    interface Request {
      /** The key that `requireKey` has accepted; nothing on routes without it. */
      apiKey?: ApiKey
    }
  }
}

/**
 * What `requireKey` makes: middleware for Express, and for anything else that calls a function with
 * Node's own request and response. Typed by what it touches, so that the types of a route's
 * parameters stay as the route has them.
 */
export type KeyGuard = (
  req: NodeRequest & { apiKey?: ApiKey },
  res: NodeResponse,
  next: () => void,
) => Promise<void>

/**
 * Middleware that lets a request through only with a key that holds `requiredScope`; `null` accepts
 * any valid key. The key is at `req.apiKey`, frozen. A refused request is answered before its body
 * is read: 400, 401 or 403 by RFC 6750 §3, and 503 during an outage. Every response of the route
 * gets `Vary: Authorization`.
 *
 * Throws `unknown_scope` for a scope outside the catalogue and a `TypeError` for a bad realm, both
 * when it is mounted.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { createApiKeys, plans } from 'miftah'
 * import { requireKey } from 'miftah/express'
 * import { memoryStorage } from 'miftah/memory'
 *
 * const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.business })
 * const app = express()
 * app.get('/contacts', requireKey(keys, 'contacts.read'), (req, res) => {
 *   res.json({ workspace: req.apiKey?.workspaceId })
 * })
 * ```
 */
export function requireKey<S extends string>(
  keys: ApiKeys<S>,
  requiredScope: NoInfer<S> | null,
  options: GuardOptions = {},
): KeyGuard {
  const guard = createGuard(keys, requiredScope, options)
  return async (req, res, next) => {
    if (res.headersSent) return
    keepVary(res)
    const verdict = await guard.check(req.method ?? '', headerLines(req))
    // Someone else, a time-out for example, may have answered meanwhile.
    if (res.headersSent) return
    if (!verdict.ok) return writeAnswer(res, verdict.answer)
    req.apiKey = verdict.key
    next()
  }
}
