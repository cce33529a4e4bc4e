import {
  ERASED_PERSON,
  type KeyRecord,
  type Progress,
  type Purge,
} from '../../../src/storage/index.ts'
import { contractGroup, NOTHING, type Trial, UNUSED } from './contract-case.ts'
import { sampleEvent, sampleInsertion, sampleRecord, sampleRevocation } from './samples.ts'
import { check, checkEqual, idsOf, inParallel, OTHER, WORKSPACE } from './tools.ts'
import { countTwo, EVER, hoursOf, LAST_HOUR } from './usage-cases.ts'

const PERSON = { id: 'u_gone', name: 'هدى' }
const PAUSED = { pausedAtMs: 5, pausedBy: PERSON }
const REVOKED = { revokedAtMs: 5 }
const HOUR_MS = 3_600_000
const AT_MS = Date.UTC(2026, 1, 1)
const LONG_AGO = { endedBeforeMs: Date.UTC(2026, 6, 1), eventsBeforeMs: Date.UTC(2026, 6, 1) }
const KEYS_AT = { endedBeforeMs: AT_MS, eventsBeforeMs: null }
const EVENTS_AT = { endedBeforeMs: null, eventsBeforeMs: AT_MS }

/** A person is found in keys, and renamed in the log. */
export const personCases = contractGroup('person', {
  'keys name a person as creator or as who paused them, in every workspace': async (t) => {
    const keys = [
      await t.inserted({ creator: PERSON }),
      await t.inserted({ workspaceId: OTHER, ...PAUSED }),
      await t.inserted({ creator: PERSON, ...PAUSED, ...REVOKED }),
    ]
    await t.inserted()
    const found = await t.storage.keysOfPerson({ personId: PERSON.id, limit: 10 })
    const inOrder = keys.map(({ record: { id } }) => found.find(({ record }) => record.id === id))
    checkEqual([inOrder, found.length], [keys, 3], 'the keys')
    const some = await t.storage.keysOfPerson({ personId: PERSON.id, limit: 2 })
    checkEqual(some.length, 2, 'the number of keys up to the limit')
    checkEqual(await t.storage.keysOfPerson({ personId: 'u_', limit: 10 }), [], 'nobody')
  },

  'an actor is renamed in steps, in events that were delivered and in others': async (t) => {
    const { record } = await t.inserted()
    const events = Array.from({ length: 5 }, () => sampleEvent(record, { actor: PERSON }))
    await t.stored({ ...NOTHING, events: events.slice(0, 3) })
    await t.acknowledged()
    await t.stored({ ...NOTHING, workspaceId: OTHER, events: events.slice(3) })
    await inSteps(() => t.storage.renameActor({ personId: PERSON.id, limit: 2 }), 0, 5)
    const actors = [...(await t.eventsOf()), ...(await t.eventsOf(OTHER))].map(({ actor }) => actor)
    checkEqual(actors.slice(1), Array(5).fill(ERASED_PERSON), 'the actors')
    checkEqual(actors[0]?.id, 'u_operator', 'another actor')
    const pending = (await t.acknowledged()).map(({ actor }) => actor)
    checkEqual(pending, [ERASED_PERSON, ERASED_PERSON], 'the actors of what is delivered later')
  },
})

/** A closed workspace gets no new key, and is emptied in steps. */
export const erasureCases = contractGroup('erasure', {
  'no new key comes after the workspace has answered that it is closed': async (t) => {
    for (let round = 0; round < 5; round += 1) {
      const workspaceId = `ws_${round}`
      const insert = (at: number) =>
        (at % 2 ? t : t.other).send(sampleInsertion(sampleRecord({ workspaceId })))
      const close = async () => {
        await t.storage.closeWorkspace(workspaceId)
        const late = await insert(0)
        return [(await t.list({}, workspaceId)).keys.length, ...late]
      }
      const both = () => Promise.all([close(), inParallel(8, insert)])
      const [closed, outcomes] = round === 0 ? await t.heldUp(both) : await both()
      const { length } = outcomes.flat().filter((outcome) => outcome === 'stored')
      checkEqual(closed, [length, 'refused'], 'the keys then, and a late insertion')
      const { isErased, keys } = await t.contents(workspaceId)
      checkEqual([isErased, keys.length], [true, length], 'the workspace later')
    }
  },

  'revoked keys, their usage and acknowledged events are deleted in steps': async (t) => {
    const keys = await t.insertedMany(5, () => REVOKED)
    const theirs = await t.inserted({ workspaceId: OTHER, ...REVOKED })
    await t.acknowledged()
    const living = await t.inserted({ expiresAtMs: 9 })
    await countTwo(t, idsOf([...keys, living, theirs]))
    const [before, elsewhere] = [await t.contents(), await t.contents(OTHER)]
    await deleted(t, 0, 0)
    checkEqual(await t.contents(), before, 'what there is in an open workspace')
    await t.storage.closeWorkspace(WORKSPACE)
    checkEqual(await t.contents(), { ...before, isErased: true }, 'what there is once it is closed')
    await deleted(t, 5, 5)
    await countTwo(t, idsOf(keys), 2)
    for (const { id, hash } of keys.map(({ record }) => record)) {
      checkEqual(await t.storage.findByHash(hash), null, 'findByHash')
      checkEqual(await t.storage.usage(WORKSPACE, { id, ...EVER }), null, 'usage')
    }
    checkEqual(await hoursOf(t, null), [[LAST_HOUR, 2, 'accepted']], 'the hours')
    const { keys: left, ...rest } = await t.contents()
    checkEqual(idsOf(left), [living.record.id], 'the keys')
    const events = before.events.slice(5)
    checkEqual(rest, { isErased: true, added: 6, events }, 'the workspace')
    checkEqual(await t.acknowledged(), events, 'the events that are delivered')
    checkEqual(await t.eventsOf(), [], 'the events afterwards')
    checkEqual(await t.contents(OTHER), elsewhere, 'what there is elsewhere')
    // Another key may have the id, unless it is taken for good.
    const next = sampleRecord({ id: keys[0]?.record.id ?? '', workspaceId: OTHER })
    if ((await t.send(sampleInsertion(next)))[0] === 'refused') return
    checkEqual((await t.keyOf(next)).usage, UNUSED, 'the usage of another key')
    checkEqual(await t.storage.usage(OTHER, { ...EVER, id: next.id }), [], 'its hours')
  },
})

