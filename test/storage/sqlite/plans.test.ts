import { beforeAll, describe, expect, test } from 'vitest'
import { OF_STATUS, STATUSES } from '../../../adapters/storage/lib/key-conditions.ts'
import type { SqliteDatabase } from '../../../adapters/storage/lib/sqlite/driver.ts'
import { prepareStatements } from '../../../adapters/storage/lib/sqlite/statements.ts'
import { sqliteSchema } from '../../../adapters/storage/sqlite.ts'
import { inMemory } from '../../support/sqlite-files.ts'

/** Tables that grow with what is stored. The outbox is read from its beginning, one claim at a time. */
const GROWING = ['keys', 'usage', 'events', 'writers', 'workspaces', 'purged', 'notices'].map(
  (name) => `miftah_${name}`,
)

const FIRST_PAGE = { workspaceId: 'ws_1', beyond: null, environment: null, atMs: 0, limit: 5 }

/** The text of every statement of the storage. */
function statementTexts(): ReadonlyMap<string, string> {
  const texts = new Map<unknown, string>()
  const recorder: SqliteDatabase = {
    exec: () => undefined,
    prepare: (sql) => {
      const statement = { get: () => undefined, all: () => [], run: () => ({ changes: 0 }) }
      texts.set(statement, sql)
      return statement
    },
    close: () => undefined,
  }
  const { pages, ...others } = prepareStatements(recorder)
  // Batches are functions, and run the other statements.
  const named = new Map(
    Object.entries(others).flatMap(([name, statement]) =>
      typeof statement === 'function' ? [] : [[name, texts.get(statement) ?? ''] as const],
    ),
  )
  for (const status of [null, ...STATUSES.map((one) => [one])]) {
    const before = texts.size
    pages.read({ ...FIRST_PAGE, status })
    const [page = ''] = [...texts.values()].slice(before)
    named.set(`page of ${status ?? 'all'}`, page)
  }
  return named
}

interface Opcode {
  readonly addr: number
  readonly opcode: string
  readonly p1: number
  readonly p2: number
}

/** The growing tables and indexes that a statement, or a trigger that it fires, reads from one end. */
function scans(database: SqliteDatabase, sql: string): readonly string[] {
  const names = new Map<number, string>()
  const roots = database.prepare('SELECT rootpage, name, tbl_name FROM sqlite_schema').all()
  for (const row of roots as { rootpage: number; name: string; tbl_name: string }[]) {
    if (GROWING.includes(row.tbl_name)) names.set(row.rootpage, row.name)
  }
  let cursors = new Map<number, string>()
  let lastAddress = -1
  const found = new Set<string>()
  for (const { addr, opcode, p1, p2 } of database.prepare(`EXPLAIN ${sql}`).all() as Opcode[]) {
    // The program of a trigger follows that of the statement, with cursors of its own.
    if (addr < lastAddress) cursors = new Map()
    lastAddress = addr
    const name = names.get(p2)
    if (/^Open(?:Read|Write)$/.test(opcode) && name !== undefined) cursors.set(p1, name)
    const scanned = cursors.get(p1)
    if (/^(?:Rewind|Last|Sort)$/.test(opcode) && scanned !== undefined) found.add(scanned)
  }
  return [...found]
}

/** What a database holds, and what is known about it. */
const STATES: Readonly<Record<string, (database: SqliteDatabase) => void>> = {
  'nothing, without statistics': () => undefined,
  'nothing, with statistics': (database) => void database.exec('ANALYZE'),
  'keys without a link, without statistics': fill,
  'keys without a link, with statistics': (database) => {
    fill(database)
    database.exec('ANALYZE')
  },
}

/** 3,000 keys of three workspaces, none of them rotated, and their events, all of them settled. */
function fill(database: SqliteDatabase): void {
  database.exec(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
    INSERT INTO miftah_keys (hash, id, workspace_id, name, environment, scopes, prefix, creator_id,
      creator_name, created_at_ms, version, updated_at_ms, metadata, resources,
      networks)
    SELECT randomblob(32), 'key_' || i, 'ws_' || i % 3, 'n', 'live', '["s"]', 'svc_live_abc', 'u',
      'n', 0, 1, 0, '{}', '{}', '"any"' FROM n;
    INSERT INTO miftah_events (id, workspace_id, key_id, type, at_ms, actor_id, actor_name, data)
    SELECT 'evt_' || id, workspace_id, id, 'api_key.created', 0, 'u', 'n',
      '{"name":"n","environment":"live","scopes":[],"prefix":"p"}' FROM miftah_keys;
    DELETE FROM miftah_outbox`)
}

/** One step from an end: the last position, and the oldest writer while it is old enough. */
const ONE_STEP = new Map([
  ['insertKey', ['miftah_keys']],
  ['insertEvent', ['miftah_events']],
  ['forgetWriters', ['miftah_writers_by_age']],
])

const texts = statementTexts()

describe.each(Object.entries(STATES))('on a database that holds %s', (_, prepare) => {
  let database: SqliteDatabase
  beforeAll(() => {
    database = inMemory()
    database.exec(sqliteSchema())
    prepare(database)
  })

  test.each([...texts])('%s scans no table that grows', (name, sql) => {
    const allowed = ONE_STEP.get(name) ?? []
    expect(scans(database, sql).filter((scan) => !allowed.includes(scan))).toEqual([])
  })

  test.each(Object.entries(OF_STATUS))(
    'pages of %s are read along their indexes',
    (status, parts) => {
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${texts.get(`page of ${status}`)}`).all()
      const details = (plan as { detail: string }[]).map(({ detail }) => detail)
      for (const { index } of parts) {
        expect(details.join('\n')).toContain(`USING INDEX miftah_keys_${index} (workspace_id=? AND`)
      }
    },
  )

  test('the control: scans are seen, in a statement and in a trigger', () => {
    expect(scans(database, 'SELECT count(name) FROM miftah_keys')).toEqual(['miftah_keys'])
    database.exec(`CREATE TABLE other (x); CREATE TEMP TRIGGER looks AFTER INSERT ON other
      WHEN EXISTS (SELECT 1 FROM miftah_keys WHERE name = NEW.x) BEGIN SELECT 1; END`)
    expect(scans(database, 'INSERT INTO other VALUES (1)')).toEqual(['miftah_keys'])
    database.exec('DROP TABLE other')
  })
})
