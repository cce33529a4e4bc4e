import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../support/package/npm.ts'
import type { GroupResult } from './results.ts'
import type { Outcome } from './run.ts'

const PAGE = join(ROOT, 'docs/runtimes.md')
const MARKED = /(<!-- table: npm run runtimes -- --write -->\n)[\s\S]*?(<!-- end -->)/

/** The outcomes as a table of Markdown. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const head = ['runtime', 'version', 'checks', 'failed', 'SQLite through', 'not run']
  const rows = outcomes.map(({ runtime, version, checks, failures, groups }) => [
    runtime.name,
    version,
    String(checks),
    String(failures.length),
    sqliteIn(groups) || '—',
    runtime.lacks || '—',
  ])
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), '| --- | --- | --: | --: | --- | --- |', ...rows.map(line)].join('\n')
}

function sqliteIn(groups: readonly GroupResult[]): string {
  const names = groups.map(({ name }) => /SQLite through (?:a path \()?([^)]+)/.exec(name)?.[1])
  return [...new Set(names.filter((name) => name !== undefined))].map(code).join(', ')
}

const code = (text: string) => `\`${text}\``

/** Puts the table into docs/runtimes.md. */
export function writeTable(table: string): void {
  const page = readFileSync(PAGE, 'utf8')
  if (!MARKED.test(page)) throw new Error(`${PAGE} has no place for the table`)
  writeFileSync(PAGE, page.replace(MARKED, `$1\n${table}\n\n$2`))
}
