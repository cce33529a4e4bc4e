import { describe, expect, test } from 'vitest'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { type AuthenticateOptions, defineResources } from '../../../src/index.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import {
  action,
  keyInput,
  openWorld,
  refusal,
  rejection,
  thrown,
  WORKSPACE,
  withoutIds,
} from '../../support/world.ts'

simulateTime()

const resources = defineResources([
  { type: 'project', label: { en: 'Projects' } },
  { type: 'team', label: { en: 'Teams' } },
])
const open = (options: Parameters<typeof openWorld>[0] = {}) => openWorld({ resources, ...options })
const ids = (count: number, name = 'p') => Array.from({ length: count }, (_, at) => `${name}_${at}`)

function unreadableList(): unknown {
  const { proxy, revoke } = Proxy.revocable([], {})
  revoke()
  return proxy
}

async function worldWith(access: object | undefined, options = {}) {
  const world = open(options)
  const { key, secret } = await world.keys.createKey(keyInput({ resources: access }))
  const use = (asked?: unknown, scope: 'contacts.read' | 'contacts.write' = 'contacts.read') =>
    world.keys.authenticate(`Bearer ${secret}`, scope, asked as AuthenticateOptions)
  const touch = async (resource: unknown) => (await use({ resource })).ok
  const update = (change: object, version = 1) =>
    world.keys.updateKey({ ...action(key.id), version, change })
  return { world, key, secret, use, touch, update }
}

describe('what a key reaches', () => {
  test.each([
    [undefined, { project: 'all', team: 'all' }],
    [{}, { project: 'all', team: 'all' }],
    [{ project: 'all' }, { project: 'all', team: 'all' }],
    [{ project: [] }, { project: [], team: 'all' }],
    [{ project: ['p_2', 'p_1'] }, { project: ['p_1', 'p_2'], team: 'all' }],
    [
      { project: ['p_1'], team: [] },
      { project: ['p_1'], team: [] },
    ],
  ])('%j', async (given, expected) => {
    const { world, key, secret } = await worldWith(given)
    expect(key.resources).toEqual(expected)
    expect(Object.isFrozen(key.resources)).toBe(true)
    expect((await world.keys.listKeys({ workspaceId: WORKSPACE })).keys[0]).toEqual(key)
    const resource = 'by_handler'
    const seen = await world.keys.authenticate(`Bearer ${secret}`, null, { resource })
    expect(seen).toMatchObject({ ok: true, key: { resources: expected } })
    const { key: rotated } = await world.keys.rotateKey(action(key.id))
    expect(rotated.resources).toEqual(expected)
  })

  test.each([
    ['null', null, 'invalid_type', []],
    ['a word', 'all', 'invalid_type', []],
    ['null for a type', { project: null }, 'invalid_type', ['project']],
    ['an id for a type', { project: 'p_1' }, 'invalid_type', ['project']],
    ['a list that cannot be read', { project: unreadableList() }, 'invalid_type', ['project']],
    ['an unknown type', { flow: [] }, 'unknown_field', ['flow']],
    ['an own __proto__', JSON.parse('{ "__proto__": ["p_1"] }'), 'unknown_field', ['__proto__']],
    ['no id', { project: [''] }, 'invalid_value', ['project', 0]],
    ['a hole', { project: Array(1) }, 'invalid_value', ['project', 0]],
    ['a trailing space', { project: ['p_1 '] }, 'invalid_value', ['project', 0]],
    ['a letter beyond ASCII', { project: ['pé'] }, 'invalid_value', ['project', 0]],
    ['129 characters', { project: ['p'.repeat(129)] }, 'invalid_value', ['project', 0]],
    ['one id twice', { project: ['p_1', 'p_1'] }, 'repeated', ['project']],
  ])('%s is refused', async (_, given, code, path) => {
    const { issues } = await refusal(open().keys.createKey(keyInput({ resources: given })))
    expect(issues).toMatchObject([{ code, path: ['resources', ...path] }])
    const { update } = await worldWith({ project: ['p_1'] })
    const { issues: later } = await refusal(update({ resources: given }))
    expect(later).toMatchObject([{ code, path: ['change', 'resources', ...path] }])
  })

  test('100 ids over all types, and not 101', async () => {
    const { key, update } = await worldWith({ project: ids(99), team: ids(1, 't') })
    expect(key.resources['project']).toHaveLength(99)
    const { issues } = await refusal(update({ resources: { team: ids(2, 't') } }))
    expect(issues).toMatchObject([{ code: 'too_long', path: ['change', 'resources'] }])
    for (const given of [{ project: ids(101) }, { project: ids(100), team: ids(1) }]) {
      const error = await refusal(open().keys.createKey(keyInput({ resources: given })))
      expect(error.issues).toMatchObject([{ code: 'too_long', path: ['resources'] }])
    }
    const moved = await update({ resources: { project: ids(98), team: ids(2, 't') } })
    expect(moved.resources['team']).toEqual(ids(2, 't'))
  })
})

