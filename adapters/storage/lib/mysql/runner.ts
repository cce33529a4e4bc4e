import type { StorageCall, WorkspaceWrite, WriteOutcome } from '../../../../src/storage/index.ts'
import { attempts, NoAnswer } from '../attempts.ts'
import { type Deadline, deadlineOf, untilAborted } from '../deadline.ts'
import { KnownRecords } from '../known-records.ts'
import type { FindAll } from '../lookup-queue.ts'
import type { Readiness } from '../readiness.ts'
import { raw, type Sql, sql } from '../sql/sql.ts'
import { complete, NOTHING, type Work } from '../sql/work.ts'
import { decoded, type MysqlPool, onConnection } from './driver.ts'
import { DENIED, faultOf, MYSQL_FAULTS, unless } from './errors.ts'
import { hashOf, keyIn, LINE, lineIn } from './lines.ts'
import type { Server } from './server.ts'
import { Session } from './session.ts'
import { Refused, writeOn } from './write.ts'

/** How many writes are in flight at once on one pool, so that lookups keep connections. */
const MOST_WRITES = 4

const REFUSED: WriteOutcome = Object.freeze({ outcome: 'refused' })

/** Runs work through a pool, and again where that is safe. */
export class Runner {
  readonly #pool: MysqlPool
  readonly #readiness: Readiness<Server>
  readonly #known = new KnownRecords(keyIn)
  readonly #slots = new Slots()

  constructor(pool: MysqlPool, readiness: Readiness<Server>) {
    this.#pool = pool
    this.#readiness = readiness
  }

  /** Runs work on a session that reads what is committed. */
  onReader<T>(work: (on: Session) => Promise<T>, deadline: Deadline): Promise<T> {
    return attempts(MYSQL_FAULTS, 'read', deadline, () => this.#onSession(deadline, work))
  }

  /** Runs reads, the first of them with a check of the session. */
  read = <T>(work: () => Work<T>, call: StorageCall | undefined): Promise<T> =>
    this.onReader(async (on) => {
      let isChecked = false
      return complete(work(), async (statement) => {
        if (isChecked) return on.read(statement)
        isChecked = true
        return { rows: (await on.readFirst(statement)).map(decoded), changes: 0 }
      })
    }, deadlineOf(call))

  /** Finds the keys of many hashes in one statement. An invalid row fails the callers of that key only. */
  find: FindAll = (hashes, { atMs }, call) =>
    this.onReader(
      async (on) => {
        const values = hashes.map((hash) => `X'${hash}'`).join(', ')
        const rows = await on.readFirst(sql`SELECT ${LINE} AS line FROM miftah_keys AS k
          WHERE k.hash IN (${raw(values)})`)
        const lines = rows.map(lineIn).map((line) => [hashOf(line), line] as const)
        return new Map(lines.map(([hash, line]) => [hash, this.#known.recordOf(hash, line)]))
      },
      { atMs, ...(call && { signal: call.signal }) },
    )

  /** Runs a change as one transaction. */
  change = <T>(work: () => Work<T>, call: StorageCall | undefined): Promise<T> =>
    this.#change('change', deadlineOf(call), (on) => complete(work(), (one) => on.run(one)))

  /** The same, where a user who may not delete leaves what it would delete. */
  changeWithoutDeleting = <T>(work: () => Work<T>, call: StorageCall | undefined): Promise<T> => {
    const run = async (on: Session, statement: Sql) => {
      const errnos = statement.text.startsWith('DELETE ') ? DENIED : []
      return (await unless(errnos, () => on.run(statement))) ?? NOTHING
    }
    return this.#change('change', deadlineOf(call), (on) => complete(work(), (one) => run(on, one)))
  }

  /** Each step is a transaction of its own. */
  write = async (
    writes: readonly WorkspaceWrite[],
    call: StorageCall | undefined,
  ): Promise<readonly WriteOutcome[]> => {
    const deadline = deadlineOf(call)
    const ends = await Promise.allSettled(writes.map((write) => this.#write(write, deadline)))
    const outcomes = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
    const failures = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
    if (failures.length === 0) return outcomes
    const open = failures.find((error) => Object(error).code === 'outcome_unknown')
    if (open !== undefined) throw open
    if (outcomes.length === 0) throw failures[0]
    throw faultOf('outcome_unknown', 'a part of the list may have been stored', failures[0])
  }

  #write(write: WorkspaceWrite, deadline: Deadline): Promise<WriteOutcome> {
    const work = (on: Session) =>
      writeOn(on, write).catch((error: unknown) => {
        if (error instanceof Refused) return REFUSED
        throw error
      })
    return this.#slots.run(deadline, () => this.#change('write', deadline, work))
  }

  #change<T>(
    kind: 'change' | 'write',
    deadline: Deadline,
    work: (on: Session) => Promise<T>,
  ): Promise<T> {
    return attempts(MYSQL_FAULTS, kind, deadline, (sent) =>
      this.#onSession(deadline, async (on) => {
        await on.begin(kind)
        const answer = await work(on)
        if (answer === REFUSED) {
          await on.rollback()
          return answer
        }
        sent()
        await on.commit()
        return answer
      }),
    )
  }

  async #onSession<T>(deadline: Deadline, work: (on: Session) => Promise<T>): Promise<T> {
    const server = await this.#readiness.ensure(deadline)
    return onConnection(this.#pool, deadline, (run) => work(new Session(run, server)))
  }
}

class Slots {
  #free = MOST_WRITES
  readonly #waiting = new Set<() => void>()

  async run<T>({ signal }: Deadline, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await this.#wait(signal)
    try {
      return await work()
    } finally {
      this.#end()
    }
  }

  /** Waits for a turn that somebody else gives up. */
  #wait(signal: AbortSignal | undefined): Promise<void> {
    let begin = () => {}
    const turn = new Promise<void>((resolve) => {
      begin = resolve
    })
    this.#waiting.add(begin)
    return untilAborted(signal, turn, () => {
      this.#waiting.delete(begin)
      return faultOf('timeout', 'too many changes were waiting', new NoAnswer('not sent'))
    })
  }

  #end(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#free += 1
    else {
      this.#waiting.delete(next)
      next()
    }
  }
}
