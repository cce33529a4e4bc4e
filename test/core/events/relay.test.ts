import { describe, expect, test } from 'vitest'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { sampleInsertion, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { type RelayOptions, relayEvents } from '../../../src/events/index.ts'
import type { AuditEvent } from '../../../src/index.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { inBatches } from '../../support/in-batches.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import { settled, thrown, until } from '../../support/world.ts'

simulateTime()

/** Adds events to each workspace, which are numbered; all of one workspace before those of the next. */
async function fill(storage: KeyStorage, counts: Readonly<Record<string, number>>, first = 0) {
  for (const [workspaceId, count] of Object.entries(counts)) {
    for (let number = first; number < first + count; number += 1) {
      const record = sampleRecord({ workspaceId, name: `${number}` })
      await storage.write([sampleInsertion(record)])
    }
  }
  return storage
}

/** A relay over a sink that refuses by `refuses`, what the sink took and was offered, and all errors. */
function start(
  storage: KeyStorage,
  refuses: (event: AuditEvent, signal: AbortSignal) => unknown = () => false,
  options: Partial<RelayOptions> = {},
) {
  const [taken, offered, errors]: [AuditEvent[], AuditEvent[], string[]] = [[], [], []]
  const deliver = async (event: AuditEvent, signal: AbortSignal) => {
    offered.push(event)
    if (await refuses(event, signal)) throw new Error('refused')
    taken.push(event)
  }
  const onError = (error: unknown) => void errors.push(String(error))
  const own = { storage, deliver, onError, pollMs: 2, leaseMs: 1_000 }
  return { relay: relayEvents({ ...own, ...options }), taken, offered, errors }
}

/** Runs a relay until it has delivered so many events, and returns them. */
async function relayed(storage: KeyStorage, count: number, options: Partial<RelayOptions> = {}) {
  const { relay, taken } = start(storage, undefined, options)
  await until(() => taken.length === count)
  await settled(5)
  await relay.stop()
  return taken
}

/** A storage that keeps the claims that were made of it, each after `pauseMs`. */
function claimed(storage: KeyStorage, pauseMs = 0) {
  const claims: { readonly relay: string }[] = []
  const claimEvents: KeyStorage['claimEvents'] = async (claim) => {
    claims.push(claim)
    if (pauseMs > 0) await settled(pauseMs)
    return storage.claimEvents(claim)
  }
  return { claims, storage: { ...storage, claimEvents } }
}

/** A storage that keeps what was acknowledged together. */
function acknowledged(storage: KeyStorage) {
  const groups: (readonly string[])[] = []
  const acknowledgeEvents: KeyStorage['acknowledgeEvents'] = async (relay, ids) => {
    groups.push([...ids])
    return storage.acknowledgeEvents(relay, ids)
  }
  return { groups, storage: { ...storage, acknowledgeEvents } }
}

const numbersOf = (events: readonly AuditEvent[], workspaceId = 'ws') =>
  events.filter((event) => event.workspaceId === workspaceId).map(({ data }) => Number(data.name))
const idsOf = (events: readonly AuditEvent[]) => events.map(({ id }) => id)
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at)
const isIn = (workspaceId: string) => (event: AuditEvent) => event.workspaceId === workspaceId

