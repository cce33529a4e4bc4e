import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { beforeEach, describe, expect, test } from 'vitest'
import type { SqliteStorage } from '../../../adapters/storage/sqlite.ts'
import {
  sampleRevokeChange,
  sampleRotateChange,
} from '../../../adapters/storage/testing/storage-contract.ts'
import type { KeyRecord } from '../../../src/storage/index.ts'
import { inserted } from '../../support/inserted.ts'
import { freshPath, rawAt, storageAt } from '../../support/sqlite-files.ts'

// What a program that knows nothing of miftah tries on the file, beside what test/storage/constraints.test.ts has.

let storage: SqliteStorage
let raw: DatabaseSyncInstance
let active: KeyRecord
let revoked: KeyRecord
let rotated: KeyRecord
let before: string

beforeEach(async () => {
  const path = freshPath()
  storage = storageAt(path)
  active = await inserted(storage)
  revoked = await inserted(storage)
  rotated = await inserted(storage)
  const uses = [{ id: active.id, uses: 5, lastUsedAtMs: 5_000 }]
  await storage.addUses({ writer: 'w', sequence: 1, uses })
  await storage.revoke(sampleRevokeChange(revoked))
  await storage.rotate(sampleRotateChange(rotated))
  raw = rawAt(path)
  before = contents()
})

function contents(): string {
  const tables = ['miftah_keys', 'miftah_usage', 'miftah_events', 'miftah_outbox']
  return JSON.stringify(
    tables.map((table) => raw.prepare(`SELECT * FROM ${table}`).all()),
    (_, value) => (value instanceof Uint8Array ? [...value] : value),
  )
}

function expectRefused(sql: string, why: RegExp): void {
  expect(() => raw.exec(sql)).toThrow(why)
  expect(contents()).toBe(before)
}

const COPIED = `id, workspace_id, name, environment, scopes, prefix, creator_id, creator_name,
  created_at_ms, revoked_at_ms, replaces, replaced_by, version, updated_at_ms, expires_at_ms,
  paused_at_ms, paused_by_id, paused_by_name, retires_at_ms, metadata, note, resources, networks`

/** Copies the active key to a new one, with some columns changed. */
function copyWith(changed: Readonly<Record<string, string>>, or = ''): string {
  const fresh = { hash: 'randomblob(32)', id: "'key_new'", ...changed }
  const columns = ['hash', ...COPIED.split(/,\s*/)]
  if ('position' in fresh) columns.unshift('position')
  const values = columns.map((column) => fresh[column as keyof typeof fresh] ?? column)
  return `INSERT ${or} INTO miftah_keys (${columns}) SELECT ${values} FROM miftah_keys
    WHERE id = '${active.id}'`
}

test('a successor that the old key does not name is refused', () => {
  expectRefused(copyWith({ hash: 'hash' }), /is taken/)
  expectRefused(copyWith({ replaces: `'${rotated.id}'` }), /miftah:/)
  expectRefused(copyWith({ replaces: `'${revoked.id}'` }), /does not name this key/)
})

test('a stored last use ahead of the clock is put right by the next use', async () => {
  const aheadMs = Date.now() + 86_400_000
  raw.exec(`UPDATE miftah_usage SET last_used_at_ms = ${aheadMs} WHERE key_id = '${active.id}'`)
  const uses = [{ id: active.id, uses: 1, lastUsedAtMs: 6_000 }]
  await storage.addUses({ writer: 'w', sequence: 2, uses })
  expect(await storage.findById(active.workspaceId, active.id)).toMatchObject({
    ...{ uses: 6, lastUsedAtMs: 6_000 },
  })
})

