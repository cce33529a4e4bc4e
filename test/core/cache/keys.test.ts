import { createHash } from 'node:crypto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  sampleRevocation,
  sampleUpdate,
} from '../../../adapters/storage/testing/storage-contract.ts'
import { createGuard } from '../../../src/http/index.ts'
import {
  type ApiKeys,
  type DefaultScope,
  defineResources,
  ERASED_PERSON,
  type IssuedKey,
  plans,
} from '../../../src/index.ts'
import { sha256Hex } from '../../../src/secret/sha256-node.ts'
import type { HeldKey, KeyStorage, WorkspaceWrite } from '../../../src/storage/index.ts'
import { FORMAT, importInput, OLD_SECRET } from '../../support/lifecycle/import.ts'
import { loggedStorage, type MemoryLog } from '../../support/memory-log.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import { findById } from '../../support/stored.ts'
import {
  action,
  CREATOR,
  fault,
  keyInput,
  openWorld,
  refusal,
  settled,
  until,
  WORKSPACE,
} from '../../support/world.ts'

simulateTime()

const opened: ApiKeys[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((keys) => keys.close()))
})

const CACHE = { leaseMs: 2_000 }
type Options = Parameters<typeof openWorld>[0]

/** Keys with a cache, as one process of several on the same storage. */
function openNode(storage: KeyStorage, options: Options = {}) {
  const world = openWorld({ storage, cache: CACHE, ...options })
  opened.push(world.keys)
  return world
}

type World = ReturnType<typeof openNode>

const accepts = async (keys: ApiKeys, secret: string) =>
  (await keys.authenticate(`Bearer ${secret}`, null)).ok

/** Has a key in memory, and a lease. */
async function warm(keys: ApiKeys, secret: string): Promise<void> {
  await accepts(keys, secret)
  await until(() => keys.stats().cache?.hasLease === true)
  await accepts(keys, secret)
  await accepts(keys, secret)
}

/** A process with the cache, its log of changes, and a key that is stored. */
async function coldNode(options: Options = {}, fields: Record<string, unknown> = {}) {
  const { storage, log } = loggedStorage()
  const world = openNode(storage, options)
  const { key, secret } = await world.keys.createKey(keyInput(fields))
  world.asked()
  return { ...world, log, key, secret }
}

/** The same with the key in memory. */
async function warmNode(options: Options = {}) {
  const node = await coldNode(options)
  await warm(node.keys, node.secret)
  node.asked()
  return node
}

/** Two such processes on one storage. */
async function warmPair(
  fields: Record<string, unknown> = {},
  options: Options = {},
  hints: object = {},
) {
  const { storage, log } = loggedStorage()
  Object.assign(log, hints)
  const [one, two] = [openNode(storage, options), openNode(storage, options)]
  const { key, secret } = await one.keys.createKey(keyInput(fields))
  for (const { keys } of [one, two]) await warm(keys, secret)
  return { storage, log, one, two, key, secret }
}

test('a key that was used is answered from memory, and the storage is not asked', async () => {
  const { keys, asked, secret } = await warmNode()
  expect(await accepts(keys, secret)).toBe(true)
  expect(asked()).toEqual([])
  const { cache } = keys.stats()
  expect(cache).toMatchObject({ keys: 1, evictions: 0, hasLease: true, nodes: 1, lag: 0 })
  expect([(cache?.hits ?? 0) >= 2, (cache?.misses ?? 0) >= 1]).toEqual([true, true])
  expect(Object.isFrozen(keys.stats())).toBe(true)
})

test('each request that memory answers is one hit, whatever it carries', async () => {
  const { keys, secret } = await warmNode()
  const { secret: unknown } = await openWorld().keys.createKey(keyInput())
  await keys.authenticateSecret(unknown, null)
  const hits = () => keys.stats().cache?.hits ?? 0
  const before = hits()
  await keys.authenticateSecret(secret, null)
  await keys.authenticate(`bearer  ${secret} `, null)
  await keys.authenticateSecret(unknown, null)
  expect(hits() - before).toBe(3)
})

test('a mistyped secret is malformed, also beside a remembered one', async () => {
  const { keys, asked, secret } = await warmNode()
  const mistyped = secret.slice(0, -1) + (secret.endsWith('7') ? '3' : '7')
  asked()
  for (const text of [mistyped, `${secret}7`, secret.slice(1), ` ${secret.slice(1)}`]) {
    expect(await keys.authenticateSecret(text, null)).toEqual({ ok: false, reason: 'malformed' })
  }
  expect(await keys.authenticate(`Bearer,${secret}`, null)).toMatchObject({ ok: false })
  expect(asked()).toEqual([])
})

