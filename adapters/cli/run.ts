import { ApiKeyError, createApiKeys, OutageError, plans } from '../../src/index.ts'
import { faultInWords } from '../lib/faults/words.ts'
import type { Command } from './command.ts'
import { type CommandLine, type OptionValues, readCommandLine } from './command-line.ts'
import { copyDatabase } from './commands/copy.ts'
import { doctor } from './commands/doctor.ts'
import { erasePerson, eraseWorkspace, purge } from './commands/erase.ts'
import { events } from './commands/events.ts'
import { find } from './commands/find.ts'
import { importFile } from './commands/import.ts'
import { create, rotate } from './commands/issue.ts'
import { list, pause, resume, revoke } from './commands/keys.ts'
import { migrate } from './commands/migrate.ts'
import { serve } from './commands/serve.ts'
import { loadConfig } from './config.ts'
import { openDatabase } from './database.ts'
import { named, UnknownOutcome, UsageError } from './errors.ts'
import { inOneLine, OutputError, safely, showOn, type Terminal } from './output.ts'

/** Every command by its name, in the order of the help. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  ...{ migrate, doctor, list, create, rotate, pause, resume, revoke, find, events },
  ...{ import: importFile, copy: copyDatabase, purge },
  ...{ 'erase-person': erasePerson, 'erase-workspace': eraseWorkspace, serve },
}

/**
 * Runs one command line and answers its exit code: 0 when it succeeded, 1 when it could
 * not, 2 when the command line or the config module is wrong, in which case nothing was changed.
 */
export async function runCommandLine(
  words: readonly string[],
  rawTerminal: Terminal,
): Promise<number> {
  const terminal = safely(rawTerminal)
  try {
    const line = readCommandLine(words, COMMANDS)
    if (typeof line !== 'string') return await run(line, terminal)
    await terminal.out(line)
    return 0
  } catch (error) {
    terminal.err(`miftah: ${inOneLine(sentenceOf(error))}`)
    return error instanceof UsageError ? 2 : 1
  }
}

async function run({ command, argument, values }: CommandLine, terminal: Terminal) {
  const { workspace: workspaceId = '', json } = values
  const who = { workspaceId, actor: actorOf(values) }
  const given = { argument, values, terminal, show: showOn(terminal, json), ...who }
  const code = await command.withoutDatabase?.(given)
  if (typeof code === 'number') return code
  const config = await loadConfig(values.config)
  const database = await openDatabase(values, command)
  try {
    // An operator is bound by no plan, unless the config says so.
    const options = { brand: 'svc', entitlements: () => plans.enterprise, ...config }
    const keys = named(() => createApiKeys<string>({ ...options, storage: database.storage }))
    return (await command.run?.({ ...given, database, keys, config })) ?? 0
  } finally {
    await database.close()
  }
}

/** By default the user of the machine. */
export function actorOf({ actorId, actorName }: OptionValues) {
  const user = process.env['USER'] || process.env['USERNAME'] || 'operator'
  return { id: actorId ?? `cli:${user}`, name: actorName ?? user }
}

/** One line for whatever went wrong. It quotes no secret and no row. */
function sentenceOf(error: unknown): string {
  if (error instanceof UnknownOutcome) return `${error.message} ${sentenceOf(error.cause)}`
  // Their messages are for the operator.
  const own = [UsageError, OutputError, ApiKeyError].find((kind) => error instanceof kind)
  if (own !== undefined) return Object(error).message
  const fault = error instanceof OutageError ? error : { operation: 'the command', cause: error }
  return faultInWords({ operation: fault.operation, error: fault.cause }).sentence
}
