import { writeFileSync } from 'node:fs'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import { linesAbout, linesOfTest, plainHost } from '../../support/http/plain-host.ts'
import { freshPath } from '../../support/sqlite-files.ts'
import { keyInput, until } from '../../support/world.ts'

/** A database on a path that somebody else opens. */
function openOther(path: string, options: { readonly readOnly?: boolean } = {}) {
  const database = new DatabaseSync(path, options)
  onTestFinished(() => database.close())
  return database
}

/** What is wrong with a file, how it gets so, and what is said; `PATH` stands for the path of the file. */
const WRONG: readonly (readonly [
  wrong: string,
  sourceAt: (path: string) => string | DatabaseSyncInstance,
  sentence: string,
])[] = [
  [
    'its folder does not exist',
    (path) => `${path}-folder/keys.db`,
    'failed in METHOD: SQLite cannot open the file PATH-folder/keys.db (unable to open database file): create its folder, and let this process read and write both. (',
  ],
  [
    'it is no database',
    (path) => {
      writeFileSync(path, 'a text of some length, which no SQLite has written. '.repeat(100))
      return path
    },
    'cannot be used: the SQLite file is damaged or is no SQLite database (the file PATH cannot be used: file is not a database); check its path, or restore it from a backup. (',
  ],
  [
    'it is read-only',
    (path) => {
      new DatabaseSync(path).close()
      return openOther(path, { readOnly: true })
    },
    'cannot be used: the SQLite file is read-only (the database cannot be used: attempt to write a readonly database); let this process write the file and its folder. (',
  ],
  [
    'somebody else holds the lock',
    (path) => {
      openOther(path).exec('BEGIN EXCLUSIVE')
      return path
    },
    'cannot be used: another process holds the lock of the SQLite file (the file PATH was locked by another connection: database is locked); end the transaction that holds it. (',
  ],
  [
    'its disk is full',
    (path) => {
      const database = openOther(path)
      // As many pages as a disk might have left: too few for the tables.
      database.exec('PRAGMA max_page_count = 5')
      return database
    },
    'cannot be used: the disk of the SQLite file is full (the database cannot be used: database or disk is full); free disk space. (',
  ],
]

test.each(WRONG)('a host on an SQLite file says once that %s', async (_, sourceAt, sentence) => {
  const path = freshPath()
  const storage = sqliteStorage(sourceAt(path))
  onTestFinished(() => storage.close())
  const said = (await linesAbout(storage)).map((line) =>
    line.replace(/in \w+: /, 'in METHOD: ').replace('(Failed to open database: ', '('),
  )
  expect(said).toEqual([
    `miftah: The key storage ${sentence.replaceAll('PATH', path)}Reported once; set onEvent of createApiKeys to be notified of every fault.)`,
  ])
})

test('a host on SQLite says that the storage is closed', async () => {
  const storage = sqliteStorage(freshPath())
  await storage.close()
  const said = expect.stringContaining('cannot be used: the storage is closed; close it')
  expect(await linesAbout(storage)).toEqual([said])
})

test('a host on SQLite says why counted uses cannot be written, although no request fails', async () => {
  const path = freshPath()
  const storage = sqliteStorage(path)
  onTestFinished(() => storage.close())
  const lines = linesOfTest()
  const host = plainHost(storage, { keys: { usageFlushMs: 1 } })
  const { secret } = await host.keys.createKey(keyInput())
  openOther(path).exec('DROP TABLE miftah_writers')
  expect(await host.visit(secret)).toBe(200)
  await until(() => lines.length > 0)
  expect(lines[0]).toContain('The key storage failed in addUses: ')
})
