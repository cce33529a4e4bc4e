import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresSchema, postgresStorage } from '../../../adapters/storage/postgres.ts'
import {
  sampleInsertion,
  sampleRecord,
  sampleRevocation,
} from '../../../adapters/storage/testing/samples.ts'
import { contractOn } from '../../support/postgres/contract.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'
import { CHANGES } from '../../support/storage-calls.ts'
import { rejection } from '../../support/world.ts'

const db = databaseForFile()
const suffix = Math.random().toString(36).slice(2, 10)
const roles = { runtimeRole: `miftah_run_${suffix}`, erasureRole: `miftah_erase_${suffix}` }
const pools: Partial<Record<keyof typeof roles, pg.Pool>> = {}

const MAY_NOT_DELETE = /permission denied for table miftah_(keys|events)$/

const poolOf = (role: keyof typeof roles) => {
  pools[role] ??= db.openPool({ user: roles[role] })
  return pools[role]
}

beforeAll(async () => {
  for (const role of Object.values(roles)) await db.pool.query(`CREATE ROLE "${role}" LOGIN`)
  for (const schema of ['serves', 'erases', 'apart']) {
    await db.pool.query(postgresSchema({ schema, ...roles }))
  }
})

afterAll(async () => {
  for (const role of Object.values(roles))
    await db.pool.query(`DROP OWNED BY "${role}"; DROP ROLE "${role}"`)
})

const casesFor = (schema: string, role: keyof typeof roles) =>
  contractOn(schema, { admin: () => db.pool, pool: () => poolOf(role), migrate: false })

describe('a role that serves requests keeps the contract but for what deletes', () => {
  const unlessItDeletes = (error: { readonly code: unknown; readonly message: string }) => {
    expect(error).toMatchObject({ code: 'refused', message: expect.stringMatching(MAY_NOT_DELETE) })
  }
  for (const { name, run } of casesFor('serves', 'runtimeRole'))
    test(name, () => run().catch(unlessItDeletes))
})

describe('a role that erases keeps all of it', () => {
  for (const { name, run } of casesFor('erases', 'erasureRole')) test(name, run)
})

describe('a role that serves requests', () => {
  const open = () => postgresStorage(poolOf('runtimeRole'), { schema: 'apart', migrate: false })

  test.each(['a purge', 'a deleted workspace'])('is refused %s', async (name) => {
    const error = await rejection(Promise.resolve(CHANGES[name]?.(open())))
    const message = expect.stringMatching(MAY_NOT_DELETE)
    expect(error).toMatchObject({ code: 'refused', message })
  })

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