describe('an update', () => {
  test('leaves types that it does not name, and replaces the others whole', async () => {
    const { update } = await worldWith({ project: ['p_1'], team: ['t_1'] })
    const same = await update({ resources: {} })
    expect(same.resources).toEqual({ project: ['p_1'], team: ['t_1'] })
    const other = await update({ resources: { project: ['p_2'] } }, same.version)
    expect(other.resources).toEqual({ project: ['p_2'], team: ['t_1'] })
    const lifted = await update({ resources: { project: 'all' } }, other.version)
    expect(lifted.resources).toEqual({ project: 'all', team: ['t_1'] })
  })

  test('that removes the last id leaves none, and not all', async () => {
    const { world, key, touch, update } = await worldWith({ project: ['p_1'] })
    expect((await update({ resources: { project: [] } })).resources['project']).toEqual([])
    expect(await touch({ project: 'p_1' })).toBe(false)
    expect(await touch({ project: [] })).toBe(false)
    const { key: rotated } = await world.keys.rotateKey(action(key.id))
    expect(rotated.resources['project']).toEqual([])
    const { keys } = await world.keys.listKeys({
      workspaceId: WORKSPACE,
      resource: { project: 'p_1' },
    })
    expect(keys).toEqual([])
  })

  test('that narrows needs no plan; one that widens does', async () => {
    const { world, update } = await worldWith({ project: ['p_1', 'p_2'] })
    world.plan = { ...world.plan, publicApi: false }
    const { version } = await update({ resources: { project: ['p_1'], team: [] } })
    for (const change of [{ project: 'all' }, { project: ['p_1', 'p_2'] }, { team: ['t_1'] }]) {
      expect((await refusal(update({ resources: change }, version))).code).toBe('plan_required')
    }
  })

  test('narrows a retiring key until its overlap is over, and does nothing else to it', async () => {
    const { world, key, touch } = await worldWith({ project: ['p_1', 'p_2'] })
    await world.keys.rotateKey({ ...action(key.id), overlapSeconds: 3_600 })
    const narrow = (change: object, version: number) =>
      world.keys.updateKey({ ...action(key.id), version, change })
    const resources = { project: ['p_1'] }
    for (const change of [
      { name: 'n', resources },
      { name: 'n' },
      { resources: { project: 'all' } },
    ]) {
      expect((await refusal(narrow(change, 2))).code).toBe('key_rotated')
    }
    const narrowed = await narrow({ resources, networks: ['198.51.100.0/24'] }, 2)
    expect([narrowed.status, narrowed.version]).toEqual(['retiring', 3])
    expect(await touch({ project: 'p_2' })).toBe(false)
    world.nowMs += 3_600_000
    expect((await refusal(narrow({ resources: { project: [] } }, 3))).code).toBe('key_rotated')
  })

  test('is in its event, before and after', async () => {
    const { world, update } = await worldWith({ project: ['p_1'] })
    await update({ resources: { project: 'all', team: [] }, networks: ['198.51.100.0/24'] })
    const { events } = await world.keys.listEvents({ workspaceId: WORKSPACE, newestFirst: true })
    expect(events[0]?.data).toMatchObject({
      before: { resources: { project: ['p_1'] }, networks: 'any' },
      after: { resources: { team: [] }, networks: ['198.51.100.0/24'] },
    })
  })
})

