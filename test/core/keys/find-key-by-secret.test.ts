import { describe, expect, test } from 'vitest'
import { createApiKeys, plans } from '../../../src/index.ts'
import { mintSecret } from '../../../src/secret/mint.ts'
import { findById } from '../../support/stored.ts'
import {
  action,
  fault,
  keyInput,
  openWorld,
  refusal,
  WORKSPACE,
  withoutUsage,
} from '../../support/world.ts'

describe('finding a key by its secret', () => {
  test('whatever its state and its plan, without counting a use or telling anyone', async () => {
    const world = openWorld()
    const { key, secret } = await world.keys.createKey(keyInput())
    world.plan = plans.none
    world.events.length = 0
    expect(await world.keys.findKeyBySecret(secret)).toEqual(withoutUsage(key))
    const revoked = await world.keys.revokeKey(action(key.id))
    expect(await world.keys.findKeyBySecret(secret)).toEqual(withoutUsage(revoked))
    await world.keys.flush()
    const { keys } = await world.keys.listKeys({ workspaceId: WORKSPACE })
    expect(keys).toMatchObject([{ uses: 0, lastUsedAt: null }])
    expect(world.events.map(({ type }) => type)).toEqual(['api_key.revoked'])
  })

  test('a secret that nobody issued finds no key', async () => {
    const { keys } = openWorld()
    expect(await keys.findKeyBySecret(mintSecret('svc', 'live'))).toBeNull()
  })

  test.each(['%s\n', ' \t%s\r\n', '\uFEFF%s', '\u00A0%s\u2028'])(
    'white space around it is cut: %j',
    async (text) => {
      const { keys } = openWorld()
      const { key, secret } = await keys.createKey(keyInput())
      const given = text.replace('%s', secret)
      expect(await keys.findKeyBySecret(given)).toMatchObject({ id: key.id })
      expect(await keys.revokeBySecret(given)).toMatchObject({ id: key.id, status: 'revoked' })
      expect(await keys.authenticateSecret(secret, null)).toMatchObject({ reason: 'revoked' })
      expect(await keys.authenticateSecret(given, null)).toMatchObject({ reason: 'malformed' })
    },
  )

  test('what is no secret of the brand is not looked up', async () => {
    const world = openWorld({ brand: 'acme' })
    const { secret } = await world.keys.createKey(keyInput())
    world.asked()
    const others = [
      '',
      ' ',
      `${secret} ${secret}`,
      `Bearer ${secret}`,
      secret.slice(1),
      mintSecret('svc', 'live'),
    ]
    for (const other of [...others, null, undefined, 7, { length: secret.length }, [secret]]) {
      expect(await world.keys.findKeyBySecret(other as string)).toBeNull()
    }
    expect(world.asked()).toEqual([])
    expect(await world.keys.findKeyBySecret(secret)).not.toBeNull()
    expect(world.asked()).toEqual(['findByHash'])
  })

  test.each([
    ['fails', () => Promise.reject(new Error('connection refused'))],
    [
      'throws at once',
      () => {
        throw new Error('not open')
      },
    ],
    ['does not answer', () => new Promise(() => {})],
    ['answers nonsense', () => 'yes'],
  ])('a storage that %s is an outage', async (_name, findByHash) => {
    const world = openWorld()
    const { secret } = await world.keys.createKey(keyInput())
    world.misbehaviour.findByHash = findByHash
    expect((await fault(world.keys.findKeyBySecret(secret))).operation).toBe('findByHash')
    expect(world.events.at(-1)?.type).toBe('outage')
  })

  test('a storage that answers with another key is an outage, not that key', async () => {
    const world = openWorld()
    const { secret } = await world.keys.createKey(keyInput())
    const { key: other } = await world.keys.createKey(keyInput())
    world.misbehaviour.findByHash = () => findById(world.stored, WORKSPACE, other.id)
    const { cause } = await fault(world.keys.findKeyBySecret(secret))
    expect(cause).toEqual(new TypeError('The storage answered with another key.'))
  })

  test('nothing is found after close()', async () => {
    const { stored } = openWorld()
    const keys = createApiKeys({ storage: stored, entitlements: () => plans.business })
    await keys.close()
    expect((await refusal(keys.findKeyBySecret(mintSecret('svc', 'live')))).code).toBe('closed')
  })
})
