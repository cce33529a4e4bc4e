import { beforeAll, describe, expect, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { sampleInsertion, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { limited } from '../../support/limited.ts'
import { databaseForFile, during } from '../../support/postgres/own-database.ts'
import { findById } from '../../support/stored.ts'
import { rejection } from '../../support/world.ts'

/* A write that waits for a lock or a connection, and does not get it. */

const db = databaseForFile()
beforeAll(() => postgresStorage(db.pool).migrate())

const PATIENCE_MS = 60_000
const stepOf = (workspaceId = `ws_${Math.random()}`) =>
  sampleInsertion(sampleRecord({ workspaceId }))

/** A step is not stored, until it is sent again. */
async function isStoredNow(step: ReturnType<typeof stepOf>) {
  const storage = limited(postgresStorage(db.pool), PATIENCE_MS)
  const id = step.keys[0]?.record.id ?? ''
  expect(await findById(storage, step.workspaceId, id)).toBeNull()
  expect(await storage.write([step])).toMatchObject([{ outcome: 'stored' }])
}

describe('a session that is ended while a write runs', () => {
  test.each([
    ['pg_terminate_backend(pid)', 'outcome_unknown'],
    ['pg_cancel_backend(pid)', 'timeout'],
  ])('by %s: %s', async (end, code) => {
    const storage = limited(postgresStorage(db.pool), PATIENCE_MS)
    const step = stepOf()
    await during(db, 'LOCK TABLE miftah.miftah_workspaces IN EXCLUSIVE MODE', async () => {
      const error = rejection(storage.write([step]))
      const ended = async () => {
        const { rows } = await db.pool.query(`SELECT ${end} FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND datname = current_database()`)
        return rows.length
      }
      await expect.poll(ended).toBe(1)
      expect(await error).toMatchObject({ code })
    })
    await isStoredNow(step)
  })
})

test('a write of a workspace that is locked is busy, and not stored', async () => {
  const storage = postgresStorage(db.pool)
  const { workspaceId } = stepOf()
  await storage.write([stepOf(workspaceId)])
  const next = stepOf(workspaceId)
  const lock = `SELECT FROM miftah.miftah_workspaces WHERE id = '${workspaceId}' FOR UPDATE`
  await during(db, lock, async () => {
    const error = await rejection(limited(storage, 1_000).write([next]))
    expect(error).toMatchObject({ code: 'busy', cause: { code: '55P03' } })
    const others = await limited(storage, PATIENCE_MS).write([stepOf()])
    expect(others).toMatchObject([{ outcome: 'stored' }])
  })
  await isStoredNow(next)
})

test('a write for which the server has no connection left waits or is unavailable', async () => {
  const role = `crowded_${Math.random().toString(36).slice(2)}`
  await db.pool.query(`CREATE ROLE ${role} LOGIN CONNECTION LIMIT 2; GRANT ALL ON SCHEMA miftah TO ${role};
    GRANT ALL ON ALL TABLES IN SCHEMA miftah TO ${role}`)
  const crowded = db.openPool({ user: role, max: 10, connectionTimeoutMillis: PATIENCE_MS })
  const storage = limited(postgresStorage(crowded), PATIENCE_MS)
  const settled = await Promise.allSettled(
    Array.from({ length: 40 }, () => storage.write([stepOf()])),
  )
  const codes = settled.map((one) => (one.status === 'fulfilled' ? 'ok' : one.reason.code))
  expect(new Set([...codes, 'unavailable'])).toEqual(new Set(['ok', 'unavailable']))
  await crowded.end()
  await db.pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
})