test('what is stored of a remembered key opens nothing, whatever its length', async () => {
  const base64 = (text: string) => createHash('sha256').update(text).digest('base64')
  const { keys, secret } = await coldNode({ formats: [{ ...FORMAT, digest: base64 }] })
  const digest = base64(OLD_SECRET)
  await keys.importKeys([importInput({ digest })], { actor: CREATOR })
  await warm(keys, OLD_SECRET)
  // What is hashed for a key of another system; here as long as a secret.
  const hashed = `miftah:${FORMAT.id}:${digest}`
  expect(hashed).toHaveLength(secret.length)
  for (const stored of [hashed, digest, sha256Hex(hashed)]) {
    expect(await keys.authenticateSecret(stored, null)).toEqual({ ok: false, reason: 'malformed' })
  }
  expect(await keys.authenticateSecret(OLD_SECRET, null)).toMatchObject({ ok: true })
})

const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])
const TOUCHED = { resource: { project: 'p_1' } }
const OF_CREATOR = { workspaceId: WORKSPACE, actor: CREATOR, creatorId: CREATOR.id }
const REMOVAL = { workspaceId: WORKSPACE, actor: CREATOR, resource: { project: 'p_1' } }

/** Each takes the scope, the resource or all of the key. */
const CHANGES: Readonly<Record<string, (world: World, id: string) => Promise<unknown>>> = {
  revokeKey: ({ keys }, id) => keys.revokeKey(action(id)),
  rotateKey: ({ keys }, id) => keys.rotateKey(action(id)),
  pauseKey: ({ keys }, id) => keys.pauseKey(action(id)),
  updateKey: ({ keys }, id) =>
    keys.updateKey({ ...action(id), version: 1, change: { scopes: ['contacts.read'] } }),
  revokeKeys: ({ keys }) => keys.revokeKeys(OF_CREATOR),
  removeResource: ({ keys }) => keys.removeResource(REMOVAL),
}

/** Two processes with a key, and whether each accepts a request with all that the key may. */
async function restrictedPair(hints: object = {}) {
  const fields = { scopes: ['contacts.read', 'contacts.write'], resources: { project: ['p_1'] } }
  const pair = await warmPair(fields, { resources }, hints)
  const accepted = async () => {
    const asking = [pair.one, pair.two].map(({ keys }) =>
      keys.authenticate(`Bearer ${pair.secret}`, 'contacts.write', TOUCHED),
    )
    return (await Promise.all(asking)).map(({ ok }) => ok)
  }
  expect(await accepted()).toEqual([true, true])
  return { ...pair, accepted }
}

describe.each(Object.entries(CHANGES))('%s', (_, change) => {
  test.each([
    ['with hints', {}],
    // A process learns of a change at its next renewal.
    ['without hints', { wake: undefined, listen: undefined }],
  ])('once it has resolved, no process accepts the key as it was: %s', async (_hints, hints) => {
    const { log, two, key, accepted } = await restrictedPair(hints)
    await change(two, key.id)
    expect(await accepted()).toEqual([false, false])
    expect(log.nodes.size).toBe(2)
  })
})

test('a key that another process imports first is accepted where importKeys finds it stored', async () => {
  const { storage } = loggedStorage()
  const formats = [FORMAT]
  const importer = openWorld({ storage, formats })
  const { keys } = openNode(storage, { formats })
  await warm(keys, (await keys.createKey(keyInput())).secret)
  const ask = () => keys.authenticateSecret(OLD_SECRET, null)
  expect(await ask()).toMatchObject({ reason: 'unknown' })
  await importer.keys.importKeys([importInput()], { actor: CREATOR })
  const rows = await keys.importKeys([importInput()], { actor: CREATOR })
  expect(rows).toMatchObject([{ outcome: 'exists' }])
  expect(await ask()).toMatchObject({ ok: true })
})

test('once a workspace or a person is erased, no process remembers the key from before', async () => {
  const { one, two, secret } = await warmPair()
  await two.keys.erasePerson({ personId: CREATOR.id })
  for (const { keys } of [one, two]) {
    const auth = await keys.authenticate(`Bearer ${secret}`, null)
    expect(auth.ok && auth.key.creator).toEqual(ERASED_PERSON)
    await warm(keys, secret)
  }
  await two.keys.eraseWorkspace({ workspaceId: 'ws_1' })
  for (const { keys } of [one, two]) expect(await accepts(keys, secret)).toBe(false)
})

