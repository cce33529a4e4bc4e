import { describe, expect, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import {
  sampleInsertion,
  sampleRecord,
  sampleRevocation,
} from '../../../adapters/storage/testing/samples.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'
import { MAY_NOT_DELETE, rolesForFile } from '../../support/postgres/roles.ts'
import { CHANGES, READS } from '../../support/storage-calls.ts'
import { rejection } from '../../support/world.ts'

/* contract.ci.test.ts runs the suite with each role. */

const db = databaseForFile()
const poolOf = rolesForFile(db, 'apart')
const DELETES = ['a purge', 'a deleted workspace']

describe.each(['runtimeRole', 'erasureRole'] as const)('the %s', (role) => {
  const open = () => postgresStorage(poolOf(role), { schema: 'apart', migrate: false })

  test.each(Object.entries({ ...READS, ...CHANGES }))(
    'has the rights for %s',
    async (name, call) => {
      const calling = Promise.resolve(call(open()))
      if (role === 'erasureRole' || !DELETES.includes(name)) return void (await calling)
      const message = expect.stringMatching(MAY_NOT_DELETE)
      expect(await rejection(calling)).toMatchObject({ code: 'refused', message })
    },
  )
})

describe('a role that serves requests', () => {
  const open = () => postgresStorage(poolOf('runtimeRole'), { schema: 'apart', migrate: false })

  test('acknowledges events of an erased workspace, and leaves them', async () => {
    const storage = open()
    const record = sampleRecord({ workspaceId: 'erased' })
    await storage.write([sampleInsertion(record)])
    await storage.write([sampleRevocation({ record, edition: 1 })])
    await storage.closeWorkspace('erased')
    const claim = { relay: 'a', leaseMs: 60_000, limit: 5, except: [] }
    const ids = (await storage.claimEvents(claim)).map(({ id }) => id)
    await storage.acknowledgeEvents('a', ids)
    expect(await storage.claimEvents(claim)).toEqual([])
    expect((await storage.events('erased', { after: null, limit: 5 })).events).toHaveLength(2)
    const erasing = postgresStorage(poolOf('erasureRole'), { schema: 'apart', migrate: false })
    await erasing.deleteWorkspace({ workspaceId: 'erased', limit: 5 })
    await erasing.deleteWorkspace({ workspaceId: 'erased', limit: 5 })
    expect((await storage.events('erased', { after: null, limit: 5 })).events).toEqual([])
  })

  test('has all rights that diagnose looks for', async () => {
    expect(await open().diagnose()).toMatchObject({ schemaVersion: 1, missingRights: [] })
  })

  test.each(['DROP TABLE apart.miftah_keys', 'UPDATE apart.miftah_schema SET version = 2'])(
    'changes no table: %s',
    (sql) => expect(poolOf('runtimeRole').query(sql)).rejects.toThrow(),
  )
})
