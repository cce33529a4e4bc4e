import { beforeAll, describe, expect, test } from 'vitest'
import { postgresStorage } from '../../adapters/storage/postgres.ts'
import { sqliteStorage } from '../../adapters/storage/sqlite.ts'
import { sampleRevokeChange, sampleRotateChange } from '../../adapters/storage/testing/samples.ts'
import type { KeyRecord, KeyStorage } from '../../src/storage/index.ts'
import { inserted } from '../support/inserted.ts'
import { databaseForFile } from '../support/postgres/own-database.ts'
import { inMemory } from '../support/sqlite-files.ts'

/*
 * What a program that knows nothing of miftah tries on the tables. The folders of the databases test what is
 * possible on one of them alone.
 */

type Cells = Readonly<Record<string, unknown>>

/** What a program does in a transaction, which is rolled back. `miftah_` begins the name of a table. */
interface Stray {
  readonly run: (sql: string) => unknown
  /** Copies a row, with some cells changed. */
  readonly copy: (table: 'keys' | 'events', of: string, changed: Cells) => unknown
}

interface Engine {
  readonly storage: KeyStorage
  /** The column of usage that names the key. */
  readonly usageId: string
  readonly attempt: (work: (stray: Stray) => unknown) => Promise<void>
}

function onSqlite(): () => Engine {
  return () => {
    const database = inMemory()
    const run = (sql: string) => database.exec(sql)
    const cellOf = (cell: unknown) =>
      typeof cell === 'object' && cell !== null && !(cell instanceof Uint8Array)
        ? JSON.stringify(cell)
        : cell
    const copy: Stray['copy'] = (table, of, changed) => {
      const text = `SELECT * FROM miftah_${table} WHERE id = ?`
      const row = database.prepare(text).get(of) as Cells
      const { position: _, ...cells } = { ...row, ...changed }
      const names = Object.keys(cells)
      const sql = `INSERT INTO miftah_${table} (${names}) VALUES (${names.map(() => '?')})`
      database.prepare(sql).run(...(Object.values(cells).map(cellOf) as never[]))
    }
    const attempt: Engine['attempt'] = async (work) => {
      database.exec('BEGIN')
      try {
        await work({ run, copy })
      } finally {
        database.exec('ROLLBACK')
      }
    }
    return { storage: sqliteStorage(database), usageId: 'key_id', attempt }
  }
}

function onPostgres(): () => Engine {
  const db = databaseForFile()
  return () => {
    // The guards hold in a session that replicates, too.
    const attempt: Engine['attempt'] = async (work) => {
      const client = await db.pool.connect()
      const run = (sql: string) => client.query(sql.replaceAll('miftah_', 'miftah.'))
      const copy: Stray['copy'] = async (table, of, changed) => {
        const cells = Object.entries(changed).map(([name, cell]) => [
          name,
          cell instanceof Uint8Array ? `\\x${Buffer.from(cell).toString('hex')}` : cell,
        ])
        const row = JSON.stringify({ seq: 1_000, ...Object.fromEntries(cells) })
        if (table === 'keys') {
          const text = 'INSERT INTO miftah.usage VALUES ($1, 0) ON CONFLICT DO NOTHING'
          await client.query(text, [changed['id']])
        }
        const text = `INSERT INTO miftah.${table} SELECT (jsonb_populate_record(r, $2)).*
          FROM miftah.${table} r WHERE id = $1`
        await client.query(text, [of, row])
      }
      try {
        // Terse, or the server would quote in its log what it refuses.
        await client.query('BEGIN; SET LOCAL log_error_verbosity = terse')
        await work({ run, copy })
      } finally {
        await client.query('ROLLBACK')
        client.release()
      }
    }
    return { storage: postgresStorage(db.pool), usageId: 'id', attempt }
  }
}

const LATE_MS = 8_640_000_000_000_001
const bytes = (length: number) => new Uint8Array(length).fill(7)
const PAUSE = { paused_at_ms: 1, paused_by_id: 'u', paused_by_name: 'n' }

