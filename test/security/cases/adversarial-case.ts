/** One case of the adversarial suite, and what shows its outcome. */
export interface AdversarialCase {
  readonly id: string
  /** What comes in or happens. */
  readonly given: string
  readonly outcome: string
  /** `vector <id>` of docs/vectors, or `<file>: <title of a test as its source has it>`. */
  readonly shownBy: readonly string[]
  /** Why there is no test; only for what does not exist here. */
  readonly without?: string
}
