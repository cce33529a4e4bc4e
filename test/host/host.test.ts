import { dirname, join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { dataFolder, type RunningHost, startHost } from '../support/example-host.ts'
import { exchange } from '../support/http/raw-client.ts'
import { databaseForTest } from '../support/postgres/own-database.ts'
import { freshPath } from '../support/sqlite-files.ts'

let folder: Awaited<ReturnType<typeof dataFolder>>
let host: RunningHost

beforeEach(async () => {
  folder = await dataFolder()
  host = await start()
})
afterEach(async () => {
  await host.kill()
  await folder.remove()
})

const start = (env: object = {}) => startHost({ MIFTAH_DATA: folder.path, ...env })

function as(workspace: string, path: string, body?: unknown): Promise<Response> {
  const headers = { cookie: `demo_workspace=${workspace}`, 'content-type': 'application/json' }
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  return fetch(`${host.address}/api/settings/api-keys${path}`, { ...init, headers })
}

function call(route: string, secret?: string): Promise<Response> {
  const headers = secret === undefined ? {} : { authorization: `Bearer ${secret}` }
  return fetch(`${host.address}/api/public/v1/${route}`, { headers })
}

async function created(workspace = 'business', scope = 'contacts.read') {
  const fields = { name: 'CRM sync', environment: 'live', scopes: [scope] }
  const response = await as(workspace, '/keys', fields)
  expect(response.status).toBe(201)
  return response.json()
}

describe('the example host', () => {
  test('serves the rows of the key’s workspace and no others', async () => {
    const rowsIn = async (workspace: string) => {
      const response = await call('contacts', (await created(workspace)).secret)
      const { contacts } = await response.json()
      return contacts.map(({ id }: { id: string }) => id)
    }
    expect(await rowsIn('business')).toEqual(['contact_1', 'contact_2', 'contact_3'])
    expect(await rowsIn('enterprise')).toEqual(['contact_7', 'contact_8'])
  })

  test('refuses: no key, a wrong key, a missing scope, a revoked key, nobody signed in', async () => {
    expect((await call('contacts')).status).toBe(401)
    expect((await call('contacts', 'svc_live_nonsense')).status).toBe(401)
    const writer = await created('business', 'contacts.write')
    expect((await call('contacts', writer.secret)).status).toBe(403)
    const { key, secret } = await created()
    expect((await as('business', `/keys/${key.id}/revoke`, {})).status).toBe(200)
    expect((await call('contacts', secret)).status).toBe(401)
    expect((await fetch(`${host.address}/api/settings/api-keys/keys`)).status).toBe(401)
  })

  test('refuses the fourth report within a minute with 429, and shows it in the usage', async () => {
    await host.kill()
    host = await start({ MIFTAH_EMPTY: undefined })
    const { key, secret } = await created()
    for (const route of ['contacts', 'report', 'report', 'report']) {
      expect((await call(route, secret)).status).toBe(200)
    }
    const refused = await call('report', secret)
    expect([refused.status, (await refused.json()).code]).toEqual([429, 'rate_limited'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString()
    const path = `/keys/${key.id}/usage?from=${day(-1)}&to=${day(1)}`
    type Bucket = { accepted: number; denied: { rate_limited: number } }
    await expect
      .poll(async () => {
        const { buckets }: { buckets: Bucket[] } = await (await as('business', path)).json()
        const sum = (count: (bucket: Bucket) => number) =>
          buckets.map(count).reduce((a, b) => a + b)
        return [sum(({ accepted }) => accepted), sum(({ denied }) => denied.rate_limited)]
      })
      .toEqual([4, 1])
  })

  test('Ctrl+C writes the counts, and a restart shows the same keys', async () => {
    const { key, secret } = await created()
    for (let times = 0; times < 3; times += 1) await call('contacts', secret)
    expect(await host.stop()).toBe(0)
    host = await start()
    const { keys } = await (await as('business', '/keys')).json()
    expect(keys).toMatchObject([{ id: key.id, uses: 3, status: 'active' }])
    expect((await call('contacts', secret)).status).toBe(200)
  })

  test('kill -9 leaves every acknowledged key and revocation', async () => {
    const [kept, gone] = [await created(), await created()]
    await as('business', `/keys/${gone.key.id}/revoke`, {})
    await host.kill()
    host = await start()
    expect((await call('contacts', kept.secret)).status).toBe(200)
    expect((await call('contacts', gone.secret)).status).toBe(401)
  })

  test('with DATABASE_URL the keys are in PostgreSQL, and stay there', async () => {
    const database = await databaseForTest()
    for (const times of [1, 2]) {
      await host.stop()
      host = await start({ DATABASE_URL: database.url })
      expect(host.output()).toContain('PostgreSQL')
      await created()
      const { rows } = await database.pool().query('SELECT id FROM miftah.miftah_keys')
      expect(rows).toHaveLength(times)
    }
  })

  test('prints commands that work when pasted, and no secret', async () => {
    const { secret } = await created()
    expect(host.output()).toContain(`${host.address}/api/settings/api-keys/keys`)
    expect(host.output()).toContain('-b demo_workspace=business')
    expect(host.output()).not.toContain(secret)
  })

  test('answers to its own names alone, so that no other site becomes its origin', async () => {
    await host.kill()
    host = await start({ MIFTAH_HOSTS: 'demo.test, Other.test:81' })
    const port = Number(new URL(host.address).port)
    const ask = (name: string, path = '/') =>
      exchange(port, `GET ${path} HTTP/1.1\r\nHost: ${name}\r\n\r\n`)
    const own = ['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]'].map((name) => `${name}:${port}`)
    for (const name of [...own, 'demo.test', 'other.test:81']) {
      expect((await ask(name)).status).toBe(200)
    }
    for (const name of [`evil.example:${port}`, 'localhost', 'demo.test:81', '']) {
      for (const path of ['/', '/api/public/v1/contacts', '/demo/session']) {
        expect((await ask(name, path)).status).toBe(421)
      }
    }
    const { body } = await ask('evil.example')
    expect(body).toContain(`This demo answers only to 127.0.0.1:${port}, localhost:${port}, [::1]`)
    expect(body).not.toContain('evil')
  })

  test.each([
    ['a taken port', () => ({ PORT: new URL(host.address).port }), /^Port \d+ is taken\. .*PORT=/m],
    [
      'no number',
      () => ({ PORT: 'http' }),
      /^The host cannot start: PORT must be a number.*"http"/m,
    ],
    [
      'no server',
      () => ({ DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c' }),
      /^The host cannot start: PostgreSQL cannot be reached/m,
    ],
    ['no folder', () => ({ MIFTAH_DATA: '/dev/null/keys' }), /^The host cannot start: ENOTDIR/m],
    [
      'the tables of an older version',
      () => ({ MIFTAH_DATA: oldData() }),
      /^The host cannot start: the file \S+keys\.sqlite has tables made by a version of miftah before 1: use a new file, or delete \.data$/m,
    ],
  ])('says in a sentence why it does not start: %s', async (_, env, sentence) => {
    const refusal = await start(env()).then(
      () => 'started',
      (error: Error) => error.message,
    )
    expect(refusal).toMatch(sentence)
    expect(refusal).not.toMatch(/^\s+at /m)
  })
})

/** A folder as a clone of an older version has it. */
function oldData(): string {
  const path = dirname(freshPath())
  const database = new DatabaseSync(join(path, 'keys.sqlite'))
  database.exec('CREATE TABLE miftah_migrations (version INTEGER PRIMARY KEY)')
  database.close()
  return path
}
