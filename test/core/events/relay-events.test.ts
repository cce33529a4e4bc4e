import { describe, expect, test } from 'vitest'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { type RelayOptions, relayEvents } from '../../../src/events/index.ts'
import type { AuditEvent } from '../../../src/index.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { inBatches } from '../../support/in-batches.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import { keyInput, openWorld, settled, until } from '../../support/world.ts'

simulateTime()

/** A storage with events of several workspaces, `perWorkspace` of each. */
async function storageWith(workspaces: number, perWorkspace: number) {
  const { keys, stored } = openWorld({
    entitlements: () => ({ publicApi: true, activeKeyLimit: null }),
  })
  for (let number = 0; number < perWorkspace; number += 1) {
    for (let at = 0; at < workspaces; at += 1) {
      await keys.createKey(keyInput({ workspaceId: `ws_${at}`, name: `${number}` }))
    }
  }
  return { storage: stored, keys }
}

function start(
  storage: KeyStorage,
  deliver: RelayOptions['deliver'],
  options: Partial<RelayOptions> = {},
) {
  return relayEvents({ storage, deliver, pollMs: 2, leaseMs: 1_000, ...options })
}

/** What a relay delivers until it has delivered so many events. */
async function relayed(storage: KeyStorage, count: number, options: Partial<RelayOptions> = {}) {
  const log: AuditEvent[] = []
  const relay = start(storage, (event) => void log.push(event), options)
  await until(() => log.length === count)
  await settled(5)
  await relay.stop()
  return log
}

/** The storage with other answers to some verbs. */
const replacing = (storage: KeyStorage, verbs: Partial<KeyStorage>): KeyStorage =>
  new Proxy(storage, {
    get: (target, verb: keyof KeyStorage) =>
      verbs[verb] ?? (target[verb] as CallableFunction).bind(target),
  })

const numbersOf = (events: readonly AuditEvent[], workspaceId: string) =>
  events.filter((event) => event.workspaceId === workspaceId).map(({ data }) => Number(data.name))

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at)

