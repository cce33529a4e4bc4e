import { describe, expect, test } from 'vitest'
import { checkerOf } from '../../../src/http/index.ts'
import { type DefaultScope, defineResources, plans } from '../../../src/index.ts'
import type { RevokeKeysInput } from '../../../src/keys/revoke-keys.ts'
import type { ViewQuery, WorkspaceWrite } from '../../../src/storage/index.ts'
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
    expect(asked()).toEqual(['list', 'list'])
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

  /** Runs a change of another process before the first write of what follows. */
  const meanwhile = (world: ReturnType<typeof open>, change: () => Promise<unknown>) => {
    world.misbehaviour.write = async (writes: readonly WorkspaceWrite[]) => {
      delete world.misbehaviour.write
      await change()
      return world.stored.write(writes)
    }
  }

  test('a key that was paused meanwhile is revoked, one that was used meanwhile is skipped', async () => {
    const world = open()
    const [paused, used] = [await world.make(), await world.make()]
    world.nowMs += 8 * DAY_MS
    const other = openWorld({ storage: world.stored })
    meanwhile(world, async () => {
      await world.stored.addUses({
        ...{ writer: 'w', sequence: 1 },
        uses: [{ id: used.key.id, uses: 1, lastUsedAtMs: Date.now() }],
      })
      await other.keys.pauseKey({ workspaceId: WORKSPACE, id: paused.key.id, actor: ACTOR })
    })
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
    const other = openWorld({ storage: world.stored })
    other.plan = plans.enterprise
    meanwhile(world, () => other.keys.createKey(keyInput({ creator: SAMI })))
    expect(await world.revoke({ creatorId: SAMI.id })).toMatchObject({ revoked: 250, more: false })
    const { keys } = await world.keys.listKeys({ workspaceId: WORKSPACE, status: 'active' })
    expect(keys).toHaveLength(1)
  })

  test.each([
    ['creatorId', { creatorId: NOURA.id }],
    ['scope', { scope: 'contacts.read' as const }],
    ['ids', 'ids'],
    ['unusedForDays', { unusedForDays: 7 }],
  ])(
    'the replacements of a key that is rotated meanwhile are revoked, by %s',
    async (_, filter) => {
      const world = open()
      const { key } = await world.make()
      world.nowMs += 8 * DAY_MS
      const other = openWorld({ storage: world.stored, now: () => new Date(world.nowMs) })
      meanwhile(world, async () => {
        const action = { workspaceId: WORKSPACE, actor: ACTOR, overlapSeconds: 60 }
        const second = await other.keys.rotateKey({ ...action, id: key.id })
        await other.keys.rotateKey({ ...action, id: second.key.id })
      })
      const filters = filter === 'ids' ? { ids: [key.id] } : (filter as object)
      await world.revoke(filters)
      expect(await world.statuses()).toEqual(['revoked', 'revoked', 'revoked'])
    },
  )

  test('a replacement of a key that does not match is left alone', async () => {
    const world = open()
    await world.make({ creator: NOURA })
    const { key } = await world.make({ creator: SAMI })
    const other = openWorld({ storage: world.stored })
    const action = { workspaceId: WORKSPACE, id: key.id, actor: ACTOR }
    meanwhile(world, () => other.keys.rotateKey(action))
    await world.revoke({ creatorId: NOURA.id })
    expect(await world.statuses()).toEqual(['revoked', 'revoked', 'active'])
  })

  test('a key that its holder keeps changing is never passed over', async () => {
    const world = open()
    const { key } = await world.make({ creator: SAMI })
    let changes = 0
    world.misbehaviour.write = async (writes: readonly WorkspaceWrite[]) => {
      changes += 1
      const other = openWorld({ storage: world.stored })
      const { version } = await other.keys.getKey({ workspaceId: WORKSPACE, id: key.id })
      const action = { workspaceId: WORKSPACE, id: key.id, actor: SAMI }
      if (changes < 5) {
        await other.keys.updateKey({ ...action, version, change: { name: `v${version}` } })
      }
      return world.stored.write(writes)
    }
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

  test('the filters that come from outside are checked alone', () => {
    const { keys } = open()
    expect(checkerOf(keys).revocations({ creatorId: 'u_1' })).toEqual({
      creatorId: 'u_1',
      dryRun: false,
    })
    expect(() => checkerOf(keys).revocations({})).toThrow(/needs at least one of/)
    expect(keys.resources).toBe(resources)
  })

  test('an unknown workspace has no keys', async () => {
    const { keys } = open()
    const input = { workspaceId: 'ws_9', actor: ACTOR, creatorId: 'u_1' }
    expect(await keys.revokeKeys(input)).toMatchObject({ revoked: 0, more: false })
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

  test('passes over a key that has ended or lost the resource meanwhile, and follows a rotation', async () => {
    const world = open()
    const list = { resources: { project: ['p_1'] } }
    const [ended, paused, rotated] = [
      await world.make(list),
      await world.make(list),
      await world.make(list),
    ]
    const other = openWorld({ storage: world.stored, resources })
    world.misbehaviour.write = async (writes: readonly WorkspaceWrite[]) => {
      delete world.misbehaviour.write
      const action = { workspaceId: WORKSPACE, actor: ACTOR }
      await other.keys.revokeKey({ ...action, id: ended.key.id })
      await other.keys.pauseKey({ ...action, id: paused.key.id })
      await other.keys.rotateKey({ ...action, id: rotated.key.id, overlapSeconds: 60 })
      return world.stored.write(writes)
    }
    expect(await world.keys.removeResource(remove)).toEqual({ updated: 3 })
    expect(await listOf(world)).toEqual([['p_1'], [], [], []])
  })

  test('two at once take it out once, and an unknown workspace has none', async () => {
    const world = open()
    await world.make({ resources: { project: ['p_1'] } })
    const both = await Promise.all([
      world.keys.removeResource(remove),
      world.keys.removeResource(remove),
    ])
    expect(both.map(({ updated }) => updated).toSorted()).toEqual([0, 1])
    const elsewhere = { ...remove, workspaceId: 'ws_9' }
    expect(await world.keys.removeResource(elsewhere)).toEqual({ updated: 0 })
  })

  test('passes over a key that is deleted meanwhile', async () => {
    const world = open()
    await world.make({ resources: { project: ['p_1'] } })
    const other = openWorld({ storage: world.stored, resources })
    world.misbehaviour.read = async (query: ViewQuery) => {
      delete world.misbehaviour.read
      await other.keys.eraseWorkspace({ workspaceId: WORKSPACE })
      return world.stored.read(query)
    }
    expect(await world.keys.removeResource(remove)).toEqual({ updated: 0 })
  })

  test('passes on an outage', async () => {
    const world = open()
    await world.make({ resources: { project: ['p_1'] } })
    const down = Object.assign(new Error('down'), { code: 'unavailable' })
    world.misbehaviour.write = async () => Promise.reject(down)
    expect(await fault(world.keys.removeResource(remove))).toMatchObject({
      ...{ operation: 'removeResource', cause: down },
    })
  })

  test('needs one defined resource', async () => {
    const { keys } = open()
    const wrong = { ...remove, resource: { team: 't_1' } }
    expect((await refusal(keys.removeResource(wrong))).issues).toMatchObject([
      { path: ['resource'], code: 'invalid_value' },
    ])
  })
})
