import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as core from 'miftah'
import * as client from 'miftah/client'
import * as fetchHost from 'miftah/fetch'
import * as memory from 'miftah/memory'
import * as postgres from 'miftah/postgres'
import * as sqlite from 'miftah/sqlite'
import { afterAll, expect, test } from 'vitest'
import { ROOT } from '../support/package/npm.ts'

// Another installation of the package, which finds the same dependencies.
const COPY = join(ROOT, 'node_modules/.cache/miftah-copy')
for (const path of ['package.json', 'dist']) {
  cpSync(join(ROOT, path), join(COPY, path), { recursive: true })
}
afterAll(() => rmSync(COPY, { recursive: true }))

const copied = (name: string) => import(pathToFileURL(join(COPY, `dist/${name}.js`)).href)

const ours = { ...core, ...fetchHost, ...memory }
const theirs: typeof ours = {
  ...(await copied('index')),
  ...(await copied('fetch')),
  ...(await copied('memory')),
}

test.each([
  ['ApiKeyError', core.ApiKeyError, await copied('index')],
  ['OutageError', core.OutageError, await copied('index')],
  ['StorageError', sqlite.StorageError, await copied('sqlite')],
  ['StorageError', postgres.StorageError, await copied('sqlite')],
  ['ManagementError', client.ManagementError, await copied('client')],
])('instanceof %s knows the errors of the other copy', (name, Ours, { [name]: Theirs }) => {
  expect(Theirs).not.toBe(Ours)
  expect(Reflect.construct(Ours, ['closed'])).toBeInstanceOf(Theirs)
  expect(Reflect.construct(Theirs, ['closed'])).toBeInstanceOf(Ours)
})

test.each([
  ['one copy', 'the other', theirs, ours],
  ['the other', 'one copy', ours, theirs],
])(
  'the routes of %s answer refusals and outages of keys of %s',
  async (_, __, { manageKeys }, of) => {
    const keys = of.createApiKeys({
      storage: of.memoryStorage(),
      entitlements: () => ({ publicApi: true, activeKeyLimit: 1 }),
    })
    const context = () => ({ workspaceId: 'ws_1', user: { id: 'u_1', name: 'Noura' } })
    const api: (request: Request) => Promise<Response> = manageKeys(keys, { context })
    const fields = { name: 'CRM sync', environment: 'live', scopes: ['contacts.read'] }
    const headers = { 'content-type': 'application/json', 'if-match': '"7"' }
    const statusOf = async (method: string, path: string, body?: object) => {
      const content = body === undefined ? {} : { body: JSON.stringify(body) }
      const request = new Request(`http://localhost/${path}`, { method, headers, ...content })
      return (await api(request)).status
    }
    expect(await statusOf('POST', 'keys', fields)).toBe(201)
    const { keys: listed } = await keys.listKeys({ workspaceId: 'ws_1' })
    expect(await statusOf('POST', 'keys', { ...fields, name: '' })).toBe(422)
    expect(await statusOf('POST', 'keys', fields)).toBe(409)
    expect(await statusOf('GET', 'keys/key_unknown')).toBe(404)
    expect(await statusOf('PATCH', `keys/${listed[0]?.id}`, { name: 'B' })).toBe(412)
    await keys.close()
    expect(await statusOf('POST', 'keys', fields)).toBe(503)
  },
)
