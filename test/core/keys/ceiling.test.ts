import { describe, expect, test } from 'vitest'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import {
  type ApiKey,
  type DefaultScope,
  defaultCatalogue,
  defineResources,
  type Grantable,
  pickScopes,
  plans,
} from '../../../src/index.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import {
  action,
  keyInput,
  openWorld,
  refusal,
  rejection,
  START_MS,
  WORKSPACE,
} from '../../support/world.ts'

const HOUR_MS = 3_600_000
const resources = defineResources([
  { type: 'project', label: { en: 'Projects' } },
  { type: 'team', label: { en: 'Teams' } },
])
const open = (options: Parameters<typeof openWorld>[0] = {}) => openWorld({ resources, ...options })

/** What a key has and what a member may give: exactly the same. */
const RIGHTS = {
  environment: 'live',
  scopes: ['contacts.read', 'contacts.write'],
  resources: { project: ['p_1', 'p_2'], team: ['t_1'] },
  networks: ['198.51.100.0/24'],
} as const
const ALL: Grantable<DefaultScope> = {
  scopes: ['contacts.read', 'contacts.write', 'messages.send'],
  resources: { project: ['p_1', 'p_2', 'p_3'], team: 'all' },
  networks: ['198.51.0.0/16'],
  environments: ['live', 'test'],
}

/** Members who lack one thing, and the message that they get. */
const LACKING = [
  ['one scope', { scopes: ['contacts.read'] }, { scopes: ['contacts.write'] }],
  ['every scope', { scopes: [] }, { scopes: ['contacts.read', 'contacts.write'] }],
  ['one id', { resources: { project: ['p_1'], team: 'all' } }, { resources: { project: ['p_2'] } }],
  ['a type', { resources: { project: 'all', team: [] } }, { resources: { team: ['t_1'] } }],
  ['one environment', { environments: ['test'] }, { environments: ['live'] }],
  ['a network', { networks: ['198.51.100.0/25'] }, { networks: ['198.51.100.0/24'] }],
] as const

const member = (lacking: object) => ({ ...ALL, ...lacking }) as Grantable<DefaultScope>

async function worldWithKey(fields: object = {}) {
  const world = open()
  const expiresAt = new Date(START_MS + HOUR_MS)
  const { key } = await world.keys.createKey(keyInput({ ...RIGHTS, expiresAt, ...fields }))
  const update = (change: object, grantable: unknown, version = key.version) =>
    world.keys.updateKey({ ...action(key.id), version, change, grantable } as never)
  const now = () => world.keys.getKey({ workspaceId: WORKSPACE, id: key.id })
  return { world, key, update, now }
}

/** Nothing was written, and the refusal says what is missing. */
async function expectRefused(
  { world, key, now }: Awaited<ReturnType<typeof worldWithKey>>,
  refused: () => Promise<unknown>,
  missing: object,
) {
  const before = await now()
  const events = await world.keys.listEvents({ workspaceId: WORKSPACE })
  world.asked()
  const error = await refusal(refused())
  expect([error.code, error.missing]).toEqual(['not_grantable', missing])
  expect(world.asked()).not.toContain('entitlements')
  expect(await now()).toEqual(before)
  expect(await world.keys.listEvents({ workspaceId: key.workspaceId })).toEqual(events)
}

