import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Replaces what stands in a page between `<!-- written by <command> -->` and `<!-- end -->`. */
export function writeMarked(page: string, command: string, text: string): void {
  const file = fileURLToPath(new URL(`../../${page}`, import.meta.url))
  const start = `<!-- written by ${command} -->\n`
  const [before = '', rest = ''] = readFileSync(file, 'utf8').split(start)
  const [, ...after] = rest.split('<!-- end -->')
  if (after.length !== 1) throw new Error(`${page} has no one place for what ${command} writes`)
  writeFileSync(file, `${before}${start}\n${text}\n\n<!-- end -->${after}`)
}

/** A table of Markdown; `rule` is its second line. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  rule = head.map(() => '---'),
): string {
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
