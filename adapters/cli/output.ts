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

/** Rows as aligned columns, below their headings. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows]
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
