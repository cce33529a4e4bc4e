import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type KeyListAnswer,
  type ListQuery,
  ManagementError,
  type ReadOptions,
  type WireKey,
} from '../../../adapters/client/index.ts'
import { KeyList } from '../../../adapters/ui/state/key-list.ts'
import { KeySource } from '../../../adapters/ui/state/key-source.ts'
import { isReadable } from '../../../adapters/ui/state/listed-key.ts'
import { keyOf, listOf } from '../../support/settings-tab/keys.ts'
import { fakeHost } from './fake-host.ts'

const key = (id: string, status: WireKey['status'] = 'active') => keyOf({ id, status })
const keys = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => key(`k${from + at}`))
const page = (fields: Partial<KeyListAnswer> = {}) =>
  listOf([], { activeKeys: 2, activeKeyLimit: 5, ...fields })

type Answer = KeyListAnswer | Error | Promise<KeyListAnswer>

/** A list whose server gives these answers in turn. */
function openList(...answers: readonly Answer[]) {
  const left = [...answers]
  const asked: ListQuery[] = []
  const signals: (AbortSignal | undefined)[] = []
  const tied: ReadOptions['workspaceId'][] = []
  const { host, log } = fakeHost({
    listKeys: async (query = {}, { signal, workspaceId } = {}) => {
      asked.push(query)
      tied.push(workspaceId)
      signals.push(signal)
      const answer = left.shift() ?? page()
      if (answer instanceof Error) throw answer
      return answer
    },
  })
  return { list: new KeyList(host), host, log, asked, signals, tied }
}

const never = new Promise<never>(() => {})

/** An answer that a test gives, or a failure. */
function later() {
  let settle: (answer: KeyListAnswer | Error) => void = () => {}
  const answer = new Promise<KeyListAnswer>((resolve, reject) => {
    settle = (given) => (given instanceof Error ? reject(given) : resolve(given))
  })
  return { answer, settle }
}

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 0, 1, 12) }))
afterEach(() => void vi.useRealTimers())

