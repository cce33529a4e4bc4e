import {
  type CallOptions,
  type ManagementClient,
  ManagementError,
  type ManagementErrorCode,
} from '../../client/index.ts'

/** The calls that the tab makes. */
export type TabClient = Pick<
  ManagementClient,
  | 'listKeys'
  | 'listScopes'
  | `${'create' | 'get' | 'update' | 'pause' | 'resume' | 'rotate' | 'revoke'}Key`
> &
  /**
   * Without them, the tab shows neither the requests of a key nor its history, and has ids of resources
   * typed.
   */
  Partial<Pick<ManagementClient, 'getKeyUsage' | 'getKeyEvents' | 'listResources'>>

/** The code of a failed call; `null` for anything else that was thrown. */
export function codeOf(error: unknown): ManagementErrorCode | null {
  return error instanceof ManagementError ? error.code : null
}

/**
 * Where the shown keys come from. The tab gets a new one when the page names another client or
 * address, and when the session enters another workspace; an answer to the former one reaches no list.
 */
export class Source {
  /** The workspace of the loaded list; `null` until there is one. */
  workspaceId: string | null = null

  /** Ties a call to the workspace that is shown. */
  get tie(): CallOptions {
    return this.workspaceId === null ? {} : { workspaceId: this.workspaceId }
  }
}
