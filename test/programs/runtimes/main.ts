import { writeMarked } from '../../support/marked.ts'
import { prepare } from './prepare.ts'
import { tableOf } from './report.ts'
import { type Outcome, run } from './run.ts'
import { RUNTIMES } from './runtimes.ts'

const usage = `npm run runtimes -- [--write]

Packs the package, installs it beside Node 20, 22, 24 and 26, Bun, Deno and workerd, and runs the
suite on each. Fails when a check fails or a runtime is not there.
--write  puts the table into docs/runtimes.md`

const given = process.argv.slice(2)
if (given.some((word) => word !== '--write')) {
  console.error(usage)
  process.exit(1)
}

console.error('building, packing, installing …')
await prepare()
const outcomes: Outcome[] = []
for (const runtime of RUNTIMES) {
  const outcome = await run(runtime)
  outcomes.push(outcome)
  const { version, checks, failures, seconds } = outcome
  console.log(`${runtime.name} ${version}: ${checks} checks passed in ${seconds.toFixed(1)} s`)
  for (const text of failures) console.error(`  FAILED ${text}`)
}
const table = tableOf(outcomes)
console.log(`\n${table}`)
const failed = outcomes.some(({ failures }) => failures.length > 0)
if (given.includes('--write') && !failed) {
  writeMarked('docs/runtimes.md', 'npm run runtimes -- --write', table)
}
process.exitCode = failed ? 1 : 0
