/**
 * What a request needs of its key: one scope, one of several or all of several, or `null` for any valid key.
 * There are no wildcards.
 */
export type Requirement<S extends string = string> =
  | S
  | {
      /** 2 to 16 scopes, of which the key must hold one. */
      readonly anyOf: readonly [S, S, ...S[]]
    }
  | {
      /** 2 to 16 scopes, all of which the key must hold. */
      readonly allOf: readonly [S, S, ...S[]]
    }
  | null

/** The scopes that a request needs. */
export type ScopeRequirement<S extends string = string> = NonNullable<Requirement<S>>
