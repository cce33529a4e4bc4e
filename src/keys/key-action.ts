import type { Grantable } from '../model/grant.ts'
import type { Person } from '../model/key.ts'

/** Which key to change, and who does it. @inline */
export interface KeyAction {
  /** The workspace of the key; a key of another one is not found. */
  readonly workspaceId: string
  /** The id of the key, not its secret or prefix. */
  readonly id: string
  /** Who does it: the actor of the audit event. */
  readonly actor: Person
}

/** A change that makes a key live. @inline */
export interface GrantingAction<S extends string = string> extends KeyAction {
  /** What the actor may give: the whole key must be within it afterwards. Default: everything. */
  readonly grantable?: Grantable<S>
}
