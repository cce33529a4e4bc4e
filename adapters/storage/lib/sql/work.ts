/**
 * Work on a database, the same whether a driver answers at once or with a promise: each `yield` passes
 * on what a statement has answered, and gives it back once it is there.
 */
export type Work<T> = Generator<unknown, T, unknown>

/** What is bound to a statement. */
export type SqlValue = string | number | null | Uint8Array

/** A statement with `?` for its values. */
export interface SqlStatement {
  /** The first row by column names, or nothing (`undefined` or `null`). */
  get(...values: SqlValue[]): unknown
  /** All rows. */
  all(...values: SqlValue[]): unknown
  /** Runs it for its effect and answers `changes`, how many rows it has changed. */
  run(...values: SqlValue[]): unknown
}

/** How many rows a statement has changed, by what it has answered. */
export function changesOf(answer: unknown): number {
  return Number(Object(answer).changes)
}

/** The rows that a statement has answered. */
export function rowsOf(answer: unknown): readonly unknown[] {
  return answer as readonly unknown[]
}

/**
 * Throws unless a statement has changed one row. A trigger of the host may have swallowed the change, and
 * the call must not answer as if it had been made.
 */
export function assertOneRow(answer: unknown): void {
  const changes = changesOf(answer)
  if (changes !== 1) throw new Error(`changing one row changed ${changes} rows`)
}

/**
 * Runs work to its end, where statements answer later. `ask` answers what it yields; what a statement is
 * made of may be work itself.
 */
export async function complete<T>(work: Work<T>, ask: (step: unknown) => unknown): Promise<T> {
  let step = work.next()
  while (!step.done) {
    const { value } = step
    step = work.next(await (isWork(value) ? complete(value, ask) : ask(value)))
  }
  return step.value
}

function isWork(value: unknown): value is Work<unknown> {
  const { next, [Symbol.iterator]: iterator } = Object(value)
  return typeof next === 'function' && typeof iterator === 'function'
}
