import type { StorageCall } from '../../../../src/storage/index.ts'
import { type Deadline, deadlineOf } from '../deadline.ts'
import type { Calls } from './calls.ts'
import type { Answers, Statement } from './driver.ts'
import type { Readiness } from './readiness.ts'
import type { At } from './sql.ts'

type Call = StorageCall | undefined

/** Runs statements on the tables of an installation, once they are there. */
export interface Ask {
  readonly at: At
  readonly rows: (statement: Statement, deadline: Deadline, call: Call) => Promise<Answers>
  readonly read: (statement: Statement, call: Call) => Promise<string | null>
  /** A change that can be repeated; its first parameter is how long it may wait for locks. */
  readonly change: (text: string, values: readonly string[], call: Call) => Promise<string | null>
}

/** Asks through these calls. */
export function askOf(calls: Calls, readiness: Readiness, at: At): Ask {
  const rows: Ask['rows'] = (statement, deadline, call) => readiness.read(statement, deadline, call)
  return {
    at,
    rows,
    read: async (statement, call) => (await rows(statement, deadlineOf(call), call))[0] ?? null,
    change: async (text, values, call) => {
      const deadline = deadlineOf(call)
      await readiness.ensure(call)
      return calls.one('change', (lockMs) => ({ text, values: [lockMs, ...values] }), deadline)
    },
  }
}
