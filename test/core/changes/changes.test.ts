import { describe, expect, test, vi } from 'vitest'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import type { Entitlements } from '../../../src/index.ts'
import type { KeyStorage, ViewQuery, WorkspaceWrite } from '../../../src/storage/index.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import { action, fault, keyInput, openWorld, refusal, WORKSPACE } from '../../support/world.ts'

simulateTime()

const failure = (code: string) => Object.assign(new Error(code), { code })
const UNLIMITED = { publicApi: true, activeKeyLimit: null } as const

/** A world with keys, and what is written from then on. */
async function worldWith(count: number, plan: Entitlements = UNLIMITED) {
  const world = openWorld()
  world.plan = UNLIMITED
  const ids: string[] = []
  for (let at = 0; at < count; at += 1) ids.push((await world.keys.createKey(keyInput())).key.id)
  world.plan = plan
  const written: (readonly WorkspaceWrite[])[] = []
  const onWrite = (before: (writes: readonly WorkspaceWrite[]) => unknown) => {
    world.misbehaviour.write = async (writes: readonly WorkspaceWrite[]) => {
      written.push(writes)
      await before(writes)
      return world.stored.write(writes)
    }
  }
  onWrite(() => {})
  world.asked()
  return { world, keys: world.keys, ids, written, onWrite }
}

const settledCodes = async (calls: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(calls)).map((one) =>
    one.status === 'fulfilled' ? 'done' : (one.reason.cause?.code ?? one.reason.code),
  )

describe('changes of one workspace that wait', () => {
  test('are read once and written together', async () => {
    const { keys, ids, written, world } = await worldWith(50)
    await Promise.all(ids.map((id) => keys.revokeKey(action(id))))
    expect(written.map(([write]) => write?.keys.length)).toEqual([1, 49])
    expect(world.asked().filter((method) => method === 'read')).toHaveLength(2)
  })

  test('are at most 200 keys a write', async () => {
    const { keys, ids, written } = await worldWith(300)
    await Promise.all(ids.map((id) => keys.pauseKey(action(id))))
    expect(written.every(([write]) => (write?.keys.length ?? 0) <= 200)).toBe(true)
    expect(written.length).toBeLessThan(6)
  })

  test('are no more keys a write than the storage takes', async () => {
    const storage = { ...memoryStorage(), batchKeys: 7 }
    const { keys } = openWorld({ storage })
    const sizes: number[] = []
    const write = storage.write
    storage.write = async (writes) => {
      sizes.push(...writes.map((one) => one.keys.length))
      return write(writes)
    }
    await Promise.allSettled(Array.from({ length: 20 }, () => keys.createKey(keyInput())))
    expect(Math.max(...sizes)).toBeLessThanOrEqual(7)
  })

  test('see each other: two of one key, and creations to the limit', async () => {
    const { keys, ids, written } = await worldWith(3, { ...UNLIMITED, activeKeyLimit: 5 })
    const [first = '', second = '', third = ''] = ids
    const change = { name: 'ERP' }
    const codes = await settledCodes([
      keys.pauseKey(action(first)),
      keys.pauseKey(action(second)),
      keys.resumeKey(action(second)),
      keys.updateKey({ ...action(third), version: 1, change }),
      keys.updateKey({ ...action(third), version: 1, change: { name: 'CRM' } }),
      ...Array.from({ length: 3 }, () => keys.createKey(keyInput())),
    ])
    expect(codes.slice(0, 5)).toEqual(['done', 'done', 'done', 'done', 'stale'])
    expect(codes.slice(5)).toEqual(['done', 'done', 'active_key_limit_reached'])
    expect(written.length).toBeLessThanOrEqual(3)
    const { events } = await keys.listEvents({ workspaceId: WORKSPACE })
    expect(events.slice(3).map(({ type }) => type.slice(8))).toEqual(
      expect.arrayContaining(['paused', 'paused', 'resumed', 'updated', 'created', 'created']),
    )
  })

  test('are split where one write would be too long', async () => {
    const { keys, written } = await worldWith(0)
    const networks = Array.from({ length: 20 }, (_, at) => `2001:db8:${at}:1:1:1:1:1/128`)
    const metadata = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`m${at}`, 'x'.repeat(190)]),
    )
    await Promise.all(
      Array.from({ length: 390 }, () =>
        keys.createKey(keyInput({ metadata, networks, note: 'x'.repeat(200) })),
      ),
    )
    for (const writes of written) {
      expect(JSON.stringify(writes).length).toBeLessThan(1_100_000)
    }
  })

  test('fail alone where one text cannot be stored', async () => {
    const { keys, onWrite } = await worldWith(0)
    onWrite((writes) => {
      if (JSON.stringify(writes).includes('poison')) throw failure('unstorable_value')
    })
    const names = ['a', 'b', 'poison', 'c', 'd']
    const codes = await settledCodes(names.map((name) => keys.createKey(keyInput({ name }))))
    expect(codes).toEqual(['done', 'done', 'unstorable_value', 'done', 'done'])
  })

  test('of other workspaces go along while the storage is busy', async () => {
    const { keys, written } = await worldWith(0)
    const workspaces = Array.from({ length: 120 }, (_, at) => `ws_${at}`)
    await Promise.all(workspaces.map((workspaceId) => keys.createKey(keyInput({ workspaceId }))))
    expect(written.flat()).toHaveLength(120)
    expect(written.length).toBeLessThanOrEqual(8)
    expect(Math.max(...written.map(({ length }) => length))).toBeLessThanOrEqual(50)
  })

  test('of another workspace do not fail with one whose text cannot be stored', async () => {
    const { keys, onWrite } = await worldWith(0)
    onWrite((writes) => {
      if (JSON.stringify(writes).includes('poison')) throw failure('unstorable_value')
    })
    const codes = await settledCodes(
      Array.from({ length: 12 }, (_, at) =>
        keys.createKey(keyInput({ workspaceId: `ws_${at}`, name: at === 7 ? 'poison' : 'a' })),
      ),
    )
    expect(codes.filter((code) => code !== 'done')).toEqual(['unstorable_value'])
  })
})

