import type { AuditEventRecord, EventClaim, EventQuery } from '../../../src/storage/index.ts'
import { check, checkEqual } from './assertions.ts'
import { contractGroup, inParallel, namesOf, pause, type Trial } from './contract-case.ts'
import { sampleUpdate } from './samples.ts'

/** Longer than any case takes, on any machine. */
const LONG_MS = 3_600_000
/** How long a case waits for a short lease to end before it fails. */
const PATIENCE_MS = 60_000

/** The log of a workspace is read in pages, in both directions, whole or for one key. */
export const eventCases = contractGroup('events', {
  'a page is full as long as events follow it': async (t) => {
    await t.insertedMany(7)
    const lengths: number[] = []
    await walk(t, { limit: 3 }, async (page) => void lengths.push(page.length))
    checkEqual(lengths, [3, 3, 1, 0], 'the lengths of the pages')
  },

  'the events of one key, and all, in both orders and in pages': async (t) => {
    const { keyId, own } = await threeEventsAmongOthers(t)
    const all = await t.eventsOf()
    for (const limit of [1, 2, 50]) {
      const newestFirst = true
      checkEqual(await walk(t, { keyId, limit }), own, 'those of the key')
      const backwards = await walk(t, { keyId, newestFirst, limit })
      checkEqual(backwards, own.toReversed(), 'those of the key, the newest first')
      checkEqual(await walk(t, { newestFirst, limit }), all.toReversed(), 'all, backwards')
    }
  },

  'only the workspace of a key sees its events, which stay when they are delivered': async (t) => {
    const { keyId } = await threeEventsAmongOthers(t)
    const none = { events: [], last: null }
    checkEqual(await t.eventPage({ keyId }, 'ws_other'), none, 'elsewhere')
    for (const other of ['', 'key_unknown', 'key\u0000', 'key_\ud800']) {
      checkEqual(await t.eventPage({ keyId: other }), none, `of ${JSON.stringify(other)}`)
    }
    const before = await t.eventPage()
    await t.acknowledged()
    checkEqual(await t.eventPage(), before, 'the events')
  },
})

