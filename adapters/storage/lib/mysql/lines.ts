import type { KeyRecord } from '../../../../src/storage/index.ts'
import { brokenColumn, type SqlRow } from '../sql/cells.ts'
import { type ColumnKind, KEY_COLUMNS } from '../sql/columns.ts'
import { keyRecordFrom } from '../sql/rows.ts'
import { raw } from '../sql/sql.ts'
import { decoded } from './driver.ts'

const COLUMNS = KEY_COLUMNS.filter(({ name }) => name !== 'hash')

const isOptional = (kind: ColumnKind) => kind.endsWith('?')

/**
 * A key `k` as one cell, because mysql2 takes longer for 26: its hash in hex digits and its columns, with U+0000,
 * which no text has, between them. In a column that may be NULL, `=` stands before a value and NULL is empty.
 */
export const LINE = raw(
  `CONCAT_WS(X'00', LOWER(HEX(k.hash)), ${COLUMNS.map(({ name, kind }) =>
    isOptional(kind) ? `COALESCE(CONCAT('=', k.${name}), '')` : `k.${name}`,
  ).join(', ')})`,
)

/** The line in a row, a character for each byte. */
export function lineIn({ line }: SqlRow): string {
  return line instanceof Uint8Array ? Buffer.from(line).toString('latin1') : brokenColumn('line')
}

export function hashOf(line: string): string {
  return line.slice(0, line.indexOf('\u0000'))
}

export function keyIn(line: string): KeyRecord {
  const [hash, ...cells] = line.split('\u0000')
  if (cells.length !== COLUMNS.length) return brokenColumn('line')
  const entries = COLUMNS.map(({ name, kind }, at) => {
    const cell = Buffer.from(cells[at] ?? '', 'latin1')
    if (!isOptional(kind)) return [name, cell]
    return [name, cell.length === 0 ? null : cell.subarray(1)]
  })
  return keyRecordFrom({ hash, ...decoded(Object.fromEntries(entries)) })
}
