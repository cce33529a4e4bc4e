import { type Spread, spread } from './stats.ts'

/** One side of a comparison. */
export interface Contender {
  readonly name: string
  /** Makes the inputs of `count` operations: new strings each time, outside the measured time. */
  prepare(count: number): void | Promise<void>
  /** Does what was prepared and answers how many operations were accepted. */
  run(): Promise<number>
  /** Looks at what the run has left behind, outside the measured time. */
  finish?(count: number): void | Promise<void>
  /** What share of the operations is accepted; 1 unless set. A slice that differs is an error. */
  readonly accepted?: number
}

/** How long and how often is measured. */
export interface Plan {
  readonly rounds: number
  readonly sliceMs: number
  readonly warmUpMs: number
}

/** Nanoseconds per operation of every contender, one figure for each round. */
export class Measurement {
  readonly #perRound: ReadonlyMap<string, readonly number[]>

  constructor(perRound: ReadonlyMap<string, readonly number[]>) {
    this.#perRound = perRound
  }

  /** How many figures there are of each contender. */
  get rounds(): number {
    const [first = []] = this.#perRound.values()
    return first.length
  }

  /** Nanoseconds per operation. */
  time(name: string): Spread {
    return spread(this.#of(name))
  }

  /** Operations per second. */
  rate(name: string): Spread {
    return spread(this.#of(name).map((ns) => 1e9 / ns))
  }

  /** How many times as long as `base` the contender takes, round by round. */
  ratio(name: string, base: string): Spread {
    const bases = this.#of(base)
    return spread(this.#of(name).map((ns, round) => ns / (bases[round] ?? Number.NaN)))
  }

  #of(name: string): readonly number[] {
    const values = this.#perRound.get(name)
    if (values === undefined) throw new Error(`there is no contender "${name}"`)
    return values
  }
}

/**
 * Lets the contenders take turns in one process: one slice each in every round, in an order that
 * moves on by one from round to round, so that a noisy moment hits all alike.
 */
export async function measure(contenders: readonly Contender[], plan: Plan): Promise<Measurement> {
  const counts = new Map<Contender, number>()
  for (const contender of contenders) counts.set(contender, await warmUp(contender, plan))
  const perRound = new Map<string, number[]>(contenders.map(({ name }) => [name, []]))
  for (let round = 0; round < plan.rounds; round += 1) {
    for (let turn = 0; turn < contenders.length; turn += 1) {
      const contender = contenders[(round + turn) % contenders.length]
      if (contender === undefined) continue
      perRound.get(contender.name)?.push(await slice(contender, counts.get(contender) ?? 1))
    }
  }
  return new Measurement(perRound)
}

/** Runs until the code is compiled, and answers how many operations fill a slice. */
async function warmUp(contender: Contender, { warmUpMs, sliceMs }: Plan): Promise<number> {
  const end = performance.now() + warmUpMs
  let count = 8
  do {
    const ms = ((await slice(contender, count)) * count) / 1e6
    const wanted = count * (sliceMs / Math.max(ms, 0.001))
    count = Math.max(8, Math.round(Math.min(wanted, count * 8)))
  } while (performance.now() < end)
  return count
}

/** Nanoseconds per operation of one slice. */
async function slice(contender: Contender, count: number): Promise<number> {
  await contender.prepare(count)
  // Nobody pays for the garbage of another.
  globalThis.gc?.({ type: 'minor' })
  const start = process.hrtime.bigint()
  const accepted = await contender.run()
  const ns = Number(process.hrtime.bigint() - start)
  await contender.finish?.(count)
  const expected = Math.round(count * (contender.accepted ?? 1))
  if (accepted !== expected) {
    throw new Error(`${contender.name}: ${accepted} of ${count} accepted, ${expected} expected`)
  }
  return ns / count
}
