import { prepare } from './prepare.ts'
import { printResult } from './report/print.ts'
import { writeReport } from './report/write.ts'
import { readResults, runSection } from './results.ts'
import { SECTIONS } from './sections.ts'

const usage = `npm run bench -- [--short] [${Object.keys(SECTIONS).join('] [')}]

Measures every section, or those named, and writes the figures of docs/benchmarks.md.
--short  a quick look: few rounds, nothing is written`

const given = process.argv.slice(2)
const short = given.includes('--short')
const named = given.filter((argument) => !argument.startsWith('--'))
const unknown = given.filter((argument) => argument !== '--short' && !(argument in SECTIONS))
if (unknown.length > 0) {
  console.error(usage)
  process.exit(1)
}

prepare()
for (const name of named.length > 0 ? named : Object.keys(SECTIONS)) {
  console.error(`${name} …`)
  printResult(await runSection(name, short))
}
if (!short) writeReport(readResults())
