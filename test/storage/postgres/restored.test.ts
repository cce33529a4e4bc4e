import { expect, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { type ApiKeys, createApiKeys, plans } from '../../../src/index.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'
import { savedLog } from '../../support/postgres/saved-log.ts'
import { action, keyInput, until } from '../../support/world.ts'

const db = databaseForFile()

const accepts = async (keys: ApiKeys, secret: string) =>
  (await keys.authenticate(`Bearer ${secret}`, null)).ok

test('a key that is revoked right after the log was restored is accepted by no process', async () => {
  const faults: string[] = []
  const common = { storage: postgresStorage(db.pool), entitlements: () => plans.enterprise }
  const node = createApiKeys({
    ...common,
    cache: { leaseMs: 3_000 },
    onEvent: (event) => {
      if (event.type === 'outage') faults.push(event.operation)
    },
  })
  const script = createApiKeys(common)
  try {
    const created = await Promise.all(
      Array.from({ length: 10 }, () => script.createKey(keyInput())),
    )
    const warm = async () => {
      for (const { secret } of created) await accepts(node, secret)
    }
    await warm()
    await until(() => node.stats().cache?.hasLease === true)
    await warm()
    const restore = await savedLog(db.pool, 'miftah')
    for (const { key } of created.slice(0, 5)) await script.revokeKey(action(key.id))
    await restore()
    await until(() => faults.includes('lease'))
    await warm()
    for (const { key, secret } of created.slice(5)) {
      expect(await accepts(node, secret)).toBe(true)
      await script.revokeKey(action(key.id))
      expect(await accepts(node, secret)).toBe(false)
    }
    await until(() => (node.stats().cache?.lag ?? -1) >= 0)
  } finally {
    await node.close()
    await script.close()
  }
})
