import { dirname, join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { dataFolder, type RunningHost, startHost } from '../support/example-host.ts'
import { exchange } from '../support/http/raw-client.ts'
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

const start = () => startHost({ MIFTAH_DATA: folder.path })

interface Bucket {
  readonly accepted: number
  readonly denied: { readonly rate_limited: number }
}

function as(workspace: string, path: string, body?: unknown): Promise<Response> {
  const headers = { cookie: `demo_workspace=${workspace}`, 'content-type': 'application/json' }
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  return fetch(`${host.address}/api/settings/api-keys${path}`, { ...init, headers })
}

function contacts(secret: string): Promise<Response> {
  const headers = { authorization: `Bearer ${secret}` }
  return fetch(`${host.address}/api/public/v1/contacts`, { headers })
}

const FIELDS = { name: 'CRM sync', environment: 'live', scopes: ['contacts.read'] }

async function created(workspace: string, fields: object = FIELDS) {
  const response = await as(workspace, '/keys', fields)
  expect(response.status).toBe(201)
  return response.json()
}

describe('the example host', () => {
  test('serves the rows of the key’s workspace and no others', async () => {
    const business = await created('business')
    const enterprise = await created('enterprise')
    const rows = async (secret: string) => {
      const response = await contacts(secret)
      expect(response.status).toBe(200)
      const { contacts: found } = await response.json()
      return found.map(({ id }: { id: string }) => id)
    }
    expect(await rows(business.secret)).toEqual(['contact_1', 'contact_2', 'contact_3'])
    expect(await rows(enterprise.secret)).toEqual(['contact_7', 'contact_8'])
  })

  test('refuses the fourth report within a minute with 429, and shows it in the usage', async () => {
    const { key, secret } = await created('business')
    const headers = { authorization: `Bearer ${secret}` }
    const report = () => fetch(`${host.address}/api/public/v1/report`, { headers })
    for (let call = 0; call < 3; call += 1) expect((await report()).status).toBe(200)
    const refused = await report()
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await refused.json()).code).toBe('rate_limited')
    const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString()
    const path = `/keys/${key.id}/usage?from=${day(-1)}&to=${day(1)}`
    await expect
      .poll(async () => {
        const { buckets } = await (await as('business', path)).json()
        const sum = (count: (bucket: Bucket) => number) =>
          buckets.map(count).reduce((a: number, b: number) => a + b)
        return [sum(({ accepted }) => accepted), sum(({ denied }) => denied.rate_limited)]
      })
      .toEqual([3, 1])
  })

  test('refuses: no key, a wrong key, a missing scope, a revoked key, nobody signed in', async () => {
    expect((await fetch(`${host.address}/api/public/v1/contacts`)).status).toBe(401)
    expect((await contacts('svc_live_nonsense')).status).toBe(401)
    const writer = await created('business', { ...FIELDS, scopes: ['contacts.write'] })
    expect((await contacts(writer.secret)).status).toBe(403)
    const { key, secret } = await created('business')
    expect((await as('business', `/keys/${key.id}/revoke`, {})).status).toBe(200)
    expect((await contacts(secret)).status).toBe(401)
    expect((await fetch(`${host.address}/api/settings/api-keys/keys`)).status).toBe(401)
  })

  test('Ctrl+C writes the counts, and a restart shows the same keys', async () => {
    const { key, secret } = await created('business')
    for (let call = 0; call < 3; call += 1) await contacts(secret)
    expect(await host.stop()).toBe(0)
    host = await start()
    const { keys } = await (await as('business', '/keys')).json()
    expect(keys).toHaveLength(1)
    expect(keys[0]).toMatchObject({ id: key.id, uses: 3, status: 'active' })
    expect((await contacts(secret)).status).toBe(200)
  })

  test('kill -9 leaves every acknowledged key and revocation', async () => {
    const kept = await created('business')
    const gone = await created('business')
    await as('business', `/keys/${gone.key.id}/revoke`, {})
    await host.kill()
    host = await start()
    expect((await contacts(kept.secret)).status).toBe(200)
    expect((await contacts(gone.secret)).status).toBe(401)
  })

  test('prints commands that work when pasted, and no secret', async () => {
    const { secret } = await created('business')
    expect(host.output()).toContain(`${host.address}/api/settings/api-keys/keys`)
    expect(host.output()).toContain('-b demo_workspace=business')
    expect(host.output()).not.toContain(secret)
  })

  test('answers to its own names alone, so that no other site becomes its origin', async () => {
    const port = Number(new URL(host.address).port)
    const statusFor = async (name: string, path = '/') => {
      const { status } = await exchange(port, `GET ${path} HTTP/1.1\r\nHost: ${name}\r\n\r\n`)
      return status
    }
    for (const name of ['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]']) {
      expect(await statusFor(`${name}:${port}`)).toBe(200)
    }
    const strangers = [`evil.example:${port}`, 'localhost', `localhost.evil.example:${port}`, '']
    for (const name of strangers) {
      expect(await statusFor(name)).toBe(421)
      expect(await statusFor(name, '/api/public/v1/contacts')).toBe(421)
      expect(await statusFor(name, '/demo/session')).toBe(421)
    }
    const { body } = await exchange(port, 'GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n')
    expect(body).toContain(
      `This demo answers only to 127.0.0.1:${port}, localhost:${port}, [::1]:${port}.`,
    )
    expect(body).not.toContain('evil')
  })

  test('answers to other names that it is given', async () => {
    await host.kill()
    host = await startHost({ MIFTAH_DATA: folder.path, MIFTAH_HOSTS: 'demo.test, Other.test:81' })
    const port = Number(new URL(host.address).port)
    for (const name of ['demo.test', 'other.test:81', `127.0.0.1:${port}`]) {
      const { status } = await exchange(port, `GET / HTTP/1.1\r\nHost: ${name}\r\n\r\n`)
      expect(status).toBe(200)
    }
    const { status } = await exchange(port, 'GET / HTTP/1.1\r\nHost: demo.test:81\r\n\r\n')
    expect(status).toBe(421)
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
    const refusal = await startHost({ MIFTAH_DATA: folder.path, ...env() }).then(
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
