import type { AuditEventRecord, KeyStorage } from '../../../src/index.ts'
import { checkEqual } from './assertions.ts'
import { contractGroup, eventsOf, inParallel, inserted, insertedMany } from './contract-case.ts'
import { sampleCreatedEvent, sampleRecord, sampleRotateChange } from './samples.ts'

const WORKSPACE = 'ws_sample'
const LEASE_MS = 1_000

/** Undelivered events go to one relay at a time, in order, until it has settled them. */
export const relayCases = contractGroup('relay', {
  'nothing to deliver is an empty answer': async (storage) => {
    checkEqual(await claim(storage, 'a', 0), [], 'claimEvents')
    await storage.settleEvents('a', [])
  },

  'events come in the order of each workspace': async (storage) => {
    await insertedMany(storage, 9, (index) => ({ workspaceId: `ws_${index % 3}` }))
    const claimed = await claim(storage, 'a', 0)
    checkEqual(claimed.length, 9, 'the number of events')
    for (const workspaceId of ['ws_0', 'ws_1', 'ws_2']) {
      const own = claimed.filter((event) => event.workspaceId === workspaceId)
      checkEqual(own, await eventsOf(storage, workspaceId), `the events of ${workspaceId}`)
    }
  },

  'a claim takes the oldest, and the next one goes on after they are settled': async (storage) => {
    await insertedMany(storage, 5)
    const all = await eventsOf(storage, WORKSPACE)
    const first = await claim(storage, 'a', 0, 2)
    checkEqual(first, all.slice(0, 2), 'the first claim')
    await settle(storage, 'a', first)
    const second = await claim(storage, 'a', 1, 2)
    checkEqual(second, all.slice(2, 4), 'the second claim')
    await settle(storage, 'a', second)
    checkEqual(await claim(storage, 'a', 2, 2), all.slice(4), 'the third claim')
  },

  'events that were not settled are claimed again': async (storage) => {
    await insertedMany(storage, 4)
    const all = await eventsOf(storage, WORKSPACE)
    checkEqual(await claim(storage, 'a', 0), all, 'the first claim')
    await settle(storage, 'a', all.slice(1, 2))
    const rest = all.filter((_, index) => index !== 1)
    checkEqual(await claim(storage, 'a', 1), rest, 'the second claim')
  },

  'a lease keeps other relays away, also from later events': async (storage) => {
    await inserted(storage)
    checkEqual((await claim(storage, 'a', 0, 1)).length, 1, 'events for a')
    await inserted(storage)
    checkEqual(await claim(storage, 'b', LEASE_MS - 1), [], 'events for b')
    checkEqual((await claim(storage, 'a', LEASE_MS - 1)).length, 2, 'events for a again')
  },

  'the holder renews its lease by claiming again': async (storage) => {
    await inserted(storage)
    await claim(storage, 'a', 0)
    await claim(storage, 'a', LEASE_MS - 1)
    checkEqual(await claim(storage, 'b', LEASE_MS + 1), [], 'events for b')
    checkEqual((await claim(storage, 'b', 2 * LEASE_MS)).length, 1, 'events for b later')
  },

  'a lease that ran out hands over, and the late relay settles nothing': async (storage) => {
    await insertedMany(storage, 3)
    const lost = await claim(storage, 'a', 0)
    const taken = await claim(storage, 'b', LEASE_MS + 1)
    checkEqual(taken, lost, 'events for b')
    await settle(storage, 'a', lost)
    checkEqual(await claim(storage, 'b', LEASE_MS + 2), taken, 'events for b, still unsettled')
    checkEqual(await claim(storage, 'a', LEASE_MS + 3), [], 'events for a')
    await settle(storage, 'b', taken)
    checkEqual(await claim(storage, 'b', LEASE_MS + 4), [], 'events after all are settled')
  },

  'a relay that never held the lease settles nothing': async (storage) => {
    await inserted(storage)
    const all = await eventsOf(storage, WORKSPACE)
    await settle(storage, 'stranger', all)
    checkEqual(await claim(storage, 'a', 0), all, 'events before any lease')
    await settle(storage, 'stranger', all)
    checkEqual(await claim(storage, 'a', 1), all, 'events under a foreign lease')
  },

  'settling is repeatable and passes over unknown ids': async (storage) => {
    await insertedMany(storage, 2)
    const [first, second] = await claim(storage, 'a', 0)
    const ids = [first?.id ?? '', 'evt_unknown']
    await storage.settleEvents('a', ids)
    await storage.settleEvents('a', ids)
    checkEqual(await claim(storage, 'a', 1), [second], 'events left')
  },

  'many relays at once: one gets the events': async (storage) => {
    await insertedMany(storage, 5)
    const answers = await inParallel(20, (index) => claim(storage, `relay_${index}`, 0))
    const sizes = answers.map(({ length }) => length).filter((length) => length > 0)
    checkEqual(sizes, [5], 'the answers with events')
  },

  'a repeated change is delivered once': async (storage) => {
    const record = sampleRecord()
    const event = sampleCreatedEvent(record)
    const rotation = sampleRotateChange(record)
    for (let times = 0; times < 3; times += 1) await storage.insert(record, null, event)
    for (let times = 0; times < 3; times += 1) await storage.rotate(rotation)
    checkEqual(await claim(storage, 'a', 0), [event, rotation.event], 'the events')
  },
})

function claim(storage: KeyStorage, relay: string, nowMs: number, limit = 100) {
  return storage.claimEvents({ relay, leaseMs: LEASE_MS, limit, nowMs })
}

function settle(storage: KeyStorage, relay: string, events: readonly AuditEventRecord[]) {
  return storage.settleEvents(
    relay,
    events.map(({ id }) => id),
  )
}
