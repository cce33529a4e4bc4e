import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { openRace } from '../../programs/reliability/open-race.ts'
import { WorkerProcess } from '../../programs/reliability/worker-process.ts'
import { createVersionOne, fillVersionOne } from '../../support/postgres/version-one.ts'
import { testDatabase } from '../../support/postgres-database.ts'
import { startPostgres } from '../../support/postgres-server.ts'

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 600_000 })

const MODULE = fileURLToPath(
  new URL('../../programs/reliability/postgres-upgrade-module.ts', import.meta.url),
)

test('8 processes upgrade a database of version 1 at the same moment', async () => {
  expect((await openRace(MODULE)).failures).toEqual([])
})

test('a process that is killed while it upgrades leaves a whole version behind', async () => {
  const server = await startPostgres()
  const versions: number[] = []
  for (let round = 0; round < 8; round += 1) {
    const database = await testDatabase(server)
    const pool = database.pool()
    await createVersionOne(pool)
    const keys = await fillVersionOne(pool)
    const worker = await WorkerProcess.start(MODULE, database.url)
    const order = { workspaceId: 'ws_one', count: 1, limit: null }
    const work = worker.call('insertMany', order).catch(() => 0)
    await new Promise((resolve) => setTimeout(resolve, round * 12))
    await worker.kill()
    await work
    const { rows } = await pool.query('SELECT max(version) AS version FROM miftah.schema_version')
    versions.push(rows[0].version)
    const storage = postgresStorage(pool)
    for (const key of keys) expect(await storage.findById(key.workspaceId, key.id)).toEqual(key)
    await database.close()
  }
  // The control: some kills came before the upgrade had happened.
  expect(versions).toContain(1)
  await server.dispose()
})
