import { describe, expect, test } from 'vitest'
import { type DefaultScope, defineResources, plans } from '../../../src/index.ts'
import type { RevokeKeysInput } from '../../../src/keys/revoke-keys.ts'
import type { ViewQuery, WorkspaceWrite } from '../../../src/storage/index.ts'
import { DAY_MS, later, meanwhile } from '../../support/lifecycle/world.ts'
import { ACTOR, action, CREATOR, keyInput, openWorld, WORKSPACE } from '../../support/world.ts'

const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])
const SAMI = { id: 'u_3', name: 'Sami' }
const listing = (...project: readonly string[]) => ({ resources: { project } })

function open() {
  const world = openWorld({ resources })
  world.plan = plans.enterprise
  const make = async (fields: object = {}) =>
    (await world.keys.createKey(keyInput({ ...fields }))).key
  const many = (count: number, fields: object = {}) =>
    Promise.all(Array.from({ length: count }, () => make(fields)))
  const revoke = (fields: Partial<RevokeKeysInput<DefaultScope>>) =>
    world.keys.revokeKeys({ workspaceId: WORKSPACE, actor: ACTOR, ...fields })
  const listed = async () =>
    (await world.keys.listKeys({ workspaceId: WORKSPACE, limit: 200, sort: 'createdAt' })).keys
  const statuses = async () => (await listed()).map(({ status }) => status)
  return { world, keys: world.keys, make, many, revoke, listed, statuses }
}

