import { ApiKeyError, createApiKeys, OutageError } from '../../src/index.ts'
import { nearestName } from '../../src/lib/known-names.ts'
import { faultInWords } from '../lib/faults/words.ts'
import type { Command } from './command.ts'
import { type CommandLine, checkShape, readCommandLine } from './command-line.ts'
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
import { loadConfig, optionsOf } from './config.ts'
import { openDatabase } from './database.ts'
import { help } from './help.ts'
import { inOneLine, OutputError, safely, type Terminal } from './output.ts'
import { UnknownOutcome } from './unknown-outcome.ts'
import { mayHoldPassword, UsageError } from './usage-error.ts'

/** Every command by its name, in the order of the help. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  migrate,
  doctor,
  list,
  create,
  rotate,
  pause,
  resume,
  revoke,
  find,
  events,
  import: importFile,
  copy: copyDatabase,
  purge,
  'erase-person': erasePerson,
  'erase-workspace': eraseWorkspace,
  serve,
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
    return await runParsed(readCommandLine(words), terminal)
  } catch (error) {
    terminal.err(`miftah: ${inOneLine(sentenceOf(error))}`)
    return error instanceof UsageError ? 2 : 1
  }
}

async function runParsed(line: CommandLine, terminal: Terminal): Promise<number> {
  const { command: name, values } = line
  if (values.version) {
    await terminal.out(VERSION)
    return 0
  }
  if (values.help || name === undefined || name === 'help') {
    await terminal.out(help(COMMANDS))
    return 0
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command === undefined) throw unknownCommand(name)
  const argument = checkShape(line, command)
  const code = await command.withoutDatabase?.({ argument, values, terminal })
  if (typeof code === 'number') return code
  const config = await loadConfig(values.config)
  const database = await openDatabase(values, command)
  try {
    const options = optionsOf(config)
    const keys = keysOn(database.storage, options)
    const call = { argument, values, database, keys, config, terminal, brand: options.brand }
    return (await command.run?.(call)) ?? 0
  } finally {
    await database.close()
  }
}

function unknownCommand(name: string): UsageError {
  if (mayHoldPassword(name)) return new UsageError('There is no such command.')
  const near = nearestName(name, Object.keys(COMMANDS))
  const mend = near ? `did you mean "${near}"?` : '`npx miftah help` lists them.'
  return new UsageError(`There is no command ${JSON.stringify(name)}; ${mend}`)
}

/** Options that a config module got wrong are named by their `TypeError`. */
function keysOn(
  storage: Parameters<typeof createApiKeys>[0]['storage'],
  options: ReturnType<typeof optionsOf>,
) {
  try {
    return createApiKeys<string>({ ...options, storage })
  } catch (error) {
    throw new UsageError(Object(error).message)
  }
}

/** Their messages are for the operator. */
const OWN_ERRORS = [UsageError, OutputError, ApiKeyError]

/** One line for whatever went wrong. It quotes no secret and no row. */
function sentenceOf(error: unknown): string {
  if (error instanceof UnknownOutcome) return `${error.message} ${sentenceOf(error.cause)}`
  if (OWN_ERRORS.some((own) => error instanceof own)) return Object(error).message
  const fault = error instanceof OutageError ? error : { operation: 'the command', cause: error }
  return faultInWords({ operation: fault.operation, error: fault.cause }).sentence
}

/** Replaced by the version of the package when it is built. */
declare const MIFTAH_VERSION: string | undefined
const VERSION = typeof MIFTAH_VERSION === 'undefined' ? 'development' : MIFTAH_VERSION
