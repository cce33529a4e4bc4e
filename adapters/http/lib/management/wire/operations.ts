import type { ManagementOperation } from '../call.ts'
import type { Answers } from './answers.ts'
import type { QueryKind } from './requests.ts'

/** One operation as a client sees it; `openapi.json` describes it in words. */
export interface WireOperation {
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** As OpenAPI writes it. */
  readonly path: string
  /** Its query; default: none. */
  readonly query?: QueryKind
  /** 201 comes with `Location`. */
  readonly status: 200 | 201
  /** Whether the version of the key comes as `ETag`. Default: it does not. */
  readonly hasETag?: true
  readonly answer: keyof Answers
}

const GET = { method: 'GET', status: 200 } as const
const ON_KEY = { method: 'POST', status: 200, hasETag: true, answer: 'KeyAnswer' } as const

/** Every operation, once for its route and its handler. */
export const OPERATIONS = {
  listKeys: { ...GET, path: '/keys', query: 'ListQuery', answer: 'KeyList' },
  createKey: { method: 'POST', path: '/keys', status: 201, answer: 'IssuedKey' },
  revokeKeys: { method: 'POST', path: '/keys/revoke', status: 200, answer: 'RevokedKeys' },
  getKey: { ...ON_KEY, method: 'GET', path: '/keys/{id}' },
  getKeyUsage: { ...GET, path: '/keys/{id}/usage', query: 'UsageQuery', answer: 'Usage' },
  getKeyEvents: { ...GET, path: '/keys/{id}/events', query: 'EventsQuery', answer: 'KeyEvents' },
  updateKey: { ...ON_KEY, method: 'PATCH', path: '/keys/{id}' },
  pauseKey: { ...ON_KEY, path: '/keys/{id}/pause' },
  resumeKey: { ...ON_KEY, path: '/keys/{id}/resume' },
  rotateKey: { method: 'POST', path: '/keys/{id}/rotate', status: 201, answer: 'RotatedKey' },
  revokeKey: { method: 'POST', path: '/keys/{id}/revoke', status: 200, answer: 'KeyAnswer' },
  getUsage: { ...GET, path: '/usage', query: 'UsageQuery', answer: 'Usage' },
  listScopes: { ...GET, path: '/scopes', answer: 'Scopes' },
  listResources: {
    ...GET,
    path: '/resources/{type}',
    query: 'ResourceQuery',
    answer: 'Resources',
  },
} as const satisfies Readonly<Record<ManagementOperation, WireOperation>>

export const OPERATION_NAMES = Object.keys(OPERATIONS) as readonly ManagementOperation[]
