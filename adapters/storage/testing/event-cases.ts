import type { AuditEventRecord, EventClaim, EventQuery } from '../../../src/storage/index.ts'
import { contractGroup, type Trial } from './contract-case.ts'
import { sampleUpdate } from './samples.ts'
import { check, checkEqual, inParallel, namesOf, OTHER, pause } from './tools.ts'

/** Longer than any case takes, on any machine. */
const LONG_MS = 3_600_000
/** How long a case waits for a short lease to end before it fails. */
const PATIENCE_MS = 60_000

/** The log of a workspace is read in pages, in both directions, whole or for one key. */
export const eventCases = contractGroup('events', {
  'those of one key, and all, are read in both orders and in full pages': async (t) => {
    const first = await t.inserted()
    await t.insertedMany(2)
    await t.inserted({ workspaceId: OTHER })
    const second = await t.stored(sampleUpdate(first))
    await t.inserted()
    const { id: keyId } = (await t.stored(sampleUpdate(second))).record
    await t.acknowledged()
    const all = await t.eventsOf()
    const own = all.filter((event) => event.keyId === keyId)
    checkEqual([all.length, own.length], [6, 3], 'the number of events, and of those of the key')
    for (const limit of [1, 2, 3, 50]) {
      for (const [events, query] of [
        [own, { keyId }],
        [own.toReversed(), { keyId, newestFirst: true }],
        [all.toReversed(), { newestFirst: true }],
      ] as const) {
        checkEqual(await walk(t, { ...query, limit }), events, JSON.stringify(query))
      }
    }
    const none = { events: [], last: null }
    checkEqual(await t.eventPage({ keyId }, OTHER), none, 'elsewhere')
    for (const other of ['', 'key_unknown', 'key\u0000', 'key_\ud800']) {
      checkEqual(await t.eventPage({ keyId: other }), none, `of ${JSON.stringify(other)}`)
    }
  },
})

/** Undelivered events go to one relay at a time, in order, until it has acknowledged them. */
export const relayCases = contractGroup('relay', {
  'claims give the oldest in their order, until they are acknowledged': async (t) => {
    await t.insertedMany(12, (at) => ({ workspaceId: `ws_${at % 4}`, createdAtMs: 50 - at }))
    const all = await claim(t, 'a')
    for (const name of ['ws_0', 'ws_1', 'ws_2', 'ws_3']) {
      const own = all.filter(({ workspaceId }) => workspaceId === name)
      checkEqual(own, await t.eventsOf(name), `the events of ${name}`)
    }
    for (let left = all; left.length > 0; ) {
      const delivered = left.slice(0, 5).filter((_, at) => at !== 1)
      for (const time of ['first', 'again']) {
        checkEqual(await claim(t, 'a', { limit: 5 }), left.slice(0, 5), `${left.length}, ${time}`)
      }
      for (const ids of [namesOf(delivered), [...namesOf(delivered), 'evt_unknown']]) {
        await t.storage.acknowledgeEvents('a', ids)
      }
      left = left.filter((event) => !delivered.includes(event))
    }
    checkEqual(await claim(t, 'a'), [], 'events left')
  },

  'a workspace that is left out does not count towards the limit': async (t) => {
    const names = ['ws_held', 'ws_odd', 'ws_even']
    await t.insertedMany(8, (at) => ({ workspaceId: names[at < 4 ? 0 : 1 + (at % 2)] ?? '' }))
    const all = await claim(t, 'a')
    for (const except of [['ws_held', 'ws_unknown'], ['ws_odd', 'ws_held'], names, []]) {
      const others = all.filter(({ workspaceId }) => !except.includes(workspaceId))
      const page = await claim(t, 'a', { limit: 3, except })
      checkEqual(page, others.slice(0, 3), `events without ${except}`)
    }
  },

  'a lease is renewed by a claim, and keeps other relays away from later events too': async (t) => {
    const shortMs = 200
    await t.inserted()
    checkEqual((await claim(t, 'a', { leaseMs: shortMs })).length, 1, 'events for a')
    await t.inserted()
    checkEqual((await claim(t, 'a')).length, 2, 'events for a again')
    await pause(2 * shortMs)
    checkEqual(await claim(t.other, 'b'), [], 'events for b')
  },

  'a lease that ran out hands over, and the late relay acknowledges nothing': async (t) => {
    await t.insertedMany(3)
    const lost = await claim(t, 'a', { leaseMs: 100 })
    const endsMs = performance.now() + PATIENCE_MS
    let taken = await claim(t, 'b')
    for (; taken.length === 0; taken = await claim(t, 'b')) {
      check(performance.now() < endsMs, 'the lease ends, and b gets events')
      await pause(20)
    }
    checkEqual(taken, lost, 'events for b')
    await t.storage.acknowledgeEvents('a', namesOf(lost))
    checkEqual(await claim(t, 'b'), taken, 'events for b, still pending')
    checkEqual(await claim(t, 'a'), [], 'events for a')
  },

  'a released lease hands over at once': async (t) => {
    await t.inserted()
    await t.storage.acknowledgeEvents('a', namesOf(await t.eventsOf()))
    const lost = await claim(t, 'a')
    checkEqual(lost.length, 1, 'events for a, who had no lease before')
    await t.storage.releaseEvents('b')
    checkEqual(await claim(t, 'b'), [], 'events for b before the release')
    await t.storage.releaseEvents('a')
    await t.storage.acknowledgeEvents('a', namesOf(lost))
    checkEqual(await claim(t, 'b'), lost, 'events for b after the release')
    await t.storage.releaseEvents('a')
    checkEqual(await claim(t, 'a'), [], 'events for a after a second release')
  },

  'many relays at once: one gets the events': async (t) => {
    await t.insertedMany(5)
    const answers = await inParallel(20, (at) => claim(at % 2 ? t : t.other, `relay_${at}`))
    const sizes = answers.map(({ length }) => length).filter((length) => length > 0)
    checkEqual(sizes, [5], 'the answers with events')
  },
})

/** All events that a query leads to, page by page. */
async function walk(t: Trial, query: Partial<EventQuery> & { readonly limit: number }) {
  const seen: AuditEventRecord[] = []
  for (let after: number | null = null; ; ) {
    const { events, last } = await t.eventPage({ ...query, after })
    check(events.length <= query.limit, `a page has at most ${query.limit} events`)
    const isFull = seen.length % query.limit === 0
    check(isFull || events.length === 0, 'a page is full as long as events follow it')
    if (events.length === 0) return seen
    seen.push(...events)
    after = last
  }
}

function claim({ storage }: Trial, relay: string, fields: Partial<EventClaim> = {}) {
  return storage.claimEvents({ relay, leaseMs: LONG_MS, limit: 100, except: [], ...fields })
}
