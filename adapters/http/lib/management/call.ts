import type { HeaderLines } from '../../../../src/http/index.ts'
import type { Person } from '../../../../src/index.ts'

/** What a management call wants to do. */
export type ManagementOperation =
  | 'listKeys'
  | 'createKey'
  | 'rotateKey'
  | 'revokeKey'
  | 'listScopes'

/** Who is signed in, and whose keys they manage: the host's own knowledge, never the client's. */
export interface ManagementContext {
  /** Whose keys are managed. */
  readonly workspaceId: string
  /**
   * Who is signed in. Becomes the creator of new keys and the actor of the audit events. Somebody
   * whose name is empty is called by their id.
   */
  readonly user: Person
}

/** The host's answer: who asks, `'forbidden'` for someone who may not, nothing for nobody. */
export type ContextAnswer = ManagementContext | 'forbidden' | null | undefined

/** How the management routes are set up on a host whose requests are `R`. */
export interface ManageKeysOptions<R> {
  /**
   * Says who asks, from the host's own session. It is the only source of identity: no header, path,
   * query or body of a call can name another workspace or user. `null` is answered with 401 and
   * `'forbidden'` with 403; give it the latter for members who may not do `operation`.
   */
  readonly context: (
    request: R,
    operation: ManagementOperation,
  ) => ContextAnswer | Promise<ContextAnswer>
  /**
   * Other origins whose pages may change keys, as `https://app.example.com`. Default: none; pages
   * of the same origin always may.
   */
  readonly allowedOrigins?: readonly string[]
  /**
   * Told why a call was answered with 500 (`context` failed or answered something else, the body was
   * read before, the outcome of a change is not known) or 503 (a `StorageFault`); the client is not
   * told. What it throws is ignored. Default: the first failure of each kind is written to standard
   * error, faults only while `createApiKeys` has no `onEvent`.
   */
  readonly onError?: (error: unknown) => void
}

/**
 * A body as the host hands it over: bytes to come, what a parser of the host's has made of them, or
 * `'lost'` when something has read them and kept nothing.
 */
export type CallBody =
  | { readonly bytes: AsyncIterable<Uint8Array> }
  | { readonly parsed: unknown }
  | 'lost'
  | null

/** Whether a parser of the host's has read the body. */
export function isParsed(body: object): body is { readonly parsed: unknown } {
  return Object.hasOwn(body, 'parsed')
}

/** One management call, whatever the host. */
export interface ManagementCall {
  readonly method: string
  /** Where the routes are mounted; without a slash at the end. */
  readonly basePath: string
  /** The path below `basePath`, as it came. */
  readonly path: string
  /** The query without its question mark, as it came. */
  readonly query: string
  /** The host and port that the client has addressed. */
  readonly host: string | null
  readonly lines: HeaderLines
  readonly body: CallBody
  readonly context: (operation: ManagementOperation) => ContextAnswer | Promise<ContextAnswer>
}
