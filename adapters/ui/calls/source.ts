import type { CallOptions } from '../../client/index.ts'

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
