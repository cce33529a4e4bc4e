import { describe, expect, test } from 'vitest'
import { mysqlSchema, mysqlStorage } from '../../../adapters/storage/mysql.ts'
import { databaseForFile, hasServer } from '../../support/mysql/server.ts'
import { watchedPool } from '../../support/mysql/watched-pool.ts'
import { rejection } from '../../support/world.ts'

describe('the printed schema', () => {
  test('begins at a version, and ends with the grants', () => {
    const all = mysqlSchema()
    expect(all).toMatch(/^-- Which migrations.*VALUES \(1, UNIX_TIMESTAMP\(\)\);\n$/s)
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
        ['migrations', 'SELECT'],
        ['keys', 'SELECT, INSERT, UPDATE, DELETE'],
        ['usage', 'SELECT, INSERT, UPDATE, DELETE'],
        ['usage_hours', 'SELECT, INSERT, UPDATE, DELETE'],
        ['usage_days', 'SELECT, INSERT, UPDATE, DELETE'],
        ['usage_retention', 'SELECT, UPDATE'],
        ['writers', 'SELECT, INSERT, UPDATE, DELETE'],
        ['workspaces', 'SELECT, INSERT, UPDATE'],
        ['events', 'SELECT, INSERT, UPDATE, DELETE'],
        ['lease', 'SELECT, UPDATE'],
        ['purged', 'SELECT, INSERT, DELETE'],
        ['change_clock', 'SELECT, UPDATE'],
        ['changes', 'SELECT, INSERT, DELETE'],
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
    const missing = await rejection(patient.findById('ws', 'none'))
    expect(missing).toMatchObject({
      ...{ code: 'schema_missing' },
      message:
        `the database "${db.name}" has no tables of miftah; version 1 is needed: run ` +
        '`npx miftah migrate`, leave out `migrate: false` of mysqlStorage, or apply the SQL of mysqlSchema()',
    })
    expect(await patient.diagnose()).toMatchObject({
      ...{ schemaVersion: 0, neededVersion: 1, missingRights: [], mode: 'primary' },
      ...{ keys: null, pendingEvents: null },
    })
    await Promise.all([1, 2, 3].map(() => mysqlStorage(db.pool).migrate()))
    expect(await patient.findById('ws', 'none')).toBeNull()
    const [rows] = await db.pool.query('SELECT version FROM miftah_migrations')
    expect(rows).toEqual([{ version: 1 }])

    await db.pool.query('INSERT INTO miftah_migrations VALUES (2, 0)')
    for (const migrate of [true, false]) {
      const error = await rejection(mysqlStorage(db.pool, { migrate }).findById('ws', 'none'))
      expect(error).toMatchObject({
        ...{ code: 'schema_too_new' },
        message:
          'the schema is at version 2; this release only knows versions up to 1: update miftah in this process',
      })
    }
    await db.pool.query('DELETE FROM miftah_migrations WHERE version = 2')
    expect(await mysqlStorage(db.pool).findById('ws', 'none')).toBeNull()
  })

  test('are asked for once, however many calls come first', async () => {
    const { pool, sent } = watchedPool(db.pool)
    const storage = mysqlStorage(pool, { migrate: false })
    await Promise.all([1, 2, 3].map(() => storage.findById('ws', 'none')))
    await storage.findById('ws', 'none')
    expect(sent.filter((sql) => sql.startsWith('SHOW VARIABLES'))).toHaveLength(1)
    expect(sent.filter((sql) => sql.includes('miftah_migrations'))).toHaveLength(1)
    expect(sent.filter((sql) => sql.startsWith('CREATE'))).toEqual([])
  })
})
