import { describe, expect, test } from 'vitest'
import { mysqlSchema, mysqlStorage } from '../../../adapters/storage/mysql.ts'
import { databaseForFile, emptyTables, hasServer } from '../../support/mysql/server.ts'
import { watchedPool } from '../../support/mysql/watched-pool.ts'
import { rejection } from '../../support/world.ts'

const VIEW = { workspaceId: 'ws', ids: [], eventIds: [], countAtMs: null, countUpTo: null }
const NEW_VIEW = { isErased: false, added: 0, keys: [], eventIds: [] }

describe('the printed schema', () => {
  test('begins at a version, and ends with the grants', () => {
    const all = mysqlSchema()
    expect(all).toMatch(/^-- One row: .*INSERT IGNORE INTO miftah_schema VALUES \(1\);\n$/s)
    expect(mysqlSchema({ from: 0 })).toBe(all)
    expect(mysqlSchema({ from: 1 })).toBe('\n')
    for (const from of [-1, 2, 0.5, Number.NaN]) {
      expect(() => mysqlSchema({ from })).toThrow(RangeError)
    }
    const both = mysqlSchema({ from: 1, runtimeUser: 'app@10.0.0.1', erasureUser: 'eraser' })
    const [runtime, erasure, ...others] = both.trimEnd().split('\n\n')
    expect(others).toEqual([])
    expect(runtime?.split('\n')).toContain(
      "GRANT SELECT, INSERT, UPDATE ON miftah_keys TO 'app'@'10.0.0.1';",
    )
    expect(erasure?.split('\n')).toEqual(
      [
        ['schema', 'SELECT'],
        ['workspaces', 'SELECT, INSERT, UPDATE'],
        ['keys', 'SELECT, INSERT, UPDATE, DELETE'],
        ['usage', 'SELECT, INSERT, UPDATE, DELETE'],
        ['hourly_usage', 'SELECT, INSERT, UPDATE, DELETE'],
        ['writers', 'SELECT, INSERT, UPDATE, DELETE'],
        ['events', 'SELECT, INSERT, UPDATE, DELETE'],
        ['relay', 'SELECT, UPDATE'],
        ['clock', 'SELECT, UPDATE'],
        ['log', 'SELECT, INSERT, DELETE'],
        ['nodes', 'SELECT, INSERT, UPDATE, DELETE'],
      ].map(([table, rights]) => `GRANT ${rights} ON miftah_${table} TO 'eraser'@'%';`),
    )
  })

  test.each(["a'b", 'a`b', 'a"b', 'a\\b', 'a\nb', '', '@host', 'app@'])(
    'has no grants for %j, which cannot be quoted',
    (runtimeUser) => {
      expect(() => mysqlSchema({ runtimeUser })).toThrow(TypeError)
    },
  )
})

describe.skipIf(!hasServer)('the tables in a database', () => {
  const db = databaseForFile()

  test('are waited for, checked, and never older or newer than the release', async () => {
    const patient = mysqlStorage(db.pool, { migrate: false })
    expect(await rejection(patient.read(VIEW))).toMatchObject({
      ...{ code: 'schema_missing' },
      message: `the database \`${db.name}\` has no tables of miftah; version 1 is needed: run npx miftah migrate`,
    })
    expect(await patient.diagnose()).toEqual({
      system: expect.stringMatching(/^(?:MariaDB|MySQL) \d/),
      ...{ schemaVersion: 0, neededVersion: 1, missingRights: [], mode: 'primary' },
      pendingEvents: null,
    })
    await Promise.all([1, 2, 3].map(() => mysqlStorage(db.pool).migrate()))
    expect(await patient.read(VIEW)).toMatchObject(NEW_VIEW)
    const [rows] = await db.pool.query('SELECT version FROM miftah_schema')
    expect(rows).toEqual([{ version: 1 }])

    await db.pool.query('INSERT INTO miftah_schema VALUES (2)')
    for (const migrate of [true, false]) {
      const error = await rejection(mysqlStorage(db.pool, { migrate }).read(VIEW))
      expect(error).toMatchObject({
        ...{ code: 'schema_too_new' },
        message: expect.stringContaining(`\`${db.name}\` has version 2 of the tables`),
      })
    }
    await db.pool.query('DELETE FROM miftah_schema WHERE version = 2')
    expect(await mysqlStorage(db.pool).read(VIEW)).toMatchObject(NEW_VIEW)
  })

  test('are made by a migration that goes on where another one was stopped', async () => {
    await db.pool.query('DROP TABLE miftah_events')
    await db.pool.query('DELETE FROM miftah_schema')
    await mysqlStorage(db.pool).migrate()
    await emptyTables(db.pool)
  })

  test('are asked for no more once they are known to be there', async () => {
    const { pool, sent } = watchedPool(db.pool)
    const storage = mysqlStorage(pool, { migrate: false })
    await storage.read(VIEW)
    await Promise.all([1, 2, 3].map(() => storage.read(VIEW)))
    expect(sent.filter((sql) => sql.includes('DATABASE()'))).toHaveLength(1)
    expect(sent.filter((sql) => sql.includes('miftah_schema'))).toHaveLength(1)
    expect(sent.filter((sql) => sql.startsWith('CREATE'))).toEqual([])
  })
})

describe.skipIf(!hasServer)('a database with the tables of an earlier version', () => {
  const db = databaseForFile()

  test('is refused by its name, and left as it is', async () => {
    await db.pool.query('CREATE TABLE miftah_migrations (version INT)')
    for (const migrate of [true, false]) {
      const error = await rejection(mysqlStorage(db.pool, { migrate }).read(VIEW))
      expect(error).toMatchObject({
        ...{ name: 'StorageError', code: 'schema_foreign' },
        message: `the database \`${db.name}\` has tables made by a version of miftah before 1: use a new database`,
      })
    }
    const [tables] = await db.pool.query('SHOW TABLES')
    expect(tables).toHaveLength(1)
  })
})

describe.skipIf(!hasServer)('a pool that names no database', () => {
  const db = databaseForFile()

  test('is refused', async () => {
    const url = new URL(db.url)
    url.pathname = ''
    const error = await rejection(mysqlStorage(db.openPool({ uri: url.href })).read(VIEW))
    expect(error).toMatchObject({ code: 'refused', message: 'the pool must name a database' })
  })
})
