import type { ApiKeys, HttpAnswer } from '../../../../src/index.ts'
import { secured } from '../secured.ts'
import { tell } from '../tell.ts'
import type { ContextAnswer, ManageKeysOptions, ManagementCall, ManagementContext } from './call.ts'
import { OPERATIONS } from './operations.ts'
import { isInternal, problemOf } from './problems.ts'
import { refusals } from './refusal.ts'
import { allowOf, findRoute, operationOf } from './routes.ts'
import { isSameSite, originSet } from './same-site.ts'

/** Answers management calls for any host; never rejects. */
export type Management = (call: ManagementCall) => Promise<HttpAnswer>

/**
 * The management routes as one function. The order of a call: route (404), method (405), the site it
 * comes from (403), who asks (401, 403), and only then its query and body.
 */
export function createManagement<S extends string>(
  keys: ApiKeys<S>,
  { allowedOrigins = [], onError }: Omit<ManageKeysOptions<never>, 'context'>,
): Management {
  const origins = originSet(allowedOrigins)
  return async (call) => {
    try {
      return secured(await respond(keys, call, origins))
    } catch (error) {
      const answer = problemOf(error)
      if (isInternal(answer)) tell(onError, error)
      return secured(answer)
    }
  }
}

async function respond<S extends string>(
  keys: ApiKeys<S>,
  call: ManagementCall,
  origins: ReadonlySet<string>,
): Promise<HttpAnswer> {
  const found = findRoute(call.path)
  if (found === null) throw refusals.notFound()
  const operation = operationOf(found.route, call.method)
  if (operation === null) throw refusals.methodNotAllowed(allowOf(found.route))
  if (call.method === 'POST' && !isSameSite(call, origins)) throw refusals.anotherSite()
  const context = checkContext(await call.context(operation))
  return OPERATIONS[operation]({ keys, call, context, id: found.id })
}

/** A context that forgets to answer is nobody, not everybody. */
function checkContext(answer: ContextAnswer): ManagementContext {
  if (answer === null || answer === undefined) throw refusals.unauthenticated()
  if (answer === 'forbidden') throw refusals.forbidden()
  const { workspaceId, user } = answer
  if (!isText(workspaceId) || !isText(user?.id) || !isText(user.name)) {
    throw new TypeError('manageKeys: "context" must answer { workspaceId, user: { id, name } }.')
  }
  return { workspaceId, user: { id: user.id, name: user.name } }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