describe('relayEvents', () => {
  test('delivers every event once and in order, also in small batches', async () => {
    const { storage } = await storageWith(3, 10)
    const log = await relayed(inBatches(storage, 4), 30)
    expect(log).toHaveLength(30)
    for (const at of upTo(3)) expect(numbersOf(log, `ws_${at}`)).toEqual(upTo(10))
  })

  /** A storage that keeps the claims that were made of it, each after `pauseMs`. */
  function watched(storage: KeyStorage, pauseMs = 0) {
    const claims: { readonly relay: string }[] = []
    const claimEvents: KeyStorage['claimEvents'] = async (claim) => {
      claims.push(claim)
      if (pauseMs > 0) await settled(pauseMs)
      return storage.claimEvents(claim)
    }
    return { claims, storage: replacing(storage, { claimEvents }) }
  }

  test.each([
    [1, 7],
    [3, 3],
    [100, 2],
  ])('batches of %i follow one another without a pause: %i claims', async (batch, expected) => {
    const { storage } = await storageWith(1, 6)
    const { claims, ...seen } = watched(inBatches(storage, batch))
    await relayed(seen.storage, 6, { pollMs: 60_000, leaseMs: 60_000 })
    expect(claims).toHaveLength(expected)
    for (const claim of claims) expect(claim.relay).toMatch(/^rly_[A-Za-z0-9_-]{21}$/)
  })

  test('claims again what it has held for a second', async () => {
    const { storage } = await storageWith(1, 3)
    const { claims, ...seen } = watched(storage)
    const log: AuditEvent[] = []
    const deliver = async (event: AuditEvent) => {
      if (log.push(event) === 1) await settled(1_001)
    }
    const relay = start(seen.storage, deliver, { pollMs: 60_000, leaseMs: 60_000 })
    await until(() => claims.length === 3)
    await relay.stop()
    expect(numbersOf(log, 'ws_0')).toEqual(upTo(3))
  })

  test('a storage so slow that the lease is half over still gets rid of an event a round', async () => {
    const { storage } = await storageWith(1, 2)
    const log = await relayed(watched(storage, 30).storage, 2, { leaseMs: 40 })
    expect(numbersOf(log, 'ws_0')).toEqual([0, 1])
  })

  test('goes on with what comes later', async () => {
    const { storage, keys } = await storageWith(1, 1)
    const log: AuditEvent[] = []
    const relay = start(storage, (event) => void log.push(event))
    await until(() => log.length === 1)
    await keys.createKey(keyInput({ workspaceId: 'ws_0', name: '1' }))
    await until(() => log.length === 2)
    await relay.stop()
    expect(numbersOf(log, 'ws_0')).toEqual([0, 1])
  })

  test('waits for the sink before the next event', async () => {
    const { storage } = await storageWith(2, 5)
    let underWay = 0
    let delivered = 0
    const relay = start(storage, async () => {
      underWay += 1
      expect(underWay).toBe(1)
      await settled(1)
      underWay -= 1
      delivered += 1
    })
    await until(() => delivered === 10)
    await relay.stop()
  })

  test('tries a failed event again before any later one', async () => {
    const { storage } = await storageWith(1, 6)
    const tried: number[] = []
    const errors: unknown[] = []
    const deliver = (event: AuditEvent) => {
      tried.push(Number(event.data.name))
      if (tried.filter((number) => number === 2).length < 3 && tried.at(-1) === 2) {
        throw new Error('the sink is full')
      }
    }
    const relay = start(storage, deliver, { onError: (error) => errors.push(error) })
    await until(() => tried.at(-1) === 5)
    await relay.stop()
    expect(tried).toEqual([0, 1, 2, 2, 2, 3, 4, 5])
    expect(errors.map(String)).toEqual(['Error: the sink is full', 'Error: the sink is full'])
  })

  test('an event whose settling failed comes again: at least once', async () => {
    const { storage } = await storageWith(1, 3)
    let failures = 2
    const acknowledgeEvents: KeyStorage['acknowledgeEvents'] = async (relay, ids) => {
      if (failures-- > 0) throw new Error('cut')
      return storage.acknowledgeEvents(relay, ids)
    }
    const log = await relayed(replacing(storage, { acknowledgeEvents }), 9)
    expect(numbersOf(log, 'ws_0')).toEqual([0, 1, 2, 0, 1, 2, 0, 1, 2])
  })

  /** A storage that keeps what was acknowledged together, and how far the log was then. */
  function settling(storage: KeyStorage, log: readonly AuditEvent[]) {
    const settlements: { readonly ids: readonly string[]; readonly delivered: number }[] = []
    const acknowledgeEvents: KeyStorage['acknowledgeEvents'] = async (relay, ids) => {
      settlements.push({ ids: [...ids], delivered: log.length })
      return storage.acknowledgeEvents(relay, ids)
    }
    return { settlements, storage: replacing(storage, { acknowledgeEvents }) }
  }

  test('delivered events of all workspaces are acknowledged together', async () => {
    const { storage } = await storageWith(3, 4)
    const log: AuditEvent[] = []
    const { settlements, ...seen } = settling(storage, log)
    const relay = start(seen.storage, (event) => void log.push(event))
    await until(() => log.length === 12)
    await relay.stop()
    expect(settlements).toEqual([{ ids: log.map(({ id }) => id), delivered: 12 }])
  })

  test('of a refused workspace what came before the refusal is acknowledged with the others', async () => {
    const { storage } = await storageWith(2, 4)
    const log: AuditEvent[] = []
    const { settlements, ...seen } = settling(storage, log)
    const refuse = (event: AuditEvent) => {
      if (event.workspaceId === 'ws_0' && event.data.name === '1') throw new Error('refused')
      log.push(event)
    }
    const relay = start(seen.storage, refuse, { pollMs: 60_000 })
    await until(() => settlements.length > 0)
    await relay.stop()
    expect(numbersOf(log, 'ws_0')).toEqual([0])
    expect(settlements[0]?.ids).toEqual(log.map(({ id }) => id))
  })

  test('a slow sink does not keep delivered events pending for longer than 100 ms', async () => {
    const { storage } = await storageWith(1, 5)
    const log: AuditEvent[] = []
    const { settlements, ...seen } = settling(storage, log)
    const slow = async (event: AuditEvent) => {
      await settled(60)
      log.push(event)
    }
    const relay = start(seen.storage, slow)
    await until(() => log.length === 5)
    await relay.stop()
    expect(settlements.map(({ delivered }) => delivered)).toEqual([3, 5])
    expect(settlements.flatMap(({ ids }) => ids)).toEqual(log.map(({ id }) => id))
  })

  test('stop acknowledges what was delivered', async () => {
    const { storage } = await storageWith(1, 5)
    const log: AuditEvent[] = []
    const { settlements, ...seen } = settling(storage, log)
    let stopped: Promise<void> | undefined
    const relay = start(seen.storage, (event) => {
      log.push(event)
      if (log.length === 3) stopped = relay.stop()
    })
    await until(() => stopped !== undefined)
    await stopped
    expect(settlements).toEqual([{ ids: log.map(({ id }) => id), delivered: 3 }])
    const claim = { relay: 'next', leaseMs: 1_000, limit: 10, except: [] }
    expect(await storage.claimEvents(claim)).toHaveLength(2)
  })

  test('stops also when the storage cannot release the lease, and says so', async () => {
    const down = new Error('down')
    const releaseEvents = () => Promise.reject(down)
    const errors: unknown[] = []
    const storage = Object.assign(memoryStorage(), { releaseEvents })
    const relay = start(storage, () => {}, { onError: (error) => errors.push(error) })
    await relay.stop()
    expect(errors).toContain(down)
  })

  test('survives an outage of the storage, and an onError that throws or rejects', async () => {
    const { storage } = await storageWith(1, 2)
    for (const onError of [
      () => {
        throw new Error('log')
      },
      async () => {
        throw new Error('log')
      },
    ]) {
      let outages = 3
      const claimEvents: KeyStorage['claimEvents'] = async (claim) => {
        if (outages-- > 0) throw new Error('down')
        return storage.claimEvents(claim)
      }
      const flaky = replacing(storage, { claimEvents })
      const relay = start(flaky, () => {}, { onError })
      await until(() => outages < 0)
      await relay.stop()
    }
  })

  test('two relays: one delivers, the other takes over when it dies', async () => {
    const { storage, keys } = await storageWith(2, 5)
    const [first, second]: [AuditEvent[], AuditEvent[]] = [[], []]
    const dying = start(storage, (event) => void first.push(event), { leaseMs: 60 })
    await until(() => first.length === 10)
    const waiting = start(storage, (event) => void second.push(event), { leaseMs: 60 })
    await settled(10)
    await dying.stop()
    await keys.createKey(keyInput({ workspaceId: 'ws_0', name: '5' }))
    await until(() => second.length === 1)
    await waiting.stop()
    expect(numbersOf([...first, ...second], 'ws_0')).toEqual(upTo(6))
  })

  test('a batch slower than the lease keeps it, so that nobody else delivers', async () => {
    const { storage } = await storageWith(1, 24)
    const log: [string, number][] = []
    const deliver = (name: string) => async (event: AuditEvent) => {
      log.push([name, Number(event.data.name)])
      await settled(20)
    }
    const relays = ['a', 'b'].map((name) => start(storage, deliver(name), { leaseMs: 400 }))
    await until(() => log.length >= 24)
    await Promise.all(relays.map((relay) => relay.stop()))
    expect(log.map(([, number]) => number)).toEqual(upTo(24))
    expect(new Set(log.map(([name]) => name)).size).toBe(1)
  })

  test('stop waits for the event under way and begins no other', async () => {
    const { storage } = await storageWith(1, 5)
    const done: number[] = []
    const relay = start(storage, async (event) => {
      await settled(20)
      done.push(Number(event.data.name))
    })
    await settled(5)
    await relay.stop()
    expect(done).toEqual([0])
    await settled(40)
    expect(done).toEqual([0])
  })

  test('stop ends the pause at once', async () => {
    const relay = start(memoryStorage(), () => {}, { pollMs: 60_000 })
    await settled(5)
    const startMs = performance.now()
    await relay.stop()
    await relay.stop()
    expect(performance.now()).toBe(startMs)
  })

  test('copies its options', async () => {
    const { storage } = await storageWith(1, 1)
    const log: AuditEvent[] = []
    const options: { -readonly [K in keyof RelayOptions]: RelayOptions[K] } = {
      storage,
      deliver: (event) => void log.push(event),
      pollMs: 2,
    }
    const relay = relayEvents(options)
    options.deliver = () => expect.fail('a sink given later was used')
    await until(() => log.length === 1)
    await relay.stop()
  })
})

describe('a bad option is a TypeError that names it', () => {
  const good = () => ({ storage: memoryStorage(), deliver: () => {} })
  test.each([
    ['acknowledgeEvents', { ...good(), storage: { claimEvents: async () => [] } }],
    ['releaseEvents', { ...good(), storage: { claimEvents() {}, acknowledgeEvents() {} } }],
    ['pollMs', { ...good(), pollMs: Number.NaN }],
    ['pollMs', { ...good(), pollMs: 0 }],
    ['leaseMs', { ...good(), leaseMs: 2 ** 31 }],
    ['onError', { ...good(), onError: 'log' }],
    ['"interval"', { ...good(), interval: 5 }],
  ])('%s', (named, options) => {
    expect(() => relayEvents(options as RelayOptions)).toThrow(TypeError)
    expect(() => relayEvents(options as RelayOptions)).toThrow(named)
  })
})
