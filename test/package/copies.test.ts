import { createRequire } from 'node:module'
import { join } from 'node:path'
import { build } from 'esbuild'
import * as core from 'miftah'
import * as client from 'miftah/client'
import * as management from 'miftah/management'
import * as memory from 'miftah/memory'
import * as postgres from 'miftah/postgres'
import * as sqlite from 'miftah/sqlite'
import { describe, expect, test } from 'vitest'
import { ROOT } from '../support/package/npm.ts'

const require = createRequire(import.meta.url)

/** The CommonJS file of an entry, beside the ES modules above: a second copy. */
const required = (name: string) => require(join(ROOT, 'dist', `${name}.cjs`))

const imported = { ...core, ...management, ...memory }
const other = { ...required('index'), ...required('management'), ...required('memory') }

test.each([
  ['ApiKeyError', core.ApiKeyError, required('index')],
  ['OutageError', core.OutageError, required('index')],
  ['StorageError', sqlite.StorageError, required('sqlite')],
  ['StorageError', postgres.StorageError, required('sqlite')],
  ['ManagementError', client.ManagementError, required('client')],
])('instanceof %s knows the errors of the other copy', (name, Imported, { [name]: Required }) => {
  expect(Required).not.toBe(Imported)
  expect(Reflect.construct(Imported, ['closed'])).toBeInstanceOf(Required)
  expect(Reflect.construct(Required, ['closed'])).toBeInstanceOf(Imported)
})

describe.each([
  ['CommonJS', 'ES modules', other, imported],
  ['ES modules', 'CommonJS', imported, other],
])('the routes of the %s on keys of the %s', (_, __, { manageKeys }, keysOf) => {
  const keys = (keysOf as typeof imported).createApiKeys({
    storage: keysOf.memoryStorage(),
    entitlements: () => ({ publicApi: true, activeKeyLimit: 1 }),
  })
  const context = () => ({ workspaceId: 'ws_1', user: { id: 'u_1', name: 'Noura' } })
  const api: (request: Request) => Promise<Response> = manageKeys(keys, { context })
  const fields = { name: 'CRM sync', environment: 'live', scopes: ['contacts.read'] }

  async function statusOf(method: string, path: string, body?: object): Promise<number> {
    const headers = {
      'content-type': 'application/json',
      origin: 'http://localhost',
      'if-match': '"7"',
    }
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await api(
      new Request(`http://localhost/${path}`, { method, headers, ...content }),
    )
    return response.status
  }

  test('answer refusals and outages with their own status', async () => {
    expect(await statusOf('POST', 'keys', fields)).toBe(201)
    const { keys: listed } = await keys.listKeys({ workspaceId: 'ws_1' })
    expect(await statusOf('POST', 'keys', { ...fields, name: '' })).toBe(422)
    expect(await statusOf('POST', 'keys', fields)).toBe(409)
    expect(await statusOf('GET', 'keys/key_unknown')).toBe(404)
    expect(await statusOf('PATCH', `keys/${listed[0]?.id}`, { name: 'B' })).toBe(412)
    await keys.close()
    expect(await statusOf('POST', 'keys', fields)).toBe(503)
  })
})

test('a bundle of a program that imports, and of one that requires', async () => {
  const contents = `
    export { ApiKeyError } from 'miftah'
    export const Other = require('miftah').ApiKeyError`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    // Without the paths of this project's own, which lead to the sources.
    tsconfigRaw: {},
  })
  const module: { exports: Record<string, typeof core.ApiKeyError> } = { exports: {} }
  new Function('module', 'require', outputFiles[0]?.text ?? '')(module, require)
  const { ApiKeyError = Error, Other = Error } = module.exports
  expect(ApiKeyError).not.toBe(Other)
  expect(new ApiKeyError('stale')).toBeInstanceOf(Other)
})