test('a change that finds its work done waits as well, and what changes nothing does not', async () => {
  const { keys, key, log } = await warmNode()
  await keys.pauseKey(action(key.id))
  for (const again of [
    () => keys.pauseKey(action(key.id)),
    () => keys.updateKey({ ...action(key.id), version: 2, change: { name: key.name } }),
    () => keys.revokeKey(action(key.id)),
    () => keys.revokeKey(action(key.id)),
  ]) {
    log.asked.length = 0
    await again()
    expect(log.asked).toContain('laggingNodes')
  }
  log.asked.length = 0
  await keys.revokeKeys({ ...OF_CREATOR, dryRun: true })
  expect((await refusal(keys.revokeKey(action('key_none')))).code).toBe('key_not_found')
  expect(log.asked).toEqual([])
})

/** What a call has changed that was killed before it could wait. */
const CUT: Readonly<Record<string, (key: HeldKey) => WorkspaceWrite>> = {
  revokeKeys: (key) => sampleRevocation(key),
  removeResource: (key) => sampleUpdate(key, { resources: { project: [] } }),
}

test.each(Object.entries(CUT))(
  '%s also waits for what a killed call has changed',
  async (name, cut) => {
    const { storage, two, key, accepted } = await restrictedPair()
    const query = { workspaceId: WORKSPACE, ids: [key.id], eventIds: [] }
    const [held] = (await storage.read({ ...query, countAtMs: null, countUpTo: null })).keys
    if (held === undefined) throw new Error('the key is stored')
    await storage.write([cut(held)])
    await CHANGES[name]?.(two, key.id)
    expect(await accepted()).toEqual([false, false])
  },
)

test('a renewal that nobody answers does not cost the lease', async () => {
  vi.useFakeTimers()
  const { keys, log, secret } = await coldNode({ cache: { leaseMs: 1_000 } })
  await accepts(keys, secret)
  await vi.advanceTimersByTimeAsync(0)
  const { renew } = log
  let isAnswered = false
  log.renew = (request) => {
    if (isAnswered) return renew.call(log, request)
    isAnswered = true
    return new Promise(() => {})
  }
  for (let passed = 0; passed < 2_000; passed += 10) {
    await vi.advanceTimersByTimeAsync(10)
    expect(keys.stats().cache?.hasLease).toBe(true)
  }
})

test('a process does not wait for itself', async () => {
  const { keys, key, secret, log } = await warmNode()
  log.renew = () => Promise.reject(new Error('down'))
  await keys.revokeKey(action(key.id))
  expect(await accepts(keys, secret)).toBe(false)
  // A process that is waited for in vain loses its place.
  expect(log.nodes.size).toBe(1)
})

test('a process without a cache waits for those that have one', async () => {
  const { storage, log } = loggedStorage()
  const node = openNode(storage)
  const script = openWorld({ storage })
  const { key, secret } = await script.keys.createKey(keyInput())
  await warm(node.keys, secret)
  await script.keys.revokeKey(action(key.id))
  expect(await accepts(node.keys, secret)).toBe(false)
  expect(log.asked).toContain('wake')
  expect(script.keys.stats()).toEqual({ cache: null })
})

test('processes that were killed lose their places without a change', async () => {
  const { storage, log } = loggedStorage()
  for (const node of ['dead_1', 'dead_2']) await log.register({ node, leaseMs: 20 })
  const { keys } = openNode(storage)
  await warm(keys, (await keys.createKey(keyInput())).secret)
  await until(() => log.nodes.size === 1)
  expect(log.asked.filter((call) => call === 'evict')).toHaveLength(1)
})

test.each<[string, (world: World, made: IssuedKey<DefaultScope>) => Promise<unknown>]>([
  ['a warm process', ({ keys }, { secret }) => warm(keys, secret).then(() => settled(5))],
  ['a revocation', ({ keys }, { key }) => keys.revokeKey(action(key.id))],
])('%s that cannot read who is behind reports that once', async (_, act) => {
  const { log, ...world } = await coldNode()
  log.laggingNodes = () => Promise.reject(new Error('down'))
  await act(world, await world.keys.createKey(keyInput()))
  expect(world.events.filter((event) => event.type === 'outage')).toMatchObject([
    { operation: 'laggingNodes', error: { message: 'down' } },
  ])
})

