/**
 * The endpoint for GitHub's secret-scanning alerts, which revokes the keys that GitHub has found in
 * public. `miftah/express` and `miftah/fastify` have the same for their hosts.
 *
 * @module miftah/secret-scanning
 */

import type { ApiKeys } from '../../src/index.ts'
import { onlyFor } from './lib/called-by.ts'
import { createReceiver, type RevokeLeakedKeysOptions } from './lib/secret-scanning/receiver.ts'
import { linesOf, streamOf, toResponse } from './lib/web.ts'

export type { LeakedKey, RevokeLeakedKeysOptions } from './lib/secret-scanning/receiver.ts'

/**
 * The endpoint for GitHub's secret-scanning alerts as one Web-standard handler; mount it at the URL
 * registered with GitHub. A delivery must be signed by GitHub: ECDSA on P-256 over the bytes of the
 * body. Every key whose secret it names is then revoked, whatever the plan of its workspace, with
 * `github-secret-scanning` as the actor in the audit log. The answer is the list that GitHub asks
 * for: which finds were keys, each secret by its SHA-256. Repeated and concurrent deliveries change
 * nothing more and get the same answer.
 *
 * Failures are problems (RFC 9457): 403 for a bad signature, 413 over 1 MiB, 400 and 422 for a body
 * without alerts, 503 with `Retry-After` when a key could not be revoked or GitHub's public keys
 * cannot be fetched; a key that fails does not affect the others. None repeats any part of the
 * request; the handler never rejects. Throws a `TypeError` for a bad option.
 *
 * @example
 * ```ts
 * import { createApiKeys, plans } from 'miftah'
 * import { memoryStorage } from 'miftah/memory'
 * import { revokeLeakedKeys } from 'miftah/secret-scanning'
 *
 * const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.business })
 * const handler = revokeLeakedKeys(keys, {
 *   onLeak: ({ key, url }) => void [key.creator.id, key.prefix, url],
 * })
 * const alert = new Request('https://example.com/github/alerts', { method: 'POST', body: '[]' })
 * const response = await handler(alert)
 * response.status //=> 403
 * ```
 */
export function revokeLeakedKeys<S extends string>(
  keys: ApiKeys<S>,
  options: RevokeLeakedKeysOptions<S> = {},
): (request: Request) => Promise<Response> {
  const receive = createReceiver(keys, options)
  return onlyFor('fetch', 'revokeLeakedKeys', async (request) => {
    const { method, headers } = request
    const answer = await receive({ method, lines: linesOf(headers), body: streamOf(request) })
    return toResponse(answer, method)
  })
}
