import { describe, expect, test } from 'vitest'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import {
  sampleInsertion,
  sampleRecord,
} from '../../../adapters/storage/testing/storage-contract.ts'
import { type RelayOptions, relayEvents } from '../../../src/events/index.ts'
import type { AuditEvent } from '../../../src/index.ts'
import type { KeyStorage, StorageMethod } from '../../../src/storage/index.ts'
import { inBatches } from '../../support/in-batches.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import { settled, until } from '../../support/world.ts'

simulateTime()

/** Events of each workspace in turn, all of one before those of the next. */
async function fill(storage: KeyStorage, counts: Readonly<Record<string, number>>) {
  for (const [workspaceId, count] of Object.entries(counts)) {
    for (let number = 0; number < count; number += 1) {
      const record = sampleRecord({ workspaceId, name: `${number}` })
      await storage.write([sampleInsertion(record)])
    }
  }
  return storage
}

/** A relay over a sink that refuses by `refuses`, and what the sink took and was offered. */
function start(
  storage: KeyStorage,
  refuses: (event: AuditEvent) => unknown,
  options: Partial<RelayOptions> = {},
) {
  const [taken, offered]: [AuditEvent[], AuditEvent[]] = [[], []]
  const deliver = async (event: AuditEvent) => {
    offered.push(event)
    if (await refuses(event)) throw new Error('refused')
    taken.push(event)
  }
  const relay = relayEvents({ storage, deliver, pollMs: 2, ...options })
  return { relay, taken, offered }
}

const namesOf = (events: readonly AuditEvent[], workspaceId: string) =>
  events.filter((event) => event.workspaceId === workspaceId).map(({ data }) => data.name)

const upTo = (count: number) => Array.from({ length: count }, (_, at) => `${at}`)

const STORAGES = {
  memory: memoryStorage,
  SQLite: () => sqliteStorage(':memory:'),
} as const

describe.each(Object.entries(STORAGES))('an event that the sink refuses, on %s', (_, open) => {
  test('holds up its own workspace alone, also when that fills every claim', async () => {
    const storage = await fill(open(), { ws_bad: 12, ws_1: 3, ws_2: 9 })
    const refuses = ({ workspaceId, data }: AuditEvent) =>
      workspaceId === 'ws_bad' && data.name === '1'
    const { relay, taken, offered } = start(inBatches(storage, 4), refuses)
    await until(() => taken.length === 13)
    await until(() => namesOf(offered, 'ws_bad').length > 4)
    await relay.stop()
    expect(namesOf(taken, 'ws_bad')).toEqual(['0'])
    expect(new Set(namesOf(offered, 'ws_bad'))).toEqual(new Set(['0', '1']))
    expect(namesOf(taken, 'ws_1')).toEqual(upTo(3))
    expect(namesOf(taken, 'ws_2')).toEqual(upTo(9))
  })

  test('lets later events of other workspaces pass while it is retried', async () => {
    const storage = await fill(open(), { ws_bad: 3 })
    const { relay, taken, offered } = start(storage, ({ workspaceId }) => workspaceId === 'ws_bad')
    for (let round = 1; round <= 3; round += 1) {
      await until(() => offered.length >= 2 * round)
      await fill(storage, { [`ws_${round}`]: 1 })
      await until(() => taken.length === round)
    }
    await relay.stop()
    expect(new Set(namesOf(offered, 'ws_bad'))).toEqual(new Set(['0']))
  })

  test('and all after it come in order once the sink takes it', async () => {
    const storage = await fill(open(), { ws_a: 5, ws_b: 5, ws_c: 5 })
    let down = true
    const { relay, taken, offered } = start(inBatches(storage, 2), () => down)
    await until(() => offered.length >= 9)
    expect(taken).toEqual([])
    down = false
    await until(() => taken.length === 15)
    await relay.stop()
    for (const workspaceId of ['ws_a', 'ws_b', 'ws_c']) {
      expect(namesOf(taken, workspaceId)).toEqual(upTo(5))
    }
  })
})