describe.each(LACKING)('a member who lacks %s', (_, lacking, missing) => {
  const grantable = member(lacking)

  test('creates no such key', async () => {
    const opened = await worldWithKey()
    const input = keyInput({ ...RIGHTS, grantable })
    await expectRefused(opened, () => opened.world.keys.createKey(input), missing)
  })

  test('adds nothing to it, not even what they hold', async () => {
    const opened = await worldWithKey()
    const lacked: readonly string[] = 'scopes' in missing ? missing.scopes : []
    const scopes = [...RIGHTS.scopes, 'messages.send']
    await expectRefused(opened, () => opened.update({ scopes }, grantable), {
      ...missing,
      ...(lacked.length > 0 && { scopes: ['messages.send', ...lacked] }),
    })
  })

  test('gives it no later expiry, and no end to it', async () => {
    const opened = await worldWithKey()
    for (const expiresAt of [new Date(START_MS + 2 * HOUR_MS), null]) {
      await expectRefused(opened, () => opened.update({ expiresAt }, grantable), missing)
    }
  })

  test('does not rotate it, and so never reads its new secret', async () => {
    const opened = await worldWithKey()
    const input = { ...action(opened.key.id), grantable }
    await expectRefused(opened, () => opened.world.keys.rotateKey(input), missing)
  })

  test('does not resume it', async () => {
    const opened = await worldWithKey()
    await opened.world.keys.pauseKey(action(opened.key.id))
    const input = { ...action(opened.key.id), grantable }
    await expectRefused(opened, () => opened.world.keys.resumeKey(input), missing)
  })

  test('narrows, renames, shortens, pauses and revokes it', async () => {
    const { world, key, update } = await worldWithKey()
    const changes = [
      { scopes: ['contacts.read'] },
      { resources: { project: [] } },
      { networks: ['198.51.100.7/32'] },
      { name: 'ERP', note: 'for finance' },
      { expiresAt: new Date(START_MS + HOUR_MS / 2) },
    ]
    let { version } = key
    for (const change of changes) ({ version } = await update(change, grantable, version))
    expect((await world.keys.pauseKey(action(key.id))).status).toBe('paused')
    expect((await world.keys.revokeKey(action(key.id))).status).toBe('revoked')
  })

  test('sees in lists that it is beyond them', async () => {
    const { world, key } = await worldWithKey()
    const asked = { workspaceId: WORKSPACE, grantable }
    expect((await world.keys.listKeys(asked)).keys).toMatchObject([{ withinGrant: false }])
    expect((await world.keys.getKey({ ...asked, id: key.id })).withinGrant).toBe(false)
  })
})

test('a member who holds all of it does everything', async () => {
  const { world, key, update } = await worldWithKey()
  const grantable = member({})
  expect(await world.keys.createKey(keyInput({ ...RIGHTS, grantable }))).toBeDefined()
  const updated = await update({ resources: { project: ['p_1', 'p_3'] } }, grantable)
  expect([updated.withinGrant, updated.resources['project']]).toEqual([true, ['p_1', 'p_3']])
  await world.keys.pauseKey(action(key.id))
  await world.keys.resumeKey({ ...action(key.id), grantable })
  const { key: replacement } = await world.keys.rotateKey({ ...action(key.id), grantable })
  expect(replacement.resources['project']).toEqual(['p_1', 'p_3'])
})

test('a member gives one of 10,000 ids, and a private network', async () => {
  const ids = Array.from({ length: 10_000 }, (_, at) => `p_${at}`)
  const networks = ['10.0.0.0/8']
  const { keys } = open({ privateNetworks: true })
  const grantable = member({ resources: { project: ids, team: 'all' }, networks })
  const restriction = { resources: { project: ['p_9999'] }, networks }
  const { key } = await keys.createKey(keyInput({ ...RIGHTS, ...restriction, grantable }))
  expect(key).toMatchObject(restriction)
})

test('a member with one scope adds no id to a key that holds another', async () => {
  const opened = await worldWithKey({ scopes: ['messages.send'], resources: { project: ['p_1'] } })
  const grantable = member({ scopes: ['contacts.read'] })
  const change = { resources: { project: ['p_1', 'p_2'] } }
  await expectRefused(opened, () => opened.update(change, grantable), { scopes: ['messages.send'] })
})

test('lifting a restriction needs all of its type', async () => {
  const opened = await worldWithKey()
  const change = { resources: { project: 'all' }, networks: 'any' }
  await expectRefused(opened, () => opened.update(change, member({})), {
    resources: { project: 'all' },
    networks: 'any',
  })
  const grantable = member({ resources: 'all', networks: 'any' })
  expect(await opened.update(change, grantable)).toMatchObject({ withinGrant: true, ...change })
})

