import { type HttpAnswer, problem } from '../../../../src/http/index.ts'
import {
  ApiKeyError,
  type ApiKeyErrorCode,
  type InputIssue,
  StorageFault,
} from '../../../../src/index.ts'
import { mayHaveChanged } from './outcome.ts'
import { Refusal } from './refusal.ts'

const RETRY = { 'retry-after': '1' }

const UNAVAILABLE = problem(
  503,
  { code: 'storage_unavailable', detail: 'API keys cannot be managed right now.' },
  RETRY,
)

const INTERNAL = problem(500, { code: 'internal_error', detail: 'Something went wrong here.' })

/** 500 and not 503, which many HTTP clients repeat by themselves: a second key would come of it. */
const OUTCOME_UNKNOWN = problem(500, {
  code: 'outcome_unknown',
  detail: 'The key may have been issued. List the keys, and revoke one whose secret nobody holds.',
})

const REVOCATION_UNKNOWN = problem(500, {
  code: 'outcome_unknown',
  detail: 'The key may still work. Revoke it again, until this succeeds.',
})

const REFUSED: Partial<Readonly<Record<ApiKeyErrorCode, HttpAnswer>>> = {
  plan_required: problem(403, {
    code: 'plan_required',
    detail: 'The plan of this workspace does not include the API.',
  }),
  key_revoked: problem(409, { code: 'key_revoked', detail: 'This key is revoked.' }),
  key_not_found: problem(404, { code: 'key_not_found', detail: 'There is no such key.' }),
  closed: UNAVAILABLE,
}

/**
 * The answer to what a call has thrown. What nobody has foreseen, and a context that the core will
 * not have, are 500 without a word about why.
 */
export function problemOf(error: unknown): HttpAnswer {
  if (error instanceof Refusal) return error.answer
  if (error instanceof StorageFault) return outageOf(error)
  return error instanceof ApiKeyError ? refused(error) : INTERNAL
}

/** Whether an answer hides a failure that the host should hear of. */
export function isInternal({ status }: HttpAnswer): boolean {
  return status === 500
}

function outageOf(fault: StorageFault): HttpAnswer {
  if (!mayHaveChanged(fault)) return UNAVAILABLE
  return fault.operation === 'revoke' ? REVOCATION_UNKNOWN : OUTCOME_UNKNOWN
}

function refused(error: ApiKeyError): HttpAnswer {
  if (error.code === 'invalid_input') return invalid(error.issues)
  if (error.code === 'active_key_limit_reached') return limitReached(error)
  return REFUSED[error.code] ?? INTERNAL
}

function limitReached({ activeKeys, activeKeyLimit }: ApiKeyError): HttpAnswer {
  const detail = 'The workspace has as many active keys as its plan allows.'
  return problem(409, { code: 'active_key_limit_reached', detail, activeKeys, activeKeyLimit })
}

/** Fields that come from the host's context and never from the client. */
const CONTEXT_FIELDS: ReadonlySet<unknown> = new Set(['workspaceId', 'creator', 'actor'])

function invalid(issues: readonly InputIssue[]): HttpAnswer {
  if (issues.some(isAboutContext)) return INTERNAL
  const detail = 'The request has fields that are not valid.'
  return problem(422, { code: 'invalid_input', detail, issues: distinct(issues.map(nameable)) })
}

/** A client that sends such a field itself is told that it is unknown. */
function isAboutContext({ path, code }: InputIssue): boolean {
  return CONTEXT_FIELDS.has(path[0]) && code !== 'unknown_field' && code !== 'repeated'
}

/** Names that may be said back: of fields there are, and of properties every object inherits. */
const NAMEABLE: ReadonlySet<unknown> = new Set([
  ...['id', 'workspaceId', 'name', 'environment', 'scopes', 'prefix', 'hash', 'secret', 'creator'],
  ...['actor', 'createdAt', 'lastUsedAt', 'uses', 'status', 'revokedAt', 'replaces', 'replacedBy'],
  ...['cursor', 'limit', '__proto__', 'constructor', 'prototype'],
])

/** A name that the client has made up is not repeated: the issue points at what holds it. */
function nameable({ path, code, message }: InputIssue): InputIssue {
  const stranger = path.findIndex((part) => typeof part === 'string' && !NAMEABLE.has(part))
  return { path: stranger < 0 ? path : path.slice(0, stranger), code, message }
}

function distinct(issues: readonly InputIssue[]): readonly InputIssue[] {
  return [...new Map(issues.map((issue) => [JSON.stringify(issue), issue])).values()]
}