describe('what a request touches', () => {
  test.each([
    [{ project: 'p_1' }, true],
    [{ project: ['p_1', 'p_2'] }, true],
    [{ project: Array(1_000).fill('p_1') }, true],
    [{ project: 'p_1', team: 't_9' }, true],
    ['none', true],
    ['by_handler', true],
    [undefined, false],
    [{}, false],
    [{ project: 'p_3' }, false],
    [{ project: ['p_1', 'p_3'] }, false],
    [{ project: [] }, false],
    [{ team: 't_1' }, false],
    // Compared exactly.
    [{ project: 'P_1' }, false],
    [{ project: ' p_1' }, false],
    [{ project: 'p_1\0' }, false],
    [{ project: 'p_１' }, false],
    [Object.create({ project: 'p_1' }), false],
  ])('%j: %s', async (resource, ok) => {
    const { world, touch } = await worldWith({ project: ['p_1', 'p_2'] })
    expect(await touch(resource)).toBe(ok)
    expect(world.events.filter(({ type }) => type === 'outage')).toEqual([])
  })

  const nothing = 'must name ids by type, such as { project: id }.'
  const noIds = 'must name "project" by an id or at most 1000 ids.'

  test.each([
    ['null', null, nothing],
    ['a number', 7, nothing],
    ['ids alone', ['p_1'], nothing],
    ['a number as id', { project: 7 }, noIds],
    ['no text as id', { project: '' }, noIds],
    ['a list with null', { project: ['p_1', null] }, noIds],
    ['a set', { project: new Set(['p_1']) }, noIds],
    [
      'an unknown type',
      { project: 'p_1', projct: 'p_1' },
      'names no type of resource "projct"; did you mean "project"?',
    ],
    [
      'what may be a secret as type',
      { [`svc_live_${'a'.repeat(46)}`]: 'p_1' },
      'names no type of resource of this name; known names: project, team.',
    ],
    [
      'an own __proto__',
      JSON.parse('{ "__proto__": "p_1" }'),
      'names no type of resource "__proto__"; known names: project, team.',
    ],
    [
      'a throwing getter',
      Object.defineProperty({}, 'project', {
        enumerable: true,
        get: () => thrown(new Error('no')),
      }),
      noIds,
    ],
    ['1,001 ids', { project: Array(1_001).fill('p_1') }, noIds],
  ])('%s is no set of ids: refused, and a fault of the host', async (_, resource, wrong) => {
    const { world, key, use } = await worldWith({ project: ['p_1'] })
    const answer = await use({ resource })
    expect(answer).toEqual({ ok: false, reason: 'resource_not_allowed', keyId: key.id })
    const faults = world.events.filter(({ type }) => type === 'outage')
    const message = `The option "resource" ${wrong}`
    expect(faults).toMatchObject([{ operation: 'resource', error: { message } }])
  })

  test('another word is a mistake in the call, for every key', async () => {
    const { use } = await worldWith(undefined)
    for (const resource of ['all', 'by_route', '']) {
      const error = await rejection(Promise.resolve().then(() => use({ resource })))
      expect(error).toBeInstanceOf(TypeError)
    }
  })

  test('a key restricted in two types must reach what is touched of both', async () => {
    const { touch } = await worldWith({ project: ['p_1'], team: ['t_1'] })
    expect(await touch({ project: 'p_1', team: 't_1' })).toBe(true)
    expect(await touch({ project: 'p_1' })).toBe(false)
    expect(await touch({ project: 'p_1', team: 't_2' })).toBe(false)
  })

  test('is not looked at for an unrestricted key', async () => {
    const { world, touch } = await worldWith(undefined)
    for (const resource of [undefined, {}, { project: 'p_9' }, { flow: 7 }, 7, 'none']) {
      expect(await touch(resource)).toBe(true)
    }
    expect(world.events.filter(({ type }) => type === 'outage')).toEqual([])
  })

  test('a refusal is reported, without the list', async () => {
    const { world, key, use } = await worldWith({ project: ['p_1'] })
    world.events.length = 0
    await use({ resource: { project: 'p_2' } })
    expect(world.events).toMatchObject([{ reason: 'resource_not_allowed', keyId: key.id }])
    expect(withoutIds(JSON.stringify(world.events))).not.toMatch(/p_[12]/)
  })
})

