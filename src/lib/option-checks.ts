import { type Known, refuseUnknown } from './known-names.ts'
import { ownData } from './own-data.ts'

/** setTimeout counts in a signed 32-bit number and fires at once beyond it. */
const MAX_DELAY_MS = 2 ** 31 - 1

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
   * An object that has no property but the known ones: all options, or the option of this name. Returns a
   * copy of what is its own, since another library may let a client write to `Object.prototype`.
   */
  object<T extends object>(options: T, known: Known<T>, option?: string): T {
    const what = option === undefined ? 'options' : `option "${option}"`
    this.that(typeof options === 'object' && options !== null, `${what} must be an object.`)
    const whose = option === undefined ? 'there is' : `${what} has`
    refuseUnknown(options, Object.keys(known), `${this.#caller}: ${whose} no option`)
    return ownData(options) as T
  }

  /** What `createApiKeys` has made, or something that stands in for it. */
  keys(keys: unknown): void {
    const sane = typeof Object(keys).authenticate === 'function'
    this.that(sane, 'the first argument must be what createApiKeys has made.')
  }

  optionalFunction(name: string, value: unknown): void {
    const sane = value === undefined || typeof value === 'function'
    this.that(sane, `option "${name}" must be a function.`)
  }

  methods(name: string, value: object, methods: readonly string[]): void {
    this.that(value !== undefined, `option "${name}" is required.`)
    const found = Object(value) as Readonly<Record<string, unknown>>
    for (const method of methods) {
      const sane = typeof found[method] === 'function'
      this.that(sane, `option "${name}" must implement ${method}().`)
    }
  }

  /** A time in milliseconds that a timer can wait. */
  delay(name: string, value: unknown, least: number, most = MAX_DELAY_MS): number {
    const sane = typeof value === 'number' && value >= least && value <= most
    this.that(sane, `option "${name}" must be ${least} to ${most} milliseconds.`)
    return value as number
  }
}
