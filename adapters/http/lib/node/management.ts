import type { ApiKeys } from '../../../../src/index.ts'
import { ownOptions } from '../../../../src/lib/own-data.ts'
import type { ManageKeysOptions } from '../management/call.ts'
import { createManagement } from '../management/create-management.ts'
import { basePathOf, isElsewhere, type Place, routeFinder } from '../management/place.ts'
import { nodeCall, readBody, splitTarget } from './call.ts'
import type { NodeRequest } from './header-lines.ts'
import { type NodeResponse, writeAnswer } from './response.ts'
import { discardRest } from './rest.ts'

/** The management routes as middleware: it answers calls of its own, and passes on all others. */
export type ManagementMiddleware<R extends NodeRequest> = (
  req: R,
  res: NodeResponse,
  next: () => void,
) => Promise<void>

/** The management routes as middleware, below the option `basePath` or, without it, where the host says. */
export function nodeManagement<S extends string, R extends NodeRequest>(
  keys: ApiKeys<S>,
  options: ManageKeysOptions<R> & { readonly basePath?: string },
  placeIn?: (request: R) => Place,
): ManagementMiddleware<R> {
  const find = routeFinder(keys)
  const management = createManagement(keys, options, { basePath: true }, find)
  const { context, basePath } = ownOptions(options)
  const placeOf = basePath === undefined && placeIn ? placeIn : placeBelow(basePath ?? '')
  return async (request, response, next) => {
    const place = placeOf(request)
    if (isElsewhere(place, find)) return next()
    if (response.headersSent) return
    const call = nodeCall({
      ...place,
      request,
      body: readBody(request),
      context: (operation, detail) => context(request, operation, detail),
    })
    const answer = await management(call)
    if (!response.headersSent) writeAnswer(response, answer)
    discardRest(request)
  }
}

/** Whatever the middleware is mounted on: there `url` lacks that path. */
function placeBelow(basePath: string): (request: NodeRequest) => Place {
  const base = basePathOf(basePath)
  return (request: NodeRequest & { readonly originalUrl?: string }) => {
    const target = request.originalUrl ?? request.url ?? ''
    return { basePath: base, pathname: splitTarget(target).path }
  }
}
