import { beforeEach, expect, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { createApiKeys, OutageError, plans } from '../../../src/index.ts'
import { databaseForTest } from '../../support/postgres/own-database.ts'
import type { TestDatabase } from '../../support/postgres-database.ts'
import { insertKeys, SWALLOWED } from '../../support/swallowed.ts'
import { keyInput } from '../../support/world.ts'

let database: TestDatabase
let pool: ReturnType<TestDatabase['pool']>

beforeEach(async () => {
  database = await databaseForTest()
  pool = database.pool()
})

/** Has a trigger of the host answer a change of a table. */
async function answerWith(row: 'NULL' | 'OLD', change: string, table: string): Promise<void> {
  await pool.query(`CREATE FUNCTION public.host() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN RETURN ${row}; END'`)
  await pool.query(`CREATE TRIGGER host BEFORE ${change} ON miftah.${table}
    FOR EACH ROW EXECUTE FUNCTION public.host()`)
}

test.each(SWALLOWED)('%s fails when a trigger swallows %s of %s', async (...swallowed) => {
  const [, change, table, call] = swallowed
  const storage = postgresStorage(pool)
  const keys = await insertKeys(storage)
  await pool.query('DELETE FROM miftah.outbox')
  await answerWith('NULL', change, table)
  await expect(call(storage, keys)).rejects.toMatchObject({ code: 'refused' })
})

test.each(['NULL', 'OLD'] as const)(
  'eraseWorkspace of the core throws while a key lives: the trigger returns %s',
  async (row) => {
    const storage = postgresStorage(pool)
    const keys = createApiKeys({ storage, entitlements: () => plans.business })
    const { secret } = await keys.createKey(keyInput())
    await answerWith(row, 'UPDATE', 'keys')
    await expect(keys.eraseWorkspace({ workspaceId: 'ws_1' })).rejects.toThrow(OutageError)
    await pool.query('DROP TRIGGER host ON miftah.keys')
    expect(await keys.eraseWorkspace({ workspaceId: 'ws_1' })).toMatchObject({ keys: 1 })
    expect(await keys.authenticate(`Bearer ${secret}`, null)).toMatchObject({ reason: 'unknown' })
  },
)
