import { PGlite } from '@electric-sql/pglite'
import * as neon from '@neondatabase/serverless'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import type { PostgresPool } from '../../adapters/storage/postgres.ts'
import { postgresStorage } from '../../adapters/storage/postgres.ts'
import { sqliteStorage } from '../../adapters/storage/sqlite.ts'
import { inMemory } from '../support/sqlite-files.ts'

const pool: PostgresPool = { query: () => new Promise(() => {}) }

describe.each<readonly [string, (options: never) => unknown]>([
  ['sqliteStorage', (options) => sqliteStorage(':memory:', options)],
  ['postgresStorage', (options) => postgresStorage(pool, options)],
])('%s refuses', (caller, open) => {
  test.each([
    [null, 'options must be an object.'],
    [5, 'options must be an object.'],
    [{ migrates: false }, 'there is no option "migrates"; did you mean "migrate"?'],
    [{ migrate: 'false' }, 'option "migrate" must be true or false.'],
    [{ migrate: null }, 'option "migrate" must be true or false.'],
  ])('%j', (options, message) => {
    expect(() => open(options as never)).toThrow(new TypeError(`${caller}: ${message}`))
  })

  test('what every object has', () => {
    expect(() => open({ toString: 5 } as never)).toThrow(
      'there is no option "toString"; known names: ',
    )
  })

  test('no option that is left undefined', () => {
    expect(() => open({ migrate: undefined } as never)).not.toThrow()
  })
})

test('postgresStorage refuses preparedStatements that are neither true nor false', () => {
  const message = 'postgresStorage: option "preparedStatements" must be true or false.'
  expect(() => postgresStorage(pool, { preparedStatements: 0 as never })).toThrow(message)
})

describe('postgresStorage takes a pool', () => {
  test.each([
    ['pg', new pg.Client()],
    ['Neon', new neon.Client()],
  ])('and refuses one connection of %s', (_, client) => {
    expect(() => postgresStorage(client)).toThrow(
      new TypeError(
        'postgresStorage: "pool" is one connection, a pg.Client: pass a pool, `new pg.Pool(…)`, which ' +
          'connects by itself, replaces a connection that breaks, and keeps calls out of your transactions.',
      ),
    )
  })

  test.each([
    ['of pg', new pg.Pool()],
    ['of Neon', new neon.Pool()],
    ['that is PGlite', Object.create(PGlite.prototype)],
    ['with one method', pool],
  ])('%s', (_, given) => {
    expect(() => postgresStorage(given)).not.toThrow()
  })
})

describe('sqliteStorage takes a path or a database', () => {
  test.each([undefined, null, 5, {}, { exec: () => {} }, { prepare: () => {} }])(
    'and refuses %j',
    (source) => {
      const message =
        'sqliteStorage: "pathOrDatabase" must be a path or have the methods "exec" and "prepare".'
      expect(() => sqliteStorage(source as never)).toThrow(new TypeError(message))
    },
  )

  test('and refuses the empty path, which names a database that nobody else can open', () => {
    const message = 'sqliteStorage: "pathOrDatabase" must not be empty.'
    expect(() => sqliteStorage('')).toThrow(new TypeError(message))
  })

  test.each([
    ['mysql://app@db/keys', 'mysql:'],
    ['postgres://app@db/keys', 'postgres:'],
    ['jdbc:postgresql://db/keys', 'jdbc:'],
    ['SQLITE:keys.db', 'SQLITE:'],
  ])('and refuses the URL %s, for which SQLite would create a file', (url, scheme) => {
    const message = `sqliteStorage: "pathOrDatabase" must be a path or a file: URL, not a ${scheme} URL.`
    expect(() => sqliteStorage(url)).toThrow(new TypeError(message))
  })

  test('of a file or in memory', () => {
    const paths = ['keys.db', 'C:\\keys.db', './mysql:keys', 'file:keys.db', ':memory:']
    for (const source of [...paths, inMemory()]) {
      expect(() => sqliteStorage(source, {})).not.toThrow()
    }
  })
})