const KEYS: Readonly<Record<string, Cells>> = {
  'a hash of 31 bytes': { hash: bytes(31) },
  'a hash of 33 bytes': { hash: bytes(33) },
  'no hash': { hash: null },
  'an empty id': { id: '' },
  'an empty workspace': { workspace_id: '' },
  'no workspace': { workspace_id: null },
  'an empty name': { name: '' },
  'a name of 121 code points': { name: '🔑'.repeat(121) },
  'another environment': { environment: 'LIVE' },
  'an empty environment': { environment: '' },
  'scopes that are no list': { scopes: 'contacts.read' },
  'scopes that are an object': { scopes: { a: 1 } },
  'a scope that is a list': { scopes: [['a']] },
  'an empty scope': { scopes: [''] },
  'a scope that is nothing': { scopes: [null] },
  'a prefix of 11': { prefix: 'svc_live_ab' },
  'a prefix of 13': { prefix: 'svc_live_abcd' },
  'a prefix of other letters': { prefix: 'svc_live_😀😀😀' },
  'no creator': { creator_id: '' },
  'a creator without a name': { creator_name: '' },
  'a creation beyond all dates': { created_at_ms: LATE_MS },
  'a revocation beyond all dates': { revoked_at_ms: -LATE_MS },
  'an empty successor': { revoked_at_ms: 1, replaced_by: '' },
  'an empty predecessor': { replaces: '' },
  'an instant as text': { created_at_ms: '2026-01-01' },
  'a successor of an active key': { replaced_by: 'key_other' },
  'version 0': { version: 0 },
  'no version': { version: null },
  'a version beyond 2^53': { version: '9007199254740992' },
  'no change': { updated_at_ms: null },
  'an expiry as text': { expires_at_ms: '2026-01-01' },
  'an overlap without a successor': { retires_at_ms: 5 },
  'an overlap beyond the expiry': {
    ...{ retires_at_ms: 5, expires_at_ms: 4, replaced_by: 'key_other' },
  },
  'an overlap of a paused key': { retires_at_ms: 5, replaced_by: 'key_other', ...PAUSE },
  'a pause by nobody': { paused_at_ms: 1 },
  'a pause by a person without a name': { paused_at_ms: 1, paused_by_id: 'u' },
  'a person who has not paused it': { ...PAUSE, paused_at_ms: null },
  'metadata that are a list': { metadata: [] },
  'metadata that are a text': { metadata: 'x' },
  'metadata with a number': { metadata: { a: 1 } },
  'an empty note': { note: '' },
  'a note of 201 code points': { note: '🔑'.repeat(201) },
  'resources that are a list': { resources: [] },
  'a type of resource without a list': { resources: { project: 'p_1' } },
  'a resource id that is no text': { resources: { project: [1] } },
  'no network': { networks: [] },
  'networks that are an object': { networks: {} },
  'a network that is no text': { networks: [1] },
  'another word than any': { networks: 'all' },
}

const EVENTS: Readonly<Record<string, Cells>> = {
  'an empty id': { id: '' },
  'no workspace': { workspace_id: '' },
  'no key': { key_id: '' },
  'another type': { type: 'api_key.renamed' },
  'a rotation without a replacement': { type: 'api_key.rotated' },
  'an instant beyond all dates': { at_ms: LATE_MS },
  'data that are a list': { data: [] },
}

/** Data of an event that nobody could read. */
const DATA: Readonly<Record<string, Cells>> = {
  'no name': { name: undefined },
  'a prefix that is no text': { prefix: 1 },
  'another environment': { environment: 'prod' },
  'an environment in a list': { environment: ['live'] },
  'no environment': { environment: null },
  'no scopes': { scopes: undefined },
  'scopes that are a text': { scopes: 'a' },
  'a scope that is no text': { scopes: [1] },
  'a scope that is a list': { scopes: [['a']] },
}

const ERASED = `creator_id = 'miftah:erased', creator_name = 'Erased'`
const COUNTED = 'version = version + 1'
const IS_FINAL = /a revocation is|never changes|only loses rights|created with|adds 1/

