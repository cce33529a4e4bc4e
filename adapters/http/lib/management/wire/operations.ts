import type { ManagementOperation } from '../call.ts'
import type { Answers } from './answers.ts'
import type { ProblemCode } from './problems.ts'

/** One operation as a client sees it. */
export interface WireOperation {
  readonly summary: string
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** As OpenAPI writes it. */
  readonly path: string
  /** Its query; default: none. */
  readonly query?: 'ListQuery'
  /** Its body; default: none. */
  readonly body?: 'KeyFields' | 'KeyChanges' | 'Rotation' | 'NoFields'
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

/** Every operation, once for its route, its handler and its description. */
export const OPERATIONS = {
  listKeys: {
    summary: 'List keys, newest first, revoked ones included',
    method: 'GET',
    path: '/keys',
    query: 'ListQuery',
    status: 200,
    answer: 'KeyList',
    problems: [...ALWAYS, 'invalid_input', 'storage_unavailable'],
  },
  createKey: {
    summary: 'Create a key',
    method: 'POST',
    path: '/keys',
    body: 'KeyFields',
    status: 201,
    answer: 'IssuedKey',
    problems: [...CHANGE, 'plan_required', 'active_key_limit_reached'],
  },
  getKey: {
    summary: 'Read a key',
    method: 'GET',
    path: '/keys/{id}',
    status: 200,
    hasETag: true,
    answer: 'KeyAnswer',
    problems: [...ALWAYS, 'invalid_input', 'key_not_found', 'storage_unavailable'],
  },
  updateKey: {
    summary: 'Change the name, scopes or expiry of a key (RFC 7396)',
    method: 'PATCH',
    path: '/keys/{id}',
    body: 'KeyChanges',
    status: 200,
    hasETag: true,
    needsVersion: true,
    answer: 'KeyAnswer',
    problems: [...CHANGE_OF_KEY, 'plan_required', 'stale', 'precondition_required'],
  },
  pauseKey: {
    summary: 'Stop a key until it is resumed',
    method: 'POST',
    path: '/keys/{id}/pause',
    body: 'NoFields',
    status: 200,
    hasETag: true,
    answer: 'KeyAnswer',
    problems: [...CHANGE_OF_KEY, 'conflict'],
  },
  resumeKey: {
    summary: 'Let a paused key work again',
    method: 'POST',
    path: '/keys/{id}/resume',
    body: 'NoFields',
    status: 200,
    hasETag: true,
    answer: 'KeyAnswer',
    problems: [...CHANGE_OF_KEY, 'conflict', 'plan_required'],
  },
  rotateKey: {
    summary: 'Issue the replacement of a key, which stops at once or after an overlap',
    method: 'POST',
    path: '/keys/{id}/rotate',
    body: 'Rotation',
    status: 201,
    answer: 'RotatedKey',
    problems: [...CHANGE_OF_KEY, 'plan_required', 'overlap_limit_reached', 'conflict'],
  },
  revokeKey: {
    summary: 'Revoke a key',
    method: 'POST',
    path: '/keys/{id}/revoke',
    body: 'NoFields',
    status: 200,
    answer: 'KeyAnswer',
    problems: [...CHANGE, 'key_not_found'],
  },
  listScopes: {
    summary: 'The scopes that a key may have',
    method: 'GET',
    path: '/scopes',
    status: 200,
    answer: 'Scopes',
    problems: [...ALWAYS, 'invalid_input'],
  },
} as const satisfies Readonly<Record<ManagementOperation, WireOperation>>

export const OPERATION_NAMES = Object.keys(OPERATIONS) as readonly ManagementOperation[]
