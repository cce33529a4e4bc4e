import type { HttpAnswer } from '../../../../src/http/index.ts'
import { type ApiKeys, OutageError, type Person } from '../../../../src/index.ts'
import { errorReporter } from '../faults/report.ts'
import { ownOptions, propertyOf } from '../property.ts'
import { secured } from '../secured.ts'
import type { ContextAnswer, ManageKeysOptions, ManagementCall, ManagementContext } from './call.ts'
import { HANDLERS } from './handlers.ts'
import { isInternal, problemOf } from './problems.ts'
import { refusals } from './refusal.ts'
import { allowOf, findRoute, operationOf } from './routes.ts'
import { isSafe, isSameSite, originSet } from './same-site.ts'
import { isMeantFor } from './shown-workspace.ts'
import { OPERATIONS } from './wire/operations.ts'

/** Answers management calls for any host; never rejects. */
export type Management = (call: ManagementCall) => Promise<HttpAnswer>

/**
 * The management routes as one function. A call is checked in this order: the site it comes from
 * (403), route (404), method (405), the session (401, 403), the workspace that the page shows (409),
 * and only then its query and body.
 */
export function createManagement<S extends string>(
  keys: ApiKeys<S>,
  options: Omit<ManageKeysOptions<never>, 'context'>,
): Management {
  const { allowedOrigins = [], onError } = ownOptions(options)
  const origins = originSet(allowedOrigins)
  const report = errorReporter(keys, onError)
  return async (call) => {
    try {
      return secured(await respond(keys, call, origins))
    } catch (error) {
      const answer = problemOf(error)
      if (isInternal(answer) || error instanceof OutageError) report(error)
      return secured(answer)
    }
  }
}

async function respond<S extends string>(
  keys: ApiKeys<S>,
  call: ManagementCall,
  origins: ReadonlySet<string>,
): Promise<HttpAnswer> {
  if (!isSafe(call.method) && !isSameSite(call, origins)) throw refusals.anotherSite()
  const found = findRoute(call.path)
  if (found === null) throw refusals.notFound()
  const operation = operationOf(found.route, call.method)
  if (operation === null) throw refusals.methodNotAllowed(allowOf(found.route))
  const context = checkContext(await call.context(operation))
  if (!isMeantFor(context.workspaceId, call.lines)) throw refusals.workspaceChanged()
  const body = await HANDLERS[operation]({ keys, call, context, id: found.id })
  const { status } = OPERATIONS[operation]
  const location =
    status === 201 && 'key' in body ? { location: `${call.basePath}/keys/${body.key.id}` } : {}
  const headers = { 'content-type': 'application/json', ...location }
  return { status, headers, body: JSON.stringify(body) }
}

/** A context without an answer means that nobody is signed in. */
function checkContext(answer: ContextAnswer): ManagementContext {
  if (answer === null || answer === undefined) throw refusals.unauthenticated()
  if (answer === 'forbidden') throw refusals.forbidden()
  const known: ManagementContext = Object(answer)
  const user: Person = Object(propertyOf(known, 'user'))
  const workspaceId = text('workspaceId', propertyOf(known, 'workspaceId'))
  const id = text('user.id', propertyOf(user, 'id'))
  const name = propertyOf(user, 'name') ?? ''
  return { workspaceId, user: { id, name: isBlank(name) ? id : text('user.name', name) } }
}

/** The id stands in for a missing name: a user without a name must still be able to revoke keys. */
function isBlank(name: unknown): boolean {
  return typeof name === 'string' && name.trim() === ''
}

function text(field: string, value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '') return value
  throw new TypeError(`manageKeys: "context" answered without a text for "${field}".`)
}