describe('a relay', () => {
  test('delivers every event once, in order and one after another, also in small batches', async () => {
    const storage = await fill(memoryStorage(), { ws_a: 10, ws_b: 10 })
    let underWay = 0
    const { relay, taken } = start(inBatches(storage, 4), async () => {
      underWay += 1
      expect(underWay).toBe(1)
      await settled(1)
      underWay -= 1
    })
    await until(() => taken.length === 20)
    await fill(storage, { ws_a: 1 }, 10)
    await until(() => taken.length === 21)
    await relay.stop()
    expect(numbersOf(taken, 'ws_a')).toEqual(upTo(11))
    expect(numbersOf(taken, 'ws_b')).toEqual(upTo(10))
  })

  test.each([
    [1, 7],
    [3, 3],
    [100, 2],
  ])('claims batches of %i without a pause: %i claims', async (batch, expected) => {
    const { claims, storage } = claimed(inBatches(await fill(memoryStorage(), { ws: 6 }), batch))
    await relayed(storage, 6, { pollMs: 60_000, leaseMs: 60_000 })
    expect(claims).toHaveLength(expected)
    for (const claim of claims) expect(claim.relay).toMatch(/^rly_[A-Za-z0-9_-]{21}$/)
  })

  test('claims again what it has held for a second', async () => {
    const { claims, storage } = claimed(await fill(memoryStorage(), { ws: 3 }))
    const slow = async () => void (claims.length === 1 && (await settled(1_001)))
    const { relay, taken } = start(storage, slow, { pollMs: 60_000, leaseMs: 60_000 })
    await until(() => claims.length === 3)
    await relay.stop()
    expect(numbersOf(taken)).toEqual(upTo(3))
  })

  test('gets rid of an event a round on a storage so slow that the lease is half over', async () => {
    const { storage } = claimed(await fill(memoryStorage(), { ws: 2 }), 30)
    expect(numbersOf(await relayed(storage, 2, { leaseMs: 40 }))).toEqual([0, 1])
  })

  test('delivers again what could not be acknowledged: at least once', async () => {
    const storage = await fill(memoryStorage(), { ws: 3 })
    let failures = 2
    const acknowledgeEvents: KeyStorage['acknowledgeEvents'] = async (relay, ids) => {
      if (failures-- > 0) throw new Error('cut')
      return storage.acknowledgeEvents(relay, ids)
    }
    const log = await relayed({ ...storage, acknowledgeEvents }, 9)
    expect(numbersOf(log)).toEqual([0, 1, 2, 0, 1, 2, 0, 1, 2])
  })

  test('acknowledges all workspaces together, of a refused one what came before', async () => {
    const { groups, storage } = acknowledged(await fill(memoryStorage(), { ws: 4, ws_b: 4 }))
    const refuses = (event: AuditEvent) => isIn('ws')(event) && event.data.name === '1'
    const { relay, taken } = start(storage, refuses, { pollMs: 60_000 })
    await until(() => groups.length > 0)
    await relay.stop()
    expect(numbersOf(taken)).toEqual([0])
    expect(groups).toEqual([idsOf(taken)])
    expect(taken).toHaveLength(5)
  })

  test('keeps delivered events pending for no longer than 100 ms', async () => {
    const { groups, storage } = acknowledged(await fill(memoryStorage(), { ws: 5 }))
    const { relay, taken } = start(storage, () => settled(60))
    await until(() => taken.length === 5)
    await relay.stop()
    expect(groups).toEqual([idsOf(taken.slice(0, 3)), idsOf(taken.slice(3))])
  })

  test('that stops acknowledges what was delivered and begins no other', async () => {
    const { groups, storage } = acknowledged(await fill(memoryStorage(), { ws: 5 }))
    let stopped: Promise<void> | undefined
    const { relay, taken, offered } = start(storage, async () => {
      await settled(20)
      if (offered.length === 3) stopped = relay.stop()
    })
    await until(() => stopped !== undefined)
    await stopped
    await settled(40)
    expect(numbersOf(taken)).toEqual([0, 1, 2])
    expect(groups).toEqual([idsOf(taken)])
    const claim = { relay: 'next', leaseMs: 1_000, limit: 10, except: [] }
    expect(await storage.claimEvents(claim)).toHaveLength(2)
  })

  test('that stops ends its pause at once, also where the lease cannot be released', async () => {
    const releaseEvents = () => Promise.reject(new Error('down'))
    const storage = { ...memoryStorage(), releaseEvents }
    const { relay, errors } = start(storage, undefined, { pollMs: 60_000 })
    await settled(5)
    const startMs = performance.now()
    await relay.stop()
    await relay.stop()
    expect(performance.now()).toBe(startMs)
    expect(errors).toEqual(['Error: down'])
  })

  test.each([
    ['throws', () => thrown(new Error('log'))],
    ['rejects', () => Promise.reject(new Error('log')) as never],
  ])('survives an outage of the storage, and an onError that %s', async (_, onError) => {
    const storage = await fill(memoryStorage(), { ws: 2 })
    let outages = 3
    const claimEvents: KeyStorage['claimEvents'] = async (claim) => {
      if (outages-- > 0) throw new Error('down')
      return storage.claimEvents(claim)
    }
    await relayed({ ...storage, claimEvents }, 2, { onError })
    expect(outages).toBeLessThan(0)
  })

  test('keeps the lease through a batch that is slower than it, so that nobody else delivers', async () => {
    const storage = await fill(memoryStorage(), { ws: 24 })
    const both = [1, 2].map(() => start(storage, () => settled(20), { leaseMs: 400 }))
    await until(() => both.some(({ taken }) => taken.length === 24))
    await Promise.all(both.map(({ relay }) => relay.stop()))
    const logs = both.map(({ offered }) => numbersOf(offered))
    expect(logs.toSorted((one, other) => other.length - one.length)).toEqual([upTo(24), []])
  })

  test.each(['claimEvents', 'acknowledgeEvents'] as const)(
    'gives up a %s that never answers after the lease',
    async (verb) => {
      const stored = await fill(memoryStorage(), { ws: 2 })
      let hanging = 2
      const hang = (...given: never[]) =>
        hanging-- > 0 ? new Promise(() => {}) : Reflect.apply(stored[verb], stored, given)
      const storage = { ...stored, [verb]: hang }
      const { relay, taken, errors } = start(storage, undefined, { leaseMs: 30 })
      await until(() => numbersOf(taken).includes(1) && errors.length === 2)
      await relay.stop()
      expect(errors).toEqual(Array(2).fill('Error: no answer in 30 ms'))
    },
  )
})

