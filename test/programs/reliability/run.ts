import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { SCENARIOS } from './scenarios.ts'

// The long forms: tsx test/programs/reliability/run.ts <storage module> [--rounds n] [--kills n] …

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '300' },
    races: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '60' },
    workers: { type: 'string', default: '4' },
    lanes: { type: 'string', default: '8' },
    only: { type: 'string' },
  },
})
const module = resolve(positionals[0] ?? '')
const amounts = {
  rounds: Number(values.rounds),
  kills: Number(values.kills),
  races: Number(values.races),
  ms: 1_000 * Number(values.seconds),
  workers: Number(values.workers),
  lanes: Number(values.lanes),
}

// Only by name: a process that is stopped with SQLite's one lock keeps all others waiting.
const STOPPING = ['frozen', 'stopped']

for (const [name, { play }] of Object.entries(SCENARIOS)) {
  if (values.only === undefined ? STOPPING.includes(name) : values.only !== name) continue
  const report = await play(module, amounts)
  console.log(JSON.stringify(report))
  if (report.failures.length > 0) process.exitCode = 1
}
