import { parseArgs } from 'node:util'
import type { Kind } from './kinds.ts'
import { type StrictReport, strictRounds } from './scenario.ts'

// npm run reliability:strict -- [--rounds n] [--only kind] [--places n]: revocations with a cache in
// every process, on as many servers at once as there are places. SIGTERM ends it early, with a report of the rounds that were played.

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10000' },
    only: { type: 'string' },
    places: { type: 'string', default: '1' },
  },
})
const kinds = values.only === undefined ? {} : { kinds: [values.only as Kind] }
const ending = new AbortController()
process.on('SIGTERM', () => ending.abort())
const { signal } = ending
const report = await strictRounds({
  ...{ rounds: Number(values.rounds), places: Number(values.places) },
  ...{ signal, ...kinds },
})
print('strict', report)
if (Object.keys(report.staleAccepts).length > 0) process.exitCode = 1
const control = await strictRounds({ rounds: 40, isNaive: true })
print('naive cache, which must be caught', control)
if (Object.keys(control.staleAccepts).length === 0) process.exitCode = 1

function print(name: string, { revocations, ...rest }: StrictReport): void {
  console.log(JSON.stringify({ name, ...rest }))
  for (const [kind, times = []] of Object.entries(revocations)) {
    const sorted = times.toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)]?.toFixed(1)
    const figures = `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, worst ${at(1)} ms`
    console.log(`  ${kind}: ${times.length} revocations, ${figures}`)
  }
}
