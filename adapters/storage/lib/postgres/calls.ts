import { attempts, type Kind } from '../attempts.ts'
import type { Deadline } from '../deadline.ts'
import type { Answers, Send, Statement } from './driver.ts'
import { POSTGRES } from './errors.ts'

/** Runs statements until they answer or fail with a `StorageError` that says what became of them. */
export interface Calls {
  readonly all: (kind: Kind, statement: Make, deadline: Deadline) => Promise<Answers>
  readonly one: (kind: Kind, statement: Make, deadline: Deadline) => Promise<string | null>
}

/** A statement, with as long as it may wait for a lock, in milliseconds. */
export type Make = Statement | ((lockMs: string) => Statement)

export function callsOf(send: Send): Calls {
  const all: Calls['all'] = (kind, make, deadline) =>
    attempts(POSTGRES, kind, deadline, (sent) => {
      const statement = typeof make === 'function' ? make(lockMsOf(deadline)) : make
      return send(statement, deadline, kind !== 'read', sent)
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
