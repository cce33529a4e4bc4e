import { writeFileSync } from 'node:fs'
import { SECTIONS } from './sections.ts'

// One section in this process: `run-section.ts <name> <result file> [--short]`.
const [name = '', file = '', ...flags] = process.argv.slice(2)
const entry = SECTIONS[name]
if (entry === undefined) throw new Error(`there is no section "${name}"`)
if (!import.meta.resolve('miftah').endsWith('/dist/index.js')) {
  throw new Error('miftah must be measured as it is published')
}
const { section } = await entry.load()
const result = await section({
  short: flags.includes('--short'),
  log: (text) => console.error(`  ${text}`),
})
writeFileSync(file, JSON.stringify(result))
// Pools and servers of a peer may still hold the process.
process.exit(0)
