import type { ManagementOperation } from '../call.ts'
import type { Answers } from './answers.ts'
import type { ProblemCode } from './problems.ts'

/** One operation as a client sees it. */
export interface WireOperation {
  readonly summary: string
  readonly method: 'GET' | 'POST'
  /** As OpenAPI writes it. */
  readonly path: string
  /** Its query; default: none. */
  readonly query?: 'ListQuery'
  /** Its body; default: none. */
  readonly body?: 'KeyFields' | 'NoFields'
  /** 201 comes with `Location`. */
  readonly status: 200 | 201
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
  rotateKey: {
    summary: 'Revoke a key and issue its replacement',
    method: 'POST',
    path: '/keys/{id}/rotate',
    body: 'NoFields',
    status: 201,
    answer: 'RotatedKey',
    problems: [...CHANGE, 'plan_required', 'key_not_found', 'key_revoked'],
  },
  revokeKey: {
    summary: 'Revoke a key',
    method: 'POST',
    path: '/keys/{id}/revoke',
    body: 'NoFields',
    status: 200,
    answer: 'RevokedKey',
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
