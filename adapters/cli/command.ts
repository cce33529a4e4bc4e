import type { ApiKeys } from '../../src/index.ts'
import type { OptionValues, Shape } from './command-line.ts'
import type { CliConfig } from './config.ts'
import type { Database } from './database.ts'
import type { Terminal } from './output.ts'

/** What a command works with. */
export interface Call {
  readonly argument: string
  readonly values: OptionValues
  readonly database: Database
  readonly keys: ApiKeys<string>
  /** The first word of the secrets that `keys` issues and finds. */
  readonly brand: string
  readonly config: CliConfig | null
  readonly terminal: Terminal
}

/** What a command works with that needs no database. */
export type CallWithoutDatabase = Pick<Call, 'argument' | 'values' | 'terminal'>

/**
 * A command: what it takes, and what it does. It returns the exit code; 0 if it returns nothing.
 */
export interface Command extends Shape {
  /** One line for the help. */
  readonly summary: string
  /** Whether it may create a SQLite file; `false` unless set. */
  readonly mayCreate?: boolean
  /** How many connections to PostgreSQL or MySQL it may use; 2 unless set. */
  readonly connections?: number
  /** Runs without a database, if these options need none, and returns the exit code; else `null`. */
  withoutDatabase?(call: CallWithoutDatabase): Promise<number | null>
  /** Left out by commands that open their databases themselves. */
  run?(call: Call): Promise<number | undefined>
}

/** The options of {@link actorOf}. */
export const ACTOR = ['actor-id', 'actor-name'] as const

/** Which key a command changes, and who does it. */
export function actionOf({ argument: id, values }: Pick<Call, 'argument' | 'values'>) {
  return { workspaceId: workspaceOf(values), id, actor: actorOf(values) }
}

/** The value of `--workspace`, which the commands that call this need. */
export function workspaceOf({ workspace = '' }: OptionValues): string {
  return workspace
}

/** Who is written into the audit log: `--actor-id` and `--actor-name`, or else the user of the machine. */
export function actorOf(values: OptionValues) {
  const user = process.env['USER'] || process.env['USERNAME'] || 'operator'
  const id = values['actor-id'] ?? `cli:${user}`
  return { id, name: values['actor-name'] ?? user }
}
