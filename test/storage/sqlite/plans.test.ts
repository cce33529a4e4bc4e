import { expect, test } from 'vitest'
import { sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import {
  sampleEvent,
  sampleInsertion,
  sampleRecord,
} from '../../../adapters/storage/testing/samples.ts'
import type { KeyPageQuery, KeyStorage } from '../../../src/storage/index.ts'
import { inMemory, prepared } from '../../support/sqlite-files.ts'

const WORKSPACE = 'ws_sample'
const PAGE: KeyPageQuery = {
  ...{ status: null, environment: null, atMs: 0, after: null, limit: 5, countUpTo: 100 },
}
const PAGES: Readonly<Record<string, Partial<KeyPageQuery>>> = {
  'all keys': {},
  'the oldest': { oldestFirst: true, after: 3 },
  'active keys': { status: ['active'], environment: 'live' },
  'ended keys': { status: ['expired', 'revoked'] },
  'keys of a person': { creatorId: 'u', status: ['active', 'revoked'] },
  'some keys': { ids: ['a', 'b'], scope: 's', notUsedAfterMs: 1 },
  'keys of a resource': { resource: { type: 't', id: '1', match: 'only' } },
}

/** Every method once. */
async function callAll(storage: KeyStorage): Promise<void> {
  const record = sampleRecord()
  await storage.write([sampleInsertion(record)])
  const changed = { record: { ...record, version: 2 }, ifEdition: 1 }
  const events = [sampleEvent(record)]
  const step = { workspaceId: WORKSPACE, ifAddedAtMost: null, adds: 0 }
  await storage.write([{ ...step, keys: [changed], events }])
  await storage.findByHash(record.hash)
  const of = { workspaceId: WORKSPACE, ids: [record.id], eventIds: ['e'] }
  await storage.read({ ...of, countAtMs: 0, countUpTo: 10 })
  for (const page of Object.values(PAGES)) await storage.list(WORKSPACE, { ...PAGE, ...page })
  for (const keyId of [null, record.id]) {
    for (const newestFirst of [true, false]) {
      await storage.events(WORKSPACE, { after: null, keyId, newestFirst, limit: 5 })
    }
  }
  const history = {
    keepDays: 3,
    counts: [{ id: record.id, hour: 1, outcome: 'accepted', count: 1 }],
  }
  const uses = [{ id: record.id, uses: 1, lastUsedAtMs: 1 }]
  await storage.addUses({ writer: 'w', sequence: 1, uses, history } as never)
  const range = { fromHour: 0, toHour: 9 }
  for (const id of [null, record.id]) await storage.usage(WORKSPACE, { ...range, id })
  await storage.claimEvents({ relay: 'r', leaseMs: 1_000, limit: 5, except: ['ws'] })
  await storage.acknowledgeEvents('r', ['e'])
  await storage.releaseEvents('r')
  await storage.due({ atMs: 1, limit: 5 })
  const person = { personId: 'u', limit: 5 }
  await storage.keysOfPerson(person)
  await storage.renameActor(person)
  await storage.purge({ endedBeforeMs: 1, eventsBeforeMs: 1, limit: 5 })
  await storage.closeWorkspace(WORKSPACE)
  await storage.deleteWorkspace({ workspaceId: WORKSPACE, limit: 5 })
}

/** The texts of all statements of the storage. */
async function statementTexts(): Promise<readonly string[]> {
  const [database, texts] = [inMemory(), new Set<string>()]
  const storage = sqliteStorage(
    prepared(database, (sql, statement) => {
      texts.add(sql)
      return statement
    }),
  )
  await storage.migrate()
  texts.clear()
  await callAll(storage)
  return [...texts].filter((sql) => /^(SELECT|INSERT|UPDATE|DELETE)/.test(sql))
}

/** 3,000 keys of three workspaces, none of them rotated, and their events, all acknowledged. */
const FILL = `
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
  INSERT INTO miftah_keys (hash, id, workspace_id, name, environment, scopes, prefix, creator_id,
    creator_name, created_at_ms, version, updated_at_ms, metadata, resources, networks, place, edition, written_at_ms)
  SELECT randomblob(32), 'key_' || i, 'ws_' || i % 3, 'n', 'live', '["s"]', 'svc_live_abc', 'u',
    'n', 0, 1, 0, '{}', '{}', '"any"', i, 1, 0 FROM n;
  INSERT INTO miftah_events (id, workspace_id, place, key_id, type, at_ms, actor_id, actor_name, data,
    is_pending, written_at_ms)
  SELECT 'evt_' || id, workspace_id, place, id, 'api_key.created', 0, 'u', 'n', '{}', 0, 0 FROM miftah_keys`

test.each(['', 'ANALYZE', FILL, `${FILL}; ANALYZE`])(
  'no statement reads a table from one end, nor sorts what grows (%#)',
  async (prepare) => {
    const texts = await statementTexts()
    const database = inMemory()
    await sqliteStorage(database).migrate()
    database.exec(prepare)
    const plans = texts.flatMap((text) =>
      database
        .prepare(`EXPLAIN QUERY PLAN ${text}`)
        .all()
        .map((row) => [text, String(Object(row).detail)] as const),
    )
    const scans = plans.filter(
      ([text, detail]) =>
        (detail.startsWith('SCAN') && !SMALL.test(detail)) ||
        (detail.includes('TEMP B-TREE') && !SORTED.test(text)) ||
        (detail.endsWith('(workspace_id=?)') && !WHOLE.test(text)),
    )
    expect(scans).toEqual([])
    expect(plans.length).toBeGreaterThan(100)
  },
)

/** What a call gives, single rows, and parts of a page. */
const SMALL =
  /json_each|SCAN r |CONSTANT ROW|SCAN miftah_relay|SCAN (p|g|d|part_\d|counted|\(subquery)|miftah_schema|sqlite_schema|INDEX miftah_events_pending/

/** A page of its parts, and the hours of a workspace. */
const SORTED = /AS part_0\b|GROUP BY h.hour/

/** Counts, the hours of a workspace, and what is deleted of one. */
const WHOLE = /COUNT\(|h\.hour|is_erased/
