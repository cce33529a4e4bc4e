import type {
  IssuedKeyAnswer,
  KeyAnswer,
  KeyListAnswer,
  ResourcesAnswer,
  RevokedKeysAnswer,
  RotatedKeyAnswer,
  ScopesAnswer,
  UsageAnswer,
} from '../http/lib/management/wire/answers.ts'
import type { KeyEventsAnswer } from '../http/lib/management/wire/events.ts'
import type { WireKey } from '../http/lib/management/wire/key.ts'
import type {
  CreateKeyBody,
  ListQuery,
  RevokeKeyBody,
  RevokeKeysBody,
  RotateKeyBody,
  UpdateKeyBody,
  WireEventsQuery,
  WireResourceQuery,
  WireUsageQuery,
} from '../http/lib/management/wire/requests.ts'
import { baseAddress, keyPath } from './address.ts'
import { type Check, keyIn, listIn, rotatedIn, secretIn } from './answers.ts'
import { type Call, send } from './send.ts'

/** Ties a call to a workspace. */
export interface CallOptions {
  /**
   * The workspace that the page shows: `workspaceId` of the list. In a session that is in another by then nothing is
   * done, and the call rejects with `workspace_changed`. Default: whichever workspace the session is in.
   */
  readonly workspaceId?: string
}

/** How to rotate a key, and for which workspace. */
export interface RotateOptions extends CallOptions, RotateKeyBody {}

/** Why a key is revoked, and for which workspace. */
export interface RevokeOptions extends CallOptions, RevokeKeyBody {}

