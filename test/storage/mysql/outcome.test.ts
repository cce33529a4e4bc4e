import { describe, expect, test } from 'vitest'
import { mysqlStorage } from '../../../adapters/storage/mysql.ts'
import { sampleRevocation } from '../../../adapters/storage/testing/samples.ts'
import { inserted } from '../../support/inserted.ts'
import { limited } from '../../support/limited.ts'
import { emptyTables, hasServer, tablesForFile } from '../../support/mysql/server.ts'
import { watchedPool } from '../../support/mysql/watched-pool.ts'
import { viewOf } from '../../support/stored.ts'

const db = tablesForFile()

describe.skipIf(!hasServer)('a write that loses to another one', () => {
  const deadlock = { errno: 1213, sqlState: '40001', code: 'ER_LOCK_DEADLOCK' }

  test.each([
    [/INSERT INTO .*miftah_workspaces/, deadlock, 'busy'],
    [/^UPDATE \(SELECT/, deadlock, 'busy'],
    [/INSERT INTO .*miftah_events/, deadlock, 'busy'],
    [/^COMMIT/, deadlock, 'busy'],
    [/INSERT INTO .*miftah_events/, { errno: 1205, sqlState: 'HY000' }, 'unavailable'],
    [/INSERT INTO .*miftah_events/, { errno: 1047, sqlState: '08S01' }, 'unavailable'],
    [/^COMMIT/, { errno: 1205, sqlState: 'HY000' }, 'outcome_unknown'],
    [/INSERT INTO .*miftah_events/, { errno: 4025, sqlState: '23000' }, 'unstorable_value'],
    [/INSERT INTO .*miftah_events/, { errno: 1062, sqlState: '23000' }, null],
    [/UPDATE .*miftah_clock/, { errno: 1062, sqlState: '23000' }, 'unstorable_value'],
  ])('at %s with %j is %s', async (text, fields, code) => {
    await emptyTables(db.pool)
    const record = await inserted(mysqlStorage(db.pool))
    const ends: string[] = []
    const { pool } = watchedPool(db.pool, {
      query: (query, on) =>
        text.test(query.sql)
          ? Promise.reject(Object.assign(new Error('no'), fields))
          : on.query(query),
      onEnd: (how) => ends.push(how),
    })
    const storage = limited(mysqlStorage(pool, { migrate: false }), 3_000)
    await storage.read(viewOf('w'))
    ends.length = 0
    const answer = await storage
      .write([sampleRevocation({ record, edition: 1 })])
      .catch((error) => error)
    if (code === null) expect(answer).toEqual([{ outcome: 'refused' }])
    else expect(answer).toMatchObject({ name: 'StorageError', code })
    // A connection goes back only from a transaction that has ended.
    expect(new Set(ends)).toEqual(new Set([code === null ? 'released' : 'destroyed']))
    expect(await mysqlStorage(db.pool).findByHash(record.hash)).toEqual(record)
  })
})