describe('INSERT OR REPLACE replaces nothing', () => {
  test('by hash', () => {
    expectRefused(copyWith({ hash: 'hash' }, 'OR REPLACE'), /is taken/)
  })

  test('by id', () => {
    expectRefused(copyWith({ id: 'id' }, 'OR REPLACE'), /is taken/)
  })

  test('by position', () => {
    expectRefused(copyWith({ position: 'position' }, 'OR REPLACE'), /is taken/)
  })

  test('an event', () => {
    const sql = `INSERT OR REPLACE INTO miftah_events SELECT position, id, workspace_id, key_id,
      'api_key.revoked', at_ms, actor_id, actor_name, data FROM miftah_events LIMIT 1`
    expectRefused(sql, /is there already/)
  })
})

test.each([
  ['position', '99'],
  ['id', "'key_other'"],
  ['hash', 'randomblob(32)'],
])('the %s of a key stays, also where a row is in the way', (column, value) => {
  for (const verb of ['UPDATE', 'UPDATE OR REPLACE']) {
    const set = `SET ${column} = ${value} WHERE id = '${active.id}'`
    expectRefused(`${verb} miftah_keys ${set}`, /created with/)
  }
})

describe('a change by hand', () => {
  test('gives no scope and no metadata that are not texts', () => {
    for (const state of [
      `scopes = '[""]'`,
      `scopes = '[1]'`,
      `metadata = '{"a":1}'`,
      `networks = '[1]'`,
    ]) {
      const sql = `UPDATE miftah_keys SET ${state}, version = version + 1 WHERE id = '${active.id}'`
      expectRefused(sql, /scopes, resource ids, networks and metadata values must be text/)
    }
  })
})

describe('what has happened stays happened', () => {
  test('uses and last use do not go back', () => {
    const where = `WHERE key_id = '${active.id}'`
    expectRefused(`UPDATE miftah_usage SET uses = 4 ${where}`, /never go back/)
    expectRefused(`UPDATE miftah_usage SET last_used_at_ms = 4999 ${where}`, /never go back/)
    expectRefused(`UPDATE miftah_usage SET last_used_at_ms = NULL ${where}`, /never go back/)
    expectRefused(`UPDATE miftah_usage SET key_id = 'key_other' ${where}`, /never go back/)
  })

  test('usage is one row for each key, for good', () => {
    const insert = 'INSERT OR REPLACE INTO miftah_usage VALUES'
    expectRefused(`${insert} ('${active.id}', 0, NULL)`, /one row for each key/)
    expectRefused(`${insert} ('key_other', 0, NULL)`, /one row for each key/)
    expectRefused('DELETE FROM miftah_usage', /kept with its key/)
  })

  test('an erased workspace stays closed', () => {
    raw.exec('UPDATE miftah_workspaces SET is_erased = 1')
    raw.exec("INSERT INTO miftah_workspaces (workspace_id, keys_without_end) VALUES ('ws_open', 0)")
    const workspaces = () => raw.prepare('SELECT * FROM miftah_workspaces').all()
    const [erased, keys] = [workspaces(), contents()]
    for (const [sql, why] of [
      ['UPDATE miftah_workspaces SET is_erased = 0', /closed for good/],
      [
        `REPLACE INTO miftah_workspaces (workspace_id, keys_without_end)
          VALUES ('${active.workspaceId}', 0)`,
        /there already/,
      ],
      [
        `UPDATE OR REPLACE miftah_workspaces SET workspace_id = '${active.workspaceId}'
          WHERE workspace_id = 'ws_open'`,
        /keeps its id/,
      ],
      [copyWith({}), /closed for good/],
    ] as const) {
      expect(() => raw.exec(sql)).toThrow(why)
    }
    expect([workspaces(), contents()]).toEqual([erased, keys])
  })

  test('an event is about a key of its workspace', () => {
    const sql = `INSERT INTO miftah_events (id, workspace_id, key_id, type, at_ms, actor_id,
      actor_name, data) SELECT 'evt_new', 'ws_other', key_id, type, at_ms, actor_id, actor_name, data
      FROM miftah_events LIMIT 1`
    expectRefused(sql, /a key of its workspace/)
  })
})