/** What may not happen to an active key, to one that was revoked and to one that was rotated. */
const CHANGES: readonly (readonly [of: 'active' | 'revoked' | 'rotated', set: string, RegExp])[] = [
  ...Object.entries({
    ...{ workspace_id: "'ws_x'", environment: "'test'", created_at_ms: '1' },
    ...{ prefix: "'svc_live_xyz'", creator_id: "'u_x'", creator_name: "'x'", replaces: "'key_x'" },
  }).map(
    ([column, value]) => ['active', `${column} = ${value}, ${COUNTED}`, /created with/] as const,
  ),
  ...['version', 'version + 2'].map(
    (version) => ['active', `name = 'x', version = ${version}`, /adds 1 to its version/] as const,
  ),
  ['active', ERASED, /adds 1/],
  ['active', `creator_id = 'miftah:erased', ${COUNTED}`, /created with/],
  ['revoked', 'revoked_at_ms = NULL', IS_FINAL],
  ['revoked', 'revoked_at_ms = revoked_at_ms + 1', IS_FINAL],
  ['revoked', `replaced_by = 'key_x'`, IS_FINAL],
  ['revoked', `creator_id = 'u_x', ${COUNTED}`, IS_FINAL],
  ['revoked', `${ERASED}, name = 'x', ${COUNTED}`, IS_FINAL],
  ['rotated', `replaced_by = 'key_x', ${COUNTED}`, IS_FINAL],
]

