import { expect, test } from 'vitest'
import { dataFolder, startHost } from '../support/example-host.ts'
import { databaseForTest } from '../support/postgres/own-database.ts'

test('with DATABASE_URL the keys of the example host are in PostgreSQL, and stay there', async () => {
  const database = await databaseForTest()
  const folder = await dataFolder()
  const env = { DATABASE_URL: database.url, MIFTAH_DATA: folder.path }
  const first = await startHost(env)
  const settings = (address: string) => `${address}/api/settings/api-keys/keys`
  const headers = { cookie: 'demo_workspace=business', 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'CRM', environment: 'live', scopes: ['contacts.read'] })
  try {
    const created = await fetch(settings(first.address), { method: 'POST', headers, body })
    const { key, secret } = await created.json()
    expect(first.output()).toContain('PostgreSQL')
    expect(await first.stop()).toBe(0)
    const { rows } = await database.pool().query('SELECT id FROM miftah.miftah_keys')
    expect(rows).toEqual([{ id: key.id }])

    const second = await startHost(env)
    try {
      const authorization = { authorization: `Bearer ${secret}` }
      const contacts = `${second.address}/api/public/v1/contacts`
      expect((await fetch(contacts, { headers: authorization })).status).toBe(200)
      const { keys } = await (await fetch(settings(second.address), { headers })).json()
      expect(keys).toMatchObject([{ id: key.id, status: 'active' }])
    } finally {
      await second.stop()
    }
  } finally {
    await first.kill()
    await folder.remove()
  }
})
