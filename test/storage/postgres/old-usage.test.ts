import { beforeAll, expect, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { inserted } from '../../support/inserted.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'

/* More rows than one call deletes, which the contract does not reach. */

const db = databaseForFile()

beforeAll(async () => {
  const storage = postgresStorage(db.pool, { schema: 'old' })
  const record = await inserted(storage)
  for (const period of ['hour', 'day']) {
    await db.pool.query(
      `INSERT INTO old.usage_${period}s (count, ${period}, outcome, id)
      SELECT 1, n, 0, $1 FROM generate_series(0, 2499) n`,
      [record.id],
    )
  }
})

const KEPT = `SELECT r.*, (SELECT count(*)::int FROM old.usage_hours) AS hours,
  (SELECT count(*)::int FROM old.usage_days) AS days FROM old.usage_retention r`

test('hours and days go, 2,000 rows in a call, and the next call goes on where it stopped', async () => {
  const left = async () => {
    await db.pool.query('SELECT old.forget_old_usage(r, 2496, 2400) FROM old.usage_retention r')
    return (await db.pool.query(KEPT)).rows[0]
  }
  expect(await left()).toMatchObject({
    ...{ first_hour: 2_496, hours_from: 1_999, days_from: 1_999, hours: 500, days: 500 },
  })
  expect(await left()).toMatchObject({
    ...{ first_hour: 2_496, hours_from: 2_496, days_from: 2_400, hours: 4, days: 100 },
  })
})

test('a call that has seen other limits does nothing', async () => {
  const before = (await db.pool.query(KEPT)).rows
  await db.pool.query('SELECT old.forget_old_usage((true, 1, 2, 3), 2520, 2401)')
  expect((await db.pool.query(KEPT)).rows).toEqual(before)
})