describe('revokeKeys', () => {
  test('revokes the keys of one creator, with an event each, and no others', async () => {
    const { world, keys, make, revoke, statuses } = open()
    const { id } = await make()
    await make({ creator: SAMI })
    await make({ workspaceId: 'ws_2' })
    const elsewhere = await keys.listKeys({ workspaceId: 'ws_2' })
    const { events } = world
    const before = events.length
    const answer = await revoke({ creatorId: CREATOR.id, reason: 'other' })
    expect(answer).toMatchObject({ revoked: 1, skipped: 0, more: false, keys: [{ id }] })
    expect(await statuses()).toEqual(['revoked', 'active'])
    expect(events.slice(before)).toMatchObject([
      { type: 'api_key.revoked', actor: ACTOR, data: { reason: 'other', endedOverlap: false } },
    ])
    expect(await keys.listKeys({ workspaceId: 'ws_2' })).toEqual(elsewhere)
    expect(await revoke({ creatorId: CREATOR.id })).toMatchObject({ revoked: 0, skipped: 0 })
  })

  test.each<[string, readonly object[], object, readonly boolean[]]>([
    [
      'all filters',
      [{ environment: 'live' }, { environment: 'test' }, { scopes: ['contacts.write'] }],
      { scope: 'contacts.read', environment: 'test' },
      [false, true, false],
    ],
    [
      'a resource, where the list has nothing else of the type',
      [{}, listing('p_1'), listing('p_1', 'p_2'), listing()],
      { resource: { project: 'p_1' } },
      [false, true, false, false],
    ],
    ['no ids, which is none', [{}], { ids: [] }, [false]],
    ['the creator in an empty workspace', [], { creatorId: CREATOR.id }, []],
  ])('revokes by %s', async (_, made, filters, expected) => {
    const { make, revoke, statuses } = open()
    for (const fields of made) await make(fields)
    await revoke(filters)
    expect((await statuses()).map((status) => status === 'revoked')).toEqual(expected)
  })

  test('revokes by ids, and by use, which counts from the creation', async () => {
    const { world, make, revoke, statuses } = open()
    const { id } = await make()
    await make()
    world.nowMs += 8 * DAY_MS
    await make()
    await revoke({ ids: [id, 'key_unknown'] })
    expect(await statuses()).toEqual(['revoked', 'active', 'active'])
    await revoke({ unusedForDays: 7 })
    expect(await statuses()).toEqual(['revoked', 'revoked', 'active'])
  })

  test('names the keys in a dry run and writes nothing', async () => {
    const { world, make, revoke, statuses } = open()
    const { id } = await make()
    world.asked()
    const answer = await revoke({ creatorId: CREATOR.id, dryRun: true })
    expect(answer).toMatchObject({ revoked: 1, keys: [{ id }] })
    expect(world.asked()).toEqual(['list', 'list'])
    expect(await statuses()).toEqual(['active'])
  })

  test('ends the overlap of a retiring key, and leaves keys that have ended', async () => {
    const { world, keys, make, revoke, statuses } = open()
    const retired = await make()
    await keys.rotateKey({ ...action(retired.id), overlapSeconds: 60 })
    await make({ expiresAt: later(61_000) })
    world.nowMs += 62_000
    const { id } = await make({ creator: SAMI })
    await keys.rotateKey({ ...action(id), overlapSeconds: 60 })
    world.events.length = 0
    expect(await revoke({ creatorId: CREATOR.id })).toMatchObject({ revoked: 1 })
    expect(await revoke({ ids: [id] })).toMatchObject({ revoked: 1 })
    expect(await statuses()).toEqual(['revoked', 'revoked', 'expired', 'revoked', 'active'])
    expect(world.events).toMatchObject([
      ...[{ data: { endedOverlap: false } }, { keyId: id, data: { endedOverlap: true } }],
    ])
  })

  test('revokes a key that is paused meanwhile, and skips one that is used', async () => {
    const { world, make, revoke, statuses } = open()
    const [paused, used] = [await make(), await make()]
    world.nowMs += 8 * DAY_MS
    meanwhile(world, async (others) => {
      const uses = [{ id: used.id, uses: 1, lastUsedAtMs: world.nowMs }]
      await world.stored.addUses({ writer: 'w', sequence: 1, uses })
      await others.pauseKey(action(paused.id))
    })
    expect(await revoke({ unusedForDays: 7 })).toMatchObject({ revoked: 1, skipped: 1 })
    expect(await statuses()).toEqual(['revoked', 'active'])
    const ended = world.events.filter(({ type }) => type === 'api_key.revoked')
    expect(ended).toMatchObject([{ keyId: paused.id }])
  })

  test('revokes all that were there at its start, and leaves a key that is created meanwhile', async () => {
    const { world, many, revoke, keys } = open()
    await many(250)
    const dry = await revoke({ creatorId: CREATOR.id, dryRun: true })
    expect([dry.revoked, new Set(dry.keys.map(({ id }) => id)).size]).toEqual([250, 250])
    meanwhile(world, (others) => others.createKey(keyInput()))
    expect(await revoke({ creatorId: CREATOR.id })).toMatchObject({ revoked: 250, more: false })
    const left = await keys.listKeys({ workspaceId: WORKSPACE, status: 'active' })
    expect(left.keys).toHaveLength(1)
  })

  test.each<[string, (id: string) => object]>([
    ['creatorId', () => ({ creatorId: CREATOR.id })],
    ['scope', () => ({ scope: 'contacts.read' })],
    ['ids', (id) => ({ ids: [id] })],
    ['unusedForDays', () => ({ unusedForDays: 7 })],
  ])('by %s revokes what replaces a key meanwhile, and no other replacement', async (_, filter) => {
    const { world, make, revoke, statuses } = open()
    const { id } = await make()
    world.nowMs += 8 * DAY_MS
    const other = await make({ creator: SAMI, scopes: ['flows.read'] })
    meanwhile(world, async (others) => {
      const second = await others.rotateKey({ ...action(id), overlapSeconds: 60 })
      await others.rotateKey({ ...action(second.key.id), overlapSeconds: 60 })
      await others.rotateKey(action(other.id))
    })
    await revoke(filter(id))
    expect(await statuses()).toEqual(['revoked', 'revoked', 'revoked', 'revoked', 'active'])
  })

  test('never passes over a key that its holder keeps changing', async () => {
    const { world, make, revoke } = open()
    const { id } = await make()
    const other = openWorld({ storage: world.stored })
    let version = 1
    world.misbehaviour.write = async (writes: readonly WorkspaceWrite[]) => {
      const change = { name: `v${version}` }
      if (version < 5) await other.keys.updateKey({ ...action(id), version, change })
      version += 1
      return world.stored.write(writes)
    }
    expect(await revoke({ creatorId: CREATOR.id })).toMatchObject({ revoked: 1 })
  })

  test('with a limit says whether others match', async () => {
    const { many, revoke } = open()
    await many(3)
    const filters = { creatorId: CREATOR.id, limit: 2 }
    expect(await revoke(filters)).toMatchObject({ revoked: 2, more: true })
    expect(await revoke(filters)).toMatchObject({ revoked: 1, more: false })
  })
})

