import { describe, expect, test } from 'vitest'
import { sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { inserted } from '../../support/inserted.ts'
import { limited } from '../../support/limited.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import { FIRST_PAGE, freshPath, prepared, rawAt, storageAt } from '../../support/sqlite-files.ts'
import { holdLock } from '../../support/sqlite-lock-holder.ts'
import { settled } from '../../support/world.ts'

simulateTime()

const insertMany = (storage: KeyStorage, count: number) =>
  Array.from({ length: count }, () => inserted(storage))

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

describe('while another process holds the write lock', () => {
  test('hundreds of changes wait and expire, and only the first of them asks for it', async () => {
    const path = freshPath()
    await storageAt(path).migrate()
    const { database, waits } = watched(path)
    const storage = limited(sqliteStorage(database), 1_000)
    await storage.list('ws_sample', FIRST_PAGE)
    const holder = await holdLock(path)
    const attempts = () => waits.filter(({ sql }) => sql === 'BEGIN IMMEDIATE').length
    const outcomes = await Promise.allSettled(insertMany(storage, 500))
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ reason: { code: 'busy', cause: { errcode: 5 } } })
    }
    // In a second, with pauses of 12 ms on average at last.
    expect(attempts()).toBeGreaterThan(10)
    expect(attempts()).toBeLessThan(250)
    const before = attempts()
    await holder.release()
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
      async () => storage.findByHash('0'.repeat(64)),
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
})