/** Lets a read be cancelled. A change cannot be: once sent, it may have taken effect. */
export interface ReadOptions extends CallOptions {
  /** Cancels the read, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/**
 * The management of one workspace's keys, as the server sees the signed-in user. Every method rejects with
 * {@link ManagementError} when the call does not succeed; nothing is tried again by itself. An id that cannot be part
 * of an address is `key_not_found`, and nothing is sent.
 */
export interface ManagementClient {
  /** Lists a page of keys, newest first, and names their workspace: `GET /keys`. */
  listKeys(query?: ListQuery, options?: ReadOptions): Promise<KeyListAnswer>
  /** The scopes that a new key may have: `GET /scopes`. */
  listScopes(options?: ReadOptions): Promise<ScopesAnswer>
  /**
   * Creates a key: `POST /keys`. Rejects with `invalid_input`, `plan_required`, `active_key_limit_reached` or
   * `workspace_erased`. A key whose outcome is unknown has lost its secret.
   */
  createKey(body: CreateKeyBody, options?: CallOptions): Promise<IssuedKeyAnswer>
  /** Reads a key: `GET /keys/{id}`. Rejects with `key_not_found`. */
  getKey(id: string, options?: ReadOptions): Promise<WireKey>
  /**
   * Counts the requests of a key by hour: `GET /keys/{id}/usage`. Rejects with `key_not_found`,
   * `invalid_input`, and `usage_not_kept` on a host without a history.
   */
  getKeyUsage(id: string, query: WireUsageQuery, options?: ReadOptions): Promise<UsageAnswer>
  /** The same for all keys together: `GET /usage`. */
  getUsage(query: WireUsageQuery, options?: ReadOptions): Promise<UsageAnswer>
  /** What happened to a key, newest first: `GET /keys/{id}/events`. Rejects with `key_not_found` or `invalid_input`. */
  getKeyEvents(id: string, query?: WireEventsQuery, options?: ReadOptions): Promise<KeyEventsAnswer>
  /**
   * Changes the fields that are given of a key that is at `version`: `PATCH /keys/{id}`. Rejects with `stale` and the
   * key as it stands when somebody has changed it since; else as `rotateKey`, but for its overlap.
   */
  updateKey(
    id: string,
    version: number,
    changes: UpdateKeyBody,
    options?: CallOptions,
  ): Promise<WireKey>
  /**
   * Stops a key until it is resumed: `POST /keys/{id}/pause`. Resolves only to this key, paused. Rejects with
   * `key_not_found`, `key_revoked`, `key_expired` or `key_rotated`; pausing again is safe.
   */
  pauseKey(id: string, options?: CallOptions): Promise<WireKey>
  /** Lets a paused key work again: `POST /keys/{id}/resume`. Rejects as `pauseKey`, or with `plan_required`. */
  resumeKey(id: string, options?: CallOptions): Promise<WireKey>
  /**
   * Issues the replacement of a key, which stops at once or after an overlap: `POST
   * /keys/{id}/rotate`. Rejects with `key_not_found`, `key_revoked`, `key_expired`, `key_rotated`,
   * `overlap_limit_reached`, `invalid_input` or `plan_required`.
   */
  rotateKey(id: string, options?: RotateOptions): Promise<RotatedKeyAnswer>
  /**
   * Revokes a key for good: `POST /keys/{id}/revoke`. Resolves only to this key, revoked. Rejects with
   * `key_not_found`, or with `invalid_input` for an unknown `reason`; revoking again is safe.
   */
  revokeKey(id: string, options?: RevokeOptions): Promise<WireKey>
  /**
   * Revokes the keys that pass every filter, at most 200 a call: `POST /keys/revoke`. Call it again while
   * `more` is true. Rejects with `invalid_input`, also without a filter; revoking again is safe.
   */
  revokeKeys(filters: RevokeKeysBody, options?: CallOptions): Promise<RevokedKeysAnswer>
  /**
   * Reads a page of resources of a type, by a text in their names or by their ids: `GET /resources/{type}`.
   * Rejects with `not_found` on a host that does not name its resources.
   */
  listResources(
    type: string,
    query?: WireResourceQuery,
    options?: ReadOptions,
  ): Promise<ResourcesAnswer>
}

/** How to reach the management routes. */
export interface ManagementClientOptions {
  /** Where the routes are mounted: `/api/settings`, on the page's origin, or an address without credentials. */
  readonly baseUrl: string
  /** Headers for a call, such as a CSRF token. What it throws is the `cause` of an error `network`. Default: none. */
  readonly getHeaders?: () => RequestInit['headers'] | Promise<RequestInit['headers']>
  /** Called in place of the global `fetch`. Default: the global one. */
  readonly fetch?: typeof fetch
}

/**
 * A client of the management routes over `fetch`. Nothing is cached, redirects are refused, and cookies go to the own
 * origin only. Throws a `TypeError` for a `baseUrl` that is not an HTTP address or a path.
 *
 * @example
 * In a test, straight against the routes; a page gives `baseUrl: '/api/settings/api-keys'` alone:
 * ```ts
 * import { createApiKeys, plans } from 'miftah'
 * import { createManagementClient } from 'miftah/client'
 * import { manageKeys } from 'miftah/fetch'
 * import { memoryStorage } from 'miftah/memory'
 *
 * const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.business })
 * const user = { id: 'u_1', name: 'نورة' }
 * const routes = manageKeys(keys, { context: () => ({ workspaceId: 'ws_1', user }) })
 * const management = createManagementClient({
 *   baseUrl: 'https://example.com',
 *   fetch: (input, init) => routes(new Request(input, init)),
 * })
 * const { key } = await management.createKey({
 *   name: 'CRM sync',
 *   environment: 'live',
 *   scopes: ['contacts.read'],
 * })
 * key.creator //=> { id: 'u_1', name: 'نورة' }
 * ```
 */
export function createManagementClient(options: ManagementClientOptions): ManagementClient {
  const base = baseAddress(options.baseUrl)
  const call = <T>(method: Call['method'], path: string, isAnswer: Check, own: Own = {}) =>
    send<T>(options, { ...own, method, url: base + path, isAnswer })
  const one = async (...given: Parameters<typeof call>) => (await call<KeyAnswer>(...given)).key

  return {
    listKeys: (query = {}, own) => call('GET', `/keys${searchOf(query)}`, listIn('keys'), own),
    listScopes: (own) => call('GET', '/scopes', listIn('groups'), own),
    listResources: (type, query = {}, own) => {
      const path = `/resources/${encodeURIComponent(type)}${searchOf(query)}`
      return call('GET', path, listIn('resources'), own)
    },
    getUsage: (query, own) => call('GET', `/usage${searchOf(query)}`, listIn('buckets'), own),
    getKeyUsage: async (id, query, own) =>
      call('GET', keyPath(id, `/usage${searchOf(query)}`), listIn('buckets'), own),
    getKeyEvents: async (id, query = {}, own) =>
      call('GET', keyPath(id, `/events${searchOf(query)}`), listIn('events'), own),
    getKey: async (id, own) => one('GET', keyPath(id), keyIn(id), own),
    createKey: (body, own) => call('POST', '/keys', secretIn, { ...own, body }),
    updateKey: async (id, version, body, own) =>
      one('PATCH', keyPath(id), keyIn(id), { ...own, body, version }),
    pauseKey: async (id, own) => one('POST', keyPath(id, '/pause'), keyIn(id, 'paused'), own),
    resumeKey: async (id, own) => one('POST', keyPath(id, '/resume'), keyIn(id), own),
    rotateKey: async (id, { workspaceId, ...body } = {}) =>
      call('POST', keyPath(id, '/rotate'), rotatedIn, { workspaceId, body }),
    revokeKey: async (id, { workspaceId, ...body } = {}) =>
      one('POST', keyPath(id, '/revoke'), keyIn(id, 'revoked'), { workspaceId, body }),
    revokeKeys: (body, own) => call('POST', '/keys/revoke', listIn('keys'), { ...own, body }),
  }
}

/** A call beyond its address. */
type Own = Partial<Pick<Call, 'workspaceId' | 'signal' | 'body' | 'version'>>

function searchOf(query: object): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) if (each !== undefined) search.append(name, String(each))
  }
  return search.size > 0 ? `?${search}` : ''
}
