import { beforeAll, expect, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { sampleCreatedEvent, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'

/* More rows than one call moves, which the contract does not reach. */

const db = databaseForFile()

beforeAll(async () => {
  const storage = postgresStorage(db.pool, { schema: 'old' })
  const record = sampleRecord()
  await storage.insert(record, null, sampleCreatedEvent(record))
  await db.pool.query(
    `INSERT INTO old.usage_hours (count, hour, outcome, id)
    SELECT 1, hour, 0, $1 FROM generate_series(0, 2499) hour`,
    [record.id],
  )
})

/** What is left after a call, and where the next one begins. */
async function moved(hour: number, day: number) {
  await db.pool.query('SELECT old.move_old_usage($1, $2)', [hour, day])
  const { rows } = await db.pool.query(`SELECT first_hour, first_day,
    (SELECT count(*)::int FROM old.usage_hours) AS hours,
    (SELECT count(*)::int FROM old.usage_days) AS days,
    (SELECT sum(count)::int FROM old.usage_days) AS uses FROM old.usage_retention`)
  return rows[0]
}

test('hours become days, 2,000 rows in a call, and the next call goes on where it stopped', async () => {
  expect(await moved(2_500, 0)).toEqual({
    ...{ first_hour: 1_999, first_day: 0, hours: 500, days: 84, uses: 2_000 },
  })
  expect(await moved(2_500, 0)).toEqual({
    ...{ first_hour: 2_500, first_day: 0, hours: 0, days: 105, uses: 2_500 },
  })
})

test('days are dropped, 2,000 rows in a call too', async () => {
  await db.pool.query(`INSERT INTO old.usage_days (count, day, outcome, id)
    SELECT 1, day, 1, id FROM old.usage u, generate_series(0, 2499) day`)
  const [first, second] = [await moved(2_500, 2_400), await moved(2_500, 2_400)]
  expect([first.days, first.first_day]).toEqual([605, 1_894])
  expect([second.days, second.first_day]).toEqual([100, 2_400])
})
