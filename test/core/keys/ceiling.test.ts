import { describe, expect, test } from 'vitest'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import {
  type DefaultScope,
  defaultCatalogue,
  defineResources,
  type Grantable,
  pickScopes,
  plans,
} from '../../../src/index.ts'
import { polluted } from '../../support/http/polluted.ts'
import { codeOf, later, meanwhile, worldWithKey } from '../../support/lifecycle/world.ts'
import {
  action,
  keyInput,
  openWorld,
  refusal,
  rejection,
  thrown,
  WORKSPACE,
} from '../../support/world.ts'

const HOUR_MS = 3_600_000
const resources = defineResources([
  { type: 'project', label: { en: 'Projects' } },
  { type: 'team', label: { en: 'Teams' } },
])

/** What a key has. */
const RIGHTS = {
  environment: 'live',
  scopes: ['contacts.read', 'contacts.write'],
  resources: { project: ['p_1', 'p_2'], team: ['t_1'] },
  networks: ['198.51.100.0/24'],
} as const

/** What a member may give: all of it, and a little more. */
const ALL: Grantable<DefaultScope> = {
  scopes: ['contacts.read', 'contacts.write', 'messages.send'],
  resources: { project: ['p_1', 'p_2', 'p_3'], team: 'all' },
  networks: ['198.51.0.0/16'],
  environments: ['live', 'test'],
}

const member = (lacking: object = {}) => ({ ...ALL, ...lacking }) as Grantable<DefaultScope>

/** A key, and what a member may try with it. */
async function opened(fields: object = {}) {
  const own = { ...RIGHTS, expiresAt: later(HOUR_MS), ...fields }
  const world = await worldWithKey(own, { resources })
  const { keys, key, one } = world
  const update = (change: object, grantable: unknown, version = key.version) =>
    keys.updateKey({ ...one, version, change, grantable } as never)
  const acts = (grantable: unknown) => {
    const by = { ...one, grantable } as never
    const asked = { workspaceId: WORKSPACE, grantable } as never
    return {
      create: () => keys.createKey(keyInput({ ...RIGHTS, grantable })),
      rotate: () => keys.rotateKey(by),
      resume: () => keys.resumeKey(by),
      update: () => update({ name: 'n' }, grantable),
      list: () => keys.listKeys(asked),
      get: () => keys.getKey(Object.assign({ id: key.id }, asked)),
    }
  }
  return { ...world, update, acts }
}

/** Nothing was asked of the plan and nothing written, and the refusal says what is missing. */
async function expectRefused(
  { world, keys, now }: Awaited<ReturnType<typeof opened>>,
  refused: () => Promise<unknown>,
  missing: object,
) {
  const before = [await now(), await keys.listEvents({ workspaceId: WORKSPACE })]
  world.asked()
  const error = await refusal(refused())
  expect([error.code, error.missing]).toEqual(['not_grantable', missing])
  expect(world.asked()).not.toContain('entitlements')
  expect([await now(), await keys.listEvents({ workspaceId: WORKSPACE })]).toEqual(before)
}

describe.each([
  ['one scope', { scopes: ['contacts.read'] }, { scopes: ['contacts.write'] }],
  ['every scope', { scopes: [] }, { scopes: ['contacts.read', 'contacts.write'] }],
  ['one id', { resources: { project: ['p_1'], team: 'all' } }, { resources: { project: ['p_2'] } }],
  ['a type', { resources: { project: 'all', team: [] } }, { resources: { team: ['t_1'] } }],
  ['one environment', { environments: ['test'] }, { environments: ['live'] }],
  ['a network', { networks: ['198.51.100.0/25'] }, { networks: ['198.51.100.0/24'] }],
] as const)('a member who lacks %s', (_, lacking, missing) => {
  const grantable = member(lacking)

  test('makes nothing live: no new key, no more rights or time, no rotation, no resumption', async () => {
    const world = await opened()
    const { create, rotate, resume } = world.acts(grantable)
    for (const act of [create, rotate]) await expectRefused(world, act, missing)
    for (const expiresAt of [later(2 * HOUR_MS), null]) {
      await expectRefused(world, () => world.update({ expiresAt }, grantable), missing)
    }
    const more = { scopes: [...RIGHTS.scopes, 'messages.send'] }
    const lacked = 'scopes' in missing ? { scopes: ['messages.send', ...missing.scopes] } : {}
    await expectRefused(world, () => world.update(more, grantable), { ...missing, ...lacked })
    await world.keys.pauseKey(world.one)
    await expectRefused(world, resume, missing)
  })

  test('narrows, renames, shortens, pauses and revokes, and sees that it is beyond them', async () => {
    const { keys, one, key, update, acts } = await opened()
    const changes = [
      ...[{ scopes: ['contacts.read'] }, { resources: { project: [] } }],
      ...[{ networks: ['198.51.100.7/32'] }, { name: 'ERP', note: 'for finance' }],
      { expiresAt: later(HOUR_MS / 2) },
    ]
    expect((await acts(grantable).list()).keys).toMatchObject([{ withinGrant: false }])
    expect((await acts(grantable).get()).withinGrant).toBe(false)
    let { version } = key
    for (const change of changes) ({ version } = await update(change, grantable, version))
    expect((await keys.pauseKey(one)).status).toBe('paused')
    expect((await keys.revokeKey(one)).status).toBe('revoked')
  })
})

