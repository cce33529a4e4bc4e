import type { KeyChanges } from '../../../../src/http/index.ts'
import type { Grantable, Person } from '../../../../src/index.ts'
import type { NamedResource } from './wire/answers.ts'
import type { KeyOperation } from './wire/key-operations.ts'

export type { NamedResource } from './wire/answers.ts'
export type { KeyOperation } from './wire/key-operations.ts'

/** The operation that a management call asks for. */
export type ManagementOperation =
  | KeyOperation
  | 'listKeys'
  | 'getKey'
  | 'getKeyUsage'
  | 'getKeyEvents'
  | 'getUsage'
  | 'listScopes'
  | 'listResources'

/** A field of a key that `updateKey` can change. */
export type ChangeableField = keyof KeyChanges

/** What a call is about to do, beyond its operation. */
export interface ManagementDetail {
  /**
   * Reads the fields that the body of `updateKey` names; none for any other operation, and for a body
   * that is refused. A name says nothing about whether the key can do more or less afterwards. Find the
   * session first: the body of a stranger is better not read.
   */
  readonly fields: () => Promise<readonly ChangeableField[]>
}

/**
 * Who is signed in, and whose keys they manage: the host's own knowledge, never the client's. Any other
 * member, or one that is `undefined`, is a mistake in the host (500): a misspelt limit must not be none.
 */
export interface ManagementContext {
  /** Whose keys are managed. */
  readonly workspaceId: string
  /**
   * Who is signed in: the creator of new keys and the actor of audit events. The id stands in for a name that is
   * missing, `null` or blank; any other is cleaned and cut to 255 characters, never refused. An id that cannot be
   * stored, or begins with `miftah:`, is a mistake in the host: 500.
   */
  readonly user: Pick<Person, 'id'> & {
    /** For display: 1 to 255 Unicode code points without control characters. Default: the id. */
    readonly name?: string | null | undefined
  }
  /**
   * The operations that this user may do; any other change is answered with 403 `operation_not_allowed`, and the
   * settings tab draws no button for it. `[]` lets the user only read, and `revokeKeys` needs `revokeKey` too. A
   * name that is no {@link KeyOperation} is a mistake in the host: 500. Default: all of them.
   */
  readonly allowedOperations?: readonly KeyOperation[]
  /**
   * What this user may give to keys: a key that they create, rotate, resume or widen must be within it
   * afterwards, or the answer is 403 `not_grantable`. Every dimension is required; one that is missing or
   * names something unknown is a mistake in the host (500). Default: no ceiling.
   */
  readonly grantable?: Grantable
  /**
   * `'own'` hides the keys of other creators from every operation: `key_not_found`, and 403 for the usage of
   * the whole workspace. Default: all keys of the workspace are visible.
   */
  readonly visible?: 'own'
}

/** A session whose every field is known. */
export interface CheckedContext {
  readonly workspaceId: string
  readonly user: Person
  readonly allowedOperations: readonly KeyOperation[]
  /** Goes into each operation that takes it. The core checks it. */
  readonly grant: { readonly grantable?: Grantable<never> }
  /** Whether the keys of other creators are hidden. */
  readonly seesOwn: boolean
}

/** Where the routes get the resources of one type from. Both answer only for the session's workspace. */
export interface ResourceSource {
  /** A page of those whose name has the text, in the host's order. */
  readonly search: (
    session: ManagementContext,
    text: string,
    cursor: string | null,
  ) => ResourcePage | Promise<ResourcePage>
  /** Those of the ids that exist in the workspace; anybody can write any id into a key. */
  readonly name: (
    session: ManagementContext,
    ids: readonly string[],
  ) => readonly NamedResource[] | Promise<readonly NamedResource[]>
}

/** A page of resources. */
export interface ResourcePage {
  /** The resources of this page. */
  readonly resources: readonly NamedResource[]
  /** Given back as `cursor` for the next page; `null` on the last. */
  readonly nextCursor: string | null
}

/** The host's answer: the session, `'forbidden'` for a user without the right, or nothing. */
export type ContextAnswer = ManagementContext | 'forbidden' | null | undefined

/** How the management routes are set up on a host whose requests are `R`. */
export interface ManageKeysOptions<R> {
  /**
   * Returns the session that the host knows for a request. It is the only source of identity: no header, path,
   * query or body of a call can name another workspace or user. `null` is answered with 401 and
   * `'forbidden'` with 403; return the latter for members who may not do `operation`, or not change the
   * fields that `detail.fields()` reads. `allowedOperations` also tells pages what not to offer.
   */
  readonly context: (
    request: R,
    operation: ManagementOperation,
    detail: ManagementDetail,
  ) => ContextAnswer | Promise<ContextAnswer>
  /**
   * Other origins whose pages may change keys, such as `https://app.example.com`. Default: none; pages
   * of the same origin always may.
   */
  readonly allowedOrigins?: readonly string[]
  /**
   * The names of the metadata entries that pages may read and write. Default: none, and `metadata` is
   * neither shown nor taken.
   */
  readonly metadata?: readonly string[]
  /**
   * By each type of `createApiKeys({ resources })`, where pages get names and choices from. Default: none, and
   * pages show ids.
   */
  readonly resources?: Readonly<Record<string, ResourceSource>>
  /**
   * Receives the reason for a 500 (`context` failed or returned something invalid, the body was already read, the
   * outcome of a change is unknown) or a 503 (an `OutageError`), which the client does not see. Its errors are
   * ignored. Default: the first failure of each kind goes to standard error, faults only without an `onEvent`.
   */
  readonly onError?: (error: unknown) => void
}
