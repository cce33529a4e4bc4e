import { describe, expect, test } from 'vitest'
import { DATABASES } from '../support/databases.ts'
import { inserted } from '../support/inserted.ts'
import { viewOf } from '../support/stored.ts'
import { rejection } from '../support/world.ts'

/* How a database gets its tables, and which tables are refused. */

const MENDS = {
  PostgreSQL: 'use a new schema',
  MySQL: 'use a new database',
  SQLite: 'use a new file, or delete .data',
}
const VERSION = 'SELECT version FROM miftah_schema'
const VIEW = viewOf('ws')

describe.each(DATABASES)('the tables on $database', ({ database, isThere, places }) => {
  if (!isThere) return test.skip('needs a server')
  const place = places()

  test('are made at first use, once, also by 16 storages', async () => {
    const { open, rows } = await place()
    await Promise.all(Array.from({ length: 16 }, () => open().migrate()))
    const storage = open()
    const record = await inserted(storage)
    await storage.migrate()
    expect(await storage.findByHash(record.hash)).toEqual(record)
    expect(await rows(VERSION)).toEqual([{ version: 1 }])
  })

  test('are waited for with migrate: false, and are those that are printed', async () => {
    const { name, open, run, printed } = await place()
    const storage = open({ migrate: false })
    const message = `${name} has no tables of miftah; version 1 is needed: run npx miftah migrate`
    expect(await rejection(storage.read(VIEW))).toMatchObject({ code: 'schema_missing', message })
    expect(await storage.diagnose()).toMatchObject({
      ...{ mode: 'primary', schemaVersion: 0, neededVersion: 1 },
      ...{ missingRights: [], pendingEvents: null },
    })
    await run(printed)
    const record = await inserted(storage)
    expect(await storage.findByHash(record.hash)).toEqual(record)
    expect(await storage.diagnose()).toMatchObject({
      ...{ schemaVersion: 1, pendingEvents: { count: 1, oldestAtMs: record.createdAtMs } },
    })
  })

  test('of a later release are refused, and used when they are known again', async () => {
    const { name, open, run } = await place()
    await open().migrate()
    await run('UPDATE miftah_schema SET version = 2')
    const known = 'this release only knows versions up to 1: update miftah in this process'
    const error = {
      code: 'schema_too_new',
      message: `${name} has version 2 of the tables; ${known}`,
    }
    for (const migrate of [true, false]) {
      expect(await rejection(open({ migrate }).read(VIEW))).toMatchObject(error)
    }
    expect(await rejection(open().migrate())).toMatchObject(error)
    await run('UPDATE miftah_schema SET version = 1')
    expect(await open().read(VIEW)).toMatchObject({ added: 0, keys: [] })
  })

  test('of a version before 1 are refused, and left as they are', async () => {
    const { name, open, run, rows } = await place()
    const tables = database === 'PostgreSQL' ? 'miftah_schema_version' : 'miftah_migrations'
    await run(`CREATE TABLE ${tables} (version INT)`)
    const message = `${name} has tables made by a version of miftah before 1: ${MENDS[database]}`
    for (const migrate of [true, false]) {
      const error = await rejection(open({ migrate }).read(VIEW))
      expect(error).toMatchObject({ name: 'StorageError', code: 'schema_foreign', message })
    }
    await expect(rows(VERSION)).rejects.toThrow(/miftah_schema/)
  })
})
