import type { HttpAnswer } from '../../../../src/http/index.ts'
import {
  ApiKeyError,
  type ApiKeyErrorCode,
  type InputIssue,
  OutageError,
} from '../../../../src/index.ts'
import { mayHaveChanged } from '../../../lib/faults/may-have-changed.ts'
import { etagOf } from './if-match.ts'
import { problemWith, Refusal } from './refusal.ts'
import { KEY_FIELDS, toWire } from './wire/key.ts'
import { QUERIES } from './wire/requests.ts'

const UNAVAILABLE = problemWith(
  { code: 'storage_unavailable', detail: 'API keys cannot be managed right now.' },
  { 'retry-after': '1' },
)

const INTERNAL = problemWith({ code: 'internal_error', detail: 'Something went wrong here.' })

/** 500 and not 503, which many HTTP clients retry by themselves: that would issue a second key. */
const OUTCOME_UNKNOWN = problemWith({
  code: 'outcome_unknown',
  detail: 'The key may have been issued. List the keys and revoke the new one: its secret is lost.',
})

const REVOCATION_UNKNOWN = problemWith({
  code: 'outcome_unknown',
  detail: 'The key may still work. Revoke it again, until this succeeds.',
})

const UPDATE_UNKNOWN = problemWith({
  code: 'outcome_unknown',
  detail: 'The key may have been changed. Read it again before changing it.',
})

/** The answers that are always the same. */
type FixedCode = Exclude<
  ApiKeyErrorCode,
  'invalid_input' | 'active_key_limit_reached' | 'overlap_limit_reached' | 'key_rotated' | 'stale'
>

const REFUSED: Readonly<Record<FixedCode, HttpAnswer>> = {
  plan_required: problemWith({
    code: 'plan_required',
    detail: 'The plan of this workspace does not include the API.',
  }),
  workspace_erased: problemWith({
    code: 'workspace_erased',
    detail: 'This workspace has been erased.',
  }),
  key_revoked: problemWith({ code: 'key_revoked', detail: 'This key is revoked.' }),
  key_expired: problemWith({ code: 'key_expired', detail: 'This key has expired.' }),
  conflict: problemWith({ code: 'conflict', detail: 'This key kept changing. Try again.' }),
  key_not_found: problemWith({ code: 'key_not_found', detail: 'There is no such key.' }),
  usage_not_kept: problemWith({
    code: 'usage_not_kept',
    detail: 'Usage history is turned off.',
  }),
  closed: UNAVAILABLE,
  // Thrown when a guard is mounted, never here.
  unknown_scope: INTERNAL,
}

/**
 * The answer to what a call has thrown. Unforeseen errors, and a context that the core refuses, are
 * 500 without a reason.
 */
export function problemOf(error: unknown, metadata: readonly string[] = []): HttpAnswer {
  if (error instanceof Refusal) return error.answer
  if (error instanceof OutageError) return outageOf(error)
  return error instanceof ApiKeyError ? refused(error, metadata) : INTERNAL
}

/** Whether an answer hides a failure that the host should be told about. */
export function isInternal({ status }: HttpAnswer): boolean {
  return status === 500
}

function outageOf(fault: OutageError): HttpAnswer {
  if (!mayHaveChanged(fault)) return UNAVAILABLE
  if (fault.operation === 'update') return UPDATE_UNKNOWN
  return fault.operation === 'revoke' ? REVOCATION_UNKNOWN : OUTCOME_UNKNOWN
}

function refused(error: ApiKeyError, metadata: readonly string[]): HttpAnswer {
  const { code, activeKeys, activeKeyLimit, retiringKeys, replacedBy } = error
  switch (code) {
    case 'invalid_input':
      return invalid(error.issues)
    case 'active_key_limit_reached': {
      const detail = 'The workspace has as many active keys as its plan allows.'
      return problemWith({ code, detail, activeKeys, activeKeyLimit })
    }
    case 'overlap_limit_reached': {
      const detail = 'Too many keys of the workspace are being replaced.'
      return problemWith({ code, detail, retiringKeys })
    }
    case 'key_rotated':
      return problemWith({ code, detail: 'This key has been replaced.', replacedBy })
    case 'stale':
      return stale(error, metadata)
    default:
      // A later copy of the package may have further codes.
      return REFUSED[code] ?? INTERNAL
  }
}

function stale({ key }: ApiKeyError, metadata: readonly string[]): HttpAnswer {
  const detail = 'This key has changed since it was shown.'
  if (key === undefined) return problemWith({ code: 'stale', detail })
  const headers = { etag: etagOf(key.version) }
  return problemWith({ code: 'stale', detail, key: toWire(key, metadata) }, headers)
}

/** Fields that come from the host's context and never from the client. */
const CONTEXT_FIELDS: ReadonlySet<unknown> = new Set(['workspaceId', 'creator', 'actor'])

function invalid(issues: readonly InputIssue[]): HttpAnswer {
  if (issues.some(isAboutContext)) return INTERNAL
  const detail = 'The request has fields that are not valid.'
  const named = issues.map(inBody).map(nameable)
  return problemWith({ code: 'invalid_input', detail, issues: distinct(named) })
}

/** The body of an update is what the core calls `change`. */
function inBody({ path, ...issue }: InputIssue): InputIssue {
  return { ...issue, path: path[0] === 'change' ? path.slice(1) : path }
}

/** A client that sends such a field itself is told that it is unknown. */
function isAboutContext({ path, code }: InputIssue): boolean {
  return CONTEXT_FIELDS.has(path[0]) && code !== 'unknown_field' && code !== 'repeated'
}

/** Names that an answer may repeat: of known fields, and of properties that every object inherits. */
const NAMEABLE: ReadonlySet<unknown> = new Set([
  ...KEY_FIELDS,
  ...Object.values(QUERIES).flatMap(({ shape }) => Object.keys(shape)),
  'overlapSeconds',
  'reason',
  'If-Match',
  'hash',
  'secret',
  'actor',
  '__proto__',
  'constructor',
  'prototype',
])

/** A name that the client made up is not repeated: the issue points at what holds it. */
function nameable({ path, code, message }: InputIssue): InputIssue {
  const stranger = path.findIndex((part) => typeof part === 'string' && !NAMEABLE.has(part))
  return { path: stranger < 0 ? path : path.slice(0, stranger), code, message }
}

function distinct(issues: readonly InputIssue[]): readonly InputIssue[] {
  return [...new Map(issues.map((issue) => [JSON.stringify(issue), issue])).values()]
}
