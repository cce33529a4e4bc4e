import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { connected, NoAnswer } from '../attempts.ts'
import { type Deadline, untilAborted } from '../deadline.ts'
import { isUnnamed } from './errors.ts'

/**
 * What the storage asks of a driver: a pool of `pg` or Neon, a PGlite, or anything else that runs one
 * statement with `$1` parameters and answers its rows.
 */
export interface PostgresPool {
  /**
   * Runs one statement, with text for its parameters. A pool that has a method `connect` too is taken
   * for one of `pg` and given a query configuration in place of the text. Rejects when it fails.
   */
  query(
    text: string,
    values?: string[],
  ): Promise<{
    /** One object for each row, by column names. */
    readonly rows: readonly unknown[]
  }>
}

/** One statement. Every parameter is text and is cast in SQL, so no driver converts anything. */
export interface Statement {
  readonly text: string
  readonly values: readonly string[]
  /** What it is called once it is prepared; for a text that is always the same. */
  readonly name?: string
}

export type Answers = readonly (string | null)[]

/** Sends statements through the pool it was made for, and calls `sent` when one may leave this process. */
export type Send = (
  statement: Statement,
  deadline: Deadline,
  isChange: boolean,
  sent: () => void,
) => Promise<Answers>

/** What `pg` and its relatives take instead of a text. */
interface QueryConfig {
  readonly name: string | undefined
  readonly text: string
  readonly values: readonly string[]
  /** Closes the connection when the server does not answer in so many milliseconds. */
  readonly query_timeout: number | undefined
}

type Rows = ReturnType<PostgresPool['query']>

interface ConfigPool {
  query(config: QueryConfig): Rows
  connect(): Promise<ConfigClient>
}

interface ConfigClient {
  query(config: QueryConfig): Rows
  release(destroy: boolean): void
  on?(event: 'error', listener: () => void): unknown
  off?(event: 'error', listener: () => void): unknown
}

/** Wraps a pool. `named` allows prepared statements; only `pg`-like pools have them. */
export function driverOf(pool: PostgresPool, named: boolean): Send {
  // `pg` and Neon have `connect`; PGlite and wrappers by hand, which take a text only, do not.
  if (!takesConfig(pool)) {
    return ({ text, values }, { signal }, _, sent) => {
      sent()
      return answered(signal, async () => pool.query(text, [...values]))
    }
  }
  let usesNames = named
  const send: Send = async (statement, deadline, isChange, sent) => {
    const { text, values } = statement
    const { atMs, signal } = deadline
    const name = usesNames ? statement.name : undefined
    // A read may be sent late: it leaves nothing behind.
    const connect = () => pool.connect()
    const client = isChange ? await connected(deadline, connect, giveBack) : null
    const query_timeout = queryTimeoutOf(atMs - performance.now())
    const config = { name, text, values, query_timeout }
    sent()
    try {
      return await answered(signal, async () =>
        client === null ? pool.query(config) : onConnection(client, config),
      )
    } catch (error) {
      if (name === undefined || !isUnnamed(error)) throw error
      // Something between us and the server loses prepared statements.
      usesNames = false
      return send(statement, deadline, isChange, sent)
    }
  }
  return send
}

const giveBack = (client: ConfigClient) => client.release(false)

function takesConfig(pool: PostgresPool | ConfigPool): pool is ConfigPool {
  return 'connect' in pool && typeof pool.connect === 'function'
}

async function onConnection(client: ConfigClient, config: QueryConfig): Rows {
  // Without a listener, a connection that breaks while it is not the pool's ends the process.
  const ignore = () => undefined
  client.on?.('error', ignore)
  let isBroken = true
  try {
    const result = await client.query(config)
    isBroken = false
    return result
  } finally {
    client.release(isBroken)
    // The pool closes a broken one, which may say so once more.
    if (!isBroken) client.off?.('error', ignore)
  }
}

async function answered(signal: AbortSignal | undefined, query: () => Rows): Promise<Answers> {
  const late = () => new NoAnswer('the server did not answer in time')
  const { rows } = await untilAborted(signal, query(), late)
  return rows.map((row) => {
    const answer: unknown = Object(row).answer
    return typeof answer === 'string' ? answer : null
  })
}

/** The longest wait of a timer (HTML Standard §8.7). */
const LONGEST_MS = 2 ** 31 - 1

function queryTimeoutOf(ms: number): number | undefined {
  return ms > LONGEST_MS ? undefined : Math.max(1, Math.ceil(ms))
}

/** A statement to prepare. A name stands for one text only, also behind a pooler, which shares connections. */
export function named(text: string): Pick<Statement, 'text' | 'name'> {
  return { text, name: `miftah_${bytesToHex(sha256(utf8ToBytes(text))).slice(0, 16)}` }
}
