import type { SectionResult, Table } from '../measure/result.ts'

/** Writes what a section found to the terminal. */
export function printResult({ tables, targets }: SectionResult): void {
  for (const table of tables) printTable(table)
  for (const { measure, target, figure, met } of targets) {
    console.log(`${met ? 'met   ' : 'MISSED'} ${measure}: ${figure} (${target})`)
  }
  console.log('')
}

function printTable({ title, head, rows, note }: Table): void {
  const lines = [head, ...rows]
  const widths = head.map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? '').length)),
  )
  console.log(`\n${title}`)
  for (const line of lines) {
    console.log(`  ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`)
  }
  if (note !== undefined) console.log(`  ${note}`)
}
