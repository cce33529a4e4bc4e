import type { ApiKey } from '../../src/index.ts'

/** What a command reads and writes. */
export interface Terminal {
  readonly input: AsyncIterable<string | Uint8Array>
  /** Rejects with an {@link OutputError} where the text did not get through. */
  readonly out: (text: string) => Promise<void>
  readonly err: (text: string) => void
}

/** Standard output is closed, or the disk behind it is full. */
export class OutputError extends Error {}

/**
 * What a terminal obeys instead of showing it: controls, and what hides or reorders text. U+200C and
 * U+200D stay, which Arabic script and emoji need.
 */
const UNSAFE = /(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** A text in which such characters are written as JSON may write them too: `\u202E`. */
export function inOneLine(text: string): string {
  return text.replace(UNSAFE, (character) =>
    Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(''),
  )
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).toUpperCase().padStart(4, '0')}`
}

/** A terminal on which every line is printed so. */
export function safely({ input, out, err }: Terminal): Terminal {
  const printable = (text: string) => text.split('\n').map(inOneLine).join('\n')
  return { input, out: (text) => out(printable(text)), err: (text) => err(printable(text)) }
}

/** Rows as aligned columns, below their headings. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows.map((row) => row.map(inOneLine))]
  const widths = headings.map((_, column) =>
    Math.max(...all.map((row) => (row[column] ?? '').length)),
  )
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** What a line of a list says of a key. */
export function keyRow(key: ApiKey<string>): readonly string[] {
  return [
    key.id,
    `${key.prefix}…`,
    key.environment,
    key.status,
    String(key.uses),
    key.lastUsedAt?.toISOString() ?? 'never',
    key.name,
  ]
}

/** The headings of {@link keyRow}. */
export const KEY_HEADINGS = ['id', 'prefix', 'type', 'status', 'uses', 'last used', 'name'] as const

/** JSON that people can read too. */
export function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