test('a dropped plan is asked for again in every process', async () => {
  const { one, two, secret, log } = await warmPair()
  for (const dropped of [WORKSPACE, undefined]) {
    for (const world of [one, two]) {
      await accepts(world.keys, secret)
      world.asked()
      await accepts(world.keys, secret)
      expect(world.asked()).toEqual([])
    }
    await one.keys.dropEntitlements(dropped)
    for (const world of [one, two]) {
      await accepts(world.keys, secret)
      expect(world.asked()).toEqual(['entitlements'])
    }
  }
  expect(log.rows.changes).toEqual([
    { sequence: 1, kind: 'plan', workspaceId: WORKSPACE },
    { sequence: 2, kind: 'plan', workspaceId: null },
  ])
})

test('a plan that is dropped while the log is written is not remembered from before', async () => {
  const { keys, asked, secret, log } = await warmNode()
  const changePlan = log.changePlan.bind(log)
  log.changePlan = async (workspaceId) => {
    await accepts(keys, secret)
    asked()
    return changePlan(workspaceId)
  }
  await keys.dropEntitlements(WORKSPACE)
  await accepts(keys, secret)
  expect(asked()).toEqual(['entitlements'])
})

test('an entry about everything, or entries that are missing, forget keys and plans', async () => {
  for (const spoilt of [{}, { changes: null }]) {
    const { keys, asked, secret, log } = await warmNode()
    log.rows.add({ kind: 'everything' })
    log.spoil = (renewal) => ({ ...renewal, ...spoilt }) as typeof renewal
    await log.wake()
    await settled(5)
    await accepts(keys, secret)
    expect(asked()).toEqual(['findByHash', 'entitlements'])
  }
})

test('without a lease nobody is answered, and the storage is not asked', async () => {
  const { keys, log, secret, asked, events } = await coldNode()
  log.outage = new Error('down')
  const refused = await fault(keys.authenticate(`Bearer ${secret}`, null))
  expect([refused.operation, asked()]).toEqual(['renew', []])
  expect(refused.cause).toMatchObject({ message: 'this process has no lease' })
  const outages = events.filter((event) => event.type === 'outage')
  expect(outages.map(({ operation }) => operation)).toEqual(['register', 'renew'])
  expect(keys.stats().cache).toMatchObject({ hasLease: false, nodes: null, lag: null })
  expect(log.asked).not.toContain('countNodes')
  expect((await fault(keys.dropEntitlements())).operation).toBe('changePlan')
  log.outage = null
  expect(await accepts(keys, secret)).toBe(true)
  expect(asked()).toEqual(['findByHash', 'entitlements'])
})

test('a read that takes longer than the lease is an outage, and remembers nothing to answer', async () => {
  const { keys, log, secret, misbehaviour, stored } = await coldNode({ cache: { leaseMs: 500 } })
  await accepts(keys, secret)
  const other = await keys.createKey(keyInput())
  misbehaviour.findByHash = async (hash: string) => {
    log.outage = new Error('down')
    await until(() => keys.stats().cache?.hasLease === false)
    return stored.findByHash(hash)
  }
  expect((await fault(keys.authenticate(`Bearer ${other.secret}`, null))).operation).toBe('renew')
  expect((await fault(keys.authenticate(`Bearer ${other.secret}`, null))).operation).toBe('renew')
  log.outage = null
})

test('a lease that ends while the host is waited for has the plan read anew', async () => {
  const fields = { networks: ['203.0.113.0/24'] }
  const { keys, log, secret, asked } = await coldNode({ cache: { leaseMs: 500 } }, fields)
  let wait = async () => {}
  const guard = createGuard(keys, null, {
    clientAddress: async () => {
      await wait()
      return '203.0.113.7'
    },
  })
  const check = () =>
    guard.check('GET', (name) => (name === 'authorization' ? [`Bearer ${secret}`] : []))
  await check()
  await check()
  asked()
  expect(await check()).toMatchObject({ ok: true })
  expect(asked()).toEqual([])
  wait = async () => {
    log.outage = new Error('down')
    await until(() => keys.stats().cache?.hasLease === false)
  }
  expect(await check()).toMatchObject({ ok: true })
  expect(asked()).toEqual(['entitlements'])
  log.outage = null
})

