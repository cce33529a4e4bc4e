import {
  type AuditEventRecord,
  type FieldKind,
  type KeyRecord,
  keyFields,
} from '../../../../src/storage/index.ts'
import { bytesFromHash } from './hash-bytes.ts'
import type { SqlValue } from './sql.ts'

/** What one column holds: a person takes two. */
export type ColumnKind = Exclude<FieldKind, 'person' | 'person?'>

export interface Column {
  readonly name: string
  readonly kind: ColumnKind
  /** What a record has in it: a list or an object as it is. */
  readonly of: (record: KeyRecord) => unknown
}

/** The columns of a record, in the order in which every statement names them. */
export const KEY_COLUMNS: readonly Column[] = (
  Object.keys(keyFields) as (keyof KeyRecord)[]
).flatMap(columnsOf)

export const EVENT_COLUMNS = [
  'id',
  'workspace_id',
  'key_id',
  'type',
  'at_ms',
  'actor_id',
  'actor_name',
  'data',
] as const

/** A row by its columns: lists and objects are JSON, a hash is 64 hex digits. */
export type Cells = Readonly<Record<string, string | number | null>>

/** The row of a record in a workspace, without what the storage adds. */
export function keyCells(record: KeyRecord, workspaceId: string): Cells {
  const cells: Record<string, string | number | null> = {}
  for (const { name, kind, of } of KEY_COLUMNS) cells[name] = cellOf(kind, of(record))
  return { ...cells, workspace_id: workspaceId }
}

/** The row of an event in a workspace, without what the storage adds. */
export function eventCells(
  { id, keyId, type, atMs, actor, data }: AuditEventRecord,
  workspaceId: string,
): Cells & Readonly<Record<(typeof EVENT_COLUMNS)[number], string | number>> {
  return {
    id,
    workspace_id: workspaceId,
    key_id: keyId,
    type,
    at_ms: atMs,
    actor_id: actor.id,
    actor_name: actor.name,
    data: JSON.stringify(data),
  }
}

/** The parameters of a driver for cells, in the order of these columns: a hash is 32 bytes. */
export function valuesOf(cells: Cells, columns: readonly string[]): readonly SqlValue[] {
  return columns.map((name) => {
    const cell = cells[name] ?? null
    return name === 'hash' ? bytesFromHash(String(cell)) : cell
  })
}

const JSON_KINDS: ReadonlySet<ColumnKind> = new Set(['texts', 'metadata', 'resources', 'networks'])

export function isJson(kind: ColumnKind): boolean {
  return JSON_KINDS.has(kind)
}

function cellOf(kind: ColumnKind, value: unknown): string | number | null {
  return isJson(kind) ? JSON.stringify(value) : (value as string | number | null)
}

export function columnName(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function columnsOf(field: keyof KeyRecord): readonly Column[] {
  const { kind } = keyFields[field]
  const name = columnName(field)
  if (kind !== 'person' && kind !== 'person?')
    return [{ name, kind, of: (record) => record[field] }]
  return (['id', 'name'] as const).map((part) => ({
    name: `${name}_${part}`,
    kind: kind === 'person' ? 'text' : 'text?',
    of: (record) => Object(record[field])[part] ?? null,
  }))
}
