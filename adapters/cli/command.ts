import type { ApiKeys } from '../../src/index.ts'
import type { OptionName, OptionValues } from './command-line.ts'
import type { CliConfig } from './config.ts'
import type { Database } from './database.ts'
import type { Show, Terminal } from './output.ts'

/** What a command works with that needs no database. */
export interface CallWithoutDatabase {
  readonly argument: string
  readonly values: OptionValues
  readonly terminal: Terminal
  readonly show: Show
}

/** What a command works with. */
export interface Call extends CallWithoutDatabase {
  readonly database: Database
  readonly keys: ApiKeys<string>
  /** The first word of the secrets that `keys` issues and finds. */
  readonly brand: string
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
export function actionOf({ argument: id, values }: Pick<Call, 'argument' | 'values'>) {
  return { workspaceId: workspaceOf(values), id, actor: actorOf(values) }
}

/** The value of `--workspace`, which the commands that call this need. */
export function workspaceOf({ workspace = '' }: OptionValues): string {
  return workspace
}

/** Who is written into the audit log: `--actor-id` and `--actor-name`, or else the user of the machine. */
export function actorOf({ actorId, actorName }: OptionValues) {
  const user = process.env['USER'] || process.env['USERNAME'] || 'operator'
  return { id: actorId ?? `cli:${user}`, name: actorName ?? user }
}