test('status and version are checked before, and the plan after', async () => {
  const { world, key, update } = await worldWithKey()
  const none = member({ scopes: [] })
  expect((await refusal(update({ expiresAt: null }, none, 9))).code).toBe('stale')
  world.plan = { ...plans.business, publicApi: false }
  expect((await refusal(update({ expiresAt: null }, none))).code).toBe('not_grantable')
  expect((await refusal(update({ expiresAt: null }, member({})))).code).toBe('plan_required')
  await world.keys.revokeKey(action(key.id))
  expect((await refusal(update({ expiresAt: null }, none, 2))).code).toBe('key_revoked')
  const ended = { ...action(key.id), grantable: none }
  expect((await refusal(world.keys.rotateKey(ended))).code).toBe('key_revoked')
  expect((await refusal(world.keys.resumeKey(ended))).code).toBe('key_revoked')
})

describe('a mistake of the host is never "all"', () => {
  const { scopes: _, ...withoutScopes } = ALL
  const list = (name: string) => `needs a list in "${name}"`
  const listOr = (whole: string, name: string) => `needs a list or "${whole}" in "${name}"`
  const unknown = (name: string) => `has something unknown at "${name}.0"`
  const throwing = Object.defineProperty({ ...ALL }, 'scopes', {
    enumerable: true,
    get: () => {
      throw new Error('no session')
    },
  })
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
      {},
      ofResources(undefined),
      ofResources({ project: Array(10_001).fill('p'), team: 'all' }),
    ],
    [listOr('all', 'resources.team')]: [
      ofResources({ project: 'all' }),
      ofResources({ project: 'all', team: undefined }),
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
  const TABLE = Object.entries(MISTAKES).flatMap(([problem, given]) =>
    given.map((grantable) => [problem, grantable] as const),
  )

  test.each(TABLE)('%s: %#', async (problem, grantable) => {
    const { world, key, now } = await worldWithKey()
    const before = await now()
    const { keys } = world
    const one = { ...action(key.id), grantable } as never
    const attempts = [
      keys.createKey(keyInput({ grantable })),
      keys.rotateKey(one),
      keys.resumeKey(one),
      keys.updateKey({ ...action(key.id), version: 1, change: { name: 'n' }, grantable } as never),
      keys.listKeys({ workspaceId: WORKSPACE, grantable } as never),
      keys.getKey({ workspaceId: WORKSPACE, id: key.id, grantable } as never),
    ]
    for (const attempt of attempts) {
      const error = await rejection(attempt)
      expect(error).toBeInstanceOf(TypeError)
      expect(String(error)).toContain(`grantable ${problem}`)
    }
    expect(await now()).toEqual(before)
  })

  test('also where it comes from a class of the host', async () => {
    class Session {
      get grantable() {
        return member({ scopes: [] })
      }
    }
    const { world } = await worldWithKey()
    const input = Object.assign(new Session(), keyInput())
    expect(String(await rejection(world.keys.createKey(input as never)))).toBe(
      'TypeError: grantable must be a plain property.',
    )
  })

  test.each([null, 'a text', 5])('%j in place of an input is refused as such', async (input) => {
    const { world } = await worldWithKey()
    expect((await refusal(world.keys.createKey(input as never))).code).toBe('invalid_input')
  })

  test('nor does a polluted prototype give or take anything', async () => {
    const { world } = await worldWithKey()
    Object.defineProperty(Object.prototype, 'project', {
      value: ['p_1'],
      configurable: true,
      writable: true,
    })
    try {
      const grantable = member({ resources: { project: ['p_1'], team: 'all' } })
      const unrestricted = keyInput({ ...RIGHTS, resources: {}, grantable })
      const { missing } = await refusal(world.keys.createKey(unrestricted))
      expect(missing).toEqual({ resources: { project: 'all' } })
    } finally {
      Reflect.deleteProperty(Object.prototype, 'project')
    }
  })
})

test('a getter that changes its answer is read once', async () => {
  const { world } = await worldWithKey()
  let asked = 0
  const grantable = Object.defineProperty({ ...ALL }, 'scopes', {
    enumerable: true,
    get: () => {
      asked += 1
      return asked === 1 ? [] : ALL.scopes
    },
  })
  const { code } = await refusal(world.keys.createKey(keyInput({ ...RIGHTS, grantable })))
  expect([code, asked]).toEqual(['not_grantable', 1])
})

/** The keys of four processes on one storage. */
function nodes(storage: KeyStorage, options: Parameters<typeof openWorld>[0] = {}) {
  return Array.from({ length: 4 }, () => open({ storage, ...options }))
}

