import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { frozenProcess } from './frozen-process.ts'
import { openRace } from './open-race.ts'

// Beyond the scenarios of run.ts: npm run reliability:postgres:frozen -- [--rounds n] [--processes n]

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    processes: { type: 'string', default: '16' },
  },
})
const modulePath = fileURLToPath(new URL('postgres-module.ts', import.meta.url))
const reports = [
  await openRace(modulePath, { workers: Number(values.processes) }),
  await frozenProcess(modulePath, { rounds: Number(values.rounds) }),
]
for (const report of reports) {
  console.log(JSON.stringify(report))
  if (report.failures.length > 0) process.exitCode = 1
}