describe('an event that the sink refuses', () => {
  test('is tried again before any later one of its workspace', async () => {
    const storage = await fill(memoryStorage(), { ws: 6 })
    const tried = (event: AuditEvent) =>
      numbersOf(offered).filter((n) => `${n}` === event.data.name)
    const { relay, taken, offered, errors } = start(
      storage,
      (event) => event.data.name === '2' && tried(event).length < 3,
    )
    await until(() => taken.length === 6)
    await relay.stop()
    expect(numbersOf(offered)).toEqual([0, 1, 2, 2, 2, 3, 4, 5])
    expect(errors).toEqual(Array(2).fill('Error: refused'))
  })

  test('holds up its own workspace alone, also when that fills every claim', async () => {
    const storage = await fill(memoryStorage(), { ws_bad: 12, ws_1: 3, ws_2: 9 })
    const refuses = (event: AuditEvent) => isIn('ws_bad')(event) && event.data.name === '1'
    const { relay, taken, offered } = start(inBatches(storage, 4), refuses)
    await until(() => taken.length === 13)
    await until(() => numbersOf(offered, 'ws_bad').length > 4)
    await fill(storage, { ws_3: 1 })
    await until(() => taken.length === 14)
    await relay.stop()
    expect(numbersOf(taken, 'ws_bad')).toEqual([0])
    expect(new Set(numbersOf(offered, 'ws_bad'))).toEqual(new Set([0, 1]))
    expect(numbersOf(taken, 'ws_2')).toEqual(upTo(9))
  })

  test('leaves every second claim to the others, however many refuse', async () => {
    const bad = Object.fromEntries(upTo(40).map((number) => [`bad_${number}`, 3]))
    const storage = await fill(memoryStorage(), { ...bad, ws: 60 })
    const isBad = ({ workspaceId }: AuditEvent) => workspaceId.startsWith('bad')
    const { relay, taken, offered } = start(inBatches(storage, 3), isBad, { pollMs: 1 })
    await until(() => taken.length === 60)
    await relay.stop()
    expect(numbersOf(taken)).toEqual(upTo(60))
    // 40 claims bring what is refused for the first time and 20 the good ones, each with one retry
    // before it at most.
    const refusals = offered.slice(0, offered.lastIndexOf(taken[59] as AuditEvent)).filter(isBad)
    expect(refusals.length).toBeLessThanOrEqual(40 + 40 + 20)
  })

  test('waits no shorter where a retry finds another relay at work', async () => {
    const storage = await fill(memoryStorage(), { ws: 1 })
    const offeredMs: number[] = []
    let isLeasedElsewhere = false
    const claimEvents: KeyStorage['claimEvents'] = async (claim) => {
      const isRetry = offeredMs.length === 1 && claim.except.length === 0
      isLeasedElsewhere = isRetry && !isLeasedElsewhere
      return isLeasedElsewhere ? [] : storage.claimEvents(claim)
    }
    const refuses = () => offeredMs.push(performance.now())
    const { relay } = start({ ...storage, claimEvents }, refuses, { pollMs: 100 })
    await until(() => offeredMs.length === 3)
    await relay.stop()
    // Twice the pause, and the turn after the round that found the event.
    expect(Number(offeredMs[2]) - Number(offeredMs[1])).toBe(201)
  })
})

describe('a delivery that never acknowledges', () => {
  const never = () => new Promise<boolean>(() => {})

  test('is aborted and refused after its time, and the others are delivered', async () => {
    const storage = await fill(memoryStorage(), { ws_bad: 2, ws: 2 })
    let hangs = true
    const signals: AbortSignal[] = []
    const refuses = (event: AuditEvent, signal: AbortSignal) => {
      if (isIn('ws_bad')(event)) signals.push(signal)
      return hangs && isIn('ws_bad')(event) && never()
    }
    const { relay, taken, errors } = start(storage, refuses, { leaseMs: 100 })
    await until(() => taken.length === 2)
    expect(numbersOf(taken)).toEqual([0, 1])
    expect(errors[0]).toBe('Error: deliver did not resolve within 50 ms')
    expect(String(signals[0]?.reason)).toBe(errors[0])
    hangs = false
    await until(() => taken.length === 4)
    expect(signals.at(-1)?.aborted).toBe(false)
    await relay.stop()
    expect(numbersOf(taken, 'ws_bad')).toEqual([0, 1])
  })

  test('does not keep stop from resolving', async () => {
    const { relay, offered } = start(await fill(memoryStorage(), { ws: 1 }), never, { leaseMs: 40 })
    await until(() => offered.length === 1)
    await relay.stop()
    expect(offered).toHaveLength(1)
  })

  test('may fail after its time without anyone noticing', async () => {
    const late = () => settled(1_000).then(() => true)
    const storage = await fill(memoryStorage(), { ws: 1 })
    const { relay, errors } = start(storage, late, { leaseMs: 10 })
    await until(() => errors.length === 2)
    await relay.stop()
    await settled(1_500)
    expect(new Set(errors)).toEqual(new Set(['Error: deliver did not resolve within 5 ms']))
  })
})