test('a member who holds all of it does everything', async () => {
  const { keys, one, update, acts } = await opened()
  const { create, rotate, resume } = acts(member())
  expect(await create()).toBeDefined()
  const updated = await update({ resources: { project: ['p_1', 'p_3'] } }, member())
  expect([updated.withinGrant, updated.resources['project']]).toEqual([true, ['p_1', 'p_3']])
  await keys.pauseKey(one)
  await resume()
  expect((await rotate()).key.resources['project']).toEqual(['p_1', 'p_3'])
})

test('a member gives one of 10,000 ids, and a private network', async () => {
  const ids = Array.from({ length: 10_000 }, (_, at) => `p_${at}`)
  const networks = ['10.0.0.0/8']
  const { keys } = openWorld({ resources, privateNetworks: true })
  const grantable = member({ resources: { project: ids, team: 'all' }, networks })
  const restriction = { resources: { project: ['p_9999'] }, networks }
  const { key } = await keys.createKey(keyInput({ ...RIGHTS, ...restriction, grantable }))
  expect(key).toMatchObject(restriction)
})

test('a member with one scope adds no id to a key that holds another', async () => {
  const world = await opened({ scopes: ['messages.send'], resources: { project: ['p_1'] } })
  const add = () =>
    world.update({ resources: { project: ['p_1', 'p_2'] } }, member({ scopes: ['contacts.read'] }))
  await expectRefused(world, add, { scopes: ['messages.send'] })
})

test('lifting a restriction needs all of its type', async () => {
  const world = await opened()
  const change = { resources: { project: 'all' }, networks: 'any' }
  await expectRefused(world, () => world.update(change, member()), change)
  const grantable = member({ resources: 'all', networks: 'any' })
  expect(await world.update(change, grantable)).toMatchObject({ withinGrant: true, ...change })
})

test('status and version are checked before, and the plan after', async () => {
  const { world, keys, one, update, acts } = await opened()
  const none = member({ scopes: [] })
  const { rotate, resume } = acts(none)
  const [version, lasting] = [9, { expiresAt: null }]
  expect(await codeOf(update(lasting, none, version))).toBe('stale')
  world.plan = { ...plans.business, publicApi: false }
  expect(await codeOf(update(lasting, none))).toBe('not_grantable')
  expect(await codeOf(update(lasting, member()))).toBe('plan_required')
  await keys.revokeKey(one)
  for (const call of [update(lasting, none, 2), rotate(), resume()]) {
    expect(await codeOf(call)).toBe('key_revoked')
  }
})

