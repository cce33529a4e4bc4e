import type { ManagementOperation } from '../../../adapters/http/lib/management/call.ts'
import type { ProblemCode } from '../../../src/http/index.ts'

/** One operation in words, and what it takes and can answer. */
export interface Description {
  readonly summary: string
  /** What it does, in one or two sentences. */
  readonly description: string
  /** The group that it belongs to. */
  readonly tag: 'keys' | 'usage' | 'reference'
  /** Its body; default: none. */
  readonly body?:
    | 'KeyFields'
    | 'KeyChanges'
    | 'Rotation'
    | 'Revocation'
    | 'Revocations'
    | 'NoFields'
  /** Whether the call names a version as `If-Match`. Default: it does not. */
  readonly needsVersion?: true
  readonly problems: readonly ProblemCode[]
}

/** Possible for every operation. */
const ALWAYS = ['unauthenticated', 'forbidden', 'workspace_changed', 'internal_error'] as const

const CHANGE = [
  ...ALWAYS,
  'operation_not_allowed',
  'bad_request',
  'too_large',
  'unsupported_media_type',
  'invalid_input',
  'outcome_unknown',
  'storage_unavailable',
] as const

/** Possible for every change of a key that is there. */
const CHANGE_OF_KEY = [
  ...CHANGE,
  'key_not_found',
  'key_revoked',
  'key_expired',
  'key_rotated',
] as const

const READ_USAGE = [...ALWAYS, 'invalid_input', 'usage_not_kept', 'storage_unavailable'] as const

/** Every operation, once for the document. */
export const DESCRIPTIONS = {
  listKeys: {
    summary: 'List keys, newest first, revoked ones included',
    description:
      'Returns one page of keys with what the plan allows. `nextCursor` is the `cursor` of the next page.',
    tag: 'keys',
    problems: [...ALWAYS, 'invalid_input', 'storage_unavailable'],
  },
  createKey: {
    summary: 'Create a key',
    description: 'Creates a key. Its secret is in this answer and nowhere else.',
    tag: 'keys',
    body: 'KeyFields',
    problems: [
      ...CHANGE,
      'plan_required',
      'not_grantable',
      'active_key_limit_reached',
      'workspace_erased',
    ],
  },
  revokeKeys: {
    summary: 'Revoke the keys that pass every filter, at most 200 a call',
    description:
      'Revokes active, paused and retiring keys, or with `dryRun` says which. Repeat it while `more` is true.',
    tag: 'keys',
    body: 'Revocations',
    problems: CHANGE,
  },
  getKey: {
    summary: 'Read a key',
    description: 'Returns one key. Its `ETag` is the version that a change names.',
    tag: 'keys',
    problems: [...ALWAYS, 'invalid_input', 'key_not_found', 'storage_unavailable'],
  },
  getKeyUsage: {
    summary: 'Count the requests of a key by hour',
    description: 'Returns accepted and refused requests of one key, an entry for each hour in UTC.',
    tag: 'usage',
    problems: [...READ_USAGE, 'key_not_found'],
  },
  getKeyEvents: {
    summary: 'What happened to a key, newest first',
    description:
      'Returns one page of the audit log of one key. The last page of a replacement ends with the rotation that it came from.',
    tag: 'keys',
    problems: [...ALWAYS, 'invalid_input', 'key_not_found', 'storage_unavailable'],
  },
  updateKey: {
    summary: 'Change the fields of a key (RFC 7396)',
    description: 'Changes the fields that the body names and leaves the others as they are.',
    tag: 'keys',
    body: 'KeyChanges',
    needsVersion: true,
    problems: [
      ...CHANGE_OF_KEY,
      'plan_required',
      'not_grantable',
      'stale',
      'precondition_required',
    ],
  },
  pauseKey: {
    summary: 'Stop a key until it is resumed',
    description:
      'Requests with a paused key are refused until it is resumed. Pausing a paused key changes nothing.',
    tag: 'keys',
    body: 'NoFields',
    problems: CHANGE_OF_KEY,
  },
  resumeKey: {
    summary: 'Let a paused key work again',
    description:
      'Lets requests with a paused key pass again. Resuming an active key changes nothing.',
    tag: 'keys',
    body: 'NoFields',
    problems: [...CHANGE_OF_KEY, 'plan_required', 'not_grantable'],
  },
  rotateKey: {
    summary: 'Issue the replacement of a key, which stops at once or after an overlap',
    description:
      'Creates a key with a new secret. The old key stops at once, or after `overlapSeconds`.',
    tag: 'keys',
    body: 'Rotation',
    problems: [...CHANGE_OF_KEY, 'plan_required', 'not_grantable', 'overlap_limit_reached'],
  },
  revokeKey: {
    summary: 'Revoke a key',
    description: 'Stops a key for good. Revoking a revoked key changes nothing.',
    tag: 'keys',
    body: 'Revocation',
    problems: [...CHANGE, 'key_not_found'],
  },
  getUsage: {
    summary: 'Count the requests of all keys together by hour',
    description: 'Returns the same as for one key, summed over all keys of the workspace.',
    tag: 'usage',
    problems: READ_USAGE,
  },
  listScopes: {
    summary: 'The scopes that a key may have',
    description: 'Returns the groups of scopes with their labels in each language.',
    tag: 'reference',
    problems: [...ALWAYS, 'invalid_input'],
  },
  listResources: {
    summary: 'The resources of a type, by a text in their names or by their ids',
    description: 'Returns one page of resources that a key can be restricted to, with their names.',
    tag: 'reference',
    problems: [...ALWAYS, 'invalid_input', 'not_found'],
  },
} as const satisfies Readonly<Record<ManagementOperation, Description>>
