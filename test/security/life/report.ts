/** One answer over HTTP. */
export interface SeenAnswer {
  readonly call: string
  readonly status: number
  readonly headers: string
  readonly body: string
  /** Whether the body hands a secret out. */
  readonly isIssued: boolean
}

/** What the life of some keys has left behind, told by the process that has lived it. */
export interface LifeReport {
  readonly secrets: readonly string[]
  readonly answers: readonly SeenAnswer[]
  /** Events, errors and public objects as JSON and as `util.inspect` shows them. */
  readonly shown: Readonly<Record<string, string>>
}
