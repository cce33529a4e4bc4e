import { KEY_COLUMNS } from '../key-columns.ts'
import type { SqlRow } from '../row.ts'
import type { SqlValue } from '../sql/work.ts'

/** What the tables of a database are called where databases differ, and how its cells become text. */
export interface Names {
  /** A table, as it stands in SQL. */
  readonly at: (table: string) => string
  /** Where rows come from that name every workspace. */
  readonly workspaces: string
  /** What a row of a workspace needs besides. */
  readonly ofWorkspace: Readonly<Record<string, SqlValue>>
  /** The column of keys, events and purged rows by which they are in order within a workspace. */
  readonly place: 'position' | 'seq'
  /** The column of usage and of notices that names the key. Notices are a column of keys where it is `null`. */
  readonly usageId: string
  readonly noticeId: string | null
  /** The column of hours and days that names the key, and the column of keys that it names. */
  readonly history: readonly [column: string, ofKey: 'place' | 'id']
  /** The same for the outbox and events; `null` where events have a column `is_pending`. */
  readonly outbox: readonly [column: string, ofEvent: 'place' | 'id'] | null
  readonly hex: (column: string) => string
  readonly json: (column: string) => string
}

/** Rows are read a page at a time. */
export interface Select {
  readonly sql: string
  /** The columns that order all rows, and the one that finds rows. */
  readonly order: string
  readonly workspaceId: string
  readonly id: string
}

/** Writes in a transaction. */
export interface Writer {
  readonly run: (sql: string, values?: readonly SqlValue[]) => Promise<unknown>
  /** Inserts rows that all have the same columns. */
  readonly insert: (table: string, rows: readonly Cells[]) => Promise<unknown>
}

/** The tables of one database. */
export interface Tables {
  readonly names: Names
  /** All rows, in order within each workspace, without a lock. */
  readonly pages: (select: Select, size: number) => AsyncIterable<readonly SqlRow[]>
  readonly rows: (sql: string, values: readonly SqlValue[]) => Promise<readonly SqlRow[]>
  /** Runs changes in one transaction, in which no trigger of the database runs. */
  readonly change: (work: (writer: Writer) => Promise<void>) => Promise<void>
  /** SQL that lets further rows begin at a place, and counts what is counted. */
  readonly finish: (place: number) => readonly string[]
}

/** A row as it is written: JSON as text, a hash as hexadecimal text. */
export type Cells = Readonly<Record<string, SqlValue>>

/** What is copied, in this order. */
export const UNITS = ['workspaces', 'keys', 'events', 'purged keys', 'purged events'] as const

/** One of {@link UNITS}. */
export type Unit = (typeof UNITS)[number]

const JSON_KINDS: ReadonlySet<string> = new Set(['texts', 'metadata', 'resources', 'networks'])

/** The columns that hold JSON. */
export const JSON_COLUMNS: ReadonlySet<string> = new Set([
  'data',
  ...KEY_COLUMNS.flatMap(({ name, kind }) => (JSON_KINDS.has(kind) ? [name] : [])),
])

/** The columns of a key's row but for its hash. */
export const KEY_NAMES = KEY_COLUMNS.map(({ name }) => name)

const EVENT_NAMES = 'id, workspace_id, key_id, type, at_ms, actor_id, actor_name'
  .split(', ')
  .map((name) => `e.${name}`)

/** How to read a unit, with the same names for its columns on every database. */
export function selectOf(names: Names, unit: Unit): Select {
  if (unit === 'workspaces') return workspacesOf(names)
  if (unit === 'keys') return keysOf(names)
  if (unit === 'events') return eventsOf(names)
  return purgedOf(names, unit === 'purged keys' ? 'key' : 'event')
}

function workspacesOf({ workspaces }: Names): Select {
  const id = 'w.workspace_id'
  const columns = `${id} AS id, w.is_erased AS is_erased, w.expired_to_ms AS expired_to_ms`
  const sql = `SELECT ${columns} FROM ${workspaces} w WHERE 1 = 1`
  return { sql, order: id, workspaceId: id, id }
}

function keysOf({ at, place, usageId, noticeId, hex, json }: Names): Select {
  const cells = KEY_NAMES.map((name) =>
    JSON_COLUMNS.has(name) ? `${json(`k.${name}`)} AS ${name}` : `k.${name} AS ${name}`,
  )
  const notice = noticeId === null ? 'k.notice_at_ms' : 'n.due_at_ms'
  const notices = noticeId === null ? '' : `LEFT JOIN ${at('notices')} n ON n.${noticeId} = k.id`
  return {
    sql: `SELECT k.${place} AS place, ${hex('k.hash')} AS hash, ${cells.join(', ')},
      u.uses AS uses, u.last_used_at_ms AS last_used_at_ms, ${notice} AS notice_at_ms
      FROM ${at('keys')} k JOIN ${at('usage')} u ON u.${usageId} = k.id ${notices} WHERE 1 = 1`,
    ...{ order: `k.${place}`, workspaceId: 'k.workspace_id', id: 'k.id' },
  }
}

function eventsOf({ at, place, outbox, json }: Names): Select {
  const isPending =
    outbox === null
      ? 'COALESCE(e.is_pending, 0)'
      : `CASE WHEN o.${outbox[0]} IS NULL THEN 0 ELSE 1 END`
  const left =
    outbox &&
    `LEFT JOIN ${at('outbox')} o ON o.${outbox[0]} = e.${outbox[1] === 'id' ? 'id' : place}`
  return {
    sql: `SELECT e.${place} AS place, ${EVENT_NAMES.join(', ')}, ${json('e.data')} AS data,
      ${isPending} AS is_pending FROM ${at('events')} e ${left ?? ''} WHERE 1 = 1`,
    ...{ order: `e.${place}`, workspaceId: 'e.workspace_id', id: 'e.id' },
  }
}

/** `before_id` is the last row before the place of the purged one, for which a cursor may still ask. */
function purgedOf({ at, place }: Names, kind: 'key' | 'event'): Select {
  const before = `SELECT r.id FROM ${at(`${kind}s`)} r
    WHERE r.workspace_id = p.workspace_id AND r.${place} < p.${place}
    ORDER BY r.${place} DESC LIMIT 1`
  return {
    sql: `SELECT p.id AS id, p.workspace_id AS workspace_id, (${before}) AS before_id
      FROM ${at('purged')} p WHERE p.kind = '${kind}'`,
    ...{ order: 'p.id', workspaceId: 'p.workspace_id', id: 'p.id' },
  }
}

/** How many requests keys had in each hour or day. */
export function historyOf({ at, place, history }: Names, period: 'hour' | 'day'): string {
  const [column, ofKey] = history
  return `SELECT k.id AS id, h.${period} AS at, h.outcome AS outcome, h.count AS count
    FROM ${at('keys')} k
    JOIN ${at(`usage_${period}s`)} h ON h.${column} = k.${ofKey === 'id' ? 'id' : place}
    WHERE 1 = 1`
}
