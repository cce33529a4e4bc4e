import { parseArgs } from 'node:util'
import type { MeterReport } from '../../../adapters/cli/meter/report.ts'
import { markdownTable, writeMarked } from '../../support/marked.ts'
import { prepare } from '../bench/prepare.ts'
import { measure } from './measure.ts'
import { type MeasuredSystem, SYSTEMS } from './systems.ts'

/*
 * npm run meter:peers
 * Measures miftah and other systems by `npx miftah meter`, and writes the table of docs/meter.md. Fails
 * when a key of miftah is accepted after its revocation. `-- --only cache` measures those of one kind
 * and prints their reports.
 */

const { values } = parseArgs({ options: { only: { type: 'string' } } })
prepare()
const reports: (readonly [MeasuredSystem, MeterReport])[] = []
for (const system of SYSTEMS.filter(({ kind }) => kind === (values.only ?? kind))) {
  // A busy machine may give no answer to a new key in ten seconds, which measures nothing.
  const report = await measure(system).catch(() => measure(system))
  console.log(`${system.name}: ${JSON.stringify(report)}`)
  reports.push([system, report])
}
const ours = reports.filter(([{ kind }]) => !/better-auth|naive/.test(kind))
if (values.only === undefined) {
  const head = ['system', 'processes', 'keys revoked', 'acknowledged after: median, worst']
  const more = ['accepted later', 'last accepted call', 'calls sent afterwards: accepted, refused']
  const rule = ['---', '---:', '---:', '---:', '---:', '---', '---:']
  const rows = reports.map(([system, report]) => rowOf(system, report))
  const table = markdownTable([...head, ...more], rows, rule)
  const revoked = ours.reduce((sum, [, { revocations }]) => sum + revocations, 0)
  const late = ours.reduce((sum, [, report]) => sum + report.late, 0)
  const total = `Of ${count(revoked)} keys of miftah ${count(late)} were accepted after their revocation.`
  writeMarked('docs/meter.md', 'npm run meter:peers', `${table}\n\n${total}`)
}
process.exit(ours.every(([, { late, open }]) => late + open === 0) ? 0 : 1)

function rowOf({ name, processes }: MeasuredSystem, report: MeterReport): readonly string[] {
  const { revocations, late, lastAcceptedMs, open, tookMs, calls } = report
  const last =
    lastAcceptedMs === null
      ? 'none'
      : `${open > 0 ? 'still when the time was over: ' : ''}${(lastAcceptedMs / 1_000).toFixed(1)} s`
  return [
    ...[name, String(processes), count(revocations)],
    `${tookMs.median.toFixed(0)} ms, ${tookMs.worst.toFixed(0)} ms`,
    ...[count(late), last, `${count(calls.accepted)}, ${count(calls.refused)}`],
  ]
}

function count(value: number): string {
  return value.toLocaleString('en')
}
