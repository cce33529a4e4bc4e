import { connected, NoAnswer } from '../attempts.ts'
import { type Deadline, untilAborted } from '../deadline.ts'
import { rowFrom, type SqlRow } from '../sql/cells.ts'
import { hexOf } from '../sql/hash-bytes.ts'
import type { Sql, SqlValue } from '../sql/sql.ts'
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
  const connect = () => pool.getConnection()
  const raw = await connected(deadline, connect, (connection) => connection.release())
  try {
    const result = await work(async (sql) => {
      const answer = raw.query({ sql, ...OPTIONS })
      return (await untilAborted(deadline.signal, answer, noAnswer))[0]
    })
    raw.release()
    return result
  } catch (error) {
    raw.destroy()
    throw error
  }
}

const OPTIONS: Omit<MysqlQuery, 'sql'> = {
  rowsAsArray: false,
  nestTables: false,
  typeCast: (_, next) => next(),
}

const noAnswer = () => new NoAnswer('no answer in time')

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

export function literalSql({ text, values }: Sql): string {
  const [first = '', ...rest] = text.split('?')
  if (rest.length !== values.length) {
    throw new RangeError(`${values.length} values for ${rest.length} parameters: ${text}`)
  }
  return first + rest.map((piece, at) => literal(values[at] ?? null) + piece).join('')
}

const ENCODER = new TextEncoder()

/**
 * A value as a literal. Texts are hexadecimal: no setting of a session (its charset, `NO_BACKSLASH_ESCAPES`) reads
 * that in another way, and it compares as bytes.
 */
function literal(value: SqlValue): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  return `X'${hexOf(typeof value === 'string' ? ENCODER.encode(value) : value)}'`
}