describe('a mistake of the host is never "all"', () => {
  const { scopes: _, ...withoutScopes } = ALL
  const list = (name: string) => `needs a list in "${name}"`
  const listOr = (whole: string, name: string) => `needs a list or "${whole}" in "${name}"`
  const unknown = (name: string) => `has something unknown at "${name}.0"`
  const withGetter = (get: () => unknown) =>
    Object.defineProperty({ ...ALL }, 'scopes', { enumerable: true, get })
  const throwing = withGetter(() => thrown(new Error('no session')))
  const inherited = Object.setPrototypeOf({ ...withoutScopes }, { scopes: ALL.scopes })
  const ofResources = (resources: unknown) => member({ resources })
  const MISTAKES: Readonly<Record<string, readonly unknown[]>> = {
    'must be an object with': [undefined, null, 'all', []],
    'has no dimension "cost"': [{ ...ALL, cost: 1 }],
    'has no type of resource "flow"; known names: ': [
      ofResources({ project: 'all', team: 'all', flow: 'all' }),
    ],
    [list('scopes')]: [
      ...[withoutScopes, inherited, throwing],
      ...[undefined, 'all'].map((scopes) => member({ scopes })),
    ],
    [listOr('all', 'resources.project')]: [
      ...[{}, undefined, { project: Array(10_001).fill('p'), team: 'all' }].map(ofResources),
    ],
    [listOr('all', 'resources.team')]: [
      ...[{ project: 'all' }, { project: 'all', team: undefined }].map(ofResources),
    ],
    [listOr('any', 'networks')]: [member({ networks: undefined })],
    [list('environments')]: [member({ environments: undefined })],
    [unknown('scopes')]: [['contacts.destroy'], [1]].map((scopes) => member({ scopes })),
    [unknown('resources.project')]: [ofResources({ project: [1], team: 'all' })],
    [unknown('networks')]: ['198.51.100.0', '0.0.0.0/0', ['198.51.100.0/24']].map((network) =>
      member({ networks: [network] }),
    ),
    [unknown('environments')]: [member({ environments: ['staging'] })],
  }

  test.each(Object.entries(MISTAKES))('%s', async (problem, given) => {
    for (const grantable of given) {
      const { now, acts } = await opened()
      const before = await now()
      for (const act of Object.values(acts(grantable))) {
        const error = await rejection(act())
        expect(error).toBeInstanceOf(TypeError)
        expect(String(error)).toContain(`grantable ${problem}`)
      }
      expect(await now()).toEqual(before)
    }
  })

  test('also where it comes from a class of the host', async () => {
    class Session {
      get grantable() {
        return member({ scopes: [] })
      }
    }
    const input = Object.assign(new Session(), keyInput())
    expect(String(await rejection(openWorld().keys.createKey(input as never)))).toBe(
      'TypeError: grantable must be a plain property.',
    )
  })

  test('nor does a polluted prototype give or take anything', async () => {
    const { keys } = await opened()
    const grantable = member({ resources: { project: ['p_1'], team: 'all' } })
    const unrestricted = keyInput({ ...RIGHTS, resources: {}, grantable })
    await polluted({ project: ['p_1'] }, async () => {
      const { missing } = await refusal(keys.createKey(unrestricted))
      expect(missing).toEqual({ resources: { project: 'all' } })
    })
  })

  test('and a getter that changes its answer is read once', async () => {
    let asked = 0
    const grantable = withGetter(() => {
      asked += 1
      return asked === 1 ? [] : ALL.scopes
    })
    const { acts } = await opened()
    expect([await codeOf(acts(grantable).create()), asked]).toEqual(['not_grantable', 1])
  })
})

test.each(['rotate', 'resume'] as const)(
  'a scope that another process adds between the check and the change: %s is refused',
  async (act) => {
    const { world, keys, one, acts, now } = await opened({ scopes: ['contacts.read'] })
    if (act === 'resume') await keys.pauseKey(one)
    const { version } = await now()
    meanwhile(world, (others) => {
      const change = { scopes: ['contacts.read', 'messages.send'] as const }
      return others.updateKey({ ...one, version, change })
    })
    const narrow = member({ scopes: ['contacts.read'] })
    expect(await codeOf(acts(narrow)[act]())).toBe('not_grantable')
  },
)

describe('a scope that the catalogue has lost', () => {
  const known = pickScopes(defaultCatalogue, ['contacts.read', 'messages.send'])
  const grantable = member({ scopes: ['contacts.read', 'messages.send'] })

  async function keyWithLostScope() {
    const storage = memoryStorage()
    const before = openWorld({ storage, resources })
    const { key } = await before.keys.createKey(keyInput(RIGHTS))
    const { keys } = openWorld({ storage, resources, catalogue: known as never })
    const scopesOf = async (id: string) =>
      (await before.keys.getKey({ workspaceId: WORKSPACE, id })).scopes
    return { keys, key, by: { ...action(key.id), grantable }, scopesOf }
  }

  test('keeps a key from being widened otherwise: adding it again would revive it', async () => {
    const { keys, key, by, scopesOf } = await keyWithLostScope()
    const change = { resources: { project: ['p_1', 'p_2', 'p_3'] } }
    const missing = { scopes: ['contacts.write'] }
    const widened = keys.updateKey({ ...by, version: 1, change })
    expect(await refusal(widened)).toMatchObject({ code: 'not_grantable', missing })
    await keys.pauseKey(action(key.id))
    expect((await refusal(keys.resumeKey(by))).missing).toEqual(missing)
    expect(await scopesOf(key.id)).toContain('contacts.write')
  })

  test('is not carried into a replacement, which is within the ceiling then', async () => {
    const { keys, by, scopesOf } = await keyWithLostScope()
    expect(await scopesOf((await keys.rotateKey(by)).key.id)).toEqual(['contacts.read'])
  })
})

test('every answer about a key beyond the ceiling says so', async () => {
  const { keys, one, update } = await opened()
  const grantable = member({ scopes: ['contacts.read'] })
  const stale = await refusal(update({ name: 'Other' }, grantable, 7))
  const unpaused = await keys.resumeKey({ ...one, grantable })
  const renamed = await update({ name: 'Other' }, grantable)
  const paused = await keys.pauseKey({ ...one, grantable })
  for (const answered of [stale.key, unpaused, renamed, paused])
    expect(answered?.withinGrant).toBe(false)
})