describe('a bulk call', () => {
  test('ends beside processes that keep changing its keys', async () => {
    const { world, keys, ids } = await worldWith(60)
    let isOver = false
    const updater = async (offset: number) => {
      const other = openWorld({ storage: world.stored })
      for (let at = offset; !isOver; at = (at + 7) % ids.length) {
        const id = ids[at] as string
        const { version, status } = await other.keys.getKey({ workspaceId: WORKSPACE, id })
        if (status === 'active') {
          const change = { name: `v${version}` }
          await other.keys.updateKey({ ...action(id), version, change }).catch(() => {})
        }
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    }
    const updaters = [0, 1, 2, 3, 4, 5].map(updater)
    const filter = { workspaceId: WORKSPACE, actor: action('').actor, creatorId: 'u_1' }
    const { revoked } = await keys.revokeKeys(filter)
    isOver = true
    await Promise.all(updaters)
    expect(revoked).toBe(60)
  })

  test.each(['revokeKeys', 'removeResource'])(
    '%s lets no replacement escape that is made beside it',
    async (operation) => {
      const { defineResources } = await import('../../../src/index.ts')
      const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])
      const storage = memoryStorage()
      const world = openWorld({ storage, resources })
      const other = openWorld({ storage, resources })
      for (const one of [world, other]) one.plan = UNLIMITED
      const list = { project: ['p_1'] }
      const ids = await Promise.all(
        Array.from({ length: 130 }, async () => {
          const { key } = await world.keys.createKey(keyInput({ resources: list }))
          return key.id
        }),
      )
      let isOver = false
      const rotator = async () => {
        for (const id of ids.toReversed()) {
          if (isOver) return
          await other.keys.rotateKey({ ...action(id), overlapSeconds: 60 }).catch(() => {})
        }
      }
      const rotations = [rotator(), rotator()]
      const input = { workspaceId: WORKSPACE, actor: action('').actor }
      if (operation === 'revokeKeys') await world.keys.revokeKeys({ ...input, creatorId: 'u_1' })
      else await world.keys.removeResource({ ...input, resource: { project: 'p_1' } })
      isOver = true
      await Promise.all(rotations)
      const query = { workspaceId: WORKSPACE, limit: 200, status: ['active', 'retiring'] } as const
      const { keys } = await world.keys.listKeys(query)
      const escaped = keys.filter(({ resources: { project } }) =>
        operation === 'revokeKeys' ? true : project?.includes('p_1'),
      )
      expect(escaped).toEqual([])
    },
  )
})

