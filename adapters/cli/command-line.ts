import { type ParseArgsConfig, parseArgs } from 'node:util'
import { mayHoldPassword, UsageError } from './usage-error.ts'

/** The options of every command, and those that only some take. */
const OPTIONS = {
  database: { type: 'string', short: 'd' },
  from: { type: 'string' },
  to: { type: 'string' },
  schema: { type: 'string' },
  config: { type: 'string', short: 'c' },
  json: { type: 'boolean', default: false },
  print: { type: 'boolean', default: false },
  'runtime-role': { type: 'string' },
  'erasure-role': { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  force: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  key: { type: 'string' },
  'ended-before': { type: 'string' },
  'events-before': { type: 'string' },
  workspace: { type: 'string', short: 'w' },
  status: { type: 'string' },
  environment: { type: 'string', short: 'e' },
  name: { type: 'string', short: 'n' },
  scope: { type: 'string', short: 's', multiple: true },
  reason: { type: 'string' },
  creator: { type: 'string' },
  resource: { type: 'string' },
  'unused-for-days': { type: 'string' },
  'actor-id': { type: 'string' },
  'actor-name': { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
  version: { type: 'boolean', short: 'v', default: false },
} as const satisfies NonNullable<ParseArgsConfig['options']>

/** The name of an option. */
export type OptionName = keyof typeof OPTIONS

/** What is taken by every command. */
const COMMON: readonly OptionName[] = ['database', 'schema', 'config', 'json']

/** The values of the options. */
export type OptionValues = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']

/** What a command takes. */
export interface Shape {
  /** Its own options; those in `needs` must be given. */
  readonly takes?: readonly OptionName[]
  readonly needs?: readonly OptionName[]
  /** What its only argument is, such as `ID`; none unless given. */
  readonly argument?: string
  /** Whether the argument may be left out; `false` unless set. */
  readonly isOptional?: boolean
  /** Whether it deletes for good, and so takes and needs `--yes`; `false` unless set. */
  readonly deletes?: boolean
}

/** A command line in parts. */
export interface CommandLine {
  readonly command: string | undefined
  readonly rest: readonly string[]
  readonly values: OptionValues
}

/** Reads a command line. Throws a {@link UsageError} for an option that does not exist. */
export function readCommandLine(words: readonly string[]): CommandLine {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options: OPTIONS,
      allowPositionals: true,
    })
    const [command, ...rest] = positionals
    return { command, rest, values }
  } catch (error) {
    // The first sentence: Node goes on with advice about positional arguments.
    const [sentence = ''] = String(Object(error).message).split(/\. |\n/)
    if (mayHoldPassword(sentence)) throw new UsageError('There is no such option.')
    throw new UsageError(sentence.replace(/\.?$/, '.'))
  }
}

/** Checks what was given against what a command takes, and returns its argument. */
export function checkShape({ command, rest, values }: CommandLine, shape: Shape): string {
  const { takes = [], needs = [], argument, isOptional = false, deletes = false } = shape
  const known: readonly string[] = [...COMMON, ...takes, ...needs, ...(deletes ? ['yes'] : [])]
  for (const [name, value] of Object.entries(values)) {
    if (value !== false && !known.includes(name)) {
      throw new UsageError(`${command} takes no option --${name}.`)
    }
  }
  for (const name of needs) {
    if (values[name] === undefined) throw new UsageError(`${command} needs the option --${name}.`)
  }
  const [given = '', ...more] = rest
  if (argument === undefined && given !== '') {
    throw new UsageError(`${command} takes no argument.`)
  }
  const isMissing = given === '' && !isOptional
  if (argument !== undefined && (isMissing || more.length > 0)) {
    throw new UsageError(`${command} needs one argument: ${argument}.`)
  }
  if (deletes && !values.yes) {
    throw new UsageError(`${command} cannot be undone: confirm it with --yes.`)
  }
  return given
}
