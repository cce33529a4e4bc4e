import type { HttpAnswer } from '../../../../src/http/index.ts'
import { type ApiKeys, OutageError } from '../../../../src/index.ts'
import {
  aFunction,
  OptionChecks,
  type OptionRules,
  optionalFunction,
} from '../../../../src/lib/option-checks.ts'
import type { Endpoint, Place } from '../call.ts'
import { errorReporter } from '../faults/report.ts'
import { secured } from '../headers.ts'
import { claimMetadata } from '../metadata-claims.ts'
import { readJson } from './body.ts'
import type { ChangeableField, ManageKeysOptions, ManagementOperation } from './call.ts'
import { HANDLERS } from './handlers.ts'
import { etagOf } from './if-match.ts'
import { isMeantFor, isSafe, isSameSite, originSet } from './page.ts'
import { problemOf } from './problems.ts'
import { assertNoQuery } from './query.ts'
import { refusal, refusals } from './refusal.ts'
import { sourcesIn } from './resources.ts'
import { allowOf, isElsewhere, operationOf, routeFinder } from './routes.ts'
import { mayDo, sessionIn } from './session.ts'
import type { Answers } from './wire/answers.ts'
import { OPERATIONS, type WireOperation } from './wire/operations.ts'
import { CHANGEABLE_FIELDS } from './wire/requests.ts'

/**
 * The management routes as one function. A call is checked in this order: the site it comes from
 * (403), route (404), method (405), the session (401, 403), the workspace that the page shows (409),
 * what the user may do (403), and only then its query and body. Only a `context` that wants to know the
 * fields of an update has its body read earlier. `more` are the names of options that the host takes itself;
 * `isElsewhere` says whether a call is one for the host to pass on.
 */
export function createManagement<S extends string, R>(
  keys: ApiKeys<S>,
  options: ManageKeysOptions<R>,
  more: Readonly<Record<string, true>> = {},
) {
  checks.keys(keys)
  const own = checks.object(options, { ...RULES, ...more })
  const { context: ask, allowedOrigins = [], metadata = [], resources, onError } = own
  const sources = sourcesIn(resources, keys.resources.types)
  claimMetadata(keys, { manageKeys: metadata })
  const origins = originSet(allowedOrigins)
  const find = routeFinder(keys)
  const shown = [...metadata]
  const respond: Endpoint<R> = async (call) => {
    if (!isSafe(call.method) && !isSameSite(call, origins)) throw refusals.anotherSite()
    const found = find(call)
    if (found === null) throw refusal('not_found')
    const operation = operationOf(found.route, call.method)
    if (operation === null) throw refusals.methodNotAllowed(allowOf(found.route))
    let reading: Promise<unknown> | undefined
    const body = () => {
      reading ??= readJson(call, operation === 'updateKey' ? 'mergePatch' : 'json')
      return reading
    }
    const fields = async () => (operation === 'updateKey' ? fieldsIn(body) : [])
    const context = sessionIn(await ask(call.request, operation, { fields }))
    if (!isMeantFor(context.workspaceId, call.lines)) throw refusal('workspace_changed')
    if (!mayDo(operation, context)) throw refusal('operation_not_allowed')
    if (!Object.hasOwn(OPERATIONS[operation], 'query')) assertNoQuery(call.query)
    const work = { keys, call, context, id: found.id, body, metadata: shown, sources }
    return answerOf(operation, await HANDLERS[operation](work), call.basePath)
  }
  const report = errorReporter(keys, onError)
  const answer: Endpoint<R> = async (call) => {
    try {
      return secured(await respond(call))
    } catch (error) {
      const answer = problemOf(error, shown)
      // A 500 says nothing of its reason.
      if (answer.status === 500 || error instanceof OutageError) report(error)
      return secured(answer)
    }
  }
  return { answer, isElsewhere: (place: Place) => isElsewhere(place, find) }
}

const checks = new OptionChecks('manageKeys')

const RULES: OptionRules<ManageKeysOptions<unknown>> = {
  ...{ context: aFunction, allowedOrigins: true, metadata: true },
  ...{ resources: true, onError: optionalFunction },
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

/** The fields that a body would change. A body that is refused is refused once the session is known. */
async function fieldsIn(body: () => Promise<unknown>): Promise<readonly ChangeableField[]> {
  const given = await body().catch(() => null)
  if (typeof given !== 'object' || given === null) return []
  return CHANGEABLE_FIELDS.filter((name) => Object.hasOwn(given, name))
}
