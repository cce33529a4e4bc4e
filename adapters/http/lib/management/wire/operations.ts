import type { ProblemCode } from '../../../../../src/http/index.ts'
import type { ManagementOperation } from '../call.ts'
import type { Answers } from './answers.ts'
import type { QUERIES } from './requests.ts'

/** One operation as a client sees it. */
export interface WireOperation {
  readonly summary: string
  /** What it does, in one or two sentences. */
  readonly description: string
  /** The group that it belongs to. */
  readonly tag: 'keys' | 'usage' | 'reference'
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** As OpenAPI writes it. */
  readonly path: string
  /** Its query; default: none. */
  readonly query?: keyof typeof QUERIES
  /** Its body; default: none. */
  readonly body?:
    | 'KeyFields'
    | 'KeyChanges'
    | 'Rotation'
    | 'Revocation'
    | 'Revocations'
    | 'NoFields'
  /** 201 comes with `Location`. */
  readonly status: 200 | 201
  /** Whether the version of the key comes as `ETag`. Default: it does not. */
  readonly hasETag?: true
  /** Whether the call names a version as `If-Match`. Default: it does not. */
  readonly needsVersion?: true
  readonly answer: keyof Answers
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

/** Every operation, once for its route, its handler and its description. */
export const OPERATIONS = {
  listKeys: {
    summary: 'List keys, newest first, revoked ones included',
    description:
      'Returns one page of keys with what the plan allows. `nextCursor` is the `cursor` of the next page.',
    tag: 'keys',
    method: 'GET',
    path: '/keys',
    query: 'ListQuery',
    status: 200,
    answer: 'KeyList',
    problems: [...ALWAYS, 'invalid_input', 'storage_unavailable'],
  },
  createKey: {
    summary: 'Create a key',
    description: 'Creates a key. Its secret is in this answer and nowhere else.',
    tag: 'keys',
    method: 'POST',
    path: '/keys',
    body: 'KeyFields',
    status: 201,
    answer: 'IssuedKey',
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
    method: 'POST',
    path: '/keys/revoke',
    body: 'Revocations',
    status: 200,
    answer: 'RevokedKeys',
    problems: CHANGE,
  },
  getKey: {
    summary: 'Read a key',
    description: 'Returns one key. Its `ETag` is the version that a change names.',
    tag: 'keys',
    method: 'GET',
    path: '/keys/{id}',
    status: 200,
    hasETag: true,
    answer: 'KeyAnswer',
    problems: [...ALWAYS, 'invalid_input', 'key_not_found', 'storage_unavailable'],
  },
  getKeyUsage: {
    summary: 'Count the requests of a key by hour',
    description: 'Returns accepted and refused requests of one key, an entry for each hour in UTC.',
    tag: 'usage',
    method: 'GET',
    path: '/keys/{id}/usage',
    query: 'UsageQuery',
    status: 200,
    answer: 'Usage',
    problems: [...READ_USAGE, 'key_not_found'],
  },
  getKeyEvents: {
    summary: 'What happened to a key, newest first',
    description:
      'Returns one page of the audit log of one key. The last page of a replacement ends with the rotation that it came from.',
    tag: 'keys',
    method: 'GET',
    path: '/keys/{id}/events',
    query: 'EventsQuery',
    status: 200,
    answer: 'KeyEvents',
    problems: [...ALWAYS, 'invalid_input', 'key_not_found', 'storage_unavailable'],
  },
  updateKey: {
    summary: 'Change the fields of a key (RFC 7396)',
    description: 'Changes the fields that the body names and leaves the others as they are.',
    tag: 'keys',
    method: 'PATCH',
    path: '/keys/{id}',
    body: 'KeyChanges',
    status: 200,
    hasETag: true,
    needsVersion: true,
    answer: 'KeyAnswer',
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
    method: 'POST',
    path: '/keys/{id}/pause',
    body: 'NoFields',
    status: 200,
    hasETag: true,
    answer: 'KeyAnswer',
    problems: CHANGE_OF_KEY,
  },
  resumeKey: {
    summary: 'Let a paused key work again',
    description:
      'Lets requests with a paused key pass again. Resuming an active key changes nothing.',
    tag: 'keys',
    method: 'POST',
    path: '/keys/{id}/resume',
    body: 'NoFields',
    status: 200,
    hasETag: true,
    answer: 'KeyAnswer',
    problems: [...CHANGE_OF_KEY, 'plan_required', 'not_grantable'],
  },
  rotateKey: {
    summary: 'Issue the replacement of a key, which stops at once or after an overlap',
    description:
      'Creates a key with a new secret. The old key stops at once, or after `overlapSeconds`.',
    tag: 'keys',
    method: 'POST',
    path: '/keys/{id}/rotate',
    body: 'Rotation',
    status: 201,
    answer: 'RotatedKey',
    problems: [...CHANGE_OF_KEY, 'plan_required', 'not_grantable', 'overlap_limit_reached'],
  },
  revokeKey: {
    summary: 'Revoke a key',
    description: 'Stops a key for good. Revoking a revoked key changes nothing.',
    tag: 'keys',
    method: 'POST',
    path: '/keys/{id}/revoke',
    body: 'Revocation',
    status: 200,
    answer: 'KeyAnswer',
    problems: [...CHANGE, 'key_not_found'],
  },
  getUsage: {
    summary: 'Count the requests of all keys together by hour',
    description: 'Returns the same as for one key, summed over all keys of the workspace.',
    tag: 'usage',
    method: 'GET',
    path: '/usage',
    query: 'UsageQuery',
    status: 200,
    answer: 'Usage',
    problems: READ_USAGE,
  },
  listScopes: {
    summary: 'The scopes that a key may have',
    description: 'Returns the groups of scopes with their labels in each language.',
    tag: 'reference',
    method: 'GET',
    path: '/scopes',
    status: 200,
    answer: 'Scopes',
    problems: [...ALWAYS, 'invalid_input'],
  },
  listResources: {
    summary: 'The resources of a type, by a text in their names or by their ids',
    description: 'Returns one page of resources that a key can be restricted to, with their names.',
    tag: 'reference',
    method: 'GET',
    path: '/resources/{type}',
    query: 'ResourceQuery',
    status: 200,
    answer: 'Resources',
    problems: [...ALWAYS, 'invalid_input', 'not_found'],
  },
} as const satisfies Readonly<Record<ManagementOperation, WireOperation>>

export const OPERATION_NAMES = Object.keys(OPERATIONS) as readonly ManagementOperation[]