test('the first calls wait for the lease within the time of a storage call', async () => {
  const { keys, log, secret } = await coldNode({ storageTimeoutMs: 300 })
  const register = log.register.bind(log)
  let answer = () => {}
  log.register = async (registration) => {
    await new Promise<void>((resolve) => (answer = resolve))
    return register(registration)
  }
  expect((await fault(keys.authenticate(`Bearer ${secret}`, null))).operation).toBe('renew')
  await until(() => log.asked.length === 0)
  const accepted = accepts(keys, secret)
  await settled(5)
  answer()
  expect(await accepted).toBe(true)
})

test.each<[string, (log: MemoryLog) => unknown]>([
  ['evicted', (log) => log.nodes.clear()],
  ['restored', (log) => Object.assign([...log.nodes.values()][0] ?? {}, { renewal: 0 })],
  ['clocks', () => vi.spyOn(Date, 'now').mockReturnValueOnce(Date.now() + 3_600_000)],
])('the end of a lease is reported to onEvent: %s', async (word, spoil) => {
  const { keys, events, secret, log } = await warmNode()
  spoil(log)
  expect(await accepts(keys, secret)).toBe(true)
  await log.wake()
  await until(() => events.some(({ type }) => type === 'outage'))
  const message = expect.stringContaining(word)
  expect(events).toMatchObject([
    { type: 'api_key.created' },
    { operation: 'lease', error: { message } },
  ])
})

test('close writes the uses also when the node cannot be removed', async () => {
  const { keys, stored, key, log } = await warmNode()
  log.outage = new Error('down')
  expect((await fault(keys.close())).operation).toBe('leave')
  expect((await findById(stored, WORKSPACE, key.id))?.uses).toBeGreaterThan(0)
  log.outage = null
})

test('a change that was logged waits for the longest lease where the log is hidden', async () => {
  const { storage } = loggedStorage()
  const hidden = new Proxy(storage, {
    get: (target, name: keyof KeyStorage) => (name === 'changes' ? undefined : target[name]),
  })
  const { keys } = openWorld({ storage: hidden })
  const { key } = await keys.createKey(keyInput())
  const before = await keys.createKey(keyInput())
  const { keys: logging } = openWorld({ storage })
  await logging.revokeKey(action(before.key.id))
  vi.useFakeTimers()
  const revoked = vi.fn()
  void keys.revokeKey(action(key.id)).then(revoked)
  await vi.advanceTimersByTimeAsync(30_000)
  expect(revoked).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(100)
  expect(revoked).toHaveBeenCalled()
})

test.each([
  [{}, 5_000],
  [{ leaseMs: 500, maxKeys: 1 }, 500],
  [{ leaseMs: 30_000, maxKeys: 16_777_216 }, 30_000],
])(
  'the cache %j asks nothing before the first request, and has a lease of %i ms then',
  async (cache, leaseMs) => {
    const { storage, log } = loggedStorage()
    const { keys } = openNode(storage, { cache })
    await keys.ready()
    await settled(5)
    expect(log.asked).toEqual([])
    await warm(keys, (await keys.createKey(keyInput())).secret)
    expect([...log.nodes.values()]).toMatchObject([
      { leaseMs, node: expect.stringMatching(/^nod_.{21}$/) },
    ])
  },
)