describe.each([
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
] as const)('on %s', (_, opener) => {
  const open = opener()
  let engine: Engine
  const keys = {} as Record<'active' | 'revoked' | 'rotated', KeyRecord>
  let event = ''
  let data: object = {}

  beforeAll(async () => {
    engine = open()
    const { storage } = engine
    for (const name of ['active', 'revoked', 'rotated'] as const) {
      keys[name] = await inserted(storage)
    }
    const uses = [{ id: keys.active.id, uses: 5, lastUsedAtMs: 5_000 }]
    await storage.addUses({ writer: 'w', sequence: 1, uses })
    await storage.revoke(sampleRevokeChange(keys.revoked))
    await storage.rotate(sampleRotateChange(keys.rotated))
    const [first] = (await storage.events(keys.active.workspaceId, { after: null, limit: 1 })) ?? []
    ;({ id: event, data } = first ?? expect.fail())
  })

  const fresh = { id: 'key_new', hash: bytes(32) }
  const copyKey = (changed: Cells) =>
    engine.attempt(({ copy }) => copy('keys', keys.active.id, { ...fresh, ...changed }))
  const copyEvent = (changed: Cells) =>
    engine.attempt(({ copy }) => copy('events', event, { id: 'evt_new', ...changed }))
  const run = (sql: string) => engine.attempt(({ run: execute }) => execute(sql))
  const changing = (of: keyof typeof keys, set: string) =>
    run(`UPDATE miftah_keys SET ${set} WHERE id = '${keys[of].id}'`)

  test('the control: copies, and changes that lose nothing, go through', async () => {
    await copyKey({})
    await copyEvent({})
    const replacement = { replacementId: 'key_2', replacementPrefix: 'svc_live_abc' }
    await copyEvent({ type: 'api_key.rotated', data: { ...data, ...replacement } })
    await changing('active', `name = 'x', ${COUNTED}`)
    await changing('active', 'revoked_at_ms = 7')
    await changing('revoked', `${ERASED}, ${COUNTED}`)
    await run(`UPDATE miftah_events SET actor_id = 'miftah:erased', actor_name = 'Erased'`)
    await run(`DELETE FROM miftah_keys WHERE id = '${keys.revoked.id}'`)
    await engine.attempt(async ({ run: execute }) => {
      await execute('DELETE FROM miftah_outbox')
      await execute('DELETE FROM miftah_events')
    })
  })

  test.each(Object.entries(KEYS))('a key with %s is refused', async (_name, changed) => {
    await expect(copyKey(changed)).rejects.toThrow()
  })

  test.each(['id', 'hash'])('a key with a taken %s is refused', async (column) => {
    const taken = column === 'id' ? keys.active.id : Buffer.from(keys.active.hash, 'hex')
    await expect(copyKey({ [column]: taken })).rejects.toThrow()
  })

  test('a second successor is refused', async () => {
    await expect(copyKey({ replaces: keys.rotated.id })).rejects.toThrow()
  })

  test.each([
    ['last_used_at_ms = 8640000000000001'],
    ['uses = 9007199254740992'],
    ['uses = -1'],
    [`uses = 'many'`],
    ['uses = 4'],
  ])('usage with %s is refused', async (set) => {
    const whose = `WHERE ${engine.usageId} = '${keys.active.id}'`
    await expect(run(`UPDATE miftah_usage SET ${set} ${whose}`)).rejects.toThrow()
  })

  test.each(Object.entries(EVENTS))('an event with %s is refused', async (_name, changed) => {
    await expect(copyEvent(changed)).rejects.toThrow()
  })

  test.each(Object.entries(DATA))('an event whose data have %s is refused', async (_n, changed) => {
    await expect(copyEvent({ data: { ...data, ...changed } })).rejects.toThrow()
  })

  test.each(CHANGES)('the %s key: %s is refused', async (of, set, why) => {
    await expect(changing(of, set)).rejects.toThrow(why)
    await expect(
      engine.attempt(async ({ run: execute }) => {
        if (opener === onPostgres) await execute('SET LOCAL session_replication_role = replica')
        await execute(`UPDATE miftah_keys SET ${set} WHERE id = '${keys[of].id}'`)
      }),
    ).rejects.toThrow(why)
  })

  test.each([
    'DELETE FROM miftah_keys',
    `UPDATE miftah_events SET actor_id = 'u_other'`,
    `UPDATE miftah_events SET actor_id = 'miftah:erased'`,
    `UPDATE miftah_events SET actor_id = 'miftah:erased', actor_name = 'Erased', at_ms = 1`,
    'DELETE FROM miftah_events',
    'DELETE FROM miftah_workspaces',
    `UPDATE miftah_workspaces SET workspace_id = 'ws_other'`,
    'DELETE FROM miftah_usage',
  ])('%s is refused', async (sql) => {
    await expect(run(sql)).rejects.toThrow(/miftah|foreign key/)
  })

  test('a replaced key loses rights, and gains none', async () => {
    const key = await inserted(engine.storage, {
      scopes: ['a.read', 'b.read'],
      resources: { project: ['p_1', 'p_2'] },
      networks: ['198.51.100.0/24'],
    })
    const rotation = sampleRotateChange(key)
    await engine.storage.rotate({ ...rotation, retiresAtMs: rotation.rotatedAtMs + 5 })
    const set = (change: string) =>
      run(`UPDATE miftah_keys SET ${change}, ${COUNTED} WHERE id = '${key.id}'`)
    const scopes = (...list: readonly string[]) =>
      `scopes = '${opener === onPostgres ? `{${list}}` : JSON.stringify(list)}'`
    for (const wider of [
      scopes('a.read', 'b.read', 'c.read'),
      scopes('c.read'),
      `resources = '{}'`,
      `resources = '{"team":[]}'`,
      `resources = '{"project":["p_1","p_3"]}'`,
      `networks = '"any"'`,
    ]) {
      await expect(set(wider)).rejects.toThrow(/a replaced key only loses rights/)
    }
    await expect(set(`note = 'n'`)).rejects.toThrow(/then only loses rights/)
    for (const end of ['retires_at_ms + 1', 'NULL']) {
      await expect(set(`retires_at_ms = ${end}`)).rejects.toThrow(
        /never moves later|keys_replaced_ends/,
      )
    }
    await set('retires_at_ms = retires_at_ms - 1')
    const narrow = `${scopes('a.read')}, resources = '{"project":[],"team":[]}'`
    await set(`${narrow}, networks = '["203.0.113.0/24"]'`)
  })
})
