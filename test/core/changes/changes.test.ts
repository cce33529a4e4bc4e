import { describe, expect, test, vi } from 'vitest'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { type Entitlements, plans } from '../../../src/index.ts'
import type { ViewQuery, WorkspaceWrite } from '../../../src/storage/index.ts'
import { codeOf } from '../../support/lifecycle/world.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import { action, fault, keyInput, openWorld, settled, WORKSPACE } from '../../support/world.ts'

simulateTime()

const failure = (code: string) => Object.assign(new Error(code), { code })
const range = (count: number) => Array.from({ length: count }, (_, at) => at)
type Writes = readonly WorkspaceWrite[]

/** A world with keys, and what is written from then on, each time after `before`. */
async function worldWith(
  count: number,
  before: (writes: Writes) => unknown = () => {},
  { plan = plans.enterprise, batchKeys }: { plan?: Entitlements; batchKeys?: number } = {},
) {
  const storage = memoryStorage()
  const world = openWorld({
    storage: batchKeys === undefined ? storage : { ...storage, batchKeys },
  })
  world.plan = plans.enterprise
  const one: ReturnType<typeof action>[] = []
  for (let at = 0; at < count; at += 1)
    one.push(action((await world.keys.createKey(keyInput())).key.id))
  world.plan = plan
  const written: Writes[] = []
  world.misbehaviour.write = async (writes: Writes) => {
    written.push(writes)
    await before(writes)
    return world.stored.write(writes)
  }
  world.asked()
  const [first = action('')] = one
  return { world, keys: world.keys, one, first, written }
}

const outcomesOf = async (calls: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(calls)).map((one) =>
    one.status === 'fulfilled' ? 'done' : (one.reason.cause?.code ?? one.reason.code),
  )

/** How a call of the storage fails, its code and that of its operation. */
const faultOf = async (call: Promise<unknown>) => {
  const { operation, cause } = await fault(call)
  return [operation, Object(cause).code]
}

describe('changes of one workspace that wait', () => {
  test('are read once and written together', async () => {
    const { world, keys, one, written } = await worldWith(50)
    await Promise.all(one.map((key) => keys.revokeKey(key)))
    expect(written.map(([write]) => write?.keys.length)).toEqual([1, 49])
    expect(world.asked().filter((method) => method === 'read')).toHaveLength(2)
  })

  test.each([
    [300, undefined, 200, 5],
    [20, 7, 7, 4],
  ])(
    '%i on a storage that takes %s are at most %i a write',
    async (count, batchKeys, most, least) => {
      const { keys, written } = await worldWith(0, undefined, batchKeys ? { batchKeys } : {})
      await Promise.all(range(count).map(() => keys.createKey(keyInput())))
      const sizes = written.flatMap((writes) => writes.map((write) => write.keys.length))
      expect(Math.max(...sizes)).toBeLessThanOrEqual(most)
      expect(written.length).toBeLessThanOrEqual(least)
    },
  )

  test('see each other: two of one key, and creations to the limit', async () => {
    const plan = { publicApi: true, activeKeyLimit: 5 }
    const { world, keys, one, first, written } = await worldWith(3, undefined, { plan })
    const [, second = first, third = first] = one
    const update = (name: string) => keys.updateKey({ ...third, version: 1, change: { name } })
    const outcomes = await outcomesOf([
      ...[keys.pauseKey(first), keys.pauseKey(second), keys.resumeKey(second)],
      ...[update('ERP'), update('CRM'), ...range(3).map(() => keys.createKey(keyInput()))],
    ])
    const made = ['done', 'done', 'active_key_limit_reached']
    expect(outcomes).toEqual(['done', 'done', 'done', 'done', 'stale', ...made])
    expect(written.length).toBeLessThanOrEqual(3)
    expect(world.events.slice(3).map(({ type }) => type.replace('api_key.', ''))).toEqual(
      expect.arrayContaining(['paused', 'paused', 'resumed', 'updated', 'created', 'created']),
    )
  })

  test('are split where one write would be too long', async () => {
    const { keys, written } = await worldWith(0)
    const networks = range(20).map((at) => `2001:db8:${at}:1:1:1:1:1/128`)
    const metadata = Object.fromEntries(range(20).map((at) => [`m${at}`, 'x'.repeat(190)]))
    const input = keyInput({ metadata, networks, note: 'x'.repeat(200) })
    await Promise.all(range(390).map(() => keys.createKey(input)))
    for (const writes of written) expect(JSON.stringify(writes).length).toBeLessThan(1_100_000)
  })

  test.each([
    ['one workspace', () => WORKSPACE],
    ['others', (at: number) => `ws_${at}`],
  ])('in %s do not fail with one whose text cannot be stored', async (_, workspaceOf) => {
    const { keys } = await worldWith(0, (writes) => {
      if (JSON.stringify(writes).includes('poison')) throw failure('unstorable_value')
    })
    const create = (at: number) => {
      const name = at === 7 ? 'poison' : 'a'
      return keys.createKey(keyInput({ workspaceId: workspaceOf(at), name }))
    }
    const expected = range(12).map((at) => (at === 7 ? 'unstorable_value' : 'done'))
    expect(await outcomesOf(range(12).map(create))).toEqual(expected)
  })

  test('take those of other workspaces along while the storage is busy', async () => {
    const { keys, written } = await worldWith(0)
    await Promise.all(range(120).map((at) => keys.createKey(keyInput({ workspaceId: `ws_${at}` }))))
    expect(written.flat()).toHaveLength(120)
    expect(written.length).toBeLessThanOrEqual(8)
    expect(Math.max(...written.map(({ length }) => length))).toBeLessThanOrEqual(50)
  })
})

