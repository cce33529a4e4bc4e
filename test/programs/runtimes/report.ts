import { markdownTable } from '../../support/marked.ts'
import type { GroupResult } from './results.ts'
import type { Outcome } from './run.ts'

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
  return markdownTable(head, rows, ['---', '---', '--:', '--:', '---', '---'])
}

function sqliteIn(groups: readonly GroupResult[]): string {
  const names = groups.map(({ name }) => /SQLite through (?:a path \()?([^)]+)/.exec(name)?.[1])
  return [...new Set(names.filter((name) => name !== undefined))].map(code).join(', ')
}

const code = (text: string) => `\`${text}\``
