/** A table of the report, all of it text. */
export interface Table {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** What a section is given. */
export interface Bench {
  readonly short: boolean
  readonly log: (text: string) => void
}

/** Measures one thing. */
export type Section = (bench: Bench) => Promise<readonly Table[]>

/** One side of a comparison. */
export interface Contender {
  readonly name: string
  /** Makes the inputs of `count` operations, outside the measured time. */
  prepare(count: number): void | Promise<void>
  /** Does what was prepared and answers how many operations were accepted. */
  run(): Promise<number>
  /** What share of the operations is accepted; a slice that differs is an error. Default: 1. */
  readonly accepted?: number
}

/** How often and how long is measured. */
interface Plan {
  readonly rounds: number
  readonly sliceMs: number
  readonly warmUpMs: number
}

/** A plan, or a quick look. */
export function planOf({ short }: Bench, rounds: number, sliceMs: number): Plan {
  return short
    ? { rounds: Math.ceil(rounds / 4), sliceMs: sliceMs / 3, warmUpMs: 500 }
    : { rounds, sliceMs, warmUpMs: 3_000 }
}

/** A contender that is asked with inputs drawn at random, by so many callers at once. */
export interface Asked extends Contender {
  /** What it has let through, to be compared with what its store says afterwards. */
  total: number
}

/** Asks with strings made anew, as a request does: one that is repeated carries its hash code along. */
export function asked(
  name: string,
  inputs: readonly string[],
  ask: (input: string) => boolean | Promise<boolean>,
  { callers = 1, accepted = 1 } = {},
): Asked {
  let drawn: readonly string[] = []
  return {
    name,
    accepted,
    total: 0,
    prepare: (count) => {
      const draw = () => inputs[Math.floor(Math.random() * inputs.length)] ?? ''
      drawn = Array.from({ length: count }, () => Buffer.from(draw(), 'latin1').toString('latin1'))
    },
    async run() {
      let next = 0
      let passed = 0
      const call = async () => {
        for (let input = drawn[next++]; input !== undefined; input = drawn[next++]) {
          if (await ask(input)) passed += 1
        }
      }
      await Promise.all(Array.from({ length: callers }, call))
      this.total += passed
      return passed
    },
  }
}

/** Throws unless a store has counted what its contender let through. */
export function mustAgree(name: string, accepted: number, stored: number): void {
  if (accepted !== stored) throw new Error(`${name}: ${accepted} accepted, ${stored} uses stored`)
}

/** Nanoseconds of an operation of each contender, one figure for each round; what it answers are medians. */
export class Measurement {
  readonly #perRound: ReadonlyMap<string, readonly number[]>

  constructor(perRound: ReadonlyMap<string, readonly number[]>) {
    this.#perRound = perRound
  }

  /** Nanoseconds of an operation. */
  time(name: string): number {
    return quantile(this.#of(name), 0.5)
  }

  /** Operations a second. */
  rate(name: string): number {
    return 1e9 / this.time(name)
  }

  /** How many times as long as `base` it takes, round by round. */
  ratio(name: string, base: string): number {
    return ratio(this.#of(name), this.#of(base))
  }

  #of(name: string): readonly number[] {
    return this.#perRound.get(name) ?? []
  }
}

/** Lets the contenders take a slice each in every round, in an order that moves on, so that a noisy moment hits all alike. */
export async function measure(contenders: readonly Contender[], plan: Plan): Promise<Measurement> {
  const counts = new Map<Contender, number>()
  for (const contender of contenders) counts.set(contender, await warmUp(contender, plan))
  const perRound = new Map<string, number[]>(contenders.map(({ name }) => [name, []]))
  for (let round = 0; round < plan.rounds; round += 1) {
    const at = round % contenders.length
    for (const contender of [...contenders.slice(at), ...contenders.slice(0, at)]) {
      perRound.get(contender.name)?.push(await slice(contender, counts.get(contender) ?? 1))
    }
  }
  return new Measurement(perRound)
}

/** Runs until the code is compiled, and answers how many operations fill a slice. */
async function warmUp(contender: Contender, { warmUpMs, sliceMs }: Plan): Promise<number> {
  const end = performance.now() + warmUpMs
  let count = 64
  do {
    const ms = ((await slice(contender, count)) * count) / 1e6
    count = Math.max(64, Math.round(Math.min(count * (sliceMs / Math.max(ms, 0.001)), count * 8)))
  } while (performance.now() < end)
  return count
}

/** Nanoseconds of an operation in one slice. */
async function slice(contender: Contender, count: number): Promise<number> {
  await contender.prepare(count)
  // Nobody pays for the garbage of another.
  globalThis.gc?.({ type: 'minor' })
  const start = performance.now()
  const accepted = await contender.run()
  const ms = performance.now() - start
  const expected = Math.round(count * (contender.accepted ?? 1))
  if (accepted !== expected) {
    throw new Error(`${contender.name}: ${accepted} of ${count} accepted, ${expected} expected`)
  }
  return (ms * 1e6) / count
}

/** What a share of a sample is at most. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN
}

/** The median of each figure as a multiple of that of the same round. */
export function ratio(values: readonly number[], bases: readonly number[]): number {
  return quantile(
    values.map((value, round) => value / (bases[round] ?? Number.NaN)),
    0.5,
  )
}

/** Three significant digits, thousands separated. */
export function figure(value: number): string {
  if (Number.isInteger(value) || value >= 1_000) return Math.round(value).toLocaleString('en-US')
  return value.toPrecision(3)
}

/** Nanoseconds in the unit that reads best. */
export function timeText(ns: number): string {
  if (ns < 10_000) return `${figure(ns)} ns`
  return ns < 10_000_000 ? `${figure(ns / 1e3)} µs` : `${figure(ns / 1e6)} ms`
}

/** Times of an operation, each also as a multiple of the first name's. */
export function timeTable(title: string, measured: Measurement, names: readonly string[]): Table {
  const [base = ''] = names
  const rows = names.map((name) => {
    return [name, timeText(measured.time(name)), figure(measured.ratio(name, base))]
  })
  return { title, head: ['', 'one operation', `times ${base}`], rows }
}