describe('the time of a change', () => {
  test('is its own: one that waits leaves with nothing changed, the open one without knowing', async () => {
    const { keys, first, one } = await worldWith(2, () => new Promise(() => {}))
    const startMs = performance.now()
    const open = faultOf(keys.pauseKey(first))
    await settled(50)
    const waiting = faultOf(keys.pauseKey(one[1] ?? first))
    expect(await open).toEqual(['pauseKey', 'outcome_unknown'])
    expect(performance.now() - startMs).toBeLessThan(5_020)
    expect(['timeout', 'outcome_unknown']).toContain((await waiting)[1])
    expect(performance.now() - startMs).toBeLessThan(5_070)
  })

  test('ends a wait for a storage that stays busy, and nothing has changed', async () => {
    const { keys, first } = await worldWith(1, () => {
      throw failure('busy')
    })
    expect(await faultOf(keys.pauseKey(first))).toEqual(['pauseKey', 'busy'])
    expect((await keys.getKey({ workspaceId: WORKSPACE, id: first.id })).status).toBe('active')
  })

  test('is over at once where more than 1,000 wait', async () => {
    const { world, keys, first } = await worldWith(1)
    world.misbehaviour.read = () => new Promise(() => {})
    const outcomes = await outcomesOf(range(1_010).map(() => keys.pauseKey(first)))
    const refused = outcomes.filter((code) => code === 'busy').length
    expect(refused).toBeGreaterThan(0)
    expect(refused).toBeLessThan(15)
  })

  test('may be over when it is looked at: then nothing has changed', async () => {
    let stoodStillMs = 0
    const { keys, one } = await worldWith(2, () => {
      stoodStillMs = 60_000
    })
    const now = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + stoodStillMs)
    const outcomes = await outcomesOf(one.map((key) => keys.pauseKey(key)))
    clock.mockRestore()
    expect(outcomes).toEqual(['done', 'timeout'])
  })
})

describe('a write whose answer is lost', () => {
  /** The answers to the first writes are lost; what was sent. */
  async function losing(count: number, times: number) {
    const opened = await worldWith(count)
    const sent: string[] = []
    opened.world.misbehaviour.write = async (writes: Writes) => {
      sent.push(JSON.stringify(writes))
      const outcomes = await opened.world.stored.write(writes)
      if (sent.length <= times) throw new Error('the connection was lost')
      return outcomes
    }
    return { ...opened, sent }
  }

  test('is sent again as it was, and its event shows that it was stored', async () => {
    const { keys, first, sent } = await losing(1, 2)
    expect(await keys.pauseKey(first)).toMatchObject({ status: 'paused' })
    expect(new Set(sent).size).toBe(1)
    const { events } = await keys.listEvents({ workspaceId: WORKSPACE })
    expect(events.map(({ type }) => type)).toEqual(['api_key.created', 'api_key.paused'])
  })

  test('of a creation gives the secret of the key that is stored', async () => {
    const { keys } = await losing(0, 1)
    const { secret } = await keys.createKey(keyInput())
    expect((await keys.authenticate(`Bearer ${secret}`, null)).ok).toBe(true)
    expect((await keys.listKeys({ workspaceId: WORKSPACE })).keys).toHaveLength(1)
  })

  test('counts as stored although its second copy is refused like the write before', async () => {
    const { keys, first, world } = await worldWith(1)
    let sent = 0
    world.misbehaviour.write = async (writes: Writes) => {
      sent += 1
      if (sent === 1) return [{ outcome: 'refused' }]
      const outcomes = await world.stored.write(writes)
      if (sent === 2) throw new Error('the connection was lost')
      return outcomes
    }
    expect(await keys.pauseKey(first)).toMatchObject({ status: 'paused' })
  })

  test('is unknown in the words of the storage where the time is up', async () => {
    const cause = failure('outcome_unknown')
    const { keys, first } = await worldWith(1, () => Promise.reject(cause))
    expect((await fault(keys.pauseKey(first))).cause).toBe(cause)
  })

  test('is unknown where the read that would tell fails until the end', async () => {
    const { keys, first, world } = await losing(1, 1)
    let reads = 0
    world.misbehaviour.read = async (query: ViewQuery) => {
      reads += 1
      if (reads > 1) throw failure('unavailable')
      return world.stored.read(query)
    }
    expect(await faultOf(keys.pauseKey(first))).toEqual(['pauseKey', 'outcome_unknown'])
  })
})

test('a new key whose id is taken is an outage', async () => {
  const { keys, world } = await worldWith(0)
  world.misbehaviour.write = async () => [{ outcome: 'refused' }]
  expect(await faultOf(keys.createKey(keyInput()))).toEqual(['createKey', 'refused'])
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
  expect(await codeOf(keys.createKey(keyInput()))).toBe('workspace_erased')
})

test.each([0, 1, 20])('the limit holds from three processes, with room for %i', async (room) => {
  const storage = memoryStorage()
  const entitlements = () => ({ publicApi: true, activeKeyLimit: 5 + room })
  const processes = range(3).map(() => openWorld({ storage, entitlements }).keys)
  for (let at = 0; at < 5; at += 1) await processes[0]?.createKey(keyInput())
  const outcomes = await outcomesOf(
    range(30).map(async (at) => processes[at % 3]?.createKey(keyInput())),
  )
  expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(room)
})
