import { strictRounds } from './scenario.ts'

// npm run reliability:strict -- [rounds]: revocations on PostgreSQL with the cache in every process, and a
// naive cache, which must be caught.

const report = await strictRounds({ rounds: Number(process.argv[2] ?? 10_000) })
console.log(JSON.stringify(report))
const control = await strictRounds({ rounds: 40, isNaive: true })
console.log(JSON.stringify({ control: 'a naive cache, which must be caught', ...control }))
const isCaught = Object.keys(control.staleAccepts).length > 0
process.exitCode = isCaught && Object.keys(report.staleAccepts).length === 0 ? 0 : 1
