import { parseArgs } from 'node:util'
import { soak } from './soak.ts'

// npm run soak -- [--minutes n]: prints one line of JSON, and fails if anything differs.

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
const report = await soak(Number(values.minutes) * 60_000)
console.log(JSON.stringify(report))
process.exit(report.failures.length > 0 ? 1 : 0)
