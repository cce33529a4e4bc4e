import { partsOf } from '../parts.ts'
import type { Counts, Item } from './rows.ts'
import type { Cells, Names, Tables, Unit, Writer } from './tables.ts'
import { KEY_NAMES } from './tables.ts'

/** An item of the source and the one of the target that it replaces, whose place it takes. */
export interface Change {
  readonly item: Item
  readonly known: Item | undefined
  /** Its place in the target. */
  readonly place: number
}

/** How many rows one statement inserts or deletes. */
const ROWS = 500

/** Writes items of a unit to the target, whole or not at all. */
export function write(target: Tables, unit: Unit, changes: readonly Change[]): Promise<void> {
  return target.change(async (writer) => {
    const known = changes.flatMap((change) => change.known ?? [])
    const delivered = changes.flatMap(({ item, known: before }) =>
      unit === 'events' && before && item.cells['is_pending'] !== 1 ? [before] : [],
    )
    await removeFromOutbox(target.names, writer, delivered)
    await remove(target.names, writer, unit, known)
    for (const [table, rows] of rowsOf(target.names, unit, changes)) {
      for (const part of partsOf(rows, ROWS)) await writer.insert(target.names.at(table), part)
    }
  })
}

/** Deletes items from the target. An event leaves the outbox too. */
export function erase(target: Tables, unit: Unit, items: readonly Item[]): Promise<void> {
  return target.change(async (writer) => {
    if (unit === 'events') await removeFromOutbox(target.names, writer, items)
    await remove(target.names, writer, unit, items)
  })
}

async function remove(names: Names, writer: Writer, unit: Unit, items: readonly Item[]) {
  const { at, usageId, noticeId, history } = names
  const ids = items.map(({ id }) => id)
  if (unit === 'workspaces') return removeFrom(writer, at('workspaces'), 'workspace_id', ids)
  if (unit === 'events') return removeFrom(writer, at('events'), 'id', ids)
  if (unit !== 'keys') {
    const kind = unit === 'purged keys' ? 'key' : 'event'
    return removeFrom(writer, at('purged'), `kind = '${kind}' AND id`, ids)
  }
  const [column, ofKey] = history
  const named = items.map(({ id, place }) => (ofKey === 'id' ? id : place))
  if (noticeId !== null) await removeFrom(writer, at('notices'), noticeId, ids)
  await removeFrom(writer, at('keys'), 'id', ids)
  await removeFrom(writer, at('usage_hours'), column, named)
  await removeFrom(writer, at('usage_days'), column, named)
  return removeFrom(writer, at('usage'), usageId, ids)
}

async function removeFromOutbox({ at, outbox }: Names, writer: Writer, items: readonly Item[]) {
  if (outbox === null) return
  const [column, ofEvent] = outbox
  const named = items.map(({ id, place }) => (ofEvent === 'id' ? id : place))
  await removeFrom(writer, at('outbox'), column, named)
}

async function removeFrom(
  { run }: Writer,
  table: string,
  column: string,
  values: readonly (string | number)[],
): Promise<void> {
  for (const part of partsOf(values, ROWS)) {
    await run(`DELETE FROM ${table} WHERE ${column} IN (${part.map(() => '?').join(', ')})`, part)
  }
}

type TableRows = readonly (readonly [table: string, rows: readonly Cells[]])[]

/** The rows of each table, in an order that foreign keys allow. */
function rowsOf(names: Names, unit: Unit, changes: readonly Change[]): TableRows {
  if (unit === 'workspaces') return [['workspaces', changes.map((one) => workspaceRow(names, one))]]
  if (unit === 'keys') return keyRows(names, changes)
  if (unit === 'events') return eventRows(names, changes)
  const kind = unit === 'purged keys' ? 'key' : 'event'
  const rows = changes.map(({ item: { id, workspaceId }, place }) => ({
    ...{ kind, id, workspace_id: workspaceId, [names.place]: place },
  }))
  return [['purged', rows]]
}

function workspaceRow({ ofWorkspace }: Names, { item }: Change): Cells {
  const { id = null, ...cells } = item.cells
  return { workspace_id: id, ...cells, ...ofWorkspace }
}

function keyRows(names: Names, changes: readonly Change[]): TableRows {
  const { place: column, usageId, noticeId } = names
  const usage = changes.map(({ item: { id, cells } }) => ({
    ...{
      [usageId]: id,
      uses: cells['uses'] ?? 0,
      last_used_at_ms: cells['last_used_at_ms'] ?? null,
    },
  }))
  const keys = changes.map(({ item: { cells }, place }) => ({
    ...Object.fromEntries(['hash', ...KEY_NAMES].map((name) => [name, cells[name] ?? null])),
    ...(noticeId === null && { notice_at_ms: cells['notice_at_ms'] ?? null }),
    [column]: place,
  }))
  const notices = changes.flatMap(({ item: { id, cells } }) => {
    const dueAtMs = cells['notice_at_ms'] ?? null
    return noticeId === null || dueAtMs === null ? [] : [{ [noticeId]: id, due_at_ms: dueAtMs }]
  })
  return [
    ...[['usage', usage] as const, ['keys', keys] as const, ['notices', notices] as const],
    ['usage_hours', changes.flatMap((one) => historyRows(names, one, 'hour', one.item.hours))],
    ['usage_days', changes.flatMap((one) => historyRows(names, one, 'day', one.item.days))],
  ]
}

function historyRows(
  { history: [column, ofKey] }: Names,
  { item: { id }, place }: Change,
  period: 'hour' | 'day',
  counts: Counts,
): readonly Cells[] {
  const key = ofKey === 'id' ? id : place
  return counts.map(([at, outcome, count]) => ({ [column]: key, [period]: at, outcome, count }))
}

/** An event that is pending in the target already keeps its turn. */
function eventRows(names: Names, changes: readonly Change[]): TableRows {
  const { place: column, outbox } = names
  const events = changes.map(({ item: { cells }, place }) => {
    const { is_pending: isPending, ...rest } = cells
    const pending = outbox === null && { is_pending: isPending === 1 ? 1 : null }
    return { ...rest, ...pending, [column]: place }
  })
  if (outbox === null) return [['events', events]]
  const [named, ofEvent] = outbox
  const waiting = changes.filter(
    ({ item, known }) => item.cells['is_pending'] === 1 && known?.cells['is_pending'] !== 1,
  )
  const rows = waiting.map(({ item, place }) => ({ [named]: ofEvent === 'id' ? item.id : place }))
  return [
    ['events', events],
    ['outbox', rows],
  ]
}
