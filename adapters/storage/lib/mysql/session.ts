import { integerIn, rowFrom, type SqlRow } from '../sql/cells.ts'
import { raw, Sql } from '../sql/sql.ts'
import type { Result } from '../sql/work.ts'
import { decoded, literalSql, type Run, rowsIn } from './driver.ts'
import { notPrimary, unless } from './errors.ts'
import { refusal, type Server } from './server.ts'

/** Whether this server takes changes: a replica and a read-only one do not. Newer ones answer a word for a number. */
export const IS_WRITABLE =
  "(CONCAT(@@global.read_only, @@global.innodb_read_only) IN ('00', 'OFF0', '0OFF', 'OFFOFF'))"

/** ER_CANT_CHANGE_TX_CHARACTERISTICS: there is a transaction. */
const IN_TRANSACTION = 1568

/** The level of the next transaction alone, whatever that of the session is. */
const READ_COMMITTED = 'SET TRANSACTION ISOLATION LEVEL READ COMMITTED'

/**
 * One connection for as long as a call needs it. Its session is the host's too, who may have left it in a
 * transaction, whose snapshot does not have a revocation, or with settings in which a read shows something else.
 */
export class Session {
  readonly server: Server
  readonly #run: Run

  constructor(run: Run, server: Server) {
    this.#run = run
    this.server = server
  }

  async run(statement: Sql): Promise<Result> {
    return resultOf(await this.#run(this.#textOf(limited(statement))))
  }

  /** Runs a statement that reads, after a check of the session. It sees every commit of a cluster. */
  async read(statement: Sql): Promise<Result> {
    return resultOf(await this.#run(this.server.causal + this.#textOf(limited(statement))))
  }

  /** Reads after a check of the session, which a row brings with it. Texts in the rows are bytes. */
  async readFirst({ text, values }: Sql): Promise<readonly SqlRow[]> {
    const checked = new Sql(text.replace('SELECT', `SELECT ${this.#isFine()} AS is_fine,`), values)
    return this.#fineRows(this.#textOf(limited(checked)))
  }

  async check(): Promise<void> {
    await this.#fineRows(this.#fineRow())
  }

  /** Begins a transaction that sees every commit before it. A write checks the session in a statement of its own. */
  async begin(kind: 'change' | 'write'): Promise<void> {
    if (kind === 'change') await this.check()
    else if (this.server.causal !== '') await this.#run(`${this.server.causal}SELECT 1 AS one`)
    if (!(await this.#isOutside())) {
      await this.#setRight()
      await this.#run(READ_COMMITTED)
    }
    await this.#run('START TRANSACTION READ WRITE')
  }

  async commit(): Promise<void> {
    await this.#run('COMMIT AND NO CHAIN NO RELEASE')
  }

  async rollback(): Promise<void> {
    await this.#run('ROLLBACK AND NO CHAIN NO RELEASE')
  }

  /** In the database that was found at the start. */
  #textOf({ text, values }: Sql): string {
    const qualified = text.replaceAll('miftah_', () => `${this.server.database}.miftah_`)
    return literalSql(new Sql(qualified, values))
  }

  #fineRow(): string {
    return `SELECT ${this.#isFine()} AS is_fine LIMIT 1`
  }

  #isFine(): string {
    const { isMariaDb, isolation } = this.server
    return `${IS_WRITABLE} AND @@autocommit = 1${isMariaDb ? ' AND @@in_transaction = 0' : ''}
      AND @@${isolation} <> 'READ-UNCOMMITTED' AND @@character_set_results <=> 'utf8mb4'`
  }

  /** A server that cannot say in a read whether there is a transaction says it before. */
  async #fineRows(text: string): Promise<readonly SqlRow[]> {
    for (const isLast of [false, true]) {
      if (this.server.isMariaDb || (await this.#isOutside())) {
        const rows = await this.#rows(text)
        const checked = rows.length > 0 ? rows : await this.#rows(this.#fineRow())
        if (integerIn(rowFrom(checked[0]), 'is_fine') === 1) return rows
      }
      if (!isLast) await this.#setRight()
    }
    throw refusal(
      'a session of the pool must have autocommit, no open transaction and character_set_results utf8mb4',
    )
  }

  async #rows(text: string): Promise<readonly SqlRow[]> {
    return rowsIn(await this.#run(this.server.causal + text))
  }

  /** Whether there is no transaction. The level is that of the next statement. */
  async #isOutside(): Promise<boolean> {
    return (await unless([IN_TRANSACTION], () => this.#run(READ_COMMITTED))) !== null
  }

  /** Ends what the host has left, and sets what a read depends on. */
  async #setRight(): Promise<void> {
    const { isolation } = this.server
    await this.rollback()
    const { rows } = await this.run(raw(`SELECT ${IS_WRITABLE} AS is_writable LIMIT 1`))
    if (integerIn(rowFrom(rows[0]), 'is_writable') !== 1) throw notPrimary()
    await this.#run(`SET SESSION autocommit = 1, SESSION character_set_results = utf8mb4,
      SESSION ${isolation} = IF(@@${isolation} = 'READ-UNCOMMITTED', 'READ-COMMITTED', @@${isolation})`)
  }
}

const ALL_ROWS = Number.MAX_SAFE_INTEGER

/** A SELECT without LIMIT at its end, and its lock. */
const UNLIMITED =
  /^(\s*SELECT(?!.*LIMIT (?:\?|1)\s*(?:FOR UPDATE\s*)?$).*?)(\s(?:FOR UPDATE|LOCK IN SHARE MODE))?\s*$/s

/** A statement with a LIMIT of its own heeds no `sql_select_limit`. */
function limited({ text, values }: Sql): Sql {
  return new Sql(text.replace(UNLIMITED, `$1 LIMIT ${ALL_ROWS}$2`), values)
}

function resultOf(answer: unknown): Result {
  if (Array.isArray(answer)) return { rows: rowsIn(answer).map(decoded), changes: 0 }
  return { rows: [], changes: Number(Object(answer).affectedRows) }
}
