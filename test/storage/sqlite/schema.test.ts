import { describe, expect, test } from 'vitest'
import {
  type Column,
  EVENT_COLUMNS,
  KEY_COLUMNS,
} from '../../../adapters/storage/lib/sql/columns.ts'
import { VERSION_1 } from '../../../adapters/storage/lib/sqlite/schema.ts'
import {
  sampleInsertion,
  sampleRecord,
  sampleRevocation,
} from '../../../adapters/storage/testing/samples.ts'
import { ERASED_PERSON } from '../../../src/index.ts'
import { inserted } from '../../support/inserted.ts'
import { freshPath, inMemory, rawAt, storageAt } from '../../support/sqlite-files.ts'

// The schema is literal, so that it can be read. Here it is compared with the model.

function columnsOf(table: string) {
  const database = inMemory()
  database.exec(VERSION_1)
  return database.prepare(`SELECT name, type, "notnull" FROM pragma_table_info('${table}')`).all()
}

function expected({ name, kind }: Column) {
  const isNumber = /^(version|instant)/.test(kind)
  const type = kind === 'hash' ? 'BLOB' : isNumber ? 'INTEGER' : 'TEXT'
  return { name, type, notnull: kind.endsWith('?') ? 0 : 1 }
}

test('keys and events have the columns of the model', () => {
  const own = ['place', 'edition', 'written_at_ms'].map((name) => {
    return { name, type: 'INTEGER', notnull: 1 }
  })
  expect(columnsOf('miftah_keys')).toEqual([...KEY_COLUMNS.map(expected), ...own])
  const names = columnsOf('miftah_events').map((column) => Object(column).name)
  expect(names.toSorted()).toEqual(
    [...EVENT_COLUMNS, 'position', 'place', 'is_pending', 'written_at_ms'].toSorted(),
  )
})

/** A storage with a revoked and an active key, and a connection of somebody else. */
async function opened() {
  const path = freshPath()
  const storage = storageAt(path)
  const [revoked, active] = [await inserted(storage), await inserted(storage)]
  await storage.write([sampleRevocation({ record: revoked, edition: 1 })])
  const raw = rawAt(path)
  const row = (id: string) => raw.prepare(`SELECT * FROM miftah_keys WHERE id = '${id}'`).get()
  const isRefused = (sql: string) => expect(() => raw.exec(sql), sql).toThrow(/miftah|UNIQUE/)
  return { raw, storage, revoked, active, row, isRefused }
}

describe('by hand', () => {
  test('a revocation is neither undone nor moved, nor is its row replaced', async () => {
    const { raw, revoked, row, isRefused } = await opened()
    const before = row(revoked.id)
    const where = `WHERE id = '${revoked.id}'`
    for (const value of ['NULL', '1', '9999999999999']) {
      isRefused(`UPDATE miftah_keys SET revoked_at_ms = ${value} ${where}`)
    }
    const columns = Object.keys(Object(before))
    const copied = columns.map((name) => (name === 'revoked_at_ms' ? 'NULL' : name))
    isRefused(
      `INSERT OR REPLACE INTO miftah_keys (${columns}) SELECT ${copied} FROM miftah_keys ${where}`,
    )
    expect(row(revoked.id)).toEqual(before)
    raw.exec(`UPDATE miftah_keys SET revoked_at_ms = revoked_at_ms, name = 'other' ${where}`)
    expect(row(revoked.id)).toMatchObject({ name: 'other', edition: 3 })
  })

  test.each(['', 'edition = 1,'])('a change moves the edition: SET %s', async (edition) => {
    const { raw, active, row } = await opened()
    raw.exec('PRAGMA recursive_triggers = ON')
    for (const next of [2, 3]) {
      raw.exec(`UPDATE miftah_keys SET ${edition} scopes = '[]' WHERE id = '${active.id}'`)
      expect(row(active.id)).toMatchObject({ edition: next })
    }
  })

  test('events are neither changed nor taken back', async () => {
    const { raw, isRefused } = await opened()
    const events = () => raw.prepare('SELECT * FROM miftah_events ORDER BY position').all()
    const before = events()
    const columns = Object.keys(Object(before[0]))
    for (const column of columns.filter((name) => !/^(actor_|is_pending)/.test(name))) {
      isRefused(`UPDATE miftah_events SET ${column} = ${column === 'data' ? "'{}'" : '77'}`)
    }
    isRefused(`UPDATE miftah_events SET actor_id = 'u_other'`)
    isRefused(`UPDATE miftah_events SET actor_id = '${ERASED_PERSON.id}', actor_name = 'x'`)
    isRefused('DELETE FROM miftah_events')
    isRefused(`INSERT OR REPLACE INTO miftah_events SELECT * FROM miftah_events LIMIT 1`)
    expect(events()).toEqual(before)
  })

  test('an event is acknowledged once, its actor renamed, and then it may be deleted', async () => {
    const { raw, isRefused } = await opened()
    const { id, name } = ERASED_PERSON
    raw.exec(`UPDATE miftah_events SET actor_id = '${id}', actor_name = '${name}'`)
    raw.exec('UPDATE miftah_events SET is_pending = 0')
    isRefused('UPDATE miftah_events SET is_pending = 1')
    raw.exec('DELETE FROM miftah_events')
  })
})

test.each([
  ['a name of metadata that is no object', { metadata: [] as never }],
  ['scopes that are no list', { scopes: {} as never }],
])('%s is an unstorable value, and nothing is stored', async (_, fields) => {
  const { storage } = await opened()
  const [good, bad] = [sampleRecord({ workspaceId: 'a' }), sampleRecord(fields)]
  const writing = storage.write([sampleInsertion(good), sampleInsertion(bad)])
  await expect(writing).rejects.toMatchObject({ code: 'unstorable_value' })
  expect(storage.findByHash(good.hash)).toBeNull()
})
