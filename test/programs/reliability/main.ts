import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { play, SCENARIOS, type ScenarioName } from './scenarios.ts'

// The long forms: tsx test/programs/reliability/main.ts <storage module> [--only name] [--rounds n] [--workers n]

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, rounds: { type: 'string' }, workers: { type: 'string' } },
})
// A process that is frozen in a transaction of SQLite or MySQL keeps its locks.
const hasLocks = !positionals[0]?.includes('postgres')
for (const name of Object.keys(SCENARIOS) as ScenarioName[]) {
  if (values.only === undefined ? name === 'frozen' && hasLocks : values.only !== name) continue
  const begun = performance.now()
  const report = await play(name, resolve(positionals[0] ?? ''), {
    rounds: Number(values.rounds ?? SCENARIOS[name].rounds[1]),
    ...(values.workers !== undefined && { workers: Number(values.workers) }),
  })
  console.log(JSON.stringify({ name, ms: Math.round(performance.now() - begun), ...report }))
  if (report.failures.length > 0) process.exitCode = 1
}
