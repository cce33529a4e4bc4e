import { ManagementError } from './management-error.ts'
import { aboutAnswer, errorOf } from './problem.ts'
import type {
  CreateKeyBody,
  IssuedKeyAnswer,
  KeyListAnswer,
  ListQuery,
  RotatedKeyAnswer,
  ScopesAnswer,
  WireKey,
} from './wire.ts'

/** Lets a read be given up. Changes cannot be: one that has left may have happened. */
export interface ReadOptions {
  /** Gives the read up, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/**
 * The management of one workspace's keys, as the server sees the signed-in user. Every method rejects
 * with {@link ManagementError} when the call does not succeed; nothing is tried again by itself.
 */
export interface ManagementClient {
  /** Lists a page of keys, newest first: `GET /keys`. */
  listKeys(query?: ListQuery, options?: ReadOptions): Promise<KeyListAnswer>
  /** The scopes that a new key may have: `GET /scopes`. */
  listScopes(options?: ReadOptions): Promise<ScopesAnswer>
  /**
   * Creates a key: `POST /keys`. Rejects with `invalid_input`, `plan_required` or
   * `active_key_limit_reached`, and with `unknown_outcome` when the key may have been created
   * although the answer was lost: its secret is lost with it.
   */
  createKey(body: CreateKeyBody): Promise<IssuedKeyAnswer>
  /**
   * Revokes a key and issues its replacement: `POST /keys/{id}/rotate`. Rejects with
   * `key_not_found`, `key_revoked` or `plan_required`, and with `unknown_outcome` when the rotation
   * may have happened although the answer was lost.
   */
  rotateKey(id: string): Promise<RotatedKeyAnswer>
  /**
   * Revokes a key for good: `POST /keys/{id}/revoke`. Rejects with `key_not_found`, and with
   * `unknown_outcome` when the answer was lost; revoking again is safe.
   */
  revokeKey(id: string): Promise<WireKey>
}

/** How to reach the management routes. */
export interface ManagementClientOptions {
  /**
   * Where the routes are mounted, for example `/api/settings/api-keys`; slashes at the end do not
   * matter. A path alone is taken as one of the page's own origin.
   */
  readonly baseUrl: string
  /**
   * Headers for every call, asked afresh each time: a CSRF token, for example. What it throws is the
   * `cause` of an error `network`, and nothing is sent. Default: none.
   */
  readonly getHeaders?: () => RequestInit['headers'] | Promise<RequestInit['headers']>
  /** Called in place of the global `fetch`. Default: the global one. */
  readonly fetch?: typeof fetch
}

/**
 * A client of the management routes over `fetch`. Nothing is cached, redirects are refused, and
 * cookies go to the own origin only. Failures of a call are thrown as {@link ManagementError}.
 *
 * @example
 * In a page:
 * ```ts no-run
 * import { createManagementClient } from 'miftah/client'
 *
 * const management = createManagementClient({ baseUrl: '/api/settings/api-keys' })
 * const { keys } = await management.listKeys({ status: 'active' })
 * ```
 *
 * @example
 * In a test, straight against the routes:
 * ```ts
 * import { createApiKeys, plans } from 'miftah'
 * import { createManagementClient } from 'miftah/client'
 * import { manageKeys } from 'miftah/management'
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
  const base = options.baseUrl.replace(/\/+$/, '')
  const read = <T>(path: string, { signal }: ReadOptions = {}) =>
    send<T>(options, base + path, signal ? { signal } : {})
  const change = <T>(path: string, body: unknown) =>
    send<T>(options, base + path, { method: 'POST', body: JSON.stringify(body) })
  const keyPath = (id: string, verb: string) => `/keys/${encodeURIComponent(id)}/${verb}`

  return {
    listKeys: (query = {}, readOptions) =>
      read<KeyListAnswer>(`/keys${searchOf(query)}`, readOptions),
    listScopes: (readOptions) => read<ScopesAnswer>('/scopes', readOptions),
    createKey: (body) => change<IssuedKeyAnswer>('/keys', body),
    rotateKey: (id) => change<RotatedKeyAnswer>(keyPath(id, 'rotate'), {}),
    revokeKey: async (id) => (await change<{ key: WireKey }>(keyPath(id, 'revoke'), {})).key,
  }
}

async function send<T>(
  options: ManagementClientOptions,
  url: string,
  init: RequestInit,
): Promise<T> {
  const headers = await headersFor(options, init)
  const response = await answerTo(options.fetch ?? fetch, url, { ...init, headers })
  if (!response.ok) throw await errorOf(response)
  try {
    return (await response.json()) as T
  } catch (cause) {
    if (init.signal?.aborted) throw cause
    throw new ManagementError(lostCode(init), { ...aboutAnswer(response), cause })
  }
}

async function headersFor(options: ManagementClientOptions, init: RequestInit): Promise<Headers> {
  try {
    const headers = new Headers(await options.getHeaders?.())
    headers.set('Accept', 'application/json')
    if (init.method === 'POST') headers.set('Content-Type', 'application/json')
    return headers
  } catch (cause) {
    throw new ManagementError('network', { cause })
  }
}

async function answerTo(send: typeof fetch, url: string, init: RequestInit): Promise<Response> {
  if (globalThis.navigator?.onLine === false) throw new ManagementError('network')
  try {
    return await send(url, {
      ...init,
      cache: 'no-store',
      credentials: 'same-origin',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
    })
  } catch (cause) {
    if (init.signal?.aborted) throw cause
    throw new ManagementError(lostCode(init), { cause })
  }
}

// fetch does not tell a request that never left from an answer that never came.
function lostCode(init: RequestInit): 'network' | 'unknown_outcome' {
  return init.method === 'POST' ? 'unknown_outcome' : 'network'
}

function searchOf(query: ListQuery): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value))
  }
  return search.size > 0 ? `?${search}` : ''
}
