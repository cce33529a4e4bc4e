import type { Kind } from './process.ts'

/** A system as it is measured. */
export interface MeasuredSystem {
  readonly name: string
  readonly kind: Kind
  readonly processes: number
  /** Whether the last process is stopped for eight seconds and woken for two, again and again. */
  readonly isOneStopped?: boolean
  readonly keys: number
  readonly atOnce: number
  readonly quietMs: number
  readonly seconds: number
}

const QUICK = { keys: 2_500, atOnce: 8, quietMs: 50, seconds: 1_200 } as const
const PATIENT = { keys: 20, atOnce: 10, quietMs: 1_000, seconds: 180 } as const

/** Every system, in the order of the page. */
export const SYSTEMS: readonly MeasuredSystem[] = [
  { name: 'miftah, memory', kind: 'memory', processes: 1, ...QUICK },
  { name: 'miftah, SQLite', kind: 'sqlite', processes: 1, ...QUICK },
  { name: 'miftah, PostgreSQL', kind: 'postgres', processes: 4, ...QUICK },
  { name: 'miftah, PostgreSQL and cache', kind: 'cache', processes: 4, ...QUICK },
  {
    ...{ name: 'the same, one process stopped and woken', kind: 'cache', processes: 4 },
    ...{ isOneStopped: true, ...PATIENT },
  },
  { name: 'better-auth, database', kind: 'better-auth-database', processes: 1, ...PATIENT },
  {
    ...{ name: 'better-auth, secondary storage before the database', processes: 1 },
    ...{ kind: 'better-auth-fallback', ...PATIENT },
  },
  {
    ...{ name: 'better-auth, secondary storage alone', processes: 1 },
    ...{ kind: 'better-auth-secondary', ...PATIENT, seconds: 60 },
  },
  {
    ...{ name: 'a cache of 60 seconds that no revocation reaches', processes: 1 },
    ...{ kind: 'naive', ...PATIENT, keys: 10, atOnce: 10 },
  },
]
