import { describe, expect, test } from 'vitest'
import { checkToken, type ReceivedToken } from '../../../src/http/index.ts'
import { type ApiKeys, defineResources } from '../../../src/index.ts'
import { callsAnHour } from '../../support/memory-limiter.ts'
import { keyInput, openWorld, WORKSPACE } from '../../support/world.ts'

const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])

/** The keys themselves, and an object that stands in for them. */
const KEYS = [
  ['the keys', (keys: ApiKeys) => keys],
  ['an object that stands in for them', (keys: ApiKeys): ApiKeys => ({ ...keys })],
] as const

describe.each(KEYS)('a token checked for another service, by %s', (_name, standIn) => {
  const world = openWorld({ resources })
  world.plan = { publicApi: true, activeKeyLimit: null }
  const keys = standIn(world.keys)
  const check = async (fields: Record<string, unknown>, more: Partial<ReceivedToken> = {}) => {
    const { secret } = await world.keys.createKey(keyInput(fields))
    return checkToken(keys, { token: secret, workspaceId: WORKSPACE, ...more })
  }

  test('is a key of the workspace, or of any', async () => {
    expect((await check({})).ok).toBe(true)
    expect((await check({}, { workspaceId: null })).ok).toBe(true)
    const other = await check({}, { workspaceId: 'ws_2' })
    expect(other).toEqual({ ok: false, reason: 'unknown' })
  })

  test('that is no secret is refused', async () => {
    for (const token of ['', 'nonsense', 'two words', 'a,b']) {
      expect((await checkToken(keys, { token, workspaceId: null })).ok).toBe(false)
    }
  })

  test('of a restricted key needs what the request touches', async () => {
    const bound = { resources: { project: ['p_1'] } }
    expect(await check(bound)).toMatchObject({ reason: 'resource_not_allowed' })
    expect((await check(bound, { resource: { project: 'p_1' } })).ok).toBe(true)
    expect((await check(bound, { resource: { project: 'p_2' } })).ok).toBe(false)
    expect((await check(bound, { restrictions: 'by_caller' })).ok).toBe(true)
  })

  test('of a key with networks needs the address', async () => {
    const near = { networks: ['198.51.100.0/24'] }
    expect(await check(near)).toMatchObject({ reason: 'network_not_allowed' })
    expect((await check(near, { clientAddress: '198.51.100.1' })).ok).toBe(true)
    expect((await check(near, { clientAddress: '203.0.113.1' })).ok).toBe(false)
  })
})

test('a service that compares networks itself gets the key, and an address that it names still counts', async () => {
  const { keys } = openWorld()
  const { secret } = await keys.createKey(keyInput({ networks: ['198.51.100.0/24'] }))
  const received = { token: secret, workspaceId: null, restrictions: 'by_caller' } as const
  expect((await checkToken(keys, received)).ok).toBe(true)
  expect((await checkToken(keys, { ...received, clientAddress: '203.0.113.1' })).ok).toBe(false)
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
