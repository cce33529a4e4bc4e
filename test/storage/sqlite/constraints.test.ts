import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { beforeEach, describe, expect, test } from 'vitest'
import type { SqliteStorage } from '../../../adapters/storage/sqlite.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleRotateChange,
} from '../../../adapters/storage/testing/storage-contract.ts'
import type { KeyRecord } from '../../../src/storage/index.ts'
import { freshPath, rawAt, storageAt } from '../../support/sqlite-files.ts'

// What a program that knows nothing of miftah tries on the file. Nothing of it may go through.

let storage: SqliteStorage
let raw: DatabaseSyncInstance
let active: KeyRecord
let revoked: KeyRecord
let rotated: KeyRecord
let before: string

beforeEach(async () => {
  const path = freshPath()
  storage = storageAt(path)
  ;[active, revoked, rotated] = [sampleRecord(), sampleRecord(), sampleRecord()]
  for (const record of [active, revoked, rotated]) {
    await storage.insert(record, null, sampleCreatedEvent(record))
  }
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

test('the copy that the other tests change goes through by itself', () => {
  raw.exec(copyWith({}))
  expect(contents()).not.toBe(before)
})

describe('an invalid key is refused', () => {
  const cases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'a hash of 31 bytes': { hash: 'randomblob(31)' },
    'a hash of 33 bytes': { hash: 'randomblob(33)' },
    'a hash as text': { hash: `'${'a'.repeat(32)}'` },
    'no hash': { hash: 'NULL' },
    'an empty id': { id: "''" },
    'an empty workspace': { workspace_id: "''" },
    'no workspace': { workspace_id: 'NULL' },
    'an empty name': { name: "''" },
    'a name of 121 code points': { name: `'${'🔑'.repeat(121)}'` },
    'another environment': { environment: "'LIVE'" },
    'an empty environment': { environment: "''" },
    'scopes that are no JSON': { scopes: "'contacts.read'" },
    'scopes that are no array': { scopes: `'{"a":1}'` },
    'a scope that is no text': { scopes: "'[1]'" },
    'an empty scope': { scopes: `'[""]'` },
    'a prefix of 11': { prefix: "'svc_live_ab'" },
    'a prefix of other letters': { prefix: "'svc_live_😀😀😀'" },
    'no creator': { creator_id: "''" },
    'a creator without a name': { creator_name: "''" },
    'a creation beyond all dates': { created_at_ms: '8640000000000001' },
    'a revocation beyond all dates': { revoked_at_ms: '-8640000000000001' },
    'an empty successor': { revoked_at_ms: '1', replaced_by: "''" },
    'an empty predecessor': { replaces: "''" },
    'an instant as text': { created_at_ms: "'2026-01-01'" },
    'a successor of an active key': { replaced_by: "'key_other'" },
    'version 0': { version: '0' },
    'no version': { version: 'NULL' },
    'a version beyond 2^53': { version: '9007199254740992' },
    'no change': { updated_at_ms: 'NULL' },
    'an expiry as text': { expires_at_ms: "'2026-01-01'" },
    'an expiry of 2^60': { expires_at_ms: '1152921504606846976' },
    'an overlap without a successor': { retires_at_ms: '5' },
    'an overlap beyond the expiry': {
      ...{ retires_at_ms: '5', expires_at_ms: '4', replaced_by: "'key_other'" },
    },
    'an overlap of a paused key': {
      ...{ retires_at_ms: '5', replaced_by: "'key_other'" },
      ...{ paused_at_ms: '1', paused_by_id: "'u'", paused_by_name: "'n'" },
    },
    'a pause by nobody': { paused_at_ms: '1' },
    'a pause by a person without a name': { paused_at_ms: '1', paused_by_id: "'u'" },
    'a person who has not paused it': { paused_by_id: "'u'", paused_by_name: "'n'" },
    'metadata that are no object': { metadata: "'[]'" },
    'metadata that are no JSON': { metadata: "'x'" },
    'metadata with a number': { metadata: `'{"a":1}'` },
    'an empty note': { note: "''" },
    'a note of 201 code points': { note: `'${'🔑'.repeat(201)}'` },
    'resources that are no object': { resources: "'[]'" },
    'a type of resource without a list': { resources: `'{"project":"p_1"}'` },
    'a resource id that is no text': { resources: `'{"project":[1]}'` },
    'no network': { networks: "'[]'" },
    'a network that is no text': { networks: "'[1]'" },
    'another word than any': { networks: `'"all"'` },
    'a key that replaces itself': { replaces: "'key_new'" },
  }
  for (const [name, changed] of Object.entries(cases)) {
    test(name, () =>
      expectRefused(copyWith(changed), /constraint|cannot store|miftah:|malformed JSON/),
    )
  }

  test('a taken hash', () => {
    expectRefused(copyWith({ hash: 'hash' }), /is taken/)
  })

  test('a second successor', () => {
    expectRefused(copyWith({ replaces: `'${rotated.id}'` }), /miftah:/)
  })

  test('a successor that the old key does not name', () => {
    expectRefused(copyWith({ replaces: `'${revoked.id}'` }), /does not name this key/)
  })
})

describe('invalid usage is refused', () => {
  const cases = {
    'a use beyond all dates': 'last_used_at_ms = 8640000000000001',
    'uses beyond what a number can hold': 'uses = 9007199254740992',
    'uses as text': "uses = 'many'",
  }
  for (const [name, change] of Object.entries(cases)) {
    test(name, () => expectRefused(`UPDATE miftah_usage SET ${change}`, /constraint|cannot store/))
  }
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

describe('an invalid event is refused', () => {
  const insertEvent = (changed: Readonly<Record<string, string>>) => {
    const columns = [
      ...['id', 'workspace_id', 'key_id', 'type', 'at_ms', 'actor_id', 'actor_name', 'data'],
    ]
    const fresh: Readonly<Record<string, string>> = { id: "'evt_new'", ...changed }
    const values = columns.map((column) => fresh[column] ?? column)
    return `INSERT INTO miftah_events (${columns}) SELECT ${values} FROM miftah_events
      WHERE key_id = '${active.id}' ORDER BY position LIMIT 1`
  }
  const patched = (json: string) => ({ data: `json_patch(data, '${json}')` })

  test('the event that the other tests change goes through by itself', () => {
    raw.exec(insertEvent({}))
    raw.exec(
      insertEvent({
        ...{ id: "'evt_rotated'", type: "'api_key.rotated'" },
        ...patched('{"replacementId":"key_2","replacementPrefix":"svc_live_abc"}'),
      }),
    )
    expect(contents()).not.toBe(before)
  })

  const cases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'another type': { type: "'api_key.renamed'" },
    'a rotation without a replacement': { type: "'api_key.rotated'" },
    'an instant beyond all dates': { at_ms: '8640000000000001' },
    'no name': patched('{"name":null}'),
    'a prefix that is no text': patched('{"prefix":1}'),
    'another environment': patched('{"environment":"prod"}'),
    'no environment': patched('{"environment":null}'),
    'no scopes': patched('{"scopes":null}'),
    'scopes that are no array': patched('{"scopes":"a"}'),
    'a scope that is no text': patched('{"scopes":[1]}'),
  }
  for (const [name, changed] of Object.entries(cases)) {
    test(name, () => expectRefused(insertEvent(changed), /constraint|miftah:/))
  }
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

describe('a key keeps what it was created with', () => {
  const columns = {
    position: '99',
    hash: 'randomblob(32)',
    id: "'key_other'",
    workspace_id: "'ws_other'",
    environment: "'test'",
    prefix: "'svc_live_xyz'",
    creator_id: "'u_other'",
    creator_name: "'other'",
    created_at_ms: '1',
    replaces: "'key_other'",
  }
  for (const [column, value] of Object.entries(columns)) {
    test(column, () => {
      const where = `WHERE id = '${active.id}'`
      expectRefused(`UPDATE miftah_keys SET ${column} = ${value} ${where}`, /created with/)
      expectRefused(
        `UPDATE OR REPLACE miftah_keys SET ${column} = ${value} ${where}`,
        /created with/,
      )
    })
  }
})

describe('a change by hand', () => {
  test('counts the version up by one, unless it revokes', () => {
    const where = `WHERE id = '${active.id}'`
    for (const version of ['version', 'version + 2', 'version - 1']) {
      const sql = `UPDATE miftah_keys SET name = 'other', version = ${version} ${where}`
      expectRefused(sql, /adds 1 to its version/)
    }
    raw.exec(`UPDATE miftah_keys SET name = 'other', version = version + 1 ${where}`)
    raw.exec(`UPDATE miftah_keys SET revoked_at_ms = 7 ${where}`)
    expect(contents()).not.toBe(before)
  })

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

  test('moves the end of an overlap to an earlier instant alone', async () => {
    const change = sampleRotateChange(active)
    const retiresAtMs = change.rotatedAtMs + 5
    await storage.rotate({ ...change, retiresAtMs })
    before = contents()
    const set = (end: string) =>
      `UPDATE miftah_keys SET retires_at_ms = ${end}, version = version + 1 WHERE id = '${active.id}'`
    expectRefused(set('retires_at_ms + 1'), /never moves later/)
    expectRefused(set('NULL'), /never moves later/)
    raw.exec(set('retires_at_ms - 1'))
    const kept = `UPDATE miftah_keys SET name = 'x', version = version + 1 WHERE id = '${active.id}'`
    before = contents()
    expectRefused(kept, /then only loses rights/)
    for (const wider of [`scopes = '["contacts.read","extra"]'`, `networks = '"any"'`]) {
      const narrow = `scopes = '[]', networks = '["203.0.113.0/24"]', resources = '{"project":["p_1"]}'`
      const set = (state: string) =>
        `UPDATE miftah_keys SET ${state}, version = version + 1 WHERE id = '${active.id}'`
      raw.exec(set(narrow))
      before = contents()
      expectRefused(set(wider), /a replaced key only loses rights/)
      expectRefused(set("resources = '{}'"), /a replaced key only loses rights/)
      expectRefused(set(`resources = '{"project":["p_2"]}'`), /a replaced key only loses rights/)
    }
  })
})

describe('what has happened stays happened', () => {
  test('a revocation is not undone', () => {
    const sql = `UPDATE miftah_keys SET revoked_at_ms = NULL WHERE id = '${revoked.id}'`
    expectRefused(sql, /never undone or moved/)
    expectRefused('UPDATE miftah_keys SET revoked_at_ms = NULL, replaced_by = NULL', /miftah:/)
  })

  test('a revocation is not moved', () => {
    const sql = `UPDATE miftah_keys SET revoked_at_ms = revoked_at_ms + 1 WHERE id = '${revoked.id}'`
    expectRefused(sql, /never undone or moved/)
  })

  test('a revoked key gets no successor, and a replaced one no other', () => {
    for (const { id } of [revoked, rotated]) {
      const sql = `UPDATE miftah_keys SET replaced_by = 'key_other' WHERE id = '${id}'`
      expectRefused(sql, /replaced once|never changes/)
    }
  })

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

  test('a key is not deleted', () => {
    expectRefused('DELETE FROM miftah_keys', /revoked, not deleted/)
  })

  test('an event is neither changed nor deleted', () => {
    expectRefused("UPDATE miftah_events SET actor_id = 'u_other'", /append-only/)
    expectRefused('DELETE FROM miftah_events', /only after it was delivered/)
  })

  test('people are put nowhere but under the pseudonym', () => {
    const erased = `creator_id = 'miftah:erased', creator_name = 'Erased'`
    const [where, version] = [`WHERE id = '${revoked.id}'`, 'version = version + 1']
    const refused = /what it was created with|never changes|adds 1/
    expectRefused(`UPDATE miftah_keys SET creator_id = 'u_2', ${version} ${where}`, refused)
    expectRefused(`UPDATE miftah_keys SET ${erased} WHERE id = '${active.id}'`, refused)
    expectRefused(`UPDATE miftah_keys SET ${erased}, name = 'x', ${version} ${where}`, refused)
    expectRefused(`UPDATE miftah_events SET actor_id = 'miftah:erased'`, /append-only/)
    expectRefused(
      `UPDATE miftah_events SET actor_id = 'miftah:erased', actor_name = 'Erased', at_ms = 1`,
      /append-only/,
    )
    raw.exec(`UPDATE miftah_keys SET ${erased}, ${version} ${where}`)
    raw.exec(`UPDATE miftah_events SET actor_id = 'miftah:erased', actor_name = 'Erased'`)
    expect(contents()).not.toBe(before)
  })

  test('a dead key and a delivered event can be deleted', () => {
    raw.exec(`DELETE FROM miftah_keys WHERE id = '${revoked.id}'`)
    raw.exec(`DELETE FROM miftah_usage WHERE key_id = '${revoked.id}'`)
    raw.exec('DELETE FROM miftah_outbox; DELETE FROM miftah_events')
    expect(raw.prepare('SELECT count(*) AS n FROM miftah_keys').get()).toEqual({ n: 3 })
  })

  test('the count of a workspace stays', () => {
    const why = /the counts of workspaces cannot be deleted/
    expectRefused('DELETE FROM miftah_workspaces', why)
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
