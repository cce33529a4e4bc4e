import { afterAll, beforeAll, expect, test } from 'vitest'
import { UsageError } from '../../adapters/cli/errors.ts'
import { ManagementError } from '../../adapters/client/index.ts'
import { Refusal } from '../../adapters/http/lib/management/refusal.ts'
import { StorageError } from '../../adapters/storage/sqlite.ts'
import { problem } from '../../src/http/index.ts'
import { ApiKeyError, OutageError } from '../../src/index.ts'
import { testKeys } from '../support/http/keys.ts'
import { rejection } from '../support/world.ts'

/*
 * A host may freeze what every error inherits, as hardened JavaScript does: `Error.prototype.name` can
 * then not be assigned through an error. Freezing cannot be undone, so the tests make it read-only.
 */

const INHERITED = ['name', 'message', 'toString'] as const

const setWritable = (writable: boolean) => {
  for (const name of INHERITED) Object.defineProperty(Error.prototype, name, { writable })
}

beforeAll(() => setWritable(false))
afterAll(() => setWritable(true))

test.each([
  ['ApiKeyError', () => new ApiKeyError('key_revoked')],
  ['OutageError', () => new OutageError('insert', new Error('x'))],
  ['StorageError', () => new StorageError('closed', 'the storage is closed')],
  ['ManagementError', () => new ManagementError('network')],
  ['UsageError', () => new UsageError('no such command')],
  ['Error', () => new Refusal(problem(404, { code: 'not_found', detail: 'No.' }))],
])('%s can be made where Error.prototype is frozen', (name, make) => {
  const error = make()
  expect([error.name, error.message === '', error.toString()]).toEqual([
    name,
    false,
    `${name}: ${error.message}`,
  ])
})

test('an operation is refused as everywhere', async () => {
  const { keys } = testKeys()
  const action = { workspaceId: 'ws_1', id: 'key_x', actor: { id: 'u_1', name: 'Noura' } }
  const error = await rejection(keys.pauseKey(action))
  expect(error).toMatchObject({ name: 'ApiKeyError', code: 'key_not_found' })
})
