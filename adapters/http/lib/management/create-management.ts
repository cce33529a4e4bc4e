import type { HttpAnswer } from '../../../../src/http/index.ts'
import { type ApiKeys, OutageError } from '../../../../src/index.ts'
import type { Known } from '../../../../src/lib/known-names.ts'
import { OptionChecks } from '../../../../src/lib/option-checks.ts'
import type { Call, Endpoint, Place } from '../call.ts'
import { errorReporter } from '../faults/report.ts'
import { claimMetadata } from '../metadata-claims.ts'
import { secured } from '../secured.ts'
import { readJson } from './body.ts'
import type {
  ChangeableField,
  ManageKeysOptions,
  ManagementOperation,
  ResourceSource,
} from './call.ts'
import { HANDLERS } from './handlers.ts'
import { etagOf } from './if-match.ts'
import { isInternal, problemOf } from './problems.ts'
import { assertNoQuery } from './query.ts'
import { refusals } from './refusal.ts'
import { sourcesIn } from './resources.ts'
import { allowOf, type FindRoute, isElsewhere, operationOf, routeFinder } from './routes.ts'
import { isSafe, isSameSite, originSet } from './same-site.ts'
import { mayDo, sessionIn } from './session.ts'
import { isMeantFor } from './shown-workspace.ts'
import type { Answers } from './wire/answers.ts'
import { OPERATIONS, type WireOperation } from './wire/operations.ts'
import { CHANGEABLE_FIELDS } from './wire/requests.ts'

/** The management routes for hosts whose requests are `R`. */
export interface Management<R> {
  readonly answer: Endpoint<R>
  /** Whether a call is one for the host to pass on. */
  readonly isElsewhere: (place: Place) => boolean
}

/**
 * The management routes as one function. A call is checked in this order: the site it comes from
 * (403), route (404), method (405), the session (401, 403), the workspace that the page shows (409),
 * what the user may do (403), and only then its query and body. Only a `context` that wants to know the
 * fields of an update has its body read earlier. `more` are the names of options that the host takes itself.
 */
export function createManagement<S extends string, R>(
  keys: ApiKeys<S>,
  options: ManageKeysOptions<R>,
  more: Readonly<Record<string, true>> = {},
): Management<R> {
  checks.keys(keys)
  const own = checks.object(options, { ...KNOWN, ...more })
  const { context, allowedOrigins = [], metadata = [], resources, onError } = own
  const sources = sourcesIn(resources, keys.resources.types)
  checks.optionalFunction('context', context ?? null)
  checks.optionalFunction('onError', onError)
  claimMetadata(keys, { manageKeys: metadata })
  const origins = originSet(allowedOrigins)
  const find = routeFinder(keys)
  const setup = { keys, context, find, origins, sources, metadata: [...metadata] }
  const report = errorReporter(keys, onError)
  const answer: Endpoint<R> = async (call) => {
    try {
      return secured(await respond(setup, call))
    } catch (error) {
      const answer = problemOf(error, setup.metadata)
      if (isInternal(answer) || error instanceof OutageError) report(error)
      return secured(answer)
    }
  }
  return { answer, isElsewhere: (place) => isElsewhere(place, find) }
}

const checks = new OptionChecks('manageKeys')

const KNOWN: Known<ManageKeysOptions<unknown>> = {
  context: true,
  allowedOrigins: true,
  metadata: true,
  resources: true,
  onError: true,
}

interface Setup<S extends string, R> extends Pick<ManageKeysOptions<R>, 'context'> {
  readonly keys: ApiKeys<S>
  readonly find: FindRoute
  readonly origins: ReadonlySet<string>
  readonly metadata: readonly string[]
  readonly sources: ReadonlyMap<string, ResourceSource>
}

async function respond<S extends string, R>(
  { origins, find, context: ask, ...setup }: Setup<S, R>,
  call: Call<R>,
): Promise<HttpAnswer> {
  if (!isSafe(call.method) && !isSameSite(call, origins)) throw refusals.anotherSite()
  const found = find(call)
  if (found === null) throw refusals.notFound()
  const operation = operationOf(found.route, call.method)
  if (operation === null) throw refusals.methodNotAllowed(allowOf(found.route))
  const body = readOnce(() => readJson(call, operation === 'updateKey' ? 'mergePatch' : 'json'))
  const fields = async () => (operation === 'updateKey' ? fieldsIn(body) : [])
  const context = sessionIn(await ask(call.request, operation, { fields }))
  if (!isMeantFor(context.workspaceId, call.lines)) throw refusals.workspaceChanged()
  if (!mayDo(operation, context)) throw refusals.operationNotAllowed()
  if (!Object.hasOwn(OPERATIONS[operation], 'query')) assertNoQuery(call.query)
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
