import type { ApiKeys } from '../../../../src/index.ts'
import { ownOptions } from '../../../../src/lib/own-data.ts'
import { linesOf, streamOf, toResponse } from '../web.ts'
import type { ManageKeysOptions } from './call.ts'
import { createManagement } from './create-management.ts'
import { basePathOf } from './place.ts'

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
  const { basePath: own = '', context } = ownOptions(options)
  const basePath = own === '' ? '' : basePathOf(own)
  const management = createManagement(keys, options, { basePath: true })
  return async (request) => {
    const { pathname, search, host } = new URL(request.url)
    const answer = await management({
      method: request.method,
      basePath,
      pathname,
      query: search.slice(1),
      host,
      lines: linesOf(request.headers),
      body: streamOf(request),
      context: (operation, detail) => context(request, operation, detail),
    })
    return toResponse(answer, request.method)
  }
}
