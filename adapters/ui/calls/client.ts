import {
  createManagementClient,
  type ManagementClient,
  ManagementError,
  type ManagementErrorCode,
} from '../../client/index.ts'

/** The calls that the tab makes. */
export type TabClient = Pick<
  ManagementClient,
  | 'listKeys'
  | 'listScopes'
  | 'createKey'
  | 'getKey'
  | 'updateKey'
  | 'pauseKey'
  | 'resumeKey'
  | 'rotateKey'
  | 'revokeKey'
> &
  /**
   * Without them, the tab shows neither the requests of a key nor its history, and has ids of resources
   * typed.
   */
  Partial<Pick<ManagementClient, 'getKeyUsage' | 'getKeyEvents' | 'listResources'>>

/** Where a page gets its keys from. */
interface Place {
  readonly client: TabClient | null
  readonly baseUrl: string
  readonly getHeaders: (() => HeadersInit | Promise<HeadersInit>) | null
}

/** The client of the page, or the built-in one. Throws for an address that paths cannot follow. */
export function clientOf({ client, baseUrl, getHeaders }: Place): TabClient {
  return client ?? createManagementClient({ baseUrl, ...(getHeaders ? { getHeaders } : {}) })
}

/** The code of a failed call; `null` for anything else that was thrown. */
export function codeOf(error: unknown): ManagementErrorCode | null {
  return error instanceof ManagementError ? error.code : null
}

/** The answer of a change, which must be about a key with this id. Of a client of the page, nobody has looked. */
export function answered<T extends { readonly id: string }>(key: T, id: string): T {
  if (key?.id === id) return key
  throw new ManagementError('outcome_unknown')
}
