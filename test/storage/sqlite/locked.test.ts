import { describe, expect, test } from 'vitest'
import { sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import { sampleRevocation } from '../../../adapters/storage/testing/samples.ts'
import { inserted } from '../../support/inserted.ts'
import { limited } from '../../support/limited.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import { FIRST_PAGE, freshPath, prepared, rawAt, storageAt } from '../../support/sqlite-files.ts'
import { settled } from '../../support/world.ts'

simulateTime()

const HASH = '0'.repeat(64)

/** A connection of the host, and for how long SQLite itself waited each time that a statement ran. */
function watched(path: string) {
  const raw = rawAt(path)
  const busyTimeout = raw.prepare('PRAGMA busy_timeout')
  const waits: { readonly sql: string; readonly ms: unknown }[] = []
  const database = prepared(raw, (sql, statement) => {
    const note = <T>(run: () => T): T => {
      // The version is asked for before there is anything to lock.
      if (!/^PRAGMA|sqlite_version/.test(sql)) {
        waits.push({ sql, ms: Reflect.get(Object(busyTimeout.get()), 'timeout') })
      }
      return run()
    }
    return {
      get: (...values) => note(() => statement.get(...values)),
      all: (...values) => note(() => statement.all(...values)),
      run: (...values) => note(() => statement.run(...values)),
    }
  })
  return { raw, database, waits }
}

describe('while another holds the write lock', () => {
  test('hundreds of changes wait and expire, and only the first of them asks for it', async () => {
    const path = freshPath()
    await storageAt(path).migrate()
    const { database, waits } = watched(path)
    const storage = limited(sqliteStorage(database), 1_000)
    await storage.list('ws_sample', FIRST_PAGE)
    const holder = rawAt(path)
    holder.exec('BEGIN IMMEDIATE')
    const attempts = () => waits.filter(({ sql }) => sql === 'BEGIN IMMEDIATE').length
    const many = Array.from({ length: 500 }, () => inserted(storage))
    for (const outcome of await Promise.allSettled(many)) {
      expect(outcome).toMatchObject({ reason: { code: 'busy', cause: { errcode: 5 } } })
    }
    // In a second, with pauses of 12 ms on average at last.
    const before = attempts()
    expect(before).toBeGreaterThan(10)
    expect(before).toBeLessThan(250)
    holder.exec('COMMIT')
    await settled(100)
    expect(attempts()).toBe(before)
    expect(await storage.list('ws_sample', FIRST_PAGE)).toMatchObject({ keys: [] })
  })

  test('the busy timeout of a host’s own connection stops the event loop for no change and no read', async () => {
    const path = freshPath()
    const theirs = rawAt(path)
    const { raw, database, waits } = watched(path)
    raw.exec('PRAGMA busy_timeout = 60000')
    const storage = limited(sqliteStorage(database), 300)
    await storage.list('ws', FIRST_PAGE)
    theirs.exec('BEGIN EXCLUSIVE')
    for (const call of [
      () => inserted(storage),
      () => storage.list('ws', FIRST_PAGE),
      async () => storage.findByHash(HASH),
    ]) {
      waits.length = 0
      await expect(call()).rejects.toMatchObject({ code: 'busy' })
      expect(waits.filter(({ ms }) => ms !== 0)).toEqual([])
      expect(waits.length).toBeGreaterThan(5)
    }
    theirs.exec('ROLLBACK')
    await inserted(storage)
    expect(raw.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 60_000 })
  })

  test('close waits for a change that waits, whatever is called meanwhile', async () => {
    const path = freshPath()
    const storage = sqliteStorage(path)
    const record = await inserted(storage)
    const raw = rawAt(path)
    raw.exec('BEGIN IMMEDIATE')
    const step = sampleRevocation({ record, edition: 1 })
    const revoked = storage.write([step])
    const closed = storage.close()
    await expect(storage.write([step])).rejects.toThrow(/closed/)
    await settled(50)
    raw.exec('COMMIT')
    expect(await revoked).toEqual([{ outcome: 'stored' }])
    await closed
  })

  test('a file that cannot be set up yet rejects in time, and opens later', async () => {
    const path = freshPath()
    const raw = rawAt(path)
    raw.exec('BEGIN EXCLUSIVE; CREATE TABLE theirs (x)')
    const storage = storageAt(path)
    const hasty = limited(storage, 1_000)
    for (const call of [hasty.migrate, hasty.diagnose, async () => hasty.findByHash(HASH)]) {
      await expect(call()).rejects.toMatchObject({ code: 'busy' })
    }
    raw.exec('COMMIT')
    await storage.migrate()
    expect(await storage.findByHash(HASH)).toBeNull()
    raw.exec('BEGIN IMMEDIATE')
    await expect(hasty.diagnose()).rejects.toMatchObject({ code: 'busy' })
  })
})
