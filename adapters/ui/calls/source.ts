import type { CallOptions } from '../../client/index.ts'

/**
 * Where the shown keys come from. The tab gets a new one when the page names another client or
 * address, and when the session enters another workspace; an answer to the former one reaches no list.
 */
export class Source {
  /** The workspace of the loaded list; `null` until there is one. */
  workspaceId: string | null = null
  /** The client or the address. */
  readonly #place: unknown

  constructor(place: unknown) {
    this.#place = place
  }

  /** Ties a call to the workspace that is shown. */
  get tie(): CallOptions {
    return this.workspaceId === null ? {} : { workspaceId: this.workspaceId }
  }

  /** Whether both are of one place and, as far as is known, of one workspace. */
  matches(other: Source): boolean {
    const { workspaceId } = this
    const known = workspaceId !== null && other.workspaceId !== null
    return this.#place === other.#place && (!known || workspaceId === other.workspaceId)
  }
}
