import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { PostgresPool } from '../../../adapters/storage/lib/postgres/driver.ts'
import { listenerOf } from '../../../adapters/storage/lib/postgres/listener.ts'

/* How a connection breaks cannot be timed on a real server; change-log.test.ts listens on one. */

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

class FakeClient extends EventEmitter {
  isReleased = false
  /** Settle LISTEN. */
  resolve = () => {}
  reject = (_error: Error) => {}
  query = () => new Promise<void>((resolve, reject) => Object.assign(this, { resolve, reject }))
  release = () => {
    this.isReleased = true
  }
}

const poolOf = (connect: () => Promise<unknown>) =>
  ({ connect, options: { max: 4 } }) as unknown as PostgresPool

/** A pool, its connections, how many there are and are held, and what settles all that can be. */
function fakePool() {
  const clients: FakeClient[] = []
  const pool = poolOf(async () => {
    clients.push(new FakeClient())
    return clients.at(-1)
  })
  const counts = () => [clients.length, clients.filter(({ isReleased }) => !isReleased).length]
  const listen = (onHint = () => {}, installation = 'here') =>
    listenerOf(pool, installation)?.(onHint) ?? expect.fail()
  const tell = (payload: string) => clients.at(-1)?.emit('notification', { payload })
  return { clients, counts, listen, tell }
}

const settle = () => vi.advanceTimersByTimeAsync(0)

test('a connection that breaks while LISTEN fails is replaced by one, not by two', async () => {
  const { clients, counts, listen } = fakePool()
  const stop = listen()
  for (let round = 1; round <= 5; round += 1) {
    await settle()
    const client = clients.at(-1)
    client?.emit('error', new Error('the server stops'))
    client?.reject(new Error('Connection terminated unexpectedly'))
    client?.emit('end')
    await vi.advanceTimersByTimeAsync(1_000 * 2 ** (round - 1))
    expect(counts()).toEqual([round + 1, 1])
  }
  // One that has listened is replaced after a second, whatever failed before.
  clients.at(-1)?.resolve()
  await settle()
  clients.at(-1)?.emit('end')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(counts()).toEqual([7, 1])
  stop()
  await settle()
  expect(counts()).toEqual([7, 0])
})

test('a pool without a free connection is retried, in the end once a minute', async () => {
  const askedAtMs: number[] = []
  const pool = poolOf(() => {
    askedAtMs.push(performance.now())
    return Promise.reject(new Error('timeout'))
  })
  const stop = listenerOf(pool, 'here')?.(() => {})
  await vi.advanceTimersByTimeAsync(200_000)
  const pauses = askedAtMs.slice(1).map((ms, at) => (ms - (askedAtMs[at] ?? 0)) / 1_000)
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
  stop?.()
  await vi.advanceTimersByTimeAsync(200_000)
  expect(askedAtMs).toHaveLength(9)
})

test('a listener that is stopped before it has its connection gives it back', async () => {
  const { counts, listen } = fakePool()
  listen()()
  await settle()
  expect(counts()).toEqual([1, 0])
})

test('all who listen on a pool share one connection, and the last to stop gives it back', async () => {
  const { clients, counts, listen, tell } = fakePool()
  const other = fakePool()
  other.listen()
  const told: string[] = []
  const add = (name: string, installation = 'here') => listen(() => told.push(name), installation)
  const stops = [add('one'), add('two'), add('three', 'elsewhere')]
  await settle()
  clients[0]?.resolve()
  await settle()
  expect([counts(), other.counts()]).toEqual([
    [1, 1],
    [1, 1],
  ])
  expect(told.splice(0)).toEqual(['one', 'two', 'three'])
  for (const installation of ['here', 'elsewhere', 'nowhere']) tell(installation)
  expect(told.splice(0)).toEqual(['one', 'two', 'three'])
  for (const at of [0, 0]) stops[at]?.()
  tell('here')
  stops[1]?.()
  await settle()
  expect([told, counts()]).toEqual([['two'], [1, 1]])
  stops[2]?.()
  await settle()
  expect(counts()).toEqual([1, 0])
  add('four')
  await settle()
  expect(counts()).toEqual([2, 1])
})