describe('a warm start', () => {
  /** Keys that another process has made and used. */
  const fleet = async (count: number) => {
    const { storage, log } = loggedStorage()
    const { keys } = openNode(storage, { entitlements: () => plans.enterprise })
    const made = []
    while (made.length < count) made.push(await keys.createKey(keyInput()))
    const secrets = made.map(({ secret }) => secret)
    log.recent = secrets.map(sha256Hex)
    return { storage, log, keys, secrets, ids: made.map(({ key }) => key.id) }
  }

  test('reads the keys that were used last, before any request', async () => {
    const { storage, secrets } = await fleet(4)
    const { keys } = openNode(storage, { cache: { ...CACHE, warm: 3 } })
    await keys.ready()
    expect(keys.stats().cache).toMatchObject({ keys: 3, hits: 0, misses: 0, hasLease: true })
    const findByHash = vi.spyOn(storage, 'findByHash')
    for (const secret of secrets.slice(0, 3)) expect(await accepts(keys, secret)).toBe(true)
    expect(findByHash).not.toHaveBeenCalled()
    expect(keys.stats().cache).toMatchObject({ hits: 3, misses: 0 })
  })

  test('begins without ready, and reads many keys in turns', async () => {
    const { storage, log } = await fleet(600)
    const { keys } = openNode(storage, { cache: { ...CACHE, warm: 1_000 } })
    await until(() => keys.stats().cache?.keys === 600)
    expect(log.asked.filter((call) => call === 'recentHashes')).toHaveLength(1)
  })

  test('keeps no key that is revoked while it is read', async () => {
    const { storage, secrets, ids, keys: other } = await fleet(2)
    const stored = storage.findByHash.bind(storage)
    const gates: (() => void)[] = []
    const slow = new Proxy(storage, {
      get: (target, name: keyof KeyStorage) =>
        name === 'findByHash'
          ? async (hash: string) => {
              const found = await stored(hash)
              await new Promise<void>((resolve) => gates.push(resolve))
              return found
            }
          : target[name],
    })
    const { keys } = openNode(slow, { cache: { ...CACHE, warm: 2 } })
    await until(() => gates.length === 2)
    await other.revokeKey(action(ids[0] ?? ''))
    for (const open of gates) open()
    await keys.ready()
    expect(keys.stats().cache?.keys).toBe(1)
    const answer = keys.authenticate(`Bearer ${secrets[0]}`, null)
    await until(() => gates.length === 3)
    gates[2]?.()
    expect((await answer).ok).toBe(false)
  })

  test.each<[string, string, (of: { storage: KeyStorage; log: MemoryLog }) => unknown]>([
    [
      'an outage',
      'warm',
      ({ storage }) => vi.spyOn(storage, 'findByHash').mockRejectedValueOnce(new Error('down')),
    ],
    [
      'an answer that is no list',
      'recentHashes',
      ({ log }) => Object.assign(log, { recent: 'all' }),
    ],
    ['hashes that are no texts', 'recentHashes', ({ log }) => Object.assign(log, { recent: [1] })],
  ])('reports %s once, and leaves the rest to the requests', async (_, operation, spoil) => {
    const { storage, log, secrets } = await fleet(1)
    spoil({ storage, log })
    const { keys, events } = openNode(storage, { cache: { ...CACHE, warm: 3 } })
    await keys.ready()
    expect(events.find(({ type }) => type === 'outage')).toMatchObject({ operation })
    expect(keys.stats().cache?.keys).toBe(0)
    expect(await accepts(keys, secrets[0] ?? '')).toBe(true)
  })

  test('ends with close', async () => {
    const { storage } = await fleet(520)
    const gates: (() => void)[] = []
    vi.spyOn(storage, 'findByHash').mockImplementation(
      () => new Promise((resolve) => gates.push(() => resolve(null))),
    )
    const { keys, events } = openWorld({ storage, cache: { ...CACHE, warm: 600 } })
    await until(() => gates.length === 512)
    await keys.close()
    for (const open of gates) open()
    await settled(20)
    expect(gates).toHaveLength(512)
    expect(events.filter(({ type }) => type === 'outage')).toEqual([])
    await expect(keys.ready()).rejects.toMatchObject({ code: 'closed' })
  })
})

test('a change of one key leaves the others in memory', async () => {
  const { one, two, key } = await warmPair()
  const other = await one.keys.createKey(keyInput())
  await warm(two.keys, other.secret)
  two.asked()
  await one.keys.revokeKey(action(key.id))
  expect(await accepts(two.keys, other.secret)).toBe(true)
  expect(two.asked()).toEqual([])
})

test('the nodes are counted when somebody looks, at most once a lease', async () => {
  const { keys, log } = await warmNode()
  expect(keys.stats().cache?.nodes).toBe(1)
  expect(log.asked.filter((call) => call === 'countNodes')).toHaveLength(1)
})

test('a count that fails leaves the one before', async () => {
  const { keys, events, log } = await warmNode({ cache: { leaseMs: 500 } })
  log.countNodes = async () => ({ nodes: 3, lag: -1 })
  await until(() => keys.stats().cache !== null && events.some(({ type }) => type === 'outage'))
  expect(events).toContainEqual(expect.objectContaining({ operation: 'countNodes' }))
  expect(keys.stats().cache).toMatchObject({ nodes: 1, lag: 0 })
})

test('an unknown secret is asked for again after a renewal', async () => {
  const { storage, log } = loggedStorage()
  const { keys, asked } = openNode(storage)
  const { secret } = await openWorld().keys.createKey(keyInput())
  await warm(keys, secret)
  const renewals = () => log.asked.filter((call) => call === 'renew').length
  const before = renewals()
  await until(() => renewals() > before)
  asked()
  expect(await accepts(keys, secret)).toBe(false)
  expect(asked()).toEqual(['findByHash'])
})
