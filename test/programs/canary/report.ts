/** One answer over HTTP. */
export interface SeenAnswer {
  readonly call: string
  readonly status: number
  readonly headers: string
  readonly body: string
  /** What the body has to hold: the secret where one is handed out, the hash for GitHub. */
  readonly mayHold: 'secret' | 'hash' | 'nothing'
}

/** What the life of some keys has left behind, told by the process that has lived it. */
export interface LifeReport {
  readonly secrets: readonly string[]
  readonly answers: readonly SeenAnswer[]
  /** Events, errors and public objects as JSON and as `util.inspect` shows them. */
  readonly shown: Readonly<Record<string, string>>
}

/** A leak that is made on purpose, to see that it is found. */
export const PLANTS = [
  'stdout',
  'stderr',
  'base64',
  'body',
  'header',
  'event',
  'error',
  'object',
  'hash',
  'database',
] as const

export type Plant = (typeof PLANTS)[number]
