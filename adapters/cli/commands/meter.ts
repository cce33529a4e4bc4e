import type { Command } from '../command.ts'
import type { OptionValues } from '../command-line.ts'
import { inWords, reportOf } from '../meter/report.ts'
import { type MeterPlan, measureRevocation, type Revocation } from '../meter/revocation.ts'
import { loadTarget } from '../meter/target.ts'
import { json } from '../output.ts'
import { UsageError } from '../usage-error.ts'

/** The numbers that it takes: their default and their bound. */
const NUMBERS = {
  keys: [100, 100_000],
  'at-once': [1, 100],
  connections: [16, 1_000],
  'quiet-ms': [1_000, 600_000],
  seconds: [120, 3_600],
} as const

/** `miftah meter URL`: how long any system accepts a key after it has acknowledged its revocation. */
export const meter: Command = {
  summary: 'measure how long a URL accepts keys after their revocation',
  argument: 'URL',
  needs: ['config'],
  takes: ['url', 'keys', 'at-once', 'connections', 'quiet-ms', 'seconds'],
  async withoutDatabase({ argument, values, terminal }) {
    const [count, atOnce] = [numberOf(values, 'keys'), numberOf(values, 'at-once')]
    const plan: MeterPlan = {
      urls: [argument, ...(values.url ?? [])].map(checkedUrl),
      connections: numberOf(values, 'connections'),
      quietMs: numberOf(values, 'quiet-ms'),
      signal: AbortSignal.timeout(numberOf(values, 'seconds') * 1_000),
      target: await loadTarget(values.config ?? ''),
    }
    const report = reportOf(await revocations(plan, count, atOnce))
    await terminal.out(values.json ? json(report) : inWords(report))
    return report.late + report.open > 0 ? 1 : 0
  },
}

/** Measures `count` keys, `atOnce` at a time, until the time is over. */
async function revocations(plan: MeterPlan, count: number, atOnce: number) {
  const all: Revocation[] = []
  let begun = 0
  const lane = async () => {
    while (begun++ < count && !plan.signal.aborted) {
      const revocation = await measureRevocation(plan)
      if (revocation !== null) all.push(revocation)
    }
  }
  try {
    await Promise.all(Array.from({ length: atOnce }, lane))
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`The module of --config failed: ${Object(error).message}`)
  }
  if (all.length === 0) throw new UsageError('The time ran out before the first revocation.')
  return all
}

function checkedUrl(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(new URL(text).protocol)) return text
  throw new UsageError('The address to measure must be an http: or https: URL.')
}

function numberOf(values: OptionValues, name: keyof typeof NUMBERS): number {
  const [fallback, max] = NUMBERS[name]
  const value = Number(values[name] ?? fallback)
  if (Number.isInteger(value) && value >= 1 && value <= max) return value
  throw new UsageError(`--${name} must be a whole number from 1 to ${max}.`)
}
