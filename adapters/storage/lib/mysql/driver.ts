import { type Deadline, untilAborted } from '../deadline.ts'
import { NoAnswer } from '../progress.ts'
import { brokenColumn, rowFrom, type SqlRow } from '../row.ts'
import { StorageError } from '../storage-error.ts'
import { Query } from './query.ts'

/** What mysql2 is given: these options win over those of the pool. */
export interface MysqlQuery {
  /** The text, with every value in it. */
  readonly sql: string
  /** Always `false`: each row is an object. */
  readonly rowsAsArray: boolean
  /** Always `false`: columns are not grouped by table. */
  readonly nestTables: boolean
  /** Whether mysql2 converts columns by their types. */
  readonly typeCast: boolean
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

/** Part of the work of a call on one connection. */
export type OnConnection<T> = (connection: Connection) => Promise<T>

/**
 * Runs work on a connection of the pool. The connection goes back only if the work has succeeded: another one
 * may still be in a transaction, or wait for an answer.
 */
export async function onConnection<T>(
  pool: MysqlPool,
  deadline: Deadline,
  work: OnConnection<T>,
): Promise<T> {
  const raw = await connect(pool, deadline)
  try {
    const result = await work(new Connection(raw, deadline))
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

/** A connection for as long as a call needs it. */
export class Connection {
  readonly #raw: MysqlConnection
  readonly #deadline: Deadline

  constructor(raw: MysqlConnection, deadline: Deadline) {
    this.#raw = raw
    this.#deadline = deadline
  }

  /** Runs a statement without values and answers what the driver does. */
  async run(sql: string): Promise<unknown> {
    const options = { rowsAsArray: false, nestTables: false, typeCast: true }
    const answer = this.#raw.query({ sql, ...options })
    const late = () => new NoAnswer('no answer in time')
    const [result] = await untilAborted(this.#deadline.signal, answer, late)
    return result
  }

  /**
   * Answers what work has yielded: for a statement its row or nothing, its rows, or how many it has
   * changed; for anything else that itself.
   */
  async ask(step: unknown, prefix = ''): Promise<unknown> {
    if (!(step instanceof Query)) return step
    const result = await this.run(prefix + step.sql)
    if (step.part === 'run') return { changes: Object(result).affectedRows }
    const rows = rowsIn(result)
    return step.part === 'all' ? rows : rows[0]
  }
}

/** The rows of an answer, with texts for the bytes that stand for them. */
export function rowsIn(result: unknown): readonly SqlRow[] {
  return listIn(result).map(decoded)
}

/** The rows of an answer, as the driver returns them. */
export function listIn(result: unknown): readonly unknown[] {
  if (Array.isArray(result)) return result
  throw new StorageError('broken_row', 'the driver returned something that is not a list of rows')
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Ids are stored as bytes, and of these only a hash is no text. The row is the driver's, made for this answer. */
export function decoded(value: unknown): SqlRow {
  const row = rowFrom(value)
  for (const name in row) {
    const cell = row[name]
    if (cell instanceof Uint8Array && name !== 'hash') Reflect.set(row, name, textOf(cell, name))
  }
  return row
}

function textOf(bytes: Uint8Array, column: string): string {
  try {
    return UTF8.decode(bytes)
  } catch {
    return brokenColumn(column)
  }
}
