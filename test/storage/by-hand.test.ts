import { describe, expect, test } from 'vitest'
import { sampleInsertion, sampleRecord } from '../../adapters/storage/testing/samples.ts'
import { ERASED_PERSON } from '../../src/index.ts'
import { DATABASES } from '../support/databases.ts'
import { inserted } from '../support/inserted.ts'

/* What somebody who writes SQL cannot do. MySQL has no such guards. */

const FINAL = 'miftah: a revocation is final'
const KEPT = /miftah: (?:the audit log is only added to|an event is deleted only after)/
const REPLACED = 'UNIQUE'
const { id: erasedId, name: erasedName } = ERASED_PERSON

const REFUSED: readonly (readonly [set: string, why: string | RegExp])[] = [
  ['UPDATE miftah_keys SET revoked_at_ms = NULL', FINAL],
  ['UPDATE miftah_keys SET revoked_at_ms = 6', FINAL],
  ...['workspace_id', 'id', 'key_id', 'type'].map((column) => changed(column, "'x'")),
  ...['place', 'at_ms', 'written_at_ms'].map((column) => changed(column, '77')),
  ...[changed('data', "'{}'"), changed('is_pending', 'true')],
  ...[changed('actor_name', "'Somebody'"), changed('actor_id', `'${erasedId}'`)],
  ['DELETE FROM miftah_events', KEPT],
]

function changed(column: string, value: string) {
  return [`UPDATE miftah_events SET ${column} = ${value}`, KEPT] as const
}

/** What is tried on one of them alone, and in which sessions. */
const OWN = {
  PostgreSQL: {
    sessions: ['', 'SET LOCAL session_replication_role = replica; '],
    refused: [['TRUNCATE miftah_events', KEPT]],
    allowed: ['UPDATE miftah_keys SET revoked_at_ms = 4'],
  },
  SQLite: {
    sessions: ['', 'PRAGMA recursive_triggers = ON; '],
    refused: [
      ['UPDATE miftah_keys SET revoked_at_ms = 4', FINAL],
      ['UPDATE miftah_events SET position = 77', KEPT],
      ['INSERT OR REPLACE INTO miftah_keys SELECT * FROM miftah_keys', REPLACED],
      ['INSERT OR REPLACE INTO miftah_events SELECT * FROM miftah_events LIMIT 1', REPLACED],
    ],
    allowed: ['UPDATE miftah_keys SET revoked_at_ms = revoked_at_ms'],
  },
} as const

const GUARDED = DATABASES.filter(({ database }) => database !== 'MySQL')

describe.each(GUARDED)('by hand on $database', ({ database, places }) => {
  const place = places()
  const { sessions, refused, allowed } = OWN[database as keyof typeof OWN]

  /** A living and a revoked key, and their events, of which one was delivered. */
  async function open() {
    const { open: openStorage, run, rows } = await place()
    const storage = openStorage()
    const living = await inserted(storage)
    await inserted(storage, { revokedAtMs: 5 })
    const claim = { relay: 'a', leaseMs: 60_000, limit: 1, except: [] }
    const [first] = await storage.claimEvents(claim)
    await storage.acknowledgeEvents('a', [first?.id ?? ''])
    const all = () =>
      Promise.all(['keys', 'events'].map((of) => rows(`SELECT * FROM miftah_${of} ORDER BY place`)))
    return { storage, living, run, rows, all }
  }

  test.each(sessions)('revocations and events stay as they are: %s', async (session) => {
    const { run, all } = await open()
    const before = await all()
    for (const [sql, why] of [...REFUSED, ...refused]) {
      await expect(run(`${session}${sql}`), sql).rejects.toThrow(why)
    }
    expect(await all()).toEqual(before)
  })

  test('events are delivered, their actors renamed, and then they may be deleted', async () => {
    const { run, all } = await open()
    const renamed = `actor_id = '${erasedId}', actor_name = '${erasedName}'`
    for (const sql of [
      ...allowed,
      `UPDATE miftah_events SET ${renamed}`,
      'UPDATE miftah_events SET is_pending = false',
      'DELETE FROM miftah_events',
    ])
      await run(sql)
    expect((await all())[1]).toEqual([])
  })

  test.each(sessions)('a change moves the edition, and never back: %s', async (session) => {
    const { storage, living, run, rows } = await open()
    for (const [set, edition] of [
      ["name = 'by hand'", 2],
      ['edition = 1', 3],
      ['edition = 9', 9],
    ] as const) {
      await run(`${session}UPDATE miftah_keys SET ${set} WHERE id = '${living.id}'`)
      const [row] = await rows(`SELECT edition FROM miftah_keys WHERE id = '${living.id}'`)
      expect(Number(Object(row).edition)).toBe(edition)
    }
    const keys = [{ record: living, ifEdition: 1 }]
    const step = { ...sampleInsertion(sampleRecord()), keys, adds: 0, events: [] }
    expect(await storage.write([step])).toEqual([{ outcome: 'refused' }])
  })
})
