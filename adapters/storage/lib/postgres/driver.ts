import { type QueryConfig, queryTimeoutOf, queuedStatement } from './queued-statement.ts'

/**
 * What the storage asks of a driver: a pool of `pg` or Neon, a PGlite, or anything
 * else that runs one statement with `$1` parameters and answers its rows.
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
  /** Whether it is a lookup: worth preparing, and harmless when it is sent late. */
  readonly isLookup?: boolean
}

/** The rows of an answer, one text for each. */
export type Answers = readonly (string | null)[]

/** A statement in flight. */
export interface Sending {
  /** The column `answer` of every row. */
  readonly answers: Promise<Answers>
  /** Whether it may have left this process. */
  readonly wasSent: () => boolean
  /** Keeps it from being sent, if it still waits for a connection. */
  readonly abandon: () => void
}

/** Sends statements through the pool it was made for. */
export interface Driver {
  readonly send: (statement: Statement, timeoutMs: number) => Sending
  /** Stops using prepared statements, because something between us and the server loses them. */
  readonly forgetNames: () => void
}

interface ConfigPool {
  query(config: QueryConfig): Promise<{ readonly rows: readonly unknown[] }>
}

/** Wraps a pool. `named` allows prepared statements; only `pg`-like pools have them. */
export function driverOf(pool: PostgresPool, named: boolean): Driver {
  let usesNames = named
  const forgetNames = () => {
    usesNames = false
  }
  if (!takesConfig(pool)) return { send: (statement) => sendText(pool, statement), forgetNames }
  const send = (statement: Statement, timeoutMs: number) => {
    if (statement.isLookup !== true) return sendConfig(pool, statement, timeoutMs)
    const { text, values } = statement
    const name = usesNames ? nameOf(text) : undefined
    return sendLookup(pool, { name, text, values, query_timeout: queryTimeoutOf(timeoutMs) })
  }
  return { send, forgetNames }
}

// `pg` and Neon have `connect`; PGlite and hand-made wrappers, which take a text only, do not.
function takesConfig(pool: PostgresPool | ConfigPool): pool is ConfigPool {
  return 'connect' in pool && typeof pool.connect === 'function'
}

function sendText(pool: PostgresPool, { text, values }: Statement): Sending {
  return {
    answers: started(() => pool.query(text, [...values])),
    wasSent: () => true,
    abandon: () => undefined,
  }
}

function sendConfig(pool: ConfigPool, { text, values }: Statement, timeoutMs: number): Sending {
  const { config, wasSent, abandon } = queuedStatement(text, values, timeoutMs)
  return { answers: started(() => pool.query(config)), wasSent, abandon }
}

/**
 * As `sendConfig`, without the getters of a queued statement, which cost 2 to 6 % of an
 * authentication: a lookup may be sent late, and whether it was sent does not matter.
 */
function sendLookup(pool: ConfigPool, config: QueryConfig): Sending {
  return {
    answers: started(() => pool.query(config)),
    wasSent: () => false,
    abandon: () => undefined,
  }
}

/** Calls the driver; what it throws at once becomes a rejection. */
async function started(query: () => Promise<{ readonly rows: readonly unknown[] }>) {
  const { rows } = await query()
  return rows.map(answerIn)
}

function answerIn(row: unknown): string | null {
  if (typeof row !== 'object' || row === null) return null
  const answer: unknown = Reflect.get(row, 'answer')
  return typeof answer === 'string' ? answer : null
}

const NAMES = new Map<string, string>()

/**
 * A name that depends on the text alone, so that behind a pooler, which shares connections, the same
 * name never stands for another statement.
 */
function nameOf(text: string): string {
  const known = NAMES.get(text)
  if (known !== undefined) return known
  const name = `miftah_${hash32(text, 0x811c9dc5)}${hash32(text, 0x9747b28c)}`
  NAMES.set(text, name)
  return name
}

function hash32(text: string, seed: number): string {
  let hash = seed
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0).toString(16).padStart(8, '0')
}
