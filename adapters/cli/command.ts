import type { ApiKeys } from '../../src/index.ts'
import type { OptionName, OptionValues } from './command-line.ts'
import type { CliConfig } from './config.ts'
import type { Database } from './database.ts'
import type { Show, Terminal } from './output.ts'

/** What a command works with that needs no database. */
export interface CallWithoutDatabase {
  readonly argument: string
  readonly values: OptionValues
  /** The value of `--workspace`; empty without it. */
  readonly workspaceId: string
  /** Who is written into the audit log. */
  readonly actor: { readonly id: string; readonly name: string }
  readonly terminal: Terminal
  readonly show: Show
}

/** What a command works with. */
export interface Call extends CallWithoutDatabase {
  readonly database: Database
  readonly keys: ApiKeys<string>
  readonly config: CliConfig | null
}

/** A command: what it takes, and what it does. */
export interface Command {
  /** One line for the help. */
  readonly summary: string
  /** What to type behind `npx miftah`. */
  readonly example: string
  /** Its only argument, such as `<ID>`, or `[ID]` where it may be left out; none unless given. */
  readonly argument?: string
  /** Its own options; those in `needs` must be given. */
  readonly takes?: readonly OptionName[]
  readonly needs?: readonly OptionName[]
  /** Whether it may create a SQLite file; `false` unless set. */
  readonly mayCreate?: boolean
  /** How many connections to PostgreSQL or MySQL it may use; 2 unless set. */
  readonly connections?: number
  /** Runs without a database, if these options need none, and answers the exit code; else `null`. */
  withoutDatabase?(call: CallWithoutDatabase): Promise<number | null>
  /** Answers the exit code. Left out by commands that open their databases themselves. */
  run?(call: Call): Promise<number>
}

/** What commands have in common that change one key. */
export const ON_KEY = {
  argument: '<ID>',
  needs: ['workspace'],
  takes: ['actorId', 'actorName'],
} as const

/** Which key a command changes, and who does it. */
export function actionOf({ argument: id, workspaceId, actor }: CallWithoutDatabase) {
  return { workspaceId, id, actor }
}

/** The time limit of a call of the storage. */
export const within = (ms: number) => ({ timeoutMs: ms, signal: AbortSignal.timeout(ms) })

/** What has a value, for options that must have one where they are there. */
export function given<T extends object>(values: T) {
  const there = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(there) as { readonly [Name in keyof T]?: NonNullable<T[Name]> }
}
