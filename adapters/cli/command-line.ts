import { CommanderError, Option, Command as Parser } from 'commander'
import { unknownName } from '../../src/lib/known-names.ts'
import type { Command } from './command.ts'
import { mayHoldPassword, UsageError } from './errors.ts'

/** Every option, and its line of the help. */
const OPTIONS = {
  database: ['-d, --database <URL|FILE>', 'PostgreSQL, MySQL or a file; else DATABASE_URL'],
  schema: ['--schema <NAME>', 'the schema of the tables in PostgreSQL (miftah)'],
  config: ['-c, --config <FILE>', 'a module with the brand, scopes and plans of the application'],
  json: ['--json', 'print JSON'],
  from: ['--from <URL|FILE>', 'the database with the keys'],
  to: ['--to <URL|FILE>', 'the empty database'],
  workspace: ['-w, --workspace <ID>', 'the workspace of the key or the events'],
  name: ['-n, --name <TEXT>', 'the name of the new key'],
  environment: ['-e, --environment <TYPE>', 'live or test'],
  scope: ['-s, --scope <SCOPE>', 'a scope of the key; create takes it repeatedly'],
  status: ['--status <STATUS>', 'only keys with this status'],
  key: ['--key <ID>', 'only events of this key'],
  endedBefore: ['--ended-before <DATE>', 'keys that ended before this date in UTC (2026-01-31)'],
  eventsBefore: ['--events-before <DATE>', 'delivered events from before this date'],
  yes: ['--yes', 'confirm it: what is deleted does not come back'],
  creator: ['--creator <ID>', 'keys that this person created'],
  resource: ['--resource <TYPE:ID>', 'keys that are restricted to this resource alone'],
  unusedForDays: ['--unused-for-days <N>', 'keys not used for so many days'],
  reason: ['--reason <REASON>', 'leaked, unused, reported, exposed or other'],
  actorId: ['--actor-id <ID>', 'who the audit log names; default: cli: and your user name'],
  actorName: ['--actor-name <NAME>', 'the name of that person; default: your user name'],
  print: ['--print', 'print the SQL for PostgreSQL, or for MySQL with its URL'],
  runtimeRole: ['--runtime-role <ROLE>', 'with --print: the grants of a role that serves requests'],
  erasureRole: ['--erasure-role <ROLE>', 'with --print: those of one that may erase and purge too'],
  force: ['--force', 'even if the new key has another brand or fewer scopes'],
  dryRun: ['--dry-run', 'say what would be done, write nothing'],
} as const satisfies Readonly<Record<string, readonly [flags: string, text: string]>>

/** The name of an option. */
export type OptionName = keyof typeof OPTIONS

type Value<Name extends OptionName> = Name extends 'scope'
  ? readonly string[]
  : (typeof OPTIONS)[Name][0] extends `${string}<${string}`
    ? string
    : boolean

/** The values of the options that were given. */
export type OptionValues = { readonly [Name in OptionName]?: Value<Name> | undefined }

/** What is taken by every command. */
const COMMON: readonly OptionName[] = ['database', 'schema', 'config', 'json']

const NOTES = `
\`miftah COMMAND --help\` has the options of a command, and an example.
A secret is never an argument. create and rotate print the new one alone on standard output.
Exit codes: 0 done, 1 failed, 2 wrong command line or config.`

/** A command with its argument, empty without one, and its options. */
export interface CommandLine {
  readonly command: Command
  readonly argument: string
  readonly values: OptionValues
}

type Commands = Readonly<Record<string, Command>>

