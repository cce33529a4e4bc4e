import { describe, expect, test } from 'vitest'
import { checkToken, type ReceivedToken } from '../../../src/http/index.ts'
import { type ApiKeys, defineResources } from '../../../src/index.ts'
import { callsAnHour } from '../../support/memory-limiter.ts'
import { keyInput, openWorld, WORKSPACE } from '../../support/world.ts'

const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])

const BOUND = { resources: { project: ['p_1'] } }
const NEAR = { networks: ['198.51.100.0/24'] }
const BY_CALLER = { restrictions: 'by_caller' } as const

describe.each([
  ['the keys', (keys: ApiKeys) => keys],
  ['an object that stands in for them', (keys: ApiKeys): ApiKeys => ({ ...keys })],
] as const)('a token checked for another service, by %s', (_name, standIn) => {
  test.each<[object, Partial<ReceivedToken>, string]>([
    [{}, {}, 'ok'],
    [{}, { workspaceId: null }, 'ok'],
    [{}, { workspaceId: 'ws_2' }, 'unknown'],
    [{}, { token: '' }, 'invalid_request'],
    [{}, { token: 'nonsense' }, 'malformed'],
    [{}, { token: 'two words' }, 'invalid_request'],
    [{}, { token: 'a,b' }, 'invalid_request'],
    [BOUND, {}, 'resource_not_allowed'],
    [BOUND, { resource: { project: 'p_1' } }, 'ok'],
    [BOUND, { resource: { project: 'p_2' } }, 'resource_not_allowed'],
    [BOUND, BY_CALLER, 'ok'],
    [NEAR, {}, 'network_not_allowed'],
    [NEAR, { clientAddress: '198.51.100.1' }, 'ok'],
    [NEAR, { clientAddress: '203.0.113.1' }, 'network_not_allowed'],
    [NEAR, { ...BY_CALLER, clientAddress: '203.0.113.1' }, 'network_not_allowed'],
  ])('of a key with %j, received with %j: %s', async (fields, received, expected) => {
    const { keys } = openWorld({ resources })
    const { secret } = await keys.createKey(keyInput({ ...fields }))
    const token = { token: secret, workspaceId: WORKSPACE, ...received }
    const answer = await checkToken(standIn(keys), token)
    expect(answer.ok ? 'ok' : answer.reason).toBe(expected)
  })
})

test('a service that compares networks itself gets the key', async () => {
  const { keys } = openWorld()
  const { secret } = await keys.createKey(keyInput(NEAR))
  const received = { token: secret, workspaceId: null, ...BY_CALLER }
  expect((await checkToken(keys, received)).ok).toBe(true)
})

test('the limiter is not called', async () => {
  const { keys } = openWorld({ limiter: callsAnHour(1) })
  const { secret } = await keys.createKey(keyInput())
  for (let at = 0; at < 3; at += 1) {
    expect((await checkToken(keys, { token: secret, workspaceId: null })).ok).toBe(true)
  }
  expect((await keys.authenticate(`Bearer ${secret}`, null)).ok).toBe(true)
  expect((await keys.authenticate(`Bearer ${secret}`, null)).ok).toBe(false)
})
