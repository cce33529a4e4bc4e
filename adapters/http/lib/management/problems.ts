import { type HttpAnswer, type ProblemCode, problemCodes } from '../../../../src/http/index.ts'
import { ApiKeyError, type InputIssue, OutageError } from '../../../../src/index.ts'
import { mayHaveChanged } from '../../../lib/faults/may-have-changed.ts'
import { etagOf } from './if-match.ts'
import { problemWith, Refusal } from './refusal.ts'
import { SENT_FIELDS, toWire } from './wire/key.ts'
import { QUERIES } from './wire/requests.ts'

const UNAVAILABLE = problemWith('storage_unavailable', {}, { 'retry-after': '1' })

const INTERNAL = problemWith('internal_error')

const CHANGED = 'The key may have been changed. Read it again before changing it.'

/** What to do about a change that may have been made, by the operation. */
const UNKNOWN: Readonly<Record<string, string>> = {
  ...{ updateKey: CHANGED, pauseKey: CHANGED, resumeKey: CHANGED },
  revokeKey: 'The key may still work. Revoke it again, until this succeeds.',
  revokeKeys: 'Some keys may still work. Revoke them again, until this succeeds.',
}

const ISSUE_UNKNOWN =
  'The key may have been issued. List the keys and revoke the new one: its secret is lost.'

/**
 * The answer to what a call has thrown. Unforeseen errors, and a context that the core refuses, are
 * 500 without a reason.
 */
export function problemOf(error: unknown, metadata: readonly string[] = []): HttpAnswer {
  if (error instanceof Refusal) return error.answer
  if (error instanceof OutageError) return outageOf(error)
  return error instanceof ApiKeyError ? refused(error, metadata) : INTERNAL
}

function outageOf(fault: OutageError): HttpAnswer {
  if (!mayHaveChanged(fault)) return UNAVAILABLE
  return problemWith('outcome_unknown', { detail: UNKNOWN[fault.operation] ?? ISSUE_UNKNOWN })
}

function refused(error: ApiKeyError, metadata: readonly string[]): HttpAnswer {
  const { code, key, activeKeys, activeKeyLimit, retiringKeys, replacedBy, missing } = error
  if (code === 'closed') return UNAVAILABLE
  if (code === 'invalid_input') return invalid(error.issues)
  // Thrown when a guard is mounted; and a later copy of the package may have further codes.
  if (!Object.hasOwn(problemCodes, code)) return INTERNAL
  const known = code as ProblemCode
  const members = { activeKeys, activeKeyLimit, retiringKeys, replacedBy, missing }
  if (key === undefined) return problemWith(known, members)
  const headers = { etag: etagOf(key.version) }
  return problemWith(known, { ...members, key: toWire(key, metadata) }, headers)
}

/** Fields that come from the host's context and never from the client. */
const CONTEXT_FIELDS: ReadonlySet<unknown> = new Set(['workspaceId', 'creator', 'actor'])

function invalid(issues: readonly InputIssue[]): HttpAnswer {
  if (issues.some(isAboutContext)) return INTERNAL
  const named = issues.map(inBody).map(nameable)
  return problemWith('invalid_input', { issues: distinct(named) })
}

/** The body of an update is what the core calls `change`. */
function inBody({ path, ...issue }: InputIssue): InputIssue {
  return { ...issue, path: path[0] === 'change' ? path.slice(1) : path }
}

/** A client that sends such a field itself gets the issue that it is unknown. */
function isAboutContext({ path, code }: InputIssue): boolean {
  return CONTEXT_FIELDS.has(path[0]) && code !== 'unknown_field'
}

/** Names that an answer may repeat: of known fields, and of properties that every object inherits. */
const NAMEABLE: ReadonlySet<unknown> = new Set([
  ...SENT_FIELDS,
  ...Object.values(QUERIES).flatMap((query) => Object.keys(query)),
  ...['metadata', 'overlapSeconds', 'reason', 'If-Match', 'hash', 'secret', 'actor'],
  ...['__proto__', 'constructor', 'prototype'],
])

/** A name that the client made up is not repeated: the issue points at what holds it. */
function nameable({ path, code, message }: InputIssue): InputIssue {
  const stranger = path.findIndex((part) => typeof part === 'string' && !NAMEABLE.has(part))
  return { path: stranger < 0 ? path : path.slice(0, stranger), code, message }
}

function distinct(issues: readonly InputIssue[]): readonly InputIssue[] {
  return [...new Map(issues.map((issue) => [JSON.stringify(issue), issue])).values()]
}
