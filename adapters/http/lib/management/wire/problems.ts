import * as z from 'zod/mini'
import type { InputIssueCode } from '../../../../../src/index.ts'
import { count, keySchema } from './key.ts'

/** Every `code` of a problem that the management routes answer with. */
export type ProblemCode =
  | 'bad_request'
  | 'unauthenticated'
  | 'forbidden'
  | 'operation_not_allowed'
  | 'plan_required'
  | 'not_found'
  | 'key_not_found'
  | 'usage_not_kept'
  | 'method_not_allowed'
  | 'workspace_changed'
  | 'active_key_limit_reached'
  | 'workspace_erased'
  | 'key_revoked'
  | 'key_expired'
  | 'key_rotated'
  | 'overlap_limit_reached'
  | 'conflict'
  | 'stale'
  | 'precondition_required'
  | 'too_large'
  | 'unsupported_media_type'
  | 'invalid_input'
  | 'internal_error'
  | 'outcome_unknown'
  | 'storage_unavailable'

/** One thing wrong with one field of a request. */
export interface WireIssue {
  /** The field and the path into it; empty for the whole request. */
  readonly path: readonly (string | number)[]
  /** What is wrong; stable. One of `InputIssueCode` in `miftah`. */
  readonly code: string
  /** The rest of an English sentence about the field. */
  readonly message: string
}

interface ProblemKind {
  readonly status: number
  /** The cause, for the API description. */
  readonly when: string
}

/** What each code stands for. */
export const PROBLEMS: Readonly<Record<ProblemCode, ProblemKind>> = {
  bad_request: { status: 400, when: 'the body is not JSON in UTF-8' },
  unauthenticated: { status: 401, when: 'nobody is signed in' },
  forbidden: { status: 403, when: 'the user may not manage keys, or the page is on another site' },
  operation_not_allowed: { status: 403, when: 'the host does not allow this user the operation' },
  plan_required: { status: 403, when: 'the plan does not include the API' },
  not_found: { status: 404, when: 'there is no such route' },
  key_not_found: { status: 404, when: 'there is no such key in this workspace' },
  usage_not_kept: { status: 404, when: 'the host keeps no history of usage' },
  method_not_allowed: { status: 405, when: 'the route has other methods' },
  workspace_changed: { status: 409, when: 'the session is in a different workspace from the page' },
  active_key_limit_reached: {
    status: 409,
    when: 'the plan allows no more active keys, with both numbers',
  },
  workspace_erased: { status: 409, when: 'the workspace was erased and gets no new keys' },
  key_revoked: { status: 409, when: 'a revoked key cannot be changed' },
  key_expired: { status: 409, when: 'an expired key can only be revoked' },
  key_rotated: {
    status: 409,
    when: 'the key was replaced, by `replacedBy`, and can only be revoked',
  },
  overlap_limit_reached: {
    status: 409,
    when: 'too many keys of the workspace are being replaced, with their number',
  },
  conflict: { status: 409, when: 'others changed the key at the same time; nothing was done' },
  stale: { status: 412, when: 'the key has changed since, with the key as it stands' },
  too_large: { status: 413, when: 'the body has more than 64 KiB' },
  unsupported_media_type: { status: 415, when: 'not JSON by its media type, or compressed' },
  invalid_input: { status: 422, when: 'fields are not valid, with an issue for each' },
  precondition_required: { status: 428, when: '`If-Match` is missing' },
  internal_error: { status: 500, when: 'the host failed' },
  outcome_unknown: { status: 500, when: 'a change may have been made' },
  storage_unavailable: { status: 503, when: 'an outage; nothing was changed' },
}

const ISSUE_CODES: Readonly<Record<InputIssueCode, true>> = {
  required: true,
  invalid_type: true,
  invalid_value: true,
  too_long: true,
  forbidden_character: true,
  unknown_scope: true,
  repeated: true,
  unknown_field: true,
  out_of_range: true,
  not_canonical: true,
}

const issue = z.strictObject({
  path: z.array(z.union([z.string(), count])),
  code: z.enum(Object.keys(ISSUE_CODES)),
  message: z.string(),
}) satisfies z.ZodMiniType<WireIssue, WireIssue>

/** RFC 9457 with the members that some codes add. */
export const problemSchema = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int().check(z.minimum(400), z.maximum(599)),
  detail: z.string(),
  code: z.enum(Object.keys(PROBLEMS)),
  issues: z.optional(z.array(issue)),
  activeKeys: z.optional(count),
  activeKeyLimit: z.optional(count),
  retiringKeys: z.optional(count),
  replacedBy: z.optional(z.string()),
  key: z.optional(keySchema()),
})
