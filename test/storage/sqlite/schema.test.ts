import { expect, test } from 'vitest'
import {
  type Column,
  EVENT_COLUMNS,
  KEY_COLUMNS,
} from '../../../adapters/storage/lib/sql/columns.ts'
import { VERSION_1 } from '../../../adapters/storage/lib/sqlite/schema.ts'
import { sampleInsertion, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { freshPath, inMemory, storageAt } from '../../support/sqlite-files.ts'

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

test.each([
  ['a name of metadata that is no object', { metadata: [] as never }],
  ['scopes that are no list', { scopes: {} as never }],
])('%s is an unstorable value, and nothing is stored', async (_, fields) => {
  const storage = storageAt(freshPath())
  await storage.migrate()
  const [good, bad] = [sampleRecord({ workspaceId: 'a' }), sampleRecord(fields)]
  const writing = storage.write([sampleInsertion(good), sampleInsertion(bad)])
  await expect(writing).rejects.toMatchObject({ code: 'unstorable_value' })
  expect(storage.findByHash(good.hash)).toBeNull()
})