describe('the time of a change', () => {
  test('is its own: one that waits leaves with nothing changed, the open one without knowing', async () => {
    const { keys, ids, world } = await worldWith(2)
    world.misbehaviour.write = () => new Promise(() => {})
    const startMs = performance.now()
    const open = fault(keys.pauseKey(action(ids[0] as string)))
    await new Promise((resolve) => setTimeout(resolve, 50))
    const waiting = fault(keys.pauseKey(action(ids[1] as string)))
    expect((await open).cause).toMatchObject({ code: 'outcome_unknown' })
    expect(performance.now() - startMs).toBeLessThan(5_020)
    const { cause } = await waiting
    expect(['timeout', 'outcome_unknown']).toContain(Object(cause).code)
    expect(performance.now() - startMs).toBeLessThan(5_070)
  })

  test('ends a wait for a storage that stays busy, and nothing has changed', async () => {
    const { keys, ids, onWrite, world } = await worldWith(1)
    onWrite(() => {
      throw failure('busy')
    })
    const { operation, cause } = await fault(keys.pauseKey(action(ids[0] as string)))
    expect([operation, Object(cause).code]).toEqual(['pauseKey', 'busy'])
    delete world.misbehaviour.write
    expect((await keys.getKey({ workspaceId: WORKSPACE, id: ids[0] as string })).status).toBe(
      'active',
    )
  })

  test('more than 1,000 that wait are refused', async () => {
    const { keys, ids, world } = await worldWith(1)
    const id = ids[0] as string
    world.misbehaviour.read = () => new Promise(() => {})
    const calls = Array.from({ length: 1_010 }, () => keys.pauseKey(action(id)))
    const codes = await settledCodes(calls)
    expect(codes.filter((code) => code === 'busy').length).toBeGreaterThan(0)
    expect(codes.filter((code) => code === 'busy').length).toBeLessThan(15)
  })
})

test('a change that is looked at after its time has changed nothing', async () => {
  const { keys, ids, onWrite } = await worldWith(2)
  const now = performance.now.bind(performance)
  let stoodStillMs = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + stoodStillMs)
  onWrite(() => {
    stoodStillMs = 60_000
  })
  const codes = await settledCodes(ids.map((id) => keys.pauseKey(action(id))))
  clock.mockRestore()
  expect(codes).toEqual(['done', 'timeout'])
})