describe('removeResource', () => {
  const remove = { workspaceId: WORKSPACE, actor: ACTOR, resource: { project: 'p_1' } }
  const listsOf = async ({ listed }: ReturnType<typeof open>) =>
    (await listed()).map((key) => key.resources['project'])

  test('takes a resource out of every key that lists it, and an emptied list stays empty', async () => {
    const opened = open()
    const { world, keys, make } = opened
    for (const fields of [{}, listing('p_2', 'p_1'), listing('p_2')]) await make(fields)
    const { id } = await make(listing('p_1'))
    await keys.pauseKey(action(id))
    world.events.length = 0
    expect(await keys.removeResource(remove)).toEqual({ updated: 2 })
    expect(await listsOf(opened)).toEqual(['all', ['p_2'], ['p_2'], []])
    expect(world.events.map(({ type }) => type)).toEqual(Array(2).fill('api_key.updated'))
    expect(await keys.removeResource(remove)).toEqual({ updated: 0 })
  })

  test('also of retiring keys, and over more keys than one step reads', async () => {
    const opened = open()
    const { keys, make, many } = opened
    const { id } = await make(listing('p_1'))
    await keys.rotateKey({ ...action(id), overlapSeconds: 60 })
    await many(205, listing('p_1'))
    expect(await keys.removeResource(remove)).toEqual({ updated: 207 })
    expect((await listsOf(opened)).flat()).toEqual([])
  })

  test('passes over a key that has ended or lost the resource meanwhile, and follows a rotation', async () => {
    const opened = open()
    const { world, keys, many } = opened
    const made = await many(4, listing('p_1'))
    const one = (at: number) => action(made[at]?.id ?? '')
    meanwhile(
      world,
      async (others) => {
        await others.revokeKey(one(0))
        await others.pauseKey(one(1))
        await others.rotateKey({ ...one(2), overlapSeconds: 60 })
        await others.updateKey({ ...one(3), version: 1, change: listing() })
      },
      { resources },
    )
    expect(await keys.removeResource(remove)).toEqual({ updated: 3 })
    expect(await listsOf(opened)).toEqual([['p_1'], [], [], [], []])
  })

  test('takes it out once where two do it, and finds none in an unknown workspace', async () => {
    const { keys, make } = open()
    await make(listing('p_1'))
    const both = await Promise.all([keys.removeResource(remove), keys.removeResource(remove)])
    expect(both.map(({ updated }) => updated).toSorted()).toEqual([0, 1])
    expect(await keys.removeResource({ ...remove, workspaceId: 'ws_9' })).toEqual({ updated: 0 })
  })

  test('passes over a key that is deleted meanwhile', async () => {
    const { world, keys, make } = open()
    await make(listing('p_1'))
    world.misbehaviour.read = async (query: ViewQuery) => {
      delete world.misbehaviour.read
      await openWorld({ storage: world.stored }).keys.eraseWorkspace({ workspaceId: WORKSPACE })
      return world.stored.read(query)
    }
    expect(await keys.removeResource(remove)).toEqual({ updated: 0 })
  })
})