/** Dead keys and acknowledged events are deleted once they are old, and places stay valid. */
export const purgeCases = contractGroup('purge', {
  'what was written or changed within the hour stays, whatever it says': async (t) => {
    const [key] = await t.insertedMany(3, (at) => (at === 0 ? {} : REVOKED))
    await t.acknowledged()
    await purged(t, LONG_AGO, 0, 0)
    await t.byHand.age?.(HOUR_MS - 300_000)
    await purged(t, LONG_AGO, 0, 0)
    if (t.byHand.age === undefined || key === undefined) return
    await t.byHand.age(600_000)
    await t.stored(sampleRevocation(key))
    await purged(t, LONG_AGO, 2, 3)
    checkEqual(idsOf((await t.list()).keys), [key.record.id], 'the keys')
  },

  'keys that ended before the instant are deleted, no others': (t) => {
    const dead = [
      { expiresAtMs: AT_MS - 1 },
      { expiresAtMs: AT_MS - 1, ...PAUSED },
      { revokedAtMs: AT_MS - 1, expiresAtMs: AT_MS + 1 },
      { revokedAtMs: AT_MS + 1, expiresAtMs: AT_MS - 1 },
      { retiresAtMs: AT_MS - 1 },
    ]
    // Importing a key once more would bring it back, so one with a format stays.
    const imported = { revokedAtMs: AT_MS - 1, format: 'old' }
    const ends = [{ expiresAtMs: AT_MS }, { revokedAtMs: AT_MS }, { retiresAtMs: AT_MS }]
    const later = { expiresAtMs: Date.now() + 1_000 * HOUR_MS }
    return aged(t, [...dead, ...ends, {}, PAUSED, imported, later], async () => {
      const all = (await t.list({ oldestFirst: true })).keys
      await countTwo(t, idsOf(all))
      await purged(t, KEYS_AT, 5, 0)
      const { keys, added } = await t.contents()
      checkEqual(idsOf(keys), idsOf(all.slice(5)).toReversed(), 'the keys that are left')
      const after = all[2]?.place ?? null
      const next = await t.list({ after, oldestFirst: true })
      checkEqual(next.keys, keys.toReversed(), 'the keys after a deleted one')
      checkEqual((await t.list({ after })).keys, [], 'those before it')
      checkEqual(await t.storage.findByHash(all[0]?.record.hash ?? ''), null, 'findByHash')
      checkEqual([added, await hoursOf(t, null)], [12, [[LAST_HOUR, 14, 'accepted']]], 'the counts')
      // By the clock of the storage.
      await purged(t, { ...KEYS_AT, endedBeforeMs: 8_640_000_000_000_000 }, 3, 0)
    })
  },

  'acknowledged events from before the instant are deleted, no others': (t) =>
    aged(t, [{ createdAtMs: AT_MS - 1 }, { createdAtMs: AT_MS }], async () => {
      await purged(t, EVENTS_AT, 0, 0)
      const { last } = await t.eventPage({ limit: 1 })
      await t.acknowledged()
      await t.inserted({ createdAtMs: 10 })
      await t.byHand.age?.(2 * HOUR_MS)
      await purged(t, EVENTS_AT, 0, 1)
      for (const after of [null, last]) {
        const left = (await t.eventPage({ after })).events.map(({ atMs }) => atMs)
        checkEqual(left, [AT_MS, 10], `the instants of the events after ${after}`)
      }
    }),
})

/** Runs a check on keys that were written two hours ago, where they can be made so old. */
async function aged(t: Trial, fields: readonly Partial<KeyRecord>[], check: () => Promise<void>) {
  if (t.byHand.age === undefined) return
  await t.insertedMany(fields.length, (at) => fields[at] ?? {})
  await t.byHand.age(2 * HOUR_MS)
  await check()
}

/** Repeats steps of at most two keys and events until nothing is left, and once more. */
async function inSteps(step: () => Promise<Progress>, ...total: [keys: number, events: number]) {
  const done: [keys: number, events: number] = [0, 0]
  let steps = 0
  for (let more = true; more; steps += 1) {
    const progress = await step()
    const { keys, events } = progress
    check(keys <= 2 && events <= 2 && steps < 100, 'a step does at most two')
    if (steps === 0) checkEqual(keys, Math.min(2, total[0]), 'the keys of the first step')
    done[0] += keys
    done[1] += events
    more = progress.more
  }
  checkEqual(done, total, 'the keys and events')
  const { keys, events } = await step()
  checkEqual([keys, events], [0, 0], 'again')
}

const deleted = (t: Trial, keys: number, events: number) =>
  inSteps(() => t.storage.deleteWorkspace({ workspaceId: WORKSPACE, limit: 2 }), keys, events)

const purged = (t: Trial, query: Omit<Purge, 'limit'>, keys: number, events: number) =>
  inSteps(() => t.storage.purge({ ...query, limit: 2 }), keys, events)
