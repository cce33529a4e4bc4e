import { NoAnswer } from '../attempts.ts'
import { type Deadline, untilAborted } from '../deadline.ts'
import { rowFrom, type SqlRow } from '../sql/cells.ts'
import { StorageError } from '../storage-error.ts'

/** What mysql2 is given: these options win over those of the pool. */
export interface MysqlQuery {
  /** The statement. */
  readonly sql: string
  /** Always `false`: each row is an object. */
  readonly rowsAsArray: boolean
  /** Always `false`: columns are not grouped by table. */
  readonly nestTables: boolean
  /** Converts a column as mysql2 does by default; only a function wins over one of the pool. */
  readonly typeCast: (field: unknown, next: () => unknown) => unknown
}

/** What is used of a connection of mysql2. */
export interface MysqlConnection {
  /** Runs one statement; resolves with its rows or its result first. */
  query(query: MysqlQuery): Promise<readonly [unknown, unknown]>
  /** Gives the connection back to the pool. */
  release(): void
  /** Closes the connection: it may still be in a transaction, or wait for an answer. */
  destroy(): void
}

/** The methods that are called of a pool: that of `mysql2/promise` has them. */
export interface MysqlPool {
  /** Resolves with a connection of the pool, once one is free. */
  getConnection(): Promise<MysqlConnection>
}

export type Run = (sql: string) => Promise<unknown>

/**
 * Runs work on a connection of the pool. The connection goes back only if the work has succeeded: another one
 * may still be in a transaction, or wait for an answer.
 */
export async function onConnection<T>(
  pool: MysqlPool,
  deadline: Deadline,
  work: (run: Run) => Promise<T>,
): Promise<T> {
  const raw = await connect(pool, deadline)
  try {
    const result = await work((sql) => runOn(raw, deadline, sql))
    raw.release()
    return result
  } catch (error) {
    raw.destroy()
    throw error
  }
}

/** A connection that comes after the time is over goes back. */
async function connect(pool: MysqlPool, { atMs, signal }: Deadline): Promise<MysqlConnection> {
  if (atMs <= performance.now()) throw new NoAnswer('no time was left')
  const connecting = pool.getConnection()
  let isLate = false
  connecting.then(
    (connection) => isLate && connection.release(),
    () => undefined,
  )
  return untilAborted(signal, connecting, () => {
    isLate = true
    return new NoAnswer('no connection was free in time')
  })
}

const OPTIONS: Omit<MysqlQuery, 'sql'> = {
  rowsAsArray: false,
  nestTables: false,
  typeCast: (_, next) => next(),
}

async function runOn(raw: MysqlConnection, { signal }: Deadline, sql: string): Promise<unknown> {
  const answer = raw.query({ sql, ...OPTIONS })
  const [result] = await untilAborted(signal, answer, () => new NoAnswer('no answer in time'))
  return result
}

export function rowsIn(result: unknown): readonly SqlRow[] {
  if (Array.isArray(result)) return result.map(rowFrom)
  throw new StorageError('broken_row', 'the driver returned something that is not a list of rows')
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Texts are read as bytes, and of these only a hash is no text. The row is the driver's, made for this answer. */
export function decoded(row: SqlRow): SqlRow {
  for (const name in row) {
    const cell = row[name]
    if (cell instanceof Uint8Array && name !== 'hash') Reflect.set(row, name, textOf(cell))
  }
  return row
}

/** What is no text stays as it is, and fails who reads it. */
function textOf(bytes: Uint8Array): string | Uint8Array {
  try {
    return UTF8.decode(bytes)
  } catch {
    return bytes
  }
}