describe('an update that comes between the check and the change of another process', () => {
  const narrow = member({ scopes: ['contacts.read'] })

  async function oneKey(): Promise<{ storage: KeyStorage; key: ApiKey }> {
    const storage = memoryStorage()
    const { key } = await open({ storage }).keys.createKey(
      keyInput({ ...RIGHTS, scopes: ['contacts.read'] }),
    )
    return { storage, key }
  }

  const addScope = (node: ReturnType<typeof open>, { id, version }: ApiKey) => {
    const change = { scopes: ['contacts.read', 'messages.send'] as const }
    return node.keys.updateKey({ ...action(id), version, change })
  }

  test('is seen by the retry of a rotation', async () => {
    const { storage, key } = await oneKey()
    const [member, admin] = nodes(storage) as [ReturnType<typeof open>, ReturnType<typeof open>]
    member.misbehaviour.write = (async (...args: Parameters<KeyStorage['write']>) => {
      await addScope(admin, await admin.keys.getKey({ workspaceId: WORKSPACE, id: key.id })).catch(
        () => {},
      )
      return storage.write(...args)
    }) as never
    const { code } = await refusal(member.keys.rotateKey({ ...action(key.id), grantable: narrow }))
    expect(code).toBe('not_grantable')
  })

  test('is seen by the retry of a resumption', async () => {
    const { storage, key } = await oneKey()
    const [member, admin] = nodes(storage) as [ReturnType<typeof open>, ReturnType<typeof open>]
    await admin.keys.pauseKey(action(key.id))
    member.misbehaviour.write = (async (...args: Parameters<KeyStorage['write']>) => {
      await addScope(admin, { ...key, version: 2 }).catch(() => {})
      return storage.write(...args)
    }) as never
    const { code } = await refusal(member.keys.resumeKey({ ...action(key.id), grantable: narrow }))
    expect(code).toBe('not_grantable')
  })
})

describe('a scope that the catalogue has lost', () => {
  const lost = 'contacts.write'
  const known = pickScopes(defaultCatalogue, ['contacts.read', 'messages.send'])
  const grantable = { ...ALL, scopes: ['contacts.read', 'messages.send'] } as never

  async function keyWithLostScope() {
    const storage = memoryStorage()
    const before = open({ storage })
    const { key } = await before.keys.createKey(keyInput(RIGHTS))
    const without = open({ storage, catalogue: known as never })
    return { before, without, key }
  }

  test('keeps a key from being widened otherwise: adding it again would revive it', async () => {
    const { without, key, before } = await keyWithLostScope()
    const change = { resources: { project: ['p_1', 'p_2', 'p_3'] } }
    const input = { ...action(key.id), version: 1, change, grantable }
    const error = await refusal(without.keys.updateKey(input as never))
    expect([error.code, error.missing]).toEqual(['not_grantable', { scopes: [lost] }])
    await without.keys.pauseKey(action(key.id))
    const resumed = without.keys.resumeKey({ ...action(key.id), grantable })
    expect((await refusal(resumed)).missing).toEqual({ scopes: [lost] })
    expect((await before.keys.getKey({ workspaceId: WORKSPACE, id: key.id })).scopes).toContain(
      lost,
    )
  })

  test('is not carried into a replacement, which is within the ceiling then', async () => {
    const { without, key, before } = await keyWithLostScope()
    const { key: rotated } = await without.keys.rotateKey({ ...action(key.id), grantable })
    const again = await before.keys.getKey({ workspaceId: WORKSPACE, id: rotated.id })
    expect(again.scopes).toEqual(['contacts.read'])
  })
})

test('every answer about a key beyond the ceiling says so', async () => {
  const { world, key, update } = await worldWithKey()
  const grantable = member({ scopes: ['contacts.read'] })
  const stale = await refusal(update({ name: 'Other' }, grantable, 7))
  const unpaused = await world.keys.resumeKey({ ...action(key.id), grantable })
  const renamed = await update({ name: 'Other' }, grantable)
  const paused = await world.keys.pauseKey({ ...action(key.id), grantable })
  for (const answered of [stale.key, unpaused, renamed, paused])
    expect(answered?.withinGrant).toBe(false)
})
