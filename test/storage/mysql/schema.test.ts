import { describe, expect, test } from 'vitest'
import { mysqlSchema, mysqlStorage } from '../../../adapters/storage/mysql.ts'
import { emptyTables, hasServer, tablesForFile } from '../../support/mysql/server.ts'
import { watchedPool } from '../../support/mysql/watched-pool.ts'
import { rejection } from '../../support/world.ts'

const VIEW = { workspaceId: 'ws', ids: [], eventIds: [], countAtMs: null, countUpTo: null }

describe('the printed schema', () => {
  test('ends with the grants', () => {
    const tables = mysqlSchema()
    expect(tables).toMatch(/^-- One row: .*INSERT IGNORE INTO miftah_schema VALUES \(1\);\n$/s)
    const both = mysqlSchema({ runtimeUser: 'app@10.0.0.1', erasureUser: 'eraser' })
    expect(both.startsWith(tables)).toBe(true)
    const [runtime, erasure] = both.trimEnd().split('\n\n').slice(-2)
    expect(runtime?.split('\n')).toContain(
      "GRANT SELECT, INSERT, UPDATE ON miftah_keys TO 'app'@'10.0.0.1';",
    )
    const rights = erasure?.matchAll(/^GRANT (.+) ON miftah_(\w+) TO 'eraser'@'%';$/gm) ?? []
    const all = 'SELECT, INSERT, UPDATE, DELETE'
    expect(Object.fromEntries([...rights].map(([, right, table]) => [table, right]))).toEqual({
      ...{ schema: 'SELECT', workspaces: 'SELECT, INSERT, UPDATE', keys: all, usage: all },
      ...{ hourly_usage: all, writers: all, events: all, relay: 'SELECT, UPDATE' },
      ...{ clock: 'SELECT, UPDATE', log: 'SELECT, INSERT, DELETE', nodes: all },
    })
  })

  test.each(["a'b", 'a`b', 'a"b', 'a\\b', 'a\nb', '', '@host', 'app@'])(
    'has no grants for %j, which cannot be quoted',
    (runtimeUser) => {
      expect(() => mysqlSchema({ runtimeUser })).toThrow(TypeError)
    },
  )
})

describe.skipIf(!hasServer)('the tables in a database', () => {
  const db = tablesForFile()

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

  test('are not looked for by a pool that names no database', async () => {
    const uri = Object.assign(new URL(db.url), { pathname: '' }).href
    const error = await rejection(mysqlStorage(db.openPool({ uri })).read(VIEW))
    expect(error).toMatchObject({ code: 'refused', message: 'the pool must name a database' })
  })
})
