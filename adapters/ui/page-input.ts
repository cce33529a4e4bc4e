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

/** Which keys are shown. */
export interface ListFilters {
  /** By what they are. Default: all. */
  readonly filter?: 'all' | 'active' | 'unused' | 'revoked'
  /** Words to look for. Default: none. */
  readonly search?: string
  /** Default: both. */
  readonly environment?: Environment | null
  /** Only those with this scope. Default: any. */
  readonly scope?: string | null
  /** Only those that reach this resource: its type and its id with a colon between them. Default: any. */
  readonly resource?: string | null
}
