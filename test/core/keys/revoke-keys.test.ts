import { describe, expect, test } from 'vitest'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { checkerOf } from '../../../src/http/index.ts'
import { type DefaultScope, defineResources, plans } from '../../../src/index.ts'
import type { RevokeKeysInput } from '../../../src/keys/revoke-keys.ts'
import { ACTOR, fault, keyInput, openWorld, refusal, WORKSPACE } from '../../support/world.ts'

const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])
const NOURA = { id: 'u_1', name: 'نورة' }
const SAMI = { id: 'u_2', name: 'Sami' }
const DAY_MS = 86_400_000

function open() {
  const world = openWorld({ resources })
  world.plan = plans.enterprise
  const make = (fields: Record<string, unknown> = {}) => world.keys.createKey(keyInput(fields))
  const revoke = (fields: Partial<RevokeKeysInput<DefaultScope>>) =>
    world.keys.revokeKeys({ workspaceId: WORKSPACE, actor: ACTOR, ...fields })
  const statuses = async (workspaceId = WORKSPACE) => {
    const { keys } = await world.keys.listKeys({ workspaceId, limit: 200, sort: 'createdAt' })
    return keys.map(({ status }) => status)
  }
  return Object.assign(world, { make, revoke, statuses })
}

describe('revokeKeys', () => {
  test('revokes the keys of one creator, with an event each, and no others', async () => {
    const { keys, make, revoke, statuses, events } = open()
    const { secret } = await make({ creator: NOURA })
    await make({ creator: SAMI })
    await make({ creator: NOURA, workspaceId: 'ws_2' })
    const elsewhere = await keys.listKeys({ workspaceId: 'ws_2' })
    const before = events.length
    const {
      revoked,
      skipped,
      more,
      keys: ended,
    } = await revoke({
      creatorId: NOURA.id,
      reason: 'other',
    })
    expect([revoked, skipped, more, ended.length]).toEqual([1, 0, false, 1])
    expect(await statuses()).toEqual(['revoked', 'active'])
    expect(events.slice(before)).toMatchObject([
      { type: 'api_key.revoked', actor: ACTOR, data: { reason: 'other', endedOverlap: false } },
    ])
    expect(await keys.authenticate(`Bearer ${secret}`, null)).toMatchObject({ reason: 'revoked' })
    expect(await keys.listKeys({ workspaceId: 'ws_2' })).toEqual(elsewhere)
    expect(await revoke({ creatorId: NOURA.id })).toMatchObject({ revoked: 0, skipped: 0 })
  })

  test('joins its filters by "and"', async () => {
    const { make, revoke, statuses } = open()
    await make({ scopes: ['contacts.read'], environment: 'live' })
    await make({ scopes: ['contacts.read'], environment: 'test' })
    await make({ scopes: ['contacts.write'], environment: 'test' })
    await revoke({ scope: 'contacts.read', environment: 'test' })
    expect(await statuses()).toEqual(['active', 'revoked', 'active'])
  })

  test('by a resource hits only keys that list nothing else of the type', async () => {
    const { make, revoke, statuses } = open()
    await make()
    await make({ resources: { project: ['p_1'] } })
    await make({ resources: { project: ['p_1', 'p_2'] } })
    await make({ resources: { project: [] } })
    await revoke({ resource: { project: 'p_1' } })
    expect(await statuses()).toEqual(['active', 'revoked', 'active', 'active'])
  })

  test('by use counts a key that was never used from its creation', async () => {
    const world = open()
    await world.make()
    world.nowMs += 8 * DAY_MS
    await world.make()
    await world.revoke({ unusedForDays: 7 })
    expect(await world.statuses()).toEqual(['revoked', 'active'])
  })

  test('by ids revokes these, and none for an empty list', async () => {
    const { make, revoke, statuses } = open()
    const { key } = await make()
    await make()
    expect(await revoke({ ids: [] })).toMatchObject({ revoked: 0 })
    await revoke({ ids: [key.id, 'key_unknown'] })
    expect(await statuses()).toEqual(['revoked', 'active'])
  })

  test('a dry run names the keys and writes nothing', async () => {
    const { make, revoke, statuses, asked } = open()
    const { key } = await make()
    asked()
    const { revoked, keys } = await revoke({ creatorId: NOURA.id, dryRun: true })
    expect([revoked, keys[0]?.id]).toEqual([1, key.id])
    expect(asked()).toEqual(['list'])
    expect(await statuses()).toEqual(['active'])
  })

  test('ends the overlap of a retiring key, and leaves keys that have ended', async () => {
    const world = open()
    const { key } = await world.make({ expiresAt: new Date(world.nowMs + 120_000) })
    const action = { workspaceId: WORKSPACE, id: key.id, actor: ACTOR }
    await world.keys.rotateKey({ ...action, overlapSeconds: 60, expiresAt: null })
    await world.make({ expiresAt: new Date(world.nowMs + 61_000) })
    world.nowMs += 62_000
    expect(await world.statuses()).toEqual(['revoked', 'active', 'expired'])
    expect(await world.revoke({ creatorId: NOURA.id })).toMatchObject({ revoked: 1 })
    world.nowMs -= 62_000
    await world.make()
    const made = world.events.length
    const second = await world.make()
    await world.keys.rotateKey({ ...action, id: second.key.id, overlapSeconds: 60 })
    await world.revoke({ ids: [second.key.id] })
    const [, , event] = world.events.slice(made)
    expect(event).toMatchObject({ type: 'api_key.revoked', data: { endedOverlap: true } })
  })

  test('a key that was paused meanwhile is revoked, one that was used meanwhile is skipped', async () => {
    const world = open()
    const [paused, used] = [await world.make(), await world.make()]
    world.nowMs += 8 * DAY_MS
    const real = world.stored.revokeMany.bind(world.stored)
    world.misbehaviour.revokeMany = async (change: Parameters<typeof real>[0]) => {
      delete world.misbehaviour.revokeMany
      await world.keys.pauseKey({ workspaceId: WORKSPACE, id: paused.key.id, actor: ACTOR })
      await world.stored.addUses({
        ...{ writer: 'w', sequence: 1 },
        uses: [{ id: used.key.id, uses: 1, lastUsedAtMs: Date.now() }],
      })
      return real(change)
    }
    const answer = await world.revoke({ unusedForDays: 7 })
    expect([answer.revoked, answer.skipped]).toEqual([1, 1])
    expect(await world.statuses()).toEqual(['revoked', 'active'])
    const ended = world.events.filter(({ type }) => type === 'api_key.revoked')
    expect(ended).toMatchObject([{ keyId: paused.key.id }])
  })

  test('a key that is created meanwhile is left alone, and all that were there are revoked', async () => {
    const world = open()
    for (let at = 0; at < 250; at += 1) await world.make({ creator: SAMI })
    const dry = await world.revoke({ creatorId: SAMI.id, dryRun: true })
    expect([dry.revoked, new Set(dry.keys.map(({ id }) => id)).size]).toEqual([250, 250])
    const real = world.stored.revokeMany.bind(world.stored)
    world.misbehaviour.revokeMany = async (change: Parameters<typeof real>[0]) => {
      delete world.misbehaviour.revokeMany
      await world.make({ creator: SAMI })
      return real(change)
    }
    expect(await world.revoke({ creatorId: SAMI.id })).toMatchObject({ revoked: 250, more: false })
    const { keys } = await world.keys.listKeys({ workspaceId: WORKSPACE, status: 'active' })
    expect(keys).toHaveLength(1)
  })

  test('a key that its holder keeps changing is never passed over', async () => {
    const world = open()
    const { key } = await world.make({ creator: SAMI })
    const real = world.stored.revokeMany.bind(world.stored)
    world.misbehaviour.revokeMany = async (change: Parameters<typeof real>[0]) => {
      const { version } = await world.keys.getKey({ workspaceId: WORKSPACE, id: key.id })
      const action = { workspaceId: WORKSPACE, id: key.id, actor: SAMI }
      await world.keys.updateKey({ ...action, version, change: { name: `v${version}` } })
      return real(change)
    }
    expect((await refusal(world.revoke({ creatorId: SAMI.id }))).code).toBe('conflict')
    delete world.misbehaviour.revokeMany
    expect(await world.revoke({ creatorId: SAMI.id })).toMatchObject({ revoked: 1 })
  })

  test('with a limit it says whether others match', async () => {
    const { make, revoke } = open()
    for (let at = 0; at < 3; at += 1) await make()
    const filters = { creatorId: NOURA.id, limit: 2 }
    expect(await revoke(filters)).toMatchObject({ revoked: 2, more: true })
    expect(await revoke(filters)).toMatchObject({ revoked: 1, more: false })
  })

  test('needs a filter, and refuses one that says nothing', async () => {
    const { revoke, make, statuses } = open()
    await make()
    const issues = async (filters: object) => {
      const { issues: found } = await refusal(revoke(filters))
      return found.map(({ path, code }) => `${path.join('.')} ${code}`)
    }
    expect(await issues({})).toEqual([' required'])
    expect(await issues({ creatorId: undefined })).toEqual(['creatorId required'])
    expect(await issues({ creatorId: null })).toEqual(['creatorId invalid_type'])
    expect(await issues({ creatorId: 'miftah:erased' })).toEqual(['creatorId invalid_value'])
    expect(await issues({ resource: {} })).toEqual(['resource invalid_value'])
    expect(await issues({ resource: { team: 't' } })).toEqual(['resource invalid_value'])
    expect(await issues({ resource: { project: 'a', team: 't' } })).toEqual([
      'resource invalid_value',
    ])
    expect(await issues({ ids: Array(1_001).fill('key') })).toEqual(['ids too_long'])
    expect(await issues({ scope: 'contacts' })).toEqual(['scope unknown_scope'])
    expect(await statuses()).toEqual(['active'])
  })

  test('an answer with a key that was not given is an outage', async () => {
    const world = open()
    await world.make()
    world.misbehaviour.revokeMany = async () => ({ revoked: ['key_other'] })
    const { operation } = await fault(world.revoke({ creatorId: NOURA.id }))
    expect(operation).toBe('revokeMany')
  })

  test('the filters that come from outside are checked alone', () => {
    const { keys } = open()
    expect(checkerOf(keys).revocations({ creatorId: 'u_1' })).toEqual({
      creatorId: 'u_1',
      dryRun: false,
    })
    expect(() => checkerOf(keys).revocations({})).toThrow(/needs at least one of/)
    expect(keys.resources).toBe(resources)
  })

  test('an unknown workspace has no keys, also on a storage that says so', async () => {
    const storage = memoryStorage()
    const world = openWorld({ storage, resources })
    world.misbehaviour.list = async () => null
    const input = { workspaceId: 'ws_9', actor: ACTOR, creatorId: 'u_1' }
    expect(await world.keys.revokeKeys(input)).toMatchObject({ revoked: 0, more: false })
  })
})

