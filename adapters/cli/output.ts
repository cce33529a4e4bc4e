import type { ApiKey } from '../../src/index.ts'

/** What a command reads and writes. */
export interface Terminal {
  readonly input: AsyncIterable<string | Uint8Array>
  /** Rejects with an {@link OutputError} where the text did not get through. */
  readonly out: (text: string) => Promise<void>
  readonly err: (text: string) => void
}

/** Prints a value as JSON with `--json`, else a text; answers the exit code 0. */
export type Show = (value: unknown, text: string) => Promise<number>

/** Standard output is closed, or the disk behind it is full. */
export class OutputError extends Error {}

/**
 * What a terminal obeys instead of showing it: controls, and what hides or reorders text. U+200C and
 * U+200D stay, which Arabic script and emoji need.
 */
const UNSAFE = /(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** A text in which such characters are written as JSON may write them too: `\u202E`. */
export function inOneLine(text: string): string {
  const escaped = (unit: string) =>
    `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
  return text.replace(UNSAFE, (character) => character.split('').map(escaped).join(''))
}

/** A terminal on which every line is printed so. */
export function safely({ input, out, err }: Terminal): Terminal {
  const printable = (text: string) => text.split('\n').map(inOneLine).join('\n')
  return { input, out: (text) => out(printable(text)), err: (text) => err(printable(text)) }
}

/** How a command prints its result. */
export function showOn({ out }: Terminal, asJson = false): Show {
  return async (value, text) => {
    await out(asJson ? JSON.stringify(value, null, 2) : text)
    return 0
  }
}

/** Rows as aligned columns, below their headings. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows.map((row) => row.map(inOneLine))]
  const widths = headings.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)))
  const lineOf = (row: readonly string[]) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0))
  return all.map((row) => lineOf(row).join('  ').trimEnd()).join('\n')
}

/** A list of keys, a line for each. */
export function tableOf(keys: readonly ApiKey<string>[]): string {
  const rows = keys.map((key) => [
    ...[key.id, `${key.prefix}…`, key.environment, key.status, String(key.uses)],
    key.lastUsedAt?.toISOString() ?? 'never',
    key.name,
  ])
  return table(['id', 'prefix', 'type', 'status', 'uses', 'last used', 'name'], rows)
}
