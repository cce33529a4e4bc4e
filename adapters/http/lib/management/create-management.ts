import type { HttpAnswer } from '../../../../src/http/index.ts'
import { type ApiKeys, OutageError } from '../../../../src/index.ts'
import type { Known } from '../../../../src/lib/known-names.ts'
import { OptionChecks } from '../../../../src/lib/option-checks.ts'
import { errorReporter } from '../faults/report.ts'
import { claimMetadata } from '../metadata-claims.ts'
import { secured } from '../secured.ts'
import { readJson } from './body.ts'
import type {
  ChangeableField,
  ManageKeysOptions,
  ManagementCall,
  ManagementOperation,
  ResourceSource,
} from './call.ts'
import { HANDLERS } from './handlers.ts'
import { etagOf } from './if-match.ts'
import { type FindRoute, routeFinder } from './place.ts'
import { isInternal, problemOf } from './problems.ts'
import { refusals } from './refusal.ts'
import { sourcesIn } from './resources.ts'
import { allowOf, operationOf } from './routes.ts'
import { isSafe, isSameSite, originSet } from './same-site.ts'
import { mayDo, sessionIn } from './session.ts'
import { isMeantFor } from './shown-workspace.ts'
import type { Answers } from './wire/answers.ts'
import { OPERATIONS, type WireOperation } from './wire/operations.ts'
import { CHANGEABLE_FIELDS } from './wire/requests.ts'

/** Answers management calls for any host; never rejects. */
export type Management = (call: ManagementCall) => Promise<HttpAnswer>

/**
 * The management routes as one function. A call is checked in this order: the site it comes from
 * (403), route (404), method (405), the session (401, 403), the workspace that the page shows (409),
 * what the user may do (403), and only then its query and body. Only a `context` that wants to know the
 * fields of an update has its body read earlier. `more` are the names of options that the host takes itself.
 */
export function createManagement<S extends string>(
  keys: ApiKeys<S>,
  options: ManagementOptions,
  more: Readonly<Record<string, true>> = {},
  find: FindRoute = routeFinder(keys),
): Management {
  checks.keys(keys)
  const own = checks.object(options, { ...KNOWN, ...more })
  const { context, allowedOrigins = [], metadata = [], resources, onError } = own
  const sources = sourcesIn(resources, keys.resources.types)
  checks.optionalFunction('context', context ?? null)
  checks.optionalFunction('onError', onError)
  claimMetadata(keys, { manageKeys: metadata })
  const origins = originSet(allowedOrigins)
  const setup = {
    keys,
    find,
    origins,
    sources,
    metadata: [...metadata],
  }
  const report = errorReporter(keys, onError)
  return async (call) => {
    try {
      return secured(await respond(setup, call))
    } catch (error) {
      const answer = problemOf(error, setup.metadata)
      if (isInternal(answer) || error instanceof OutageError) report(error)
      return secured(answer)
    }
  }
}

/** `context` may take the request of any host; adapters pass it with each call. */
interface ManagementOptions extends Omit<ManageKeysOptions<never>, 'context'> {
  readonly context: unknown
}

const checks = new OptionChecks('manageKeys')

const KNOWN: Known<ManageKeysOptions<unknown>> = {
  context: true,
  allowedOrigins: true,
  metadata: true,
  resources: true,
  onError: true,
}

interface Setup<S extends string> {
  readonly keys: ApiKeys<S>
  readonly find: FindRoute
  readonly origins: ReadonlySet<string>
  readonly metadata: readonly string[]
  readonly sources: ReadonlyMap<string, ResourceSource>
}

async function respond<S extends string>(
  { origins, find, ...setup }: Setup<S>,
  call: ManagementCall,
): Promise<HttpAnswer> {
  if (!isSafe(call.method) && !isSameSite(call, origins)) throw refusals.anotherSite()
  const found = find(call)
  if (found === null) throw refusals.notFound()
  const operation = operationOf(found.route, call.method)
  if (operation === null) throw refusals.methodNotAllowed(allowOf(found.route))
  const body = readOnce(() => readJson(call, operation === 'updateKey' ? 'mergePatch' : 'json'))
  const fields = async () => (operation === 'updateKey' ? fieldsIn(body) : [])
  const context = sessionIn(await call.context(operation, { fields }))
  if (!isMeantFor(context.workspaceId, call.lines)) throw refusals.workspaceChanged()
  if (!mayDo(operation, context)) throw refusals.operationNotAllowed()
  const answer = await HANDLERS[operation]({ ...setup, call, context, id: found.id, body })
  return answerOf(operation, answer, call.basePath)
}

function answerOf(
  operation: ManagementOperation,
  answer: Answers[keyof Answers],
  basePath: string,
): HttpAnswer {
  const { status, hasETag }: WireOperation = OPERATIONS[operation]
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if ('key' in answer && status === 201) headers['location'] = `${basePath}/keys/${answer.key.id}`
  if ('key' in answer && hasETag) headers['etag'] = etagOf(answer.key.version)
  return { status, headers, body: JSON.stringify(answer) }
}

function readOnce<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | null = null
  return () => {
    reading ??= read()
    return reading
  }
}

/** The fields that a body would change. A body that is refused is refused once the session is known. */
async function fieldsIn(body: () => Promise<unknown>): Promise<readonly ChangeableField[]> {
  const given = await body().catch(() => null)
  if (typeof given !== 'object' || given === null) return []
  return CHANGEABLE_FIELDS.filter((name) => Object.hasOwn(given, name))
}