describe('removeResource', () => {
  const remove = { workspaceId: WORKSPACE, actor: ACTOR, resource: { project: 'p_1' } }
  const listOf = async ({ keys }: ReturnType<typeof open>) => {
    const page = await keys.listKeys({ workspaceId: WORKSPACE, sort: 'createdAt', limit: 200 })
    return page.keys.map(({ resources: { project } }) => project)
  }

  test('takes a resource out of every key that lists it, and an emptied list stays empty', async () => {
    const world = open()
    await world.make()
    const { key } = await world.make({ resources: { project: ['p_1'] } })
    await world.keys.pauseKey({ workspaceId: WORKSPACE, id: key.id, actor: ACTOR })
    await world.make({ resources: { project: ['p_2', 'p_1'] } })
    await world.make({ resources: { project: ['p_2'] } })
    const before = world.events.length
    expect(await world.keys.removeResource(remove)).toEqual({ updated: 2 })
    expect(await listOf(world)).toEqual(['all', [], ['p_2'], ['p_2']])
    expect(world.events.slice(before).map(({ type }) => type)).toEqual(
      Array(2).fill('api_key.updated'),
    )
    expect(await world.keys.removeResource(remove)).toEqual({ updated: 0 })
  })

  test('also of retiring keys, and over more keys than one step reads', async () => {
    const world = open()
    const old = await world.make({ resources: { project: ['p_1'] } })
    const action = { workspaceId: WORKSPACE, id: old.key.id, actor: ACTOR }
    await world.keys.rotateKey({ ...action, overlapSeconds: 60 })
    for (let at = 0; at < 205; at += 1) await world.make({ resources: { project: ['p_1'] } })
    expect(await world.keys.removeResource(remove)).toEqual({ updated: 207 })
    expect((await listOf(world)).flat()).toEqual([])
  })

  test('tries again with a key that others change, and passes over one that ends', async () => {
    const world = open()
    const [first, second] = [
      await world.make({ resources: { project: ['p_1'] } }),
      await world.make({ resources: { project: ['p_1'] } }),
    ]
    const real = world.stored.findById.bind(world.stored)
    world.misbehaviour.findById = async (...args: Parameters<typeof real>) => {
      delete world.misbehaviour.findById
      const action = { workspaceId: WORKSPACE, actor: ACTOR }
      await world.keys.pauseKey({ ...action, id: second.key.id })
      await world.keys.revokeKey({ ...action, id: first.key.id })
      return real(...args)
    }
    expect(await world.keys.removeResource(remove)).toEqual({ updated: 1 })
  })

  test('two at once take it out once, and an unknown workspace has none', async () => {
    const world = open()
    await world.make({ resources: { project: ['p_1'] } })
    const real = world.stored.findById.bind(world.stored)
    world.misbehaviour.findById = async (...args: Parameters<typeof real>) => {
      delete world.misbehaviour.findById
      expect(await world.keys.removeResource(remove)).toEqual({ updated: 1 })
      return real(...args)
    }
    expect(await world.keys.removeResource(remove)).toEqual({ updated: 0 })
    world.misbehaviour.list = async () => null
    expect(await world.keys.removeResource(remove)).toEqual({ updated: 0 })
  })

  test('gives up on a key that keeps changing, and passes on an outage', async () => {
    const world = open()
    const { key } = await world.make({ resources: { project: ['p_1'] } })
    const record = await world.stored.findById(WORKSPACE, key.id)
    world.misbehaviour.update = async () => ({ outcome: 'stale', record })
    expect((await refusal(world.keys.removeResource(remove))).code).toBe('conflict')
    world.misbehaviour.update = async () => Promise.reject(new Error('down'))
    expect((await fault(world.keys.removeResource(remove))).operation).toBe('update')
  })

  test('needs one defined resource', async () => {
    const { keys } = open()
    const wrong = { ...remove, resource: { team: 't_1' } }
    expect((await refusal(keys.removeResource(wrong))).issues).toMatchObject([
      { path: ['resource'], code: 'invalid_value' },
    ])
  })
})
