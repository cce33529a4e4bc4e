import { afterEach, expect, test, vi } from 'vitest'
import { sampleCreatedEvent, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { freshPath, rawAt, storageAt } from '../../support/sqlite-files.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const KEPT = { hourlyForDays: 30, dailyForDays: 400 }

afterEach(() => vi.useRealTimers())

test('a process whose clock is two years ahead deletes no history, however often it flushes', async () => {
  const path = freshPath()
  const storage = storageAt(path)
  const { id, ...record } = sampleRecord()
  await storage.insert({ id, ...record }, null, sampleCreatedEvent({ id, ...record }))
  const nowMs = Date.now()
  const [hour, day] = [Math.floor(nowMs / HOUR_MS), Math.floor(nowMs / DAY_MS)]
  const raw = rawAt(path)
  raw.exec(`WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 699)
    INSERT INTO miftah_usage_hours SELECT ${hour} - n, 1, 0, 1 FROM n`)
  raw.exec(`WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 400)
    INSERT INTO miftah_usage_days SELECT ${day} - n, 1, 0, 1 FROM n`)
  const read = () => [
    raw.prepare(`SELECT * FROM miftah_usage_hours WHERE hour <= ${hour}`).all(),
    raw.prepare(`SELECT * FROM miftah_usage_days WHERE day <= ${day}`).all(),
  ]
  const before = read()
  const flush = async (sequence: number, atMs: number) => {
    vi.useFakeTimers({ toFake: ['Date'], now: atMs })
    const counts = [
      { id, hour: Math.floor(atMs / HOUR_MS), outcome: 'accepted', count: 1 },
    ] as const
    await storage.addUses({ writer: 'w', sequence, uses: [], history: { ...KEPT, counts } })
  }
  for (let flushes = 1; flushes <= 24; flushes += 1) {
    await flush(flushes, nowMs + 730 * DAY_MS + (flushes - 1) * HOUR_MS)
  }
  expect(read()).toEqual(before)
  await flush(25, nowMs)
  expect(await storage.usage(record.workspaceId, ofDays(id, day))).toMatchObject({
    days: before[1]?.slice(0, 370).map(() => ({ outcome: 'accepted', count: 1 })),
  })
})

function ofDays(id: string, day: number) {
  return { id, hours: { from: 0, to: 0 }, days: { from: day - 401, to: day } }
}