describe('a write whose answer is lost', () => {
  const lost = (world: Awaited<ReturnType<typeof worldWith>>['world'], times: number) => {
    const sent: string[] = []
    world.misbehaviour.write = async (writes: readonly WorkspaceWrite[]) => {
      sent.push(JSON.stringify(writes))
      const outcomes = await world.stored.write(writes)
      if (sent.length <= times) throw new Error('the connection was lost')
      return outcomes
    }
    return sent
  }

  test('is sent again as it was, and its event shows that it was stored', async () => {
    const { keys, ids, world } = await worldWith(1)
    const sent = lost(world, 2)
    expect(await keys.pauseKey(action(ids[0] as string))).toMatchObject({ status: 'paused' })
    expect(new Set(sent).size).toBe(1)
    const { events } = await keys.listEvents({ workspaceId: WORKSPACE })
    expect(events.map(({ type }) => type)).toEqual(['api_key.created', 'api_key.paused'])
  })

  test('of a creation gives the secret of the key that is stored', async () => {
    const { keys, world } = await worldWith(0)
    lost(world, 1)
    const { secret } = await keys.createKey(keyInput())
    expect((await keys.authenticate(`Bearer ${secret}`, null)).ok).toBe(true)
    expect((await keys.listKeys({ workspaceId: WORKSPACE })).keys).toHaveLength(1)
  })

  test('counts as stored although its second copy is refused like the write before', async () => {
    const { keys, ids, world } = await worldWith(1)
    let sent = 0
    world.misbehaviour.write = async (writes: readonly WorkspaceWrite[]) => {
      sent += 1
      if (sent === 1) return [{ outcome: 'refused' }]
      const outcomes = await world.stored.write(writes)
      if (sent === 2) throw new Error('the connection was lost')
      return outcomes
    }
    expect(await keys.pauseKey(action(ids[0] as string))).toMatchObject({ status: 'paused' })
  })

  test('is unknown in the words of the storage where the time is up', async () => {
    const { keys, ids, world } = await worldWith(1)
    const cause = failure('outcome_unknown')
    world.misbehaviour.write = async () => Promise.reject(cause)
    const error = await fault(keys.pauseKey(action(ids[0] as string)))
    expect([error.operation, error.cause]).toEqual(['pauseKey', cause])
  })

  test('is unknown where the read that would tell fails until the end', async () => {
    const { keys, ids, world } = await worldWith(1)
    lost(world, 1)
    let reads = 0
    world.misbehaviour.read = async (query: ViewQuery) => {
      reads += 1
      if (reads > 1) throw failure('unavailable')
      return world.stored.read(query)
    }
    const { cause } = await fault(keys.pauseKey(action(ids[0] as string)))
    expect(cause).toMatchObject({ code: 'outcome_unknown' })
  })
})

describe('an id that is taken', () => {
  test('is an outage for a new key', async () => {
    const { keys, world } = await worldWith(0)
    world.misbehaviour.write = async () => [{ outcome: 'refused' }]
    const { operation, cause } = await fault(keys.createKey(keyInput()))
    expect([operation, Object(cause).code]).toEqual(['createKey', 'refused'])
  })
})

test('a clock that fails while the keys are counted is an outage of the clock, reported once', async () => {
  let reads = 0
  const now = () => {
    reads += 1
    if (reads === 2) throw new Error('no clock')
    return new Date()
  }
  const { keys, events } = openWorld({ now })
  const operations: string[] = []
  while (reads < 2) {
    await keys.createKey(keyInput()).catch(({ operation }) => operations.push(operation))
  }
  expect(operations).toEqual(['now'])
  expect(events.filter(({ type }) => type === 'outage')).toHaveLength(1)
})

test('a creation without a limit is one write, and finds out that the workspace is erased', async () => {
  const { keys, world } = await worldWith(0)
  await keys.createKey(keyInput())
  expect(world.asked()).toEqual(['entitlements', 'write'])
  await keys.eraseWorkspace({ workspaceId: WORKSPACE })
  expect((await refusal(keys.createKey(keyInput()))).code).toBe('workspace_erased')
})

test('the limit holds from three processes, with room for none, one and many', async () => {
  for (const room of [0, 1, 20]) {
    const storage: KeyStorage = memoryStorage()
    const processes = [1, 2, 3].map(() => {
      const world = openWorld({ storage })
      world.plan = { publicApi: true, activeKeyLimit: 5 + room }
      return world.keys
    })
    for (let at = 0; at < 5; at += 1) await processes[0]?.createKey(keyInput())
    const calls = Array.from({ length: 30 }, (_, at) => processes[at % 3]?.createKey(keyInput()))
    const made = await Promise.allSettled(calls)
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(room)
  }
})
