import { expect, onTestFinished, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { linesOfTest, plainHost } from '../../support/http/plain-host.ts'
import { hasOwnServer } from '../../support/postgres/own-server.ts'
import { startStandby } from '../../support/postgres/standby.ts'
import { openPool } from '../../support/postgres-database.ts'
import { startPostgres } from '../../support/postgres-server.ts'

test.skipIf(!hasOwnServer)('a host on a read replica says that it is one', async () => {
  const primary = await startPostgres()
  onTestFinished(() => primary.dispose())
  const standby = await startStandby(primary)
  onTestFinished(() => standby.stop('immediate'))
  const pool = openPool({ connectionString: standby.url('postgres') })
  onTestFinished(() => pool.end())
  const lines = linesOfTest()
  const host = plainHost(postgresStorage(pool))
  expect([await host.visit(), await host.list()]).toEqual([503, 503])
  expect(lines).toEqual([
    expect.stringContaining(
      'the database server is read-only (cannot execute pg_current_xact_id() during recovery); connect to the primary.',
    ),
  ])
})
