import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresSchema, postgresStorage } from '../../adapters/storage/postgres.ts'
import { createApiKeys, plans } from '../../src/index.ts'
import { miftah } from '../support/command-line.ts'
import { startStandby } from '../support/postgres/standby.ts'
import { type TestDatabase, testDatabase } from '../support/postgres-database.ts'
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { freshPath, rawAt, storageAt } from '../support/sqlite-files.ts'

/** The findings that are not well, and how the command ended. */
async function faults(words: readonly string[]) {
  const { code, out, err } = await miftah(['doctor', ...words, '--json'])
  expect(err).toBe('')
  const { ok, findings } = JSON.parse(out)
  expect(ok).toBe(code === 0)
  const found = findings.filter(({ state }: { state: string }) => state !== 'well')
  return { code, found: found.map((f: Record<string, string>) => `${f['check']} ${f['state']}`) }
}

const FIELDS = { environment: 'live', scopes: ['contacts.read'], name: 'k' } as const
const actor = { id: 'u', name: 'u' }

/** Keys and seven events. */
async function fill(storage: Parameters<typeof createApiKeys>[0]['storage']): Promise<void> {
  const keys = createApiKeys({ storage, entitlements: () => plans.enterprise })
  const of = { workspaceId: 'ws_1', actor }
  const issue = () => keys.createKey({ workspaceId: 'ws_1', creator: actor, ...FIELDS })
  await issue()
  await keys.pauseKey({ ...of, id: (await issue()).key.id })
  await keys.revokeKey({ ...of, id: (await issue()).key.id })
  await keys.rotateKey({ ...of, id: (await issue()).key.id, overlapSeconds: 60 })
  await keys.close()
}

describe('on SQLite', () => {
  test('a file in use', async () => {
    const path = freshPath()
    await fill(storageAt(path))
    const { code, out, err } = await miftah(['doctor', '-d', path])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const lines = out.trimEnd().split('\n')
    expect(lines).toHaveLength(5)
    expect(lines[0]).toMatch(/^ok {5}reachable {3}SQLite 3\.\d+\.\d+ answers\.$/)
    expect(lines[4]).toMatch(
      /7 events have not been acknowledged by a relay; the oldest is from \d{4}-/,
    )
  })

  test('a file without tables, and one of a later release', async () => {
    const path = freshPath()
    writeFileSync(path, '')
    const unknown = ['rights unknown', 'events unknown']
    expect(await faults(['-d', path])).toEqual({ code: 1, found: ['schema wrong', ...unknown] })
    await storageAt(path).migrate()
    rawAt(path).exec('UPDATE miftah_schema SET version = 99')
    expect(await faults(['-d', path])).toEqual({ code: 1, found: ['schema wrong', ...unknown] })
  })

  test('a file that is no database', async () => {
    const path = freshPath()
    writeFileSync(path, 'nonsense '.repeat(100))
    const none = await miftah(['doctor', '-d', path])
    expect(none).toMatchObject({ code: 1, err: '' })
    expect(none.out).toMatch(
      /^WRONG {2}reachable {3}The key storage cannot be used: the SQLite file/,
    )
  })
})

describe('on PostgreSQL', () => {
  let server: PostgresServer
  let database: TestDatabase
  const url = (user = 'postgres') => server.url(database.name, user)

  beforeAll(async () => {
    server = await startPostgres()
    database = await testDatabase(server)
    for (const role of ['app_well', 'app_poor'])
      await database.pool().query(`CREATE ROLE ${role} LOGIN`)
  })
  afterAll(async () => {
    await database.close()
    await server.dispose()
  })

  test('a life from no tables to a role with few rights', async () => {
    const unknown = ['rights unknown', 'events unknown']
    expect(await faults(['-d', url()])).toEqual({ code: 1, found: ['schema wrong', ...unknown] })
    await database.pool().query(postgresSchema({ runtimeRole: 'app_well' }))
    await fill(postgresStorage(database.pool()))
    const { code, out } = await miftah(['doctor', '-d', url()])
    expect(code).toBe(0)
    expect(out).toMatch(/^ok {5}reachable {3}PostgreSQL \d+\.\d+ answers\.\n/)
    expect(out).toContain('7 events have not been acknowledged')
    expect(await faults(['-d', url('app_well')])).toEqual({ code: 0, found: [] })
  })

  test('a role without rights sees each of them', async () => {
    const closed = await miftah(['doctor', '-d', url('app_poor')])
    expect(closed.code).toBe(1)
    expect(closed.out).toContain('This role lacks USAGE ON SCHEMA miftah, SELECT ON')
    await database.pool().query(postgresSchema({ runtimeRole: 'app_poor' }))
    await database.pool().query('REVOKE UPDATE ON miftah.miftah_keys FROM app_poor')
    const { code, out } = await miftah(['doctor', '-d', url('app_poor')])
    expect(code).toBe(1)
    expect(out).toContain(
      'This role lacks UPDATE ON miftah.miftah_keys: apply the SQL of `npx miftah migrate --print',
    )
  })

  test('a server that takes no changes', async () => {
    const readOnly = `${url()}?options=-c%20default_transaction_read_only%3Don`
    expect(await faults(['-d', readOnly])).toEqual({ code: 1, found: ['primary wrong'] })
    const standby = await startStandby(server)
    try {
      const of = ['-d', standby.url(database.name)]
      await expect
        .poll(() => faults(of))
        .toEqual({
          ...{ code: 1, found: ['primary wrong'] },
        })
      expect((await miftah(['doctor', ...of])).out).toContain('is a read replica')
    } finally {
      await standby.stop('immediate')
    }
  })

  test('no server', async () => {
    const { code, out } = await miftah(['doctor', '-d', 'postgres://127.0.0.1:1/none'])
    expect(code).toBe(1)
    expect(out).toMatch(
      /^WRONG {2}reachable {3}The key storage cannot be used: no database server listens/,
    )
    expect(out.trimEnd().split('\n')).toHaveLength(1)
  })

  test('a wrong command line ends with 2', async () => {
    expect((await miftah(['doctor', 'x', '-d', url()])).code).toBe(2)
    expect((await miftah(['doctor', '-d', url(), '-w', 'ws'])).code).toBe(2)
  })
})