/** Undelivered events go to one relay at a time, in order, until it has acknowledged them. */
export const relayCases = contractGroup('relay', {
  'events come in the order of each workspace': async (t) => {
    await t.insertedMany(9, (at) => ({ workspaceId: `ws_${at % 3}`, createdAtMs: 50 - at }))
    const claimed = await claim(t, 'a')
    for (const workspaceId of ['ws_0', 'ws_1', 'ws_2']) {
      const own = claimed.filter((event) => event.workspaceId === workspaceId)
      checkEqual(own, await t.eventsOf(workspaceId), `the events of ${workspaceId}`)
    }
  },

  'a claim takes the oldest, and the next one goes on after they are acknowledged': async (t) => {
    await t.insertedMany(5)
    const all = await t.eventsOf()
    for (const from of [0, 2, 4]) {
      const claimed = await claim(t, 'a', { limit: 2 })
      checkEqual(claimed, all.slice(from, from + 2), `the claim from ${from}`)
      checkEqual(await claim(t, 'a', { limit: 2 }), claimed, 'the same claim again')
      await acknowledge(t, 'a', claimed)
    }
    checkEqual(await claim(t, 'a'), [], 'the last claim')
  },

  'a workspace that is left out does not count towards the limit': async (t) => {
    const names = ['ws_held', 'ws_odd', 'ws_even']
    await t.insertedMany(8, (at) => ({
      workspaceId: at < 4 ? 'ws_held' : (names[1 + (at % 2)] ?? ''),
    }))
    const all = await claim(t, 'a')
    const without = (except: string[]) => all.filter((event) => !except.includes(event.workspaceId))
    for (const except of [['ws_held', 'ws_unknown'], ['ws_odd', 'ws_held'], names, []]) {
      const page = await claim(t, 'a', { limit: 3, except })
      checkEqual(page, without(except).slice(0, 3), `events without ${except}`)
    }
  },

  'a lease keeps other relays away, also from later events': async (t) => {
    await t.inserted()
    checkEqual((await claim(t, 'a', { limit: 1 })).length, 1, 'events for a')
    await t.inserted()
    checkEqual(await claim(t.other, 'b'), [], 'events for b')
    checkEqual((await claim(t, 'a')).length, 2, 'events for a again')
  },

  'the holder renews its lease by claiming again': async (t) => {
    await t.inserted()
    const shortMs = 200
    await claim(t, 'a', { leaseMs: shortMs })
    await claim(t, 'a')
    await pause(2 * shortMs)
    checkEqual(await claim(t, 'b'), [], 'events for b')
  },

  'a lease that ran out hands over, and the late relay acknowledges nothing': async (t) => {
    await t.insertedMany(3)
    const lost = await claim(t, 'a', { leaseMs: 100 })
    const taken = await claimInTime(t, 'b')
    checkEqual(taken, lost, 'events for b')
    await acknowledge(t, 'a', lost)
    checkEqual(await claim(t, 'b'), taken, 'events for b, still pending')
    checkEqual(await claim(t, 'a'), [], 'events for a')
  },

  'a released lease hands over at once': async (t) => {
    await t.inserted()
    const lost = await claim(t, 'a')
    await t.storage.releaseEvents('b')
    checkEqual(await claim(t, 'b'), [], 'events for b before the release')
    await t.storage.releaseEvents('a')
    await acknowledge(t, 'a', lost)
    checkEqual(await claim(t, 'b'), lost, 'events for b after the release')
    await t.storage.releaseEvents('a')
    checkEqual(await claim(t, 'a'), [], 'events for a after a second release')
  },

  'a relay that never held the lease acknowledges nothing': async (t) => {
    checkEqual(await claim(t, 'a'), [], 'nothing to deliver')
    await t.inserted()
    const all = await t.eventsOf()
    for (const lease of ['before any lease', 'under a foreign lease']) {
      await acknowledge(t, 'stranger', all)
      checkEqual(await claim(t, 'a'), all, `events ${lease}`)
    }
  },

  'what was delivered of several workspaces is acknowledged, repeatably': async (t) => {
    await t.insertedMany(12, (at) => ({ workspaceId: `ws_${at % 4}` }))
    const claimed = await claim(t, 'a')
    const delivered = claimed.filter(({ workspaceId }, at) => workspaceId !== 'ws_2' && at < 9)
    const left = claimed.filter((event) => !delivered.includes(event))
    for (let times = 0; times < 2; times += 1) {
      await t.storage.acknowledgeEvents('a', [...namesOf(delivered), 'evt_unknown'])
      checkEqual(await claim(t, 'a'), left, 'events left')
    }
  },

  'many relays at once: one gets the events': async (t) => {
    await t.insertedMany(5)
    const answers = await inParallel(20, (at) => claim(at % 2 ? t : t.other, `relay_${at}`))
    const sizes = answers.map(({ length }) => length).filter((length) => length > 0)
    checkEqual(sizes, [5], 'the answers with events')
  },
})

/** A key that was created and changed twice, and other keys that were made in between. */
async function threeEventsAmongOthers(t: Trial) {
  const first = await t.inserted()
  await t.insertedMany(2)
  await t.inserted({ workspaceId: 'ws_other' })
  const step = sampleUpdate(first)
  const second = sampleUpdate(await t.stored(step))
  await t.inserted()
  const { id: keyId } = (await t.stored(second)).record
  const own = (await t.eventsOf()).filter((event) => event.keyId === keyId)
  checkEqual(own.slice(1), [...step.events, ...second.events], 'the events of the changes')
  return { keyId, own }
}

/** All events that a query leads to, page by page. */
async function walk(
  t: Trial,
  query: Partial<EventQuery> & { readonly limit: number },
  between = async (_page: readonly AuditEventRecord[]) => {},
) {
  const seen: AuditEventRecord[] = []
  for (let after: number | null = null; ; ) {
    const { events, last } = await t.eventPage({ ...query, after })
    check(events.length <= query.limit, `a page has at most ${query.limit} events`)
    await between(events)
    if (events.length === 0) return seen
    seen.push(...events)
    after = last
  }
}

function claim({ storage }: Trial, relay: string, fields: Partial<EventClaim> = {}) {
  return storage.claimEvents({ relay, leaseMs: LONG_MS, limit: 100, except: [], ...fields })
}

/** The first claim that is answered with events. */
async function claimInTime(t: Trial, relay: string) {
  const endsMs = performance.now() + PATIENCE_MS
  for (;;) {
    const events = await claim(t, relay)
    if (events.length > 0) return events
    check(performance.now() < endsMs, `the lease ends, and ${relay} gets events`)
    await pause(20)
  }
}

function acknowledge({ storage }: Trial, relay: string, events: readonly AuditEventRecord[]) {
  return storage.acknowledgeEvents(relay, namesOf(events))
}
