import type { Grantable } from './grant.ts'
import type { Environment, KeyMetadata, KeyNetworks, KeyResources, Person } from './key.ts'

/** The fields of a new key that its user chooses. */
export interface KeyFields<S extends string = string> {
  /** 1 to 120 Unicode code points after trimming; no control, text-direction or other invisible ones. */
  readonly name: string
  /** Where the key is meant to be used. */
  readonly environment: Environment
  /** At least one scope of the catalogue, none twice. */
  readonly scopes: readonly S[]
  /**
   * When the key expires: at least 60 seconds ahead and within the plan; `null` for never. Default: as late as
   * the plan allows.
   */
  readonly expiresAt?: Date | null | undefined
  /** A note for people: up to 200 Unicode code points after trimming. Default `null`: none. */
  readonly note?: string | null | undefined
  /**
   * Which resources the key reaches: for each type `'all'` or ids, at most 100 over all types, each 1 to 128
   * visible ASCII characters. An empty list allows none. Default: `'all'` of each type.
   */
  readonly resources?: KeyResources | undefined
  /** Where the key may be used from: `'any'`, or 1 to 20 networks in canonical CIDR notation. Default `'any'`. */
  readonly networks?: KeyNetworks | undefined
  /**
   * Entries of the host: up to 20, with names of 1 to 40 letters, digits, `_`, `.` and `-`, values of up to 500
   * code points, and 4 KiB as JSON. They never grant access. Default: none.
   */
  readonly metadata?: KeyMetadata | undefined
}

/** What `createKey` needs: the fields, whose key it is, and who makes it. @inline */
export interface CreateKeyInput<S extends string = string> extends KeyFields<S> {
  /** Whose key it is: 1 to 255 Unicode code points without control characters. */
  readonly workspaceId: string
  /** Who makes it; also the actor of the audit event. */
  readonly creator: Person
  /** What the creator may give. Default: everything. */
  readonly grantable?: Grantable<S>
}

/** A key to import: the fields of `createKey`, plus the format and digest that identify it. */
export interface ImportKey<S extends string = string> extends Omit<CreateKeyInput<S>, 'grantable'> {
  /** The id of its format, one of the option `formats`. */
  readonly format: string
  /** What the other system stored of the key: the result of the format's `digest`. */
  readonly digest: string
  /**
   * What identifies the key in the other system, such as the id of its row: 1 to 255 characters, and no part of
   * its secret. A second row of a format and workspace with it is `exists`. Default: none.
   */
  readonly externalId?: string | undefined
  /** How people recognise the key: 1 to 12 visible ASCII characters. Default: the id of the format. */
  readonly prefix?: string | undefined
  /** When the other system created the key. Default: now. */
  readonly createdAt?: Date | undefined
}
