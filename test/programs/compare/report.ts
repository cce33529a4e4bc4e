import { markdownTable } from '../../support/marked.ts'
import { comparedCases, runCase } from './cases.ts'
import { notApplicable } from './not-applicable.ts'
import type { Subject } from './subject.ts'

/** What each library made of every case: `yes`, or `no` and what was seen. */
export interface Column {
  readonly name: string
  readonly cells: readonly string[]
}

/** Runs every case on one library and closes it. */
export async function columnOf(subject: Subject): Promise<Column> {
  const cells: string[] = []
  for (const compared of comparedCases) {
    const { holds, seen } = await runCase(subject, compared)
    cells.push(
      holds ? 'yes' : `**no**${seen === undefined ? '' : `: ${seen.replaceAll('|', '/')}`}`,
    )
  }
  await subject.close()
  return { name: subject.name, cells }
}

/** The tables for docs/comparison.md: the cases with different outcomes, then a list of the others. */
export function tablesOf(columns: readonly Column[]): string {
  const head = ['case', 'given', 'wanted', ...columns.map(({ name }) => name)]
  const cases = comparedCases.map(({ id, given, wanted }, at) => {
    const outcomes = columns.map(({ cells }) => cells[at] ?? '')
    return { id, given, wanted, outcomes, same: outcomes.every((outcome) => outcome === 'yes') }
  })
  const rows = cases
    .filter(({ same }) => !same)
    .map(({ id, given, wanted, outcomes }) => [id, given, wanted, ...outcomes])
  const others = cases.filter(({ same }) => same)
  const passed = columns.map(({ cells }) => `${cells.filter((cell) => cell === 'yes').length}`)
  return [
    markdownTable(head, [...rows, ['', '**passed**', `of ${comparedCases.length}`, ...passed]]),
    `All passed the other ${others.length}: ${others.map(({ given }) => given).join('; ')}.`,
    'Not applicable:',
    markdownTable(
      ['cases', 'why'],
      notApplicable.map(({ ids, reason }) => [ids, reason]),
    ),
  ].join('\n\n')
}
