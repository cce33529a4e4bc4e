import { refuseUnknown } from './known-names.ts'
import { ownData } from './own-data.ts'

/** setTimeout counts in a signed 32-bit number and fires at once beyond it. */
const MAX_DELAY_MS = 2 ** 31 - 1

/** What is wrong with the value of an option, as the rest of a sentence; `null` for nothing. */
export type OptionRule = (value: unknown) => string | null

/** Every option by its name, with its rule; `true` for one that is checked elsewhere. */
export type OptionRules<T> = { readonly [Name in keyof T]-?: OptionRule | true }

/** A rule for the values of an option that may be left out. */
export function optional(holds: (value: unknown) => boolean, must: string): OptionRule {
  return (value) => (value === undefined || holds(value) ? null : must)
}

/** A rule for an option that may be left out, and is true or false. */
export const flag = optional((value) => typeof value === 'boolean', 'must be true or false.')

/** A rule for an option that must be a function. */
export const aFunction: OptionRule = (value) =>
  typeof value === 'function' ? null : 'must be a function.'

/** The same for one that may be left out. */
export const optionalFunction = optional(
  (value) => aFunction(value) === null,
  'must be a function.',
)

/** A rule for an option that has these methods and must be given. */
export function required(methods: readonly string[]): OptionRule {
  return (value) => (value === undefined ? 'is required.' : having(methods)(value))
}

/** A rule for an object that has these methods. */
export function having(methods: readonly string[]): OptionRule {
  return (value) => {
    const found = Object(value) as Readonly<Record<string, unknown>>
    const missing = methods.find((method) => typeof found[method] !== 'function')
    return value === undefined || missing === undefined ? null : `must implement ${missing}().`
  }
}

/** A rule for a time in milliseconds that a timer can wait. */
export function delay(least: number, most = MAX_DELAY_MS): OptionRule {
  const holds = (value: unknown) => typeof value === 'number' && value >= least && value <= most
  return optional(holds, `must be ${least} to ${most} milliseconds.`)
}

/** A rule for a whole number. */
export function count(least: number, most: number): OptionRule {
  const holds = (value: unknown) =>
    Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
  return optional(holds, `must be a whole number from ${least} to ${most}.`)
}

/** Checks the options of one public function; each failure is a `TypeError` that names it. */
export class OptionChecks {
  readonly #caller: string

  constructor(caller: string) {
    this.#caller = caller
  }

  that(holds: boolean, message: string): void {
    if (!holds) throw new TypeError(`${this.#caller}: ${message}`)
  }

  /**
   * An object that has no property but the known ones and follows their rules: all options, or the option of
   * this name. Returns a copy of what is its own, since another library may let a client write to
   * `Object.prototype`.
   */
  object<T extends object>(options: T, rules: OptionRules<T>, option?: string): T {
    const what = option === undefined ? 'options' : `option "${option}"`
    this.that(typeof options === 'object' && options !== null, `${what} must be an object.`)
    const whose = option === undefined ? 'there is' : `${what} has`
    refuseUnknown(options, Object.keys(rules), `${this.#caller}: ${whose} no option`)
    const own = ownData(options) as T
    for (const [name, rule] of Object.entries<OptionRule | true>(rules)) {
      const path = option === undefined ? name : `${option}.${name}`
      if (rule !== true) this.rule(path, own[name as keyof T], rule)
    }
    return own
  }

  /** Throws for a value that does not follow a rule. */
  rule(name: string, value: unknown, rule: OptionRule): void {
    const problem = rule(value)
    this.that(problem === null, `option "${name}" ${problem}`)
  }

  /** What `createApiKeys` has made, or something that stands in for it. */
  keys(keys: unknown): void {
    const sane = typeof Object(keys).authenticate === 'function'
    this.that(sane, 'the first argument must be what createApiKeys has made.')
  }
}
