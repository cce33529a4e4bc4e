import type { AuditEventRecord, EventClaim, KeyStorage } from '../../../src/storage/index.ts'
import { check, checkEqual } from './assertions.ts'
import { contractGroup, eventsOf, inParallel, inserted, insertedMany } from './contract-case.ts'
import { sampleCreatedEvent, sampleRecord, sampleRotateChange, WORKSPACE } from './samples.ts'

/** Longer than any case takes, on any machine. */
const LONG_MS = 3_600_000
/** How long a case waits for a short lease to end before it fails. */
const PATIENCE_MS = 60_000

/** Undelivered events go to one relay at a time, in order, until it has acknowledged them. */
export const relayCases = contractGroup('relay', {
  'nothing to deliver is an empty answer': async (storage) => {
    checkEqual(await claim(storage, 'a'), [], 'claimEvents')
    await storage.acknowledgeEvents('a', [])
    await storage.releaseEvents('a')
  },

  'events come in the order of each workspace': async (storage) => {
    await insertedMany(storage, 9, (index) => ({ workspaceId: `ws_${index % 3}` }))
    const claimed = await claim(storage, 'a')
    checkEqual(claimed.length, 9, 'the number of events')
    for (const workspaceId of ['ws_0', 'ws_1', 'ws_2']) {
      const own = claimed.filter((event) => event.workspaceId === workspaceId)
      checkEqual(own, await eventsOf(storage, workspaceId), `the events of ${workspaceId}`)
    }
  },

  'a claim takes the oldest, and the next one goes on after they are acknowledged': async (
    storage,
  ) => {
    await insertedMany(storage, 5)
    const all = await eventsOf(storage, WORKSPACE)
    const first = await claim(storage, 'a', { limit: 2 })
    checkEqual(first, all.slice(0, 2), 'the first claim')
    await acknowledge(storage, 'a', first)
    const second = await claim(storage, 'a', { limit: 2 })
    checkEqual(second, all.slice(2, 4), 'the second claim')
    await acknowledge(storage, 'a', second)
    checkEqual(await claim(storage, 'a', { limit: 2 }), all.slice(4), 'the third claim')
  },

  'a workspace that is left out does not count towards the limit': async (storage) => {
    await insertedMany(storage, 4, () => ({ workspaceId: 'ws_held' }))
    await insertedMany(storage, 4, (index) => ({ workspaceId: index % 2 ? 'ws_odd' : 'ws_even' }))
    const everything = await claim(storage, 'a')
    const others = everything.filter(({ workspaceId }) => workspaceId !== 'ws_held')
    const page = await claim(storage, 'a', { limit: 3, except: ['ws_held', 'ws_unknown'] })
    checkEqual(page, others.slice(0, 3), 'events without one workspace')
    const even = others.filter(({ workspaceId }) => workspaceId === 'ws_even')
    const rest = await claim(storage, 'a', { except: ['ws_odd', 'ws_held'] })
    checkEqual(rest, even, 'events without two workspaces')
    const none = await claim(storage, 'a', { except: ['ws_odd', 'ws_even', 'ws_held'] })
    checkEqual(none, [], 'events without any workspace')
    checkEqual(await claim(storage, 'a'), everything, 'all events, afterwards')
  },

  'a lease keeps other relays away, also from later events': async (storage) => {
    await inserted(storage)
    checkEqual((await claim(storage, 'a', { limit: 1 })).length, 1, 'events for a')
    await inserted(storage)
    checkEqual(await claim(storage, 'b'), [], 'events for b')
    checkEqual((await claim(storage, 'a')).length, 2, 'events for a again')
  },

  'the holder renews its lease by claiming again': async (storage) => {
    await inserted(storage)
    const shortMs = 200
    await claim(storage, 'a', { leaseMs: shortMs })
    await claim(storage, 'a')
    await pause(2 * shortMs)
    checkEqual(await claim(storage, 'b'), [], 'events for b')
  },

  'a lease that ran out hands over, and the late relay acknowledges nothing': async (storage) => {
    await insertedMany(storage, 3)
    const lost = await claim(storage, 'a', { leaseMs: 100 })
    const taken = await claimInTime(storage, 'b')
    checkEqual(taken, lost, 'events for b')
    await acknowledge(storage, 'a', lost)
    checkEqual(await claim(storage, 'b'), taken, 'events for b, still pending')
    checkEqual(await claim(storage, 'a'), [], 'events for a')
    await acknowledge(storage, 'b', taken)
    checkEqual(await claim(storage, 'b'), [], 'events after all are acknowledged')
  },

  'a released lease hands over at once': async (storage) => {
    await inserted(storage)
    const lost = await claim(storage, 'a')
    await storage.releaseEvents('b')
    checkEqual(await claim(storage, 'b'), [], 'events for b before the release')
    await storage.releaseEvents('a')
    await acknowledge(storage, 'a', lost)
    checkEqual(await claim(storage, 'b'), lost, 'events for b after the release')
    await storage.releaseEvents('a')
    checkEqual(await claim(storage, 'a'), [], 'events for a after a second release')
  },

  'a relay that never held the lease acknowledges nothing': async (storage) => {
    await inserted(storage)
    const all = await eventsOf(storage, WORKSPACE)
    await acknowledge(storage, 'stranger', all)
    checkEqual(await claim(storage, 'a'), all, 'events before any lease')
    await acknowledge(storage, 'stranger', all)
    checkEqual(await claim(storage, 'a'), all, 'events under a foreign lease')
  },

  'what was delivered of several workspaces is acknowledged in one call': async (storage) => {
    await insertedMany(storage, 12, (index) => ({ workspaceId: `ws_${index % 4}` }))
    const claimed = await claim(storage, 'a')
    const delivered = claimed.filter(
      ({ workspaceId }, index) => workspaceId !== 'ws_2' && index < 9,
    )
    await acknowledge(storage, 'a', delivered)
    const left = claimed.filter((event) => !delivered.includes(event))
    checkEqual(await claim(storage, 'a'), left, 'events left')
    await acknowledge(storage, 'a', left)
    checkEqual(await claim(storage, 'a'), [], 'events after all are acknowledged')
  },

  'settling is repeatable and passes over unknown ids': async (storage) => {
    await insertedMany(storage, 2)
    const [first, second] = await claim(storage, 'a')
    const ids = [first?.id ?? '', 'evt_unknown']
    await storage.acknowledgeEvents('a', ids)
    await storage.acknowledgeEvents('a', ids)
    checkEqual(await claim(storage, 'a'), [second], 'events left')
  },

  'many relays at once: one gets the events': async (storage) => {
    await insertedMany(storage, 5)
    const answers = await inParallel(20, (index) => claim(storage, `relay_${index}`))
    const sizes = answers.map(({ length }) => length).filter((length) => length > 0)
    checkEqual(sizes, [5], 'the answers with events')
  },

  'a repeated change is delivered once': async (storage) => {
    const record = sampleRecord()
    const event = sampleCreatedEvent(record)
    const rotation = sampleRotateChange(record)
    for (let times = 0; times < 3; times += 1) await storage.insert(record, null, event)
    for (let times = 0; times < 3; times += 1) await storage.rotate(rotation)
    checkEqual(await claim(storage, 'a'), [event, rotation.event], 'the events')
  },
})

function claim(storage: KeyStorage, relay: string, fields: Partial<EventClaim> = {}) {
  return storage.claimEvents({ relay, leaseMs: LONG_MS, limit: 100, except: [], ...fields })
}

/** The first claim that is answered with events. */
async function claimInTime(storage: KeyStorage, relay: string) {
  const endsMs = performance.now() + PATIENCE_MS
  for (;;) {
    const events = await claim(storage, relay)
    if (events.length > 0) return events
    check(performance.now() < endsMs, `the lease ends, and ${relay} gets events`)
    await pause(20)
  }
}

function acknowledge(storage: KeyStorage, relay: string, events: readonly AuditEventRecord[]) {
  return storage.acknowledgeEvents(
    relay,
    events.map(({ id }) => id),
  )
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
