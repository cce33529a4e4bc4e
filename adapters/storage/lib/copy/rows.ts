import { integerIn, optionalIntegerIn, type SqlRow, textIn } from '../row.ts'
import { type Cells, historyOf, JSON_COLUMNS, selectOf, type Tables, type Unit } from './tables.ts'

/** Requests in one period: when, with which outcome, how many. */
export type Counts = readonly (readonly [at: number, outcome: number, count: number])[]

/** What is copied as one: a row and, of a key, its history. */
export interface Item {
  readonly id: string
  readonly workspaceId: string
  /** Where the row is in its own database. */
  readonly place: number
  readonly cells: Cells
  readonly hours: Counts
  readonly days: Counts
}

/** How many items are read and written together. */
const PAGE = 500

/** All items of a unit, a page at a time. */
export async function* itemsOf(tables: Tables, unit: Unit): AsyncGenerator<readonly Item[]> {
  for await (const rows of tables.pages(selectOf(tables.names, unit), PAGE)) {
    yield await withHistory(tables, unit, rows)
  }
}

/** The items of a unit with these ids. */
export async function find(
  tables: Tables,
  unit: Unit,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Item>> {
  const { sql, id } = selectOf(tables.names, unit)
  const rows = await among(tables, sql, id, ids)
  const items = await withHistory(tables, unit, rows)
  return new Map(items.map((item) => [item.id, item]))
}

async function among(tables: Tables, sql: string, column: string, ids: readonly string[]) {
  if (ids.length === 0) return []
  return tables.rows(`${sql} AND ${column} IN (${ids.map(() => '?').join(', ')})`, ids)
}

async function withHistory(tables: Tables, unit: Unit, rows: readonly SqlRow[]) {
  const ids = unit === 'keys' ? rows.map((row) => textIn(row, 'id')) : []
  const hours = await countsOf(tables, 'hour', ids)
  const days = await countsOf(tables, 'day', ids)
  return rows.map((row): Item => {
    const id = textIn(row, 'id')
    const workspaceId = unit === 'workspaces' ? id : textIn(row, 'workspace_id')
    const place = row['place'] === undefined ? 0 : integerIn(row, 'place')
    const history = { hours: hours.get(id) ?? [], days: days.get(id) ?? [] }
    return { id, workspaceId, place, cells: cellsOf(row), ...history }
  })
}

async function countsOf(tables: Tables, period: 'hour' | 'day', ids: readonly string[]) {
  const counts = new Map<string, [number, number, number][]>(ids.map((id) => [id, []]))
  for (const row of await among(tables, historyOf(tables.names, period), 'k.id', ids)) {
    const count = ['at', 'outcome', 'count'].map((name) => integerIn(row, name))
    counts.get(textIn(row, 'id'))?.push(count as [number, number, number])
  }
  for (const list of counts.values()) list.sort((a, b) => a[0] - b[0] || a[1] - b[1])
  return counts
}

/** Columns of numbers and flags beside instants; drivers return them in several types. */
const NUMBERS = new Set(['version', 'uses', 'is_erased', 'is_pending'])

function cellsOf({ place: _, ...row }: SqlRow): Cells {
  return Object.fromEntries(
    Object.entries(row).map(([name, cell]) => {
      if (JSON_COLUMNS.has(name)) return [name, JSON.stringify(JSON.parse(textIn(row, name)))]
      if (typeof cell === 'boolean') return [name, Number(cell)]
      if (name.endsWith('_ms') || NUMBERS.has(name)) return [name, optionalIntegerIn(row, name)]
      return [name, cell === null ? null : textIn(row, name)]
    }),
  )
}

/** Whether two items say the same, wherever they are. */
export function isSame(one: Item, other: Item | undefined): boolean {
  return other !== undefined && facts(one) === facts(other)
}

function facts({ cells, hours, days }: Item): string {
  const read = Object.entries(cells).map(([name, cell]) => [
    name,
    JSON_COLUMNS.has(name) ? JSON.parse(String(cell)) : cell,
  ])
  return JSON.stringify([sorted(Object.fromEntries(read)), hours, days])
}

/** The same value with the names of objects in one order: PostgreSQL keeps them in an order of its own. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const names = Object.keys(value).sort()
  return names.map((name) => [name, sorted(Reflect.get(value, name))])
}
