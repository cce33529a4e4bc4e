/** One thing wrong with one field of a request. */
export interface WireIssue {
  /** The field and the path into it; empty for the whole request. */
  readonly path: readonly (string | number)[]
  /** What is wrong; stable. One of `InputIssueCode` in `miftah`. */
  readonly code: string
  /** The rest of an English sentence about the field. */
  readonly message: string
}
