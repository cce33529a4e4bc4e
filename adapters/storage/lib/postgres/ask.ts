import type { StorageCall } from '../../../../src/storage/index.ts'
import { attempts, type Kind } from '../attempts.ts'
import { type Deadline, deadlineOf } from '../deadline.ts'
import type { Readiness } from '../readiness.ts'
import type { Answers, Send, Statement } from './driver.ts'
import { POSTGRES } from './errors.ts'
import { SCHEMA_VERSION } from './schema.ts'
import type { At } from './sql.ts'

/**
 * Runs statements until they answer or fail with a `StorageError` that says what became of them. The first parameter of
 * a change is how long it may wait for locks, in milliseconds; a script has none.
 */
export interface Calls {
  readonly all: (kind: Kind, statement: Statement, deadline: Deadline) => Promise<Answers>
  readonly one: (kind: Kind, statement: Statement, deadline: Deadline) => Promise<string | null>
}

export function callsOf(send: Send): Calls {
  const all: Calls['all'] = (kind, statement, deadline) =>
    attempts(POSTGRES, kind, deadline, (sent) => {
      const { values } = statement
      const isChange = kind !== 'read'
      const waits = isChange && values.length > 0
      const given = waits ? { ...statement, values: [lockMsOf(deadline), ...values] } : statement
      return send(given, deadline, isChange, sent)
    })
  return { all, one: async (...call) => (await all(...call))[0] ?? null }
}

/** The longest wait for a lock that PostgreSQL takes. */
const LONGEST_LOCK_MS = 2 ** 31 - 1

/** Leaves time for the answer that the wait for a lock failed. */
function lockMsOf({ atMs }: Deadline): string {
  const leftMs = atMs - performance.now()
  if (!Number.isFinite(leftMs)) return '2000'
  return String(Math.min(Math.max(1, Math.floor(leftMs * 0.6)), LONGEST_LOCK_MS))
}

type Call = StorageCall | undefined

/** Runs statements on the tables of an installation, once they are there. */
export interface Ask {
  readonly at: At
  readonly rows: (statement: Statement, deadline: Deadline, call: Call) => Promise<Answers>
  readonly read: (statement: Statement, call: Call) => Promise<string | null>
  /** A change that can be repeated; `run` is one without an answer. */
  readonly change: (text: string, values: readonly string[], call: Call) => Promise<string | null>
  readonly run: (text: string, values: readonly string[], call: Call) => Promise<void>
  /** A write, which only who decided it can repeat. */
  readonly write: (statement: Statement, deadline: Deadline) => Promise<string | null>
}

/** Asks through these calls. `migrates`: whether the first use may make the tables. */
export function askOf(
  calls: Calls,
  readiness: Readiness<true>,
  schema: string,
  migrates: boolean,
): Ask {
  const changed = async (kind: 'change' | 'write', statement: Statement, deadline: Deadline) => {
    if (readiness.ready === null) await readiness.ensure(deadline)
    return calls.one(kind, statement, deadline)
  }
  const change: Ask['change'] = (text, values, call) =>
    changed('change', { text, values }, deadlineOf(call))
  const rows: Ask['rows'] = async (statement, deadline, call) => {
    // Each await that is spared counts for one caller of lookups.
    if (readiness.ready === null) {
      const patient = { atMs: deadline.atMs, ...(call && { signal: call.signal }) }
      if (!migrates) return withVersion(statement, patient)
      await readiness.ensure(patient)
    }
    return calls.all('read', statement, deadline)
  }
  /** Brings the version with it: a process that starts for one request waits for one round trip. */
  const withVersion = async ({ text, values }: Statement, deadline: Deadline) => {
    const version = `SELECT 'version ' || max(version) AS answer FROM "${schema}".miftah_schema`
    const both = { text: `${version}\nUNION ALL ${text}`, values }
    const answers = await calls.all('read', both, deadline).catch(async (error: unknown) => {
      await readiness.ensure(deadline)
      throw error
    })
    if (answers.includes(`version ${SCHEMA_VERSION}`)) readiness.ready = true
    else await readiness.ensure(deadline)
    return answers.filter((answer) => !answer?.startsWith('version '))
  }
  return {
    at: (table) => `"${schema}".miftah_${table}`,
    rows,
    read: async (statement, call) => (await rows(statement, deadlineOf(call), call))[0] ?? null,
    change,
    run: (...given) => change(...given).then(() => undefined),
    write: (statement, deadline) => changed('write', statement, deadline),
  }
}
