import { describe, expect, test } from 'vitest'
import { sha256Hex } from '#sha256'
import { plans } from '../../../src/index.ts'
import { findById } from '../../support/stored.ts'
import { action, CREATOR, keyInput, openWorld, refusal, START_MS } from '../../support/world.ts'

describe('createKey', () => {
  test('answers the key and its secret, and stores the hash', async () => {
    const { keys, stored } = openWorld()
    const input = keyInput({ environment: 'test', scopes: ['flows.read', 'contacts.read'] })
    const { key, secret } = await keys.createKey(input)
    expect(secret).toMatch(/^svc_test_[0-9A-Za-z]{46}$/)
    expect(key).toEqual({
      id: expect.stringMatching(/^key_[A-Za-z0-9_-]{21}$/),
      workspaceId: 'ws_1',
      name: 'CRM sync',
      environment: 'test',
      scopes: ['contacts.read', 'flows.read'],
      prefix: secret.slice(0, 12),
      creator: CREATOR,
      createdAt: new Date(START_MS),
      lastUsedAt: null,
      uses: 0,
      status: 'active',
      version: 1,
      updatedAt: new Date(START_MS),
      expiresAt: null,
      pausedAt: null,
      pausedBy: null,
      retiresAt: null,
      revokedAt: null,
      replaces: null,
      replacedBy: null,
      format: null,
      note: null,
      resources: {},
      networks: 'any',
      withinGrant: true,
      metadata: {},
    })
    const record = await findById(stored, 'ws_1', key.id)
    expect(record?.hash).toBe(sha256Hex(secret))
    expect(JSON.stringify(record)).not.toContain(secret.slice(12))
  })

  test('what the caller changes afterwards changes nothing', async () => {
    const { keys, stored } = openWorld()
    const input = keyInput({ scopes: ['contacts.read'], creator: { ...CREATOR } })
    const { key } = await keys.createKey(input)
    ;(input.scopes as unknown as string[]).push('flows.read')
    Object.assign(input.creator, { name: 'changed' })
    const record = await findById(stored, 'ws_1', key.id)
    expect(record?.scopes).toEqual(['contacts.read'])
    expect(record?.creator).toEqual(CREATOR)
  })
})

describe('the active-key limit', () => {
  test('revoked keys make room; each workspace has its own', async () => {
    const own = openWorld({ entitlements: () => ({ publicApi: true, activeKeyLimit: 1 }) })
    const { key } = await own.keys.createKey(keyInput())
    expect((await refusal(own.keys.createKey(keyInput()))).code).toBe('active_key_limit_reached')
    await own.keys.createKey(keyInput({ workspaceId: 'ws_2' }))
    await own.keys.revokeKey(action(key.id))
    await own.keys.createKey(keyInput())
    expect((await refusal(own.keys.createKey(keyInput()))).activeKeys).toBe(1)
  })

  test('zero is a limit; null is no limit', async () => {
    const world = openWorld()
    world.plan = { publicApi: true, activeKeyLimit: 0 }
    expect(await refusal(world.keys.createKey(keyInput()))).toMatchObject({
      code: 'active_key_limit_reached',
      activeKeys: 0,
      activeKeyLimit: 0,
    })
    world.plan = plans.enterprise
    await Promise.all(Array.from({ length: 30 }, () => world.keys.createKey(keyInput())))
    expect((await world.keys.listKeys({ workspaceId: 'ws_1' })).activeKeys).toBe(30)
  })

  test('after a downgrade nothing is created until there is room', async () => {
    const world = openWorld()
    world.plan = plans.enterprise
    const ids: string[] = []
    for (let made = 0; made < 7; made += 1)
      ids.push((await world.keys.createKey(keyInput())).key.id)
    world.plan = plans.business
    expect((await refusal(world.keys.createKey(keyInput()))).activeKeys).toBe(7)
    for (const id of ids.slice(0, 3)) await world.keys.revokeKey(action(id))
    expect((await world.keys.createKey(keyInput())).key.status).toBe('active')
    expect((await refusal(world.keys.createKey(keyInput()))).activeKeys).toBe(5)
  })
})

describe('listKeys', () => {
  async function worldWith(count: number) {
    const world = openWorld()
    world.plan = plans.enterprise
    const ids: string[] = []
    for (let made = 0; made < count; made += 1) {
      const environment = made % 3 === 0 ? ('test' as const) : ('live' as const)
      ids.unshift((await world.keys.createKey(keyInput({ environment }))).key.id)
    }
    return { ...world, world, ids }
  }

  test('an empty workspace', async () => {
    expect(await openWorld().keys.listKeys({ workspaceId: 'nobody' })).toEqual({
      keys: [],
      nextCursor: null,
      total: 0,
      activeKeys: 0,
      countedUpTo: 1_000,
      activeKeyLimit: 5,
      maxLifetimeSeconds: null,
      maxOverlapSeconds: 604_800,
      publicApi: true,
    })
  })

  test('newest first, 50 to a page, the cursor until the last', async () => {
    const { keys, ids } = await worldWith(120)
    const pages: string[][] = []
    let cursor: string | null | undefined
    do {
      const page = await keys.listKeys({ workspaceId: 'ws_1', cursor })
      pages.push(page.keys.map(({ id }) => id))
      expect(page.activeKeys).toBe(120)
      expect(page.activeKeyLimit).toBeNull()
      cursor = page.nextCursor
    } while (cursor !== null)
    expect(pages.map(({ length }) => length)).toEqual([50, 50, 20])
    expect(pages.flat()).toEqual(ids)
  })

  test('a cursor of nowhere, or of another workspace, is bad input', async () => {
    const { keys, asked } = await worldWith(1)
    for (const _ of [1, 2]) await keys.createKey(keyInput({ workspaceId: 'ws_2' }))
    const { nextCursor } = await keys.listKeys({ workspaceId: 'ws_2', limit: 1 })
    for (const cursor of ['', 'x', `1.${'0'.repeat(16)}`, nextCursor, `${nextCursor}'; --`]) {
      const error = await refusal(keys.listKeys({ workspaceId: 'ws_1', cursor }))
      expect(error.code).toBe('invalid_input')
      const message = 'is not a cursor of this list.'
      expect(error.issues).toEqual([{ path: ['cursor'], code: 'invalid_value', message }])
    }
    expect(asked().filter((method) => method === 'list')).toHaveLength(1)
    expect((await keys.listKeys({ workspaceId: 'ws_1', cursor: null })).keys).toHaveLength(1)
  })

  test('shows the whole key and nothing more', async () => {
    const { keys } = openWorld()
    const { key, secret } = await keys.createKey(keyInput())
    const list = await keys.listKeys({ workspaceId: 'ws_1' })
    expect(list.keys).toEqual([key])
    expect(JSON.stringify(list)).not.toContain(secret.slice(12))
    expect(JSON.stringify(list)).not.toContain(sha256Hex(secret))
    expect(Object.isFrozen(list) && Object.isFrozen(list.keys)).toBe(true)
  })
})
