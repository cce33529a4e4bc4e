import type { SqlRow } from './cells.ts'
import type { Sql } from './sql.ts'

export interface Result {
  readonly rows: readonly SqlRow[]
  /** How many rows it has changed. */
  readonly changes: number
}

/**
 * Work on a database, the same whether a driver answers at once or later: each `yield` gives
 * statements to run one after another, and is given their results. All work of a change is one
 * transaction, and all work of a read is one snapshot, or begins with the row of the workspace.
 */
export type Work<T> = Generator<readonly (Sql | null)[], T, readonly Result[]>

/** The result of a statement that is left out (`null`). */
export const NOTHING: Result = Object.freeze({ rows: [], changes: 0 })

/** Runs statements one after another, and answers the result of each. */
export function* each<S extends readonly (Sql | null)[]>(
  ...statements: S
): Work<{ readonly [At in keyof S]: Result }> {
  // A runner answers as many results as it is given statements.
  return (yield statements) as unknown as { readonly [At in keyof S]: Result }
}

export function* rowsOf(statement: Sql): Work<readonly SqlRow[]> {
  const [{ rows }] = yield* each(statement)
  return rows
}

export function* changesOf(statement: Sql): Work<number> {
  const [{ changes }] = yield* each(statement)
  return changes
}

/** Runs work to its end on a driver that answers at once. */
export function atOnce<T>(work: Work<T>, run: (statement: Sql) => Result): T {
  let step = work.next([])
  while (!step.done)
    step = work.next(step.value.map((statement) => (statement === null ? NOTHING : run(statement))))
  return step.value
}

/** Runs work to its end on a driver that answers later. */
export async function complete<T>(
  work: Work<T>,
  run: (statement: Sql) => Promise<Result>,
): Promise<T> {
  let step = work.next([])
  while (!step.done) {
    const results: Result[] = []
    for (const statement of step.value) {
      results.push(statement === null ? NOTHING : await run(statement))
    }
    step = work.next(results)
  }
  return step.value
}