test('many refused workspaces leave every second claim to the others', async () => {
  const bad = Object.fromEntries(upTo(40).map((number) => [`bad_${number}`, 3]))
  const storage = await fill(memoryStorage(), { ...bad, ws_good: 60 })
  const isBad = ({ workspaceId }: AuditEvent) => workspaceId.startsWith('bad')
  const { relay, taken, offered } = start(inBatches(storage, 3), isBad, { pollMs: 1 })
  await until(() => taken.length === 60)
  await relay.stop()
  expect(namesOf(taken, 'ws_good')).toEqual(upTo(60))
  // 40 claims bring what is refused for the first time and 20 the good ones, each with one retry
  // before it at most.
  const refusals = offered.slice(0, offered.lastIndexOf(taken[59] as AuditEvent)).filter(isBad)
  expect(refusals.length).toBeLessThanOrEqual(40 + 40 + 20)
})

test('a retry that finds another relay at work does not shorten the pauses', async () => {
  const storage = await fill(memoryStorage(), { ws_bad: 1 })
  const claim = storage.claimEvents
  const offeredMs: number[] = []
  let isLeasedElsewhere = false
  storage.claimEvents = async (...args) => {
    const isRetry = offeredMs.length === 1 && args[0].except.length === 0
    isLeasedElsewhere = isRetry && !isLeasedElsewhere
    return isLeasedElsewhere ? [] : Reflect.apply(claim, storage, args)
  }
  const refuses = () => offeredMs.push(performance.now())
  const { relay } = start(storage, refuses, { pollMs: 100 })
  await until(() => offeredMs.length === 3)
  await relay.stop()
  // Twice the pause, and the turn after the round that found the event.
  expect(Number(offeredMs[2]) - Number(offeredMs[1])).toBe(201)
})

describe('a delivery that never acknowledges', () => {
  const never = () => new Promise<boolean>(() => {})

  test('is aborted and refused after its time, and the others are delivered', async () => {
    const storage = await fill(memoryStorage(), { ws_bad: 2, ws_good: 2 })
    const errors: unknown[] = []
    const signals: AbortSignal[] = []
    const delivered: string[] = []
    let hangs = true
    const relay = relayEvents({
      storage,
      deliver: async (event, signal) => {
        if (event.workspaceId === 'ws_bad') signals.push(signal)
        else expect(signal.aborted).toBe(false)
        if (hangs && event.workspaceId === 'ws_bad') await never()
        delivered.push(`${event.workspaceId} ${event.data.name}`)
      },
      pollMs: 2,
      leaseMs: 100,
      onError: (error) => errors.push(error),
    })
    await until(() => delivered.length === 2)
    expect(delivered).toEqual(['ws_good 0', 'ws_good 1'])
    expect(String(errors[0])).toBe('Error: deliver did not resolve within 50 ms')
    expect(signals[0]?.reason).toBe(errors[0])
    hangs = false
    await until(() => delivered.length === 4)
    await relay.stop()
    expect(delivered.slice(2)).toEqual(['ws_bad 0', 'ws_bad 1'])
  })

  test('does not keep stop from resolving', async () => {
    const storage = await fill(memoryStorage(), { ws_bad: 1 })
    const { relay, offered } = start(storage, never, { leaseMs: 40 })
    await until(() => offered.length === 1)
    await relay.stop()
    expect(offered).toHaveLength(1)
  })

  test('may fail after its time without anyone noticing', async () => {
    const storage = await fill(memoryStorage(), { ws_bad: 1 })
    const errors: string[] = []
    const late = async () => {
      await settled(1_000)
      throw new Error('too late')
    }
    const onError = (error: unknown) => errors.push(String(error))
    const { relay } = start(storage, late, { leaseMs: 10, onError })
    await until(() => errors.length === 2)
    await relay.stop()
    await settled(1_500)
    expect(new Set(errors)).toEqual(new Set(['Error: deliver did not resolve within 5 ms']))
  })
})

test.each(['claimEvents', 'acknowledgeEvents'] as const)(
  'a %s that never acknowledges is given up after the lease',
  async (verb) => {
    const stored = await fill(memoryStorage(), { ws_1: 2 })
    let hanging = 2
    const storage = new Proxy(stored, {
      get:
        (target, name: StorageMethod) =>
        (...args: unknown[]) =>
          name === verb && hanging-- > 0
            ? new Promise(() => {})
            : Reflect.apply(target[name], target, args),
    })
    const errors: string[] = []
    const onError = (error: unknown) => errors.push(String(error))
    const { relay, taken } = start(storage, () => false, { leaseMs: 30, onError })
    await until(() => namesOf(taken, 'ws_1').includes('1') && errors.length === 2)
    await relay.stop()
    expect(errors).toEqual(Array(2).fill('Error: no answer in 30 ms'))
  },
)