describe('a list', () => {
  test('is loading until the first answer', async () => {
    const { list, host, log, asked } = openList(page({ keys: keys(50), nextCursor: 'c' }))
    expect(list).toMatchObject({
      phase: 'loading',
      keys: [],
      nextCursor: null,
      plan: {
        activeKeys: 0,
        activeKeyLimit: null,
        publicApi: true,
      },
      refreshing: false,
      stale: false,
      slow: false,
      requestId: null,
      loadedAt: 0,
    })
    const loading = list.load()
    expect([list.phase, list.refreshing, host.updates > 0]).toEqual(['loading', false, true])
    const { updates } = host
    await loading
    expect(host.updates).toBeGreaterThan(updates)
    expect(list).toMatchObject({
      phase: 'ready',
      keys: keys(50),
      nextCursor: 'c',
      plan: { activeKeys: 2, activeKeyLimit: 5, publicApi: true },
      loadedAt: Date.now(),
    })
    expect(asked).toEqual([{}])
    expect(log).toEqual([['api-keys-load', { count: 50, active: 2 }]])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('says that it loads after a second, that it is slow after eight, and gives up after thirty', async () => {
    const { list, log, signals } = openList(never)
    list.load()
    vi.advanceTimersByTime(999)
    expect(log).toEqual([])
    vi.advanceTimersByTime(1)
    expect(log).toHaveLength(1)
    vi.advanceTimersByTime(6_999)
    expect(list.slow).toBe(false)
    vi.advanceTimersByTime(1)
    expect([list.slow, log.length]).toEqual([true, 2])
    expect(new Set(log).size).toBe(2)
    vi.advanceTimersByTime(21_999)
    expect(signals[0]?.aborted).toBe(false)
    vi.advanceTimersByTime(1)
    expect(signals[0]?.aborted).toBe(true)
  })

  test('says nothing while it refreshes', async () => {
    const { list, log } = openList(page(), never)
    await list.load()
    list.load()
    expect([list.phase, list.refreshing]).toEqual(['ready', true])
    log.splice(0)
    vi.advanceTimersByTime(9_000)
    expect([list.slow, log]).toEqual([true, []])
  })

  test('is locked without the API, and full at its limit, once it is ready', async () => {
    const { list } = openList(
      page({ publicApi: false }),
      page({ activeKeys: 5 }),
      page({ activeKeys: 4 }),
      page({ activeKeys: 9, activeKeyLimit: null }),
    )
    list.plan = { ...list.plan, activeKeys: 5, activeKeyLimit: 5, publicApi: false }
    expect([list.locked, list.limitReached]).toEqual([false, false])
    await list.load()
    expect([list.locked, list.limitReached]).toEqual([true, false])
    await list.load()
    expect([list.locked, list.limitReached]).toEqual([false, true])
    await list.load()
    expect(list.limitReached).toBe(false)
    await list.load()
    expect(list.limitReached).toBe(false)
  })
})

describe('pages', () => {
  test('a page that is short, though there is more, is filled up', async () => {
    const { list, asked } = openList(
      page({ keys: keys(20), nextCursor: 'a' }),
      page({ keys: keys(3, 20) }),
    )
    await list.load()
    expect(asked).toEqual([{}, { cursor: 'a' }])
    expect(list.keys).toHaveLength(23)
  })

  test('the next one is added, without a key twice', async () => {
    const { list, asked } = openList(
      page({ keys: keys(50), nextCursor: 'a' }),
      page({ keys: keys(50, 49), nextCursor: 'b' }),
    )
    await list.load()
    await list.more()
    expect(list.keys.map(({ id }) => id)).toEqual(keys(99).map(({ id }) => id))
    expect(list.nextCursor).toBe('b')
    expect(asked).toEqual([{}, { cursor: 'a' }])
  })

  test('all that are left, 200 at a time', async () => {
    const { list, asked } = openList(
      page({ keys: keys(50), nextCursor: 'a' }),
      page({ keys: keys(200, 50), nextCursor: 'b' }),
      page({ keys: keys(7, 250) }),
    )
    await list.load()
    await list.more(true)
    expect(list.keys).toHaveLength(257)
    expect(asked.slice(1)).toEqual([
      { cursor: 'a', limit: 200 },
      { cursor: 'b', limit: 200 },
    ])
    await list.more(true)
    expect(asked).toHaveLength(3)
  })

  test('a refresh asks for as many as are shown', async () => {
    const { list, asked } = openList(
      page({ keys: keys(50), nextCursor: 'a' }),
      page({ keys: keys(50, 50), nextCursor: 'b' }),
      page({ keys: keys(70), nextCursor: 'c' }),
      page({ keys: keys(30, 70), nextCursor: 'd' }),
    )
    await list.load()
    await list.more()
    await list.load()
    expect(asked.slice(2)).toEqual([{ limit: 100 }, { cursor: 'c' }])
    expect(list.keys).toHaveLength(100)
    expect(list.nextCursor).toBe('d')
  })

  test('one that brings no new key is the last one asked for', async () => {
    const { list, asked } = openList(
      page({ keys: keys(50), nextCursor: 'a' }),
      page({ keys: keys(10), nextCursor: 'b' }),
    )
    await list.load()
    await list.more(true)
    expect(asked.slice(1)).toEqual([{ cursor: 'a', limit: 200 }])
    expect([list.keys.length, list.nextCursor]).toEqual([50, 'b'])
  })

  test.each(['', 'a', undefined])(
    'after a page whose next one begins at %j there is none',
    async (nextCursor) => {
      const stuck = { ...page({ keys: keys(50) }), nextCursor } as KeyListAnswer
      const { list, asked } = openList(page({ keys: keys(50), nextCursor: 'a' }), stuck, stuck)
      await list.load()
      await list.more(true)
      await list.more(true)
      expect([asked.length, list.nextCursor, list.keys.length]).toEqual([2, null, 50])
    },
  )

  test('an empty cursor on the first page is the end of the list', async () => {
    const { list, asked } = openList(page({ keys: keys(3), nextCursor: '' }))
    await list.load()
    await list.more(true)
    expect([asked.length, list.nextCursor]).toEqual([1, null])
  })

  test('while one is on its way the list refreshes, and no longer', async () => {
    const { list } = openList(page({ keys: keys(50), nextCursor: 'a' }), page())
    await list.load()
    const more = list.more()
    expect([list.refreshing, vi.getTimerCount()]).toEqual([true, 3])
    await more
    expect([list.refreshing, vi.getTimerCount()]).toEqual([false, 0])
  })

  test('waits for a refresh that is on its way', async () => {
    const first = page({ keys: keys(50), nextCursor: 'a' })
    const { list, asked } = openList(first, first, page({ keys: keys(1, 50) }))
    await list.load()
    void list.load()
    await list.more()
    expect(asked).toEqual([{}, {}, { cursor: 'a' }])
    expect(list.keys).toHaveLength(51)
  })

  test('is not read from a place that was left while it waited', async () => {
    const first = page({ keys: keys(50), nextCursor: 'a' })
    const { list, host, asked } = openList(first, first)
    await list.load()
    void list.load()
    const more = list.more()
    host.source = new KeySource('/elsewhere')
    await more
    expect(asked).toHaveLength(2)
  })
})

describe('a row that is no key', () => {
  const odd = (row: unknown) => row as WireKey

  test('stands among the others, and nothing else is lost', async () => {
    const rows = [key('a'), odd({ ...key('b'), name: null }), odd(null), key('c')]
    const { list } = openList(page({ keys: rows }), page({ keys: rows }))
    await list.load()
    expect(list.keys.map((one) => [one.id, isReadable(one)])).toEqual([
      ['a', true],
      ['b', false],
      [' 2', false],
      ['c', true],
    ])
    await list.load()
    expect(list.keys).toHaveLength(4)
    list.replace(odd({ id: 'a', status: 'revoked' }))
    list.add(odd('key'))
    expect(list.keys.filter(isReadable).map(({ id }) => id)).toEqual(['c'])
  })

  test('does not keep a list going whose pages never change', async () => {
    const rows = page({ keys: [odd(7), odd(7), key('a')], nextCursor: 'a' })
    const { list, asked } = openList(rows, rows, rows, rows)
    await list.load()
    expect(asked.length).toBeLessThanOrEqual(2)
    expect(list.nextCursor).toBeNull()
  })
})

describe('the workspace of the list', () => {
  test('is named by every call after the first', async () => {
    const { list, tied, host } = openList(
      page({ keys: keys(20), nextCursor: 'a' }),
      page({ keys: keys(30, 20), nextCursor: 'b' }),
    )
    await list.load()
    expect(host.source.workspaceId).toBe('ws_1')
    await list.more()
    await list.load()
    expect(tied).toEqual([undefined, 'ws_1', 'ws_1', 'ws_1'])
  })

  test('unless the server does not say which it is', async () => {
    const { workspaceId: _, ...nameless } = page()
    const { list, tied } = openList(nameless as KeyListAnswer)
    await list.load()
    await list.load()
    expect(tied).toEqual([undefined, undefined])
  })

  test.each([
    ['the server says so', new ManagementError('workspace_changed')],
    ['a list of another one comes', page({ workspaceId: 'ws_2', keys: keys(1, 7) })],
  ])('is left when %s: nothing of the other one is shown', async (_, answer) => {
    const { list, log } = openList(page({ keys: keys(1) }), answer)
    await list.load()
    log.splice(0)
    await list.load()
    expect(log).toEqual([['another workspace', undefined]])
    expect(list.keys).toEqual(keys(1))
  })

  test('that changes within the first list is a failure, not a reason to ask for ever', async () => {
    const { list, log, asked } = openList(
      page({ keys: keys(1), nextCursor: 'a' }),
      page({ workspaceId: 'ws_2' }),
      new ManagementError('workspace_changed'),
    )
    await list.load()
    await list.load()
    expect([list.phase, asked.length]).toEqual(['error', 3])
    const told = ['api-keys-error', { code: 'workspace_changed', requestId: null }]
    expect(log).toEqual([told, told])
  })

  test('is forgotten with its keys, and a late answer of it shows nothing', async () => {
    const late = later()
    const { list, signals } = openList(page({ keys: keys(50), nextCursor: 'a' }), late.answer)
    await list.load()
    const more = list.more()
    list.reset()
    expect(signals[1]?.aborted).toBe(true)
    late.settle(page({ keys: keys(50, 50) }))
    await more
    expect(list).toMatchObject({
      phase: 'loading',
      keys: [],
      nextCursor: null,
      plan: {
        activeKeys: 0,
        activeKeyLimit: null,
        publicApi: true,
      },
      stale: false,
      refreshing: false,
    })
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('what was changed', () => {
  test('a new key is on top, once, and counted', async () => {
    const { list } = openList(page({ keys: keys(2) }))
    await list.load()
    list.add(key('new'))
    list.add(key('k1'))
    expect(list.keys.map(({ id }) => id)).toEqual(['k1', 'new', 'k0'])
    expect(list.plan).toMatchObject({ activeKeys: 4, activeKeyLimit: 5, publicApi: true })
  })

  test('a changed key keeps its place; one that is revoked now is no longer counted', async () => {
    const { list } = openList(page({ keys: [key('a'), key('b'), key('c', 'revoked')] }))
    await list.load()
    list.replace(key('a'))
    expect(list.plan.activeKeys).toBe(2)
    list.replace(key('b', 'revoked'))
    expect(list.plan.activeKeys).toBe(1)
    list.replace(key('b', 'revoked'))
    list.replace(key('c', 'revoked'))
    list.replace(key('stranger', 'revoked'))
    expect(list.keys).toEqual([key('a'), key('b', 'revoked'), key('c', 'revoked')])
    expect(list.plan.activeKeys).toBe(1)
  })
})

describe('a failure', () => {
  test('of a page leaves what is shown, which is as fresh as before, and says so', async () => {
    const { list, log } = openList(page({ keys: keys(50), nextCursor: 'a' }), new Error('down'))
    await list.load()
    log.splice(0)
    await list.more()
    const fresh = { phase: 'ready', stale: false, refreshing: false, nextCursor: 'a' }
    expect(list).toMatchObject({ ...fresh, short: true })
    expect(list.keys).toHaveLength(50)
    expect(log).toEqual([
      ['api-keys-error', { code: 'network', requestId: null }],
      'said More keys could not be loaded.',
    ])
    expect(vi.getTimerCount()).toBe(0)
    await list.more()
    expect(list.short).toBe(false)
  })

  const failed = (code: ManagementError['code'], requestId?: string) =>
    new ManagementError(code, requestId === undefined ? {} : { requestId })

  test('of the first load is an error, with what to quote to support', async () => {
    const { list, log } = openList(failed('storage_unavailable', 'r1'), page())
    await list.load()
    expect(list).toMatchObject({ phase: 'error', requestId: 'r1', stale: false })
    expect(log).toEqual([['api-keys-error', { code: 'storage_unavailable', requestId: 'r1' }]])
    await list.load()
    expect(list).toMatchObject({ phase: 'ready', requestId: null })
  })

  test('of another kind is one of the network', async () => {
    const { list, log } = openList(new TypeError('x'), failed('network'))
    await list.load()
    await list.load()
    expect(log).toEqual(Array(2).fill(['api-keys-error', { code: 'network', requestId: null }]))
    expect(list.requestId).toBeNull()
  })

  test('of a refresh leaves what is shown, and says from when it is', async () => {
    const { list, log } = openList(page({ keys: keys(1) }), failed('network'), page())
    await list.load()
    log.splice(0)
    await list.load()
    expect(list).toMatchObject({ phase: 'ready', keys: keys(1), stale: true, refreshing: false })
    expect(log[1]).toMatch(/^said .*12:00\sPM/)
    await list.load()
    expect(list.stale).toBe(false)
  })

  test('that forbids the list hides it', async () => {
    const { list } = openList(page(), failed('forbidden'))
    await list.load()
    await list.load()
    expect(list.phase).toBe('forbidden')
  })

  test('that asks for a sign-in ends the session', async () => {
    const { list, log } = openList(page(), failed('unauthenticated'))
    await list.load()
    await list.load()
    expect(log.at(-1)).toBe('expired')
    expect([list.phase, list.stale]).toEqual(['ready', false])
  })
})

describe('an answer that nobody waits for any more', () => {
  test.each([page({ keys: keys(9) }), new Error('late')])(
    'ends nothing of the load that has taken its place: %#',
    async (given) => {
      const late = later()
      const { list, log, signals } = openList(late.answer, never)
      const first = list.load()
      void list.load()
      expect(signals[0]?.aborted).toBe(true)
      late.settle(given)
      await first
      expect([list.phase, list.keys, log, vi.getTimerCount()]).toEqual(['loading', [], [], 3])
    },
  )

  test.each([page({ keys: keys(9, 50) }), new Error('late')])(
    'nor does that of a page: %#',
    async (given) => {
      const late = later()
      const { list, log } = openList(page({ keys: keys(50), nextCursor: 'a' }), late.answer, never)
      await list.load()
      const more = list.more()
      void list.load()
      log.splice(0)
      late.settle(given)
      await more
      expect([list.keys.length, list.stale, log]).toEqual([50, false, []])
      expect([list.refreshing, vi.getTimerCount()]).toEqual([true, 3])
    },
  )

  test('is given up also where nobody has asked', () => {
    const { list, host } = openList()
    list.stop()
    expect([list.phase, host.updates]).toEqual(['loading', 1])
  })

  test('a tab that has left the page asks nothing', async () => {
    const { list, host, asked } = openList()
    Object.assign(host, { isConnected: false })
    await list.load()
    expect([asked.length, list.phase, vi.getTimerCount()]).toEqual([0, 'loading', 0])
  })

  test('stop and expire give it up', async () => {
    for (const end of ['stop', 'expire'] as const) {
      const { list, host, signals } = openList(never)
      list.load()
      const { updates } = host
      list[end]()
      expect(signals[0]?.aborted).toBe(true)
      expect(list.phase).toBe(end === 'stop' ? 'loading' : 'session')
      expect(host.updates).toBeGreaterThan(updates)
      expect(vi.getTimerCount()).toBe(0)
    }
  })
})
