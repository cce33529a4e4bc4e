import { CommanderError, InvalidArgumentError, Option, Command as Parser } from 'commander'
import type { Command } from './command.ts'
import { UsageError } from './errors.ts'

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

/** Reads a command line; answers a text where it asks for help or the version. Throws a {@link UsageError}. */
export function readCommandLine(
  words: readonly string[],
  commands: Readonly<Record<string, Command>>,
): CommandLine | string {
  let line: CommandLine | undefined
  let printed = ''
  const print = (text: string) => {
    printed += text
  }
  const program = new Parser('miftah')
    .usage('COMMAND [OPTIONS]')
    .version(VERSION, '-v, --version')
    .addHelpText('after', NOTES)
    .configureHelp({
      showGlobalOptions: true,
      subcommandTerm: (own) => `${own.name()} ${own.usage()}`.replace(' [options]', ''),
    })
    .exitOverride()
    .configureOutput({ writeOut: print, writeErr: print, outputError: () => {} })
  for (const option of COMMON) program.addOption(optionOf(option))
  for (const [name, command] of Object.entries(commands)) {
    const own = addTo(program, name, command)
    own.action(() => {
      line = { command, argument: own.args[0] ?? '', values: own.optsWithGlobals() }
      const missing = command.needs?.find((option) => line?.values[option] === undefined)
      // Not before: a misspelt option is what is wrong then.
      if (missing === 'yes') own.error(`${name} cannot be undone: confirm it with --yes.`)
      if (missing) own.error(`${name} needs the option ${optionOf(missing).long}.`)
    })
  }
  try {
    program.parse(words, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    const isAsked = /\.(?:help|helpDisplayed|version)$/.test(error.code)
    if (!isAsked) throw new UsageError(sentenceOf(error))
  }
  return line ?? printed.trimEnd()
}

function addTo(program: Parser, name: string, command: Command): Parser {
  const { summary, example, argument, needs = [], takes = [] } = command
  const parser = program
    .command(name)
    .description(summary)
    .allowExcessArguments(false)
    .addHelpText('after', `\nExample:\n  $ npx miftah ${example}`)
  if (argument !== undefined) parser.argument(argument)
  for (const option of needs) parser.addOption(optionOf(option, 'required: '))
  for (const option of takes) parser.addOption(optionOf(option))
  return parser
}

function optionOf(name: OptionName, prefix = ''): Option {
  const [flags, text] = OPTIONS[name]
  const option = new Option(flags, prefix + text)
  if (!option.required) return option
  return option.argParser<unknown>((value, before) => {
    // Where a value was left out, commander takes what follows.
    if (FLAGS.includes(value)) throw new InvalidArgumentError('It is an option.')
    return name === 'scope' ? [before ?? [], value].flat() : value
  })
}

const FLAGS = Object.values(OPTIONS).flatMap(([flags]) => flags.split(/[ ,]+/))

/** Commander's message. An unknown name and what follows it are not repeated: either may hold a secret. */
function sentenceOf({ message }: CommanderError): string {
  const [, kind, given = ''] = /unknown (\w+) '([\s\S]*?)'/.exec(message) ?? []
  const [name = ''] = given.split('=')
  if (kind !== undefined && !/^[\w-]{1,24}$/.test(name)) return `There is no such ${kind}.`
  return message.replace('error: ', '').replace(given, name).replaceAll('\n', ' ')
}

/** Replaced by the version of the package when it is built. */
declare const MIFTAH_VERSION: string | undefined
const VERSION = typeof MIFTAH_VERSION === 'undefined' ? 'development' : MIFTAH_VERSION
