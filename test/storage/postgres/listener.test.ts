import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { PostgresPool } from '../../../adapters/storage/lib/postgres/driver.ts'
import { listenerOf } from '../../../adapters/storage/lib/postgres/listener.ts'

/*
 * How a connection breaks cannot be timed on a real server; test/storage/postgres/change-log.test.ts
 * listens on one.
 */

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

class FakeClient extends EventEmitter {
  isReleased = false
  /** Settle LISTEN. */
  resolve = () => {}
  reject = (_error: Error) => {}
  query = () =>
    new Promise<void>((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
  release = () => {
    this.isReleased = true
  }
}

function fakePool() {
  const clients: FakeClient[] = []
  const connect = async () => {
    const client = new FakeClient()
    clients.push(client)
    return client
  }
  const held = () => clients.filter(({ isReleased }) => !isReleased)
  return { pool: { connect, options: { max: 4 } } as unknown as PostgresPool, clients, held }
}

const settle = () => vi.advanceTimersByTimeAsync(0)

test('a connection that breaks while LISTEN fails is replaced by one, not by two', async () => {
  const { pool, clients, held } = fakePool()
  const stop = listenerOf(pool, 'here')?.(() => {})
  for (let round = 1; round <= 5; round += 1) {
    await settle()
    const client = clients.at(-1)
    client?.emit('error', new Error('the server stops'))
    client?.reject(new Error('Connection terminated unexpectedly'))
    client?.emit('end')
    await vi.advanceTimersByTimeAsync(1_000 * 2 ** (round - 1))
    expect([clients.length, held().length]).toEqual([round + 1, 1])
  }
  stop?.()
  await settle()
  expect(held()).toEqual([])
})

test('a connection that breaks later is replaced after a second, with a hint', async () => {
  const { pool, clients, held } = fakePool()
  const hints: number[] = []
  const stop = listenerOf(pool, 'here')?.(() => hints.push(1))
  await settle()
  clients[0]?.resolve()
  await settle()
  clients[0]?.emit('notification', { payload: 'elsewhere' })
  clients[0]?.emit('notification', { payload: 'here' })
  expect(hints).toHaveLength(2)
  clients[0]?.emit('end')
  await vi.advanceTimersByTimeAsync(999)
  expect([clients.length, held().length]).toEqual([1, 0])
  await vi.advanceTimersByTimeAsync(1)
  clients[1]?.resolve()
  await settle()
  expect([clients.length, held().length, hints.length]).toEqual([2, 1, 3])
  stop?.()
  await vi.advanceTimersByTimeAsync(5_000)
  expect([clients.length, held().length]).toEqual([2, 0])
})

test('a pool without a free connection is retried, in the end once a minute', async () => {
  const askedAtMs: number[] = []
  const connect = () => {
    askedAtMs.push(performance.now())
    return Promise.reject(new Error('timeout'))
  }
  const pool = { connect, options: { max: 4 } } as unknown as PostgresPool
  const stop = listenerOf(pool, 'here')?.(() => {})
  await vi.advanceTimersByTimeAsync(200_000)
  const pauses = askedAtMs.slice(1).map((ms, at) => (ms - (askedAtMs[at] ?? 0)) / 1_000)
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
  stop?.()
  await vi.advanceTimersByTimeAsync(200_000)
  expect(askedAtMs).toHaveLength(9)
})

test('a connection that has listened is replaced after a second, whatever failed before', async () => {
  const { pool, clients } = fakePool()
  const stop = listenerOf(pool, 'here')?.(() => {})
  await settle()
  for (const pauseMs of [1_000, 2_000]) {
    clients.at(-1)?.reject(new Error('LISTEN is not supported'))
    clients.at(-1)?.emit('end')
    await vi.advanceTimersByTimeAsync(pauseMs)
  }
  clients[2]?.resolve()
  await settle()
  clients[2]?.emit('end')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(clients).toHaveLength(4)
  stop?.()
})

test('a listener that is stopped before it has its connection gives it back', async () => {
  const { pool, held, clients } = fakePool()
  listenerOf(pool, 'here')?.(() => {})()
  await settle()
  expect([clients.length, held().length]).toEqual([1, 0])
})

test('all who listen on a pool share one connection, and the last to stop gives it back', async () => {
  const { pool, clients, held } = fakePool()
  const told: string[] = []
  const listen = (name: string, installation: string) =>
    listenerOf(pool, installation)?.(() => told.push(name))
  const stops = [listen('one', 'here'), listen('two', 'here'), listen('three', 'elsewhere')]
  await settle()
  clients[0]?.resolve()
  await settle()
  expect([clients.length, told.splice(0)]).toEqual([1, ['one', 'two', 'three']])
  clients[0]?.emit('notification', { payload: 'here' })
  clients[0]?.emit('notification', { payload: 'elsewhere' })
  clients[0]?.emit('notification', { payload: 'nowhere' })
  expect(told.splice(0)).toEqual(['one', 'two', 'three'])
  stops[0]?.()
  stops[0]?.()
  clients[0]?.emit('notification', { payload: 'here' })
  stops[1]?.()
  await settle()
  expect([told, held().length]).toEqual([['two'], 1])
  stops[2]?.()
  await settle()
  expect(held()).toEqual([])
  const stop = listen('four', 'here')
  await settle()
  expect([clients.length, held().length]).toEqual([2, 1])
  stop?.()
})

test('each pool has a connection of its own', async () => {
  const [one, two] = [fakePool(), fakePool()]
  const stops = [one, two].map(({ pool }) => listenerOf(pool, 'here')?.(() => {}))
  await settle()
  expect([one.clients.length, two.clients.length]).toEqual([1, 1])
  for (const stop of stops) stop?.()
})
