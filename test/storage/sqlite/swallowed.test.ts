import { expect, test } from 'vitest'
import { createApiKeys, OutageError, plans } from '../../../src/index.ts'
import { freshPath, rawAt, storageAt } from '../../support/sqlite-files.ts'
import { insertKeys, SWALLOWED } from '../../support/swallowed.ts'
import { keyInput } from '../../support/world.ts'

/** A storage with keys, and a trigger of the host that swallows changes. */
async function storageWith(change: 'INSERT' | 'UPDATE' | 'DELETE', table: string) {
  const path = freshPath()
  const storage = storageAt(path)
  const keys = await insertKeys(storage)
  const other = rawAt(path)
  other.exec('DELETE FROM miftah_outbox')
  other.exec(`CREATE TRIGGER host BEFORE ${change} ON miftah_${table}
    BEGIN SELECT RAISE(IGNORE); END`)
  return { storage, keys }
}

test.each(SWALLOWED)('%s fails when a trigger swallows %s of %s', async (...swallowed) => {
  const [, change, table, call] = swallowed
  const { storage, keys } = await storageWith(change, table)
  await expect(call(storage, keys)).rejects.toThrow(/changing one row|could not be erased/)
})

test('eraseWorkspace of the core throws while a key lives', async () => {
  const path = freshPath()
  const keys = createApiKeys({ storage: storageAt(path), entitlements: () => plans.business })
  const { secret } = await keys.createKey(keyInput())
  const other = rawAt(path)
  other.exec(`CREATE TRIGGER host BEFORE UPDATE OF revoked_at_ms ON miftah_keys
    BEGIN SELECT RAISE(IGNORE); END`)
  await expect(keys.eraseWorkspace({ workspaceId: 'ws_1' })).rejects.toThrow(OutageError)
  other.exec('DROP TRIGGER host')
  expect(await keys.eraseWorkspace({ workspaceId: 'ws_1' })).toMatchObject({ keys: 1 })
  expect(await keys.authenticate(`Bearer ${secret}`, null)).toMatchObject({ reason: 'unknown' })
})