describe('a process that does not define the type', () => {
  const other = defineResources([{ type: 'team', label: { en: 'Teams' } }])

  async function keyOfAnother() {
    const storage = memoryStorage()
    const { keys } = open({ storage })
    const { key, secret } = await keys.createKey(keyInput({ resources: { project: ['p_1'] } }))
    return { storage, keys, key, secret }
  }

  test.each([
    ['none at all', {}],
    ['another one', { resources: other }],
  ])('%s: refuses the key everywhere, and keeps its list', async (_, options) => {
    const { storage, keys, key, secret } = await keyOfAnother()
    const older = openWorld({ storage, ...options })
    for (const resource of [undefined, 'none', 'by_handler', { team: 't_1' }, { project: 'p_1' }]) {
      const answer = await older.keys.authenticate(`Bearer ${secret}`, null, { resource } as never)
      expect(answer).toMatchObject({ ok: false, reason: 'resource_not_allowed' })
    }
    await older.keys.updateKey({ ...action(key.id), version: 1, change: { name: 'n' } })
    const { key: rotated } = await older.keys.rotateKey(action(key.id))
    const now = await keys.getKey({ workspaceId: WORKSPACE, id: rotated.id })
    expect(now.resources).toEqual({ project: ['p_1'], team: 'all' })
  })
})

test('authorize judges the key as it was read, by the resource that is named', async () => {
  const { world, secret } = await worldWith({ project: ['p_1'] })
  const { keys } = world
  const read = await keys.authenticate(`Bearer ${secret}`, null, { resource: 'by_handler' })
  if (!read.ok) throw new Error('the key is good')
  const authorize = async (...rest: [] | [object]) =>
    (await keys.authorize(read.key, 'contacts.read', ...(rest as []))).ok
  expect(await authorize()).toBe(true)
  expect(await authorize({})).toBe(false)
  expect(await authorize({ resource: 'none' })).toBe(true)
  expect(await authorize({ resource: { project: 'p_1' } })).toBe(true)
  world.events.length = 0
  expect(await authorize({ resource: { project: 'p_2' } })).toBe(false)
  expect(world.events).toMatchObject([{ reason: 'resource_not_allowed', keyId: read.key.id }])
  expect(() => keys.authorize(read.key, null, { resource: 'all' as never })).toThrow(TypeError)
})

test('a list of keys by resource has those that list it and those that are unrestricted', async () => {
  const { keys } = open()
  const lists = [{}, { project: ['p_1', 'p_2'] }, { project: ['p_2'] }, { project: [] }]
  for (const given of lists) await keys.createKey(keyInput({ resources: given }))
  const found = await keys.listKeys({
    workspaceId: WORKSPACE,
    resource: { project: 'p_1' },
    sort: 'createdAt',
  })
  const reached = found.keys.map((key) => key.resources['project'])
  expect([reached, found.total]).toEqual([['all', ['p_1', 'p_2']], 2])
})