/** Reads a command line; answers a text where it asks for help or the version. Throws a {@link UsageError}. */
export function readCommandLine(
  words: readonly string[],
  commands: Commands,
): CommandLine | string {
  const read: CommandLine[] = []
  const texts: string[] = []
  const print = (text: string) => void texts.push(text)
  const program = new Parser('miftah')
    .usage('COMMAND [OPTIONS]')
    .version(VERSION, '-v, --version')
    .addHelpText('after', NOTES)
    .configureHelp({
      subcommandTerm: (own) => `${own.name()} ${own.usage()}`.replace(' [options]', ''),
    })
    .exitOverride()
    .configureOutput({ writeOut: print, writeErr: print, outputError: () => {} })
  for (const [name, command] of Object.entries(commands)) {
    addTo(program, name, command).action((...given) => {
      const [values, argument = ''] = given.slice(0, -1).reverse()
      read.push({ command, argument, values })
    })
  }
  const ordered = commandFirst(words, program)
  try {
    program.parse(ordered, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    const isAsked = /\.(?:help|helpDisplayed|version)$/.test(error.code)
    if (!isAsked) throw mistake(error, ordered, program)
  }
  const [line = texts.join('').trimEnd()] = read
  return typeof line === 'string' ? line : complete(line, ordered)
}

function addTo(program: Parser, name: string, command: Command): Parser {
  const { summary, example, argument, needs = [], takes = [] } = command
  const parser = program
    .command(name)
    .description(summary)
    .allowExcessArguments(false)
    .addHelpText('after', `\nExample:\n  $ npx miftah ${example}`)
  if (argument !== undefined) parser.argument(argument)
  for (const option of new Set([...needs, ...takes, ...COMMON])) {
    const [flags, text] = OPTIONS[option]
    const own = new Option(flags, needs.includes(option) ? `required: ${text}` : text)
    if (option === 'scope') own.argParser((value, before: string[] = []) => [...before, value])
    parser.addOption(own)
  }
  return parser
}

/**
 * Puts the command first, since options may stand before it; without one it is `help`. Refuses an option in
 * place of a value that was left out: commander would take it for the value.
 */
function commandFirst(words: readonly string[], { commands }: Parser): readonly string[] {
  const options = commands.flatMap((command) => command.options)
  const isNamed = (word = '') => options.find(({ short, long }) => word === short || word === long)
  const isValue = (at: number) => isNamed(words[at - 1])?.required === true
  const wrong = words.findIndex((word, at) => isValue(at) && /^-./.test(word))
  if (wrong > 0) {
    throw new UsageError(
      `${words[wrong - 1]} needs a value; one with a dash in front follows at once, as in --name=-x.`,
    )
  }
  if (words.every((word, at) => isValue(at) || isNamed(word))) return ['help']
  const first = words.findIndex((word, at) => !/^-./.test(word) && !isValue(at))
  if (!commands.some((command) => command.name() === words[first])) return words
  return [...words.slice(first, first + 1), ...words.slice(0, first), ...words.slice(first + 1)]
}

function mistake(
  { code, message }: CommanderError,
  [name = '']: readonly string[],
  { commands }: Parser,
): UsageError {
  const own = commands.find((command) => command.name() === name)
  if (/Arguments?$/.test(code)) return wrongArgument(name, own?.usage().split(' ')[1])
  const [, kind, given = ''] = /unknown (command|option) '([^=']*)/.exec(message) ?? []
  if (kind === undefined) return new UsageError(`${name}: ${message.replace('error: ', '')}`)
  if (mayHoldPassword(given)) return new UsageError(`There is no such ${kind}.`)
  const names = commands.map((command) => command.name())
  if (kind === 'command') return new UsageError(unknownName('There is no command', given, names))
  const options = (own ? [own] : commands).flatMap((command) => command.options)
  const known = [...new Set(options.map(({ long }) => `${long}`))]
  if (known.includes(given)) return new UsageError(`${name}: ${given} takes no value.`)
  return new UsageError(
    unknownName(own ? `${name} has no option` : 'There is no option', given, known),
  )
}

/** `argument` is what the command takes, such as `<ID>`. */
function wrongArgument(name: string | undefined, argument: string | undefined): UsageError {
  const rule = argument ? `needs one argument: ${argument.slice(1, -1)}` : 'takes no argument'
  return new UsageError(`${name} ${rule}.`)
}

function complete(line: CommandLine, [name]: readonly string[]): CommandLine {
  const { command, argument, values } = line
  // Commander takes an empty text for an argument.
  if (argument === '' && command.argument?.startsWith('<')) {
    throw wrongArgument(name, command.argument)
  }
  const missing = command.needs?.find((option) => values[option] === undefined)
  if (missing !== undefined) {
    throw new UsageError(`${name} needs the option ${new Option(OPTIONS[missing][0]).long}.`)
  }
  if (!command.takes?.includes('yes') || values.yes) return line
  throw new UsageError(`${name} cannot be undone: confirm it with --yes.`)
}

/** Replaced by the version of the package when it is built. */
declare const MIFTAH_VERSION: string | undefined
const VERSION = typeof MIFTAH_VERSION === 'undefined' ? 'development' : MIFTAH_VERSION
