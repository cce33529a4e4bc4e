import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import { linesOfTest, plainHost } from '../../support/http/plain-host.ts'
import { freshPath, rawAt, storageAt } from '../../support/sqlite-files.ts'
import { keyInput, until } from '../../support/world.ts'

const lineOf = (wrong: string) =>
  `miftah: The key storage cannot be used: ${wrong}. (Reported once; set onEvent of createApiKeys to be notified of every fault.)`

/** The lines about a storage that cannot work, after two requests each to guard and management. */
async function linesAbout(source: string | DatabaseSyncInstance): Promise<readonly string[]> {
  const lines = linesOfTest()
  const storage = sqliteStorage(source)
  onTestFinished(() => storage.close())
  const host = plainHost(storage, { keys: { storageTimeoutMs: 1_000 } })
  const statuses = [await host.visit(), await host.visit(), await host.list(), await host.list()]
  expect(statuses).toEqual([503, 503, 503, 503])
  return lines
}

describe('a host on SQLite says', () => {
  test('that there is no such folder', async () => {
    const path = `${freshPath()}-folder/keys.db`
    const [line, ...others] = await linesAbout(path)
    expect(others).toEqual([])
    expect(line).toMatch(/^miftah: The key storage failed in \w+: SQLite cannot open the file /)
    expect(line).toContain(` file ${path} (`)
    expect(line).toContain('): create its folder, and let this process read and write both. (')
  })

  test('that the file is no database', async () => {
    const path = freshPath()
    writeFileSync(path, 'a text of some length, which no SQLite has written. '.repeat(100))
    expect(await linesAbout(path)).toEqual([
      lineOf(
        `the SQLite file is damaged or is no SQLite database (the file ${path} cannot be used: file is not a database); check its path, or restore it from a backup`,
      ),
    ])
  })

  test('that the file is read-only', async () => {
    const path = freshPath()
    new DatabaseSync(path).close()
    const database = new DatabaseSync(path, { readOnly: true })
    onTestFinished(() => database.close())
    expect(await linesAbout(database)).toEqual([
      lineOf(
        'the SQLite file is read-only (the database cannot be used: attempt to write a readonly database); let this process write the file and its folder',
      ),
    ])
  })

  test('that the file fails below it', async () => {
    const path = freshPath()
    const storage = sqliteStorage(path)
    onTestFinished(() => storage.close().catch(() => {}))
    const host = plainHost(storage)
    expect(await host.list()).toBe(200)
    const lines = linesOfTest()
    // The header of the file stays, so that it opens; every page behind it is damaged.
    const bytes = readFileSync(path)
    rmSync(`${path}-wal`, { force: true })
    writeFileSync(path, bytes.fill(0xff, 4096))
    const other = sqliteStorage(path)
    onTestFinished(() => other.close().catch(() => {}))
    expect(await plainHost(other).visit()).toBe(503)
    expect(lines).toEqual([expect.stringMatching(/damaged|failed/)])
  })

  test('that somebody else holds the lock', async () => {
    const path = freshPath()
    const other = new DatabaseSync(path)
    onTestFinished(() => other.close())
    other.exec('BEGIN EXCLUSIVE')
    expect(await linesAbout(path)).toEqual([
      lineOf(
        `another process holds the lock of the SQLite file (the file ${path} was locked by another connection: database is locked); end the transaction that holds it`,
      ),
    ])
  })

  test('that the disk is full', async () => {
    const path = freshPath()
    const database = new DatabaseSync(path)
    onTestFinished(() => database.close())
    // As many pages as a disk might have left: too few for the tables.
    database.exec('PRAGMA max_page_count = 5')
    expect(await linesAbout(database)).toEqual([
      lineOf(
        'the disk of the SQLite file is full (the database cannot be used: database or disk is full); free disk space',
      ),
    ])
  })

  test('that the tables are those of a later release', async () => {
    const path = freshPath()
    await storageAt(path).migrate()
    rawAt(path).exec('UPDATE miftah_schema SET version = 99')
    expect(await linesAbout(path)).toEqual([
      expect.stringContaining(`the file ${path} has version 99 of the tables`),
    ])
  })

  test('that the tables are those of a release before the contract', async () => {
    const path = freshPath()
    rawAt(path).exec('CREATE TABLE miftah_migrations (version INTEGER PRIMARY KEY)')
    expect(await linesAbout(path)).toEqual([
      expect.stringContaining(
        `the file ${path} has tables made by a version of miftah before 1: use a new file, or delete .data`,
      ),
    ])
  })

  test('that the storage is closed', async () => {
    const storage = sqliteStorage(freshPath())
    await storage.close()
    const lines = linesOfTest()
    expect(await plainHost(storage).visit()).toBe(503)
    expect(lines).toEqual([
      lineOf('the storage is closed; close it after the last request, and after keys.close()'),
    ])
  })

  test('why counted uses cannot be written, although no request fails', async () => {
    const path = freshPath()
    const storage = sqliteStorage(path)
    onTestFinished(() => storage.close())
    const lines = linesOfTest()
    const host = plainHost(storage, { keys: { usageFlushMs: 1 } })
    const { secret } = await host.keys.createKey(keyInput())
    const other = new DatabaseSync(path)
    other.exec('DROP TABLE miftah_writers')
    other.close()
    expect(await host.visit(secret)).toBe(200)
    await until(() => lines.length > 0)
    expect(lines[0]).toContain('The key storage failed in addUses: ')
  })
})
