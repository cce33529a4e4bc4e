import type { Environment } from '../../src/model/key.ts'

/** What the create dialog has filled in when a page opens it. */
export interface CreateDraft {
  /** Default: empty. */
  readonly name?: string
  /** Default: none is chosen. */
  readonly environment?: Environment
  /** Scopes of the catalogue; others are left out. Default: none is chosen. */
  readonly scopes?: readonly string[]
  /** Default: empty. */
  readonly note?: string
}
