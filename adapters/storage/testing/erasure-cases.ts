import {
  ERASED_PERSON,
  type KeyRecord,
  type Progress,
  type Purge,
} from '../../../src/storage/index.ts'
import { checkEqual } from './assertions.ts'
import { contractGroup, idsOf, inParallel, NOTHING, type Trial } from './contract-case.ts'
import {
  sampleEvent,
  sampleInsertion,
  sampleRecord,
  sampleRevocation,
  WORKSPACE,
} from './samples.ts'
import { countTwo, currentHour, EVER, hoursOf } from './usage-cases.ts'

const PERSON = { id: 'u_gone', name: 'هدى' }
const PAUSED = { pausedAtMs: 5, pausedBy: PERSON }
const OTHER = 'ws_other'
const REVOKED = { revokedAtMs: 5 }
const NO_PROGRESS = { keys: 0, events: 0 }
const HOUR_MS = 3_600_000
const AT_MS = Date.UTC(2026, 1, 1)

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
    checkEqual(found.length, 3, 'the number of keys')
    for (const [at, id] of idsOf(keys).entries()) {
      checkEqual(
        found.find(({ record }) => record.id === id),
        keys[at],
        'a key',
      )
    }
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
    const step = () => t.storage.renameActor({ personId: PERSON.id, limit: 2 })
    const first = await step()
    checkEqual([first.keys, first.events, first.more], [0, 2, true], 'the first step')
    checkEqual(await allOf(step), { keys: 0, events: 3 }, 'the rest')
    checkEqual(await allOf(step), NO_PROGRESS, 'again')
    const actors = [...(await t.eventsOf()), ...(await t.eventsOf(OTHER))].map(({ actor }) => actor)
    checkEqual(actors.slice(1), Array(5).fill(ERASED_PERSON), 'the actors')
    checkEqual(actors[0]?.id, 'u_operator', 'another actor')
    const pending = (await t.acknowledged()).map(({ actor }) => actor)
    checkEqual(pending, [ERASED_PERSON, ERASED_PERSON], 'the actors of what is delivered later')
  },
})

/** A closed workspace gets no new key, and is emptied in steps. */
export const erasureCases = contractGroup('erasure', {
  'a workspace is closed for good, also one that was never written': async (t) => {
    await t.inserted()
    for (const workspaceId of [WORKSPACE, OTHER, WORKSPACE]) {
      const added = await t.addedIn(workspaceId)
      await t.storage.closeWorkspace(workspaceId)
      const found = await t.view({ workspaceId })
      checkEqual([found.isErased, found.added], [true, added], `isErased of ${workspaceId}`)
      await t.refused(sampleInsertion(sampleRecord({ workspaceId })))
    }
    await t.inserted({ workspaceId: 'ws_open' })
    checkEqual((await t.view({ workspaceId: 'ws_open' })).isErased, false, 'another one')
  },

  'no new key comes after the workspace has answered that it is closed': async (t) => {
    for (let round = 0; round < 5; round += 1) {
      const workspaceId = `ws_${round}`
      const insert = (at: number) =>
        (at % 2 ? t : t.other).send(sampleInsertion(sampleRecord({ workspaceId })))
      const close = async () => {
        await t.storage.closeWorkspace(workspaceId)
        const late = await insert(0)
        return [(await t.list({}, workspaceId)).keys.length, late]
      }
      const both = () => Promise.all([close(), inParallel(8, insert)])
      const [closed, outcomes] = round === 0 ? await t.heldUp(both) : await both()
      const { length } = outcomes.filter((outcome) => outcome === 'stored')
      checkEqual(closed, [length, 'refused'], 'the keys then, and a late insertion')
      checkEqual((await t.list({}, workspaceId)).keys.length, length, 'the keys later')
    }
  },

  'nothing is deleted in a workspace that is open': async (t) => {
    await t.insertedMany(2, () => REVOKED)
    await t.acknowledged()
    const before = await t.everythingIn(WORKSPACE)
    checkEqual(await deleted(t), NO_PROGRESS, 'deleteWorkspace')
    checkEqual(await t.everythingIn(WORKSPACE), before, 'what there is')
  },

  'revoked keys are deleted in steps, with all that was counted of them': async (t) => {
    const keys = await t.insertedMany(5, () => REVOKED)
    const living = await t.inserted({ expiresAtMs: 9 })
    const theirs = await t.inserted({ workspaceId: OTHER, ...REVOKED })
    await countTwo(t, idsOf([...keys, living, theirs]))
    await t.acknowledged()
    await t.storage.closeWorkspace(WORKSPACE)
    const first = await t.storage.deleteWorkspace({ workspaceId: WORKSPACE, limit: 2 })
    checkEqual([first.keys, first.more], [2, true], 'the first step')
    checkEqual(await deleted(t), { keys: 3, events: 6 }, 'the rest')
    checkEqual(await deleted(t), NO_PROGRESS, 'again')
    await countTwo(t, idsOf(keys), 2)
    for (const { id, hash } of keys.map(({ record }) => record)) {
      checkEqual(await t.storage.findByHash(hash), null, 'findByHash')
      checkEqual(await t.storage.usage(WORKSPACE, { id, ...EVER }), null, 'usage')
    }
    checkEqual(idsOf((await t.list()).keys), idsOf([living]), 'the keys')
    checkEqual(await hoursOf(t, null), [[currentHour(), 'accepted', 2]], 'the hours')
    checkEqual(await t.addedIn(), 6, 'added')
    checkEqual(idsOf((await t.list({}, OTHER)).keys), idsOf([theirs]), 'the keys elsewhere')
    checkEqual((await t.eventsOf(OTHER)).length, 1, 'the events elsewhere')
  },

  'what was counted of a deleted key is not that of another one with its id': async (t) => {
    const { id } = (await t.inserted(REVOKED)).record
    await countTwo(t, [id])
    await t.storage.closeWorkspace(WORKSPACE)
    await deleted(t)
    const next = sampleRecord({ id, workspaceId: OTHER })
    if ((await t.send(sampleInsertion(next))) === 'refused') return
    checkEqual((await t.keyOf(next)).usage, { uses: 0, lastUsedAtMs: null }, 'the usage')
    checkEqual(await hoursOf(t, id, OTHER), [], 'the hours')
  },

  'events stay until they are acknowledged': async (t) => {
    await t.insertedMany(3)
    const before = await t.eventsOf()
    await t.storage.closeWorkspace(WORKSPACE)
    checkEqual(await deleted(t), NO_PROGRESS, 'deleteWorkspace')
    checkEqual(await t.eventsOf(), before, 'the events')
    checkEqual(await t.acknowledged(), before, 'the events that are delivered')
    checkEqual(await t.eventsOf(), [], 'the events afterwards')
  },
})

/** Dead keys and acknowledged events are deleted once they are old, and places stay valid. */
export const purgeCases = contractGroup('purge', {
  'what was written within the hour stays, whatever it says': async (t) => {
    await t.insertedMany(3, () => REVOKED)
    await t.acknowledged()
    checkEqual(await purged(t), NO_PROGRESS, 'at once')
    await t.byHand.age?.(HOUR_MS - 300_000)
    checkEqual(await purged(t), NO_PROGRESS, 'after 55 minutes')
    checkEqual((await t.list()).keys.length, 3, 'the number of keys')
  },

  'a change makes a key young again': (t) =>
    aged(t, [{}], async () => {
      const [key] = (await t.list()).keys
      if (key) await t.stored(sampleRevocation(key))
      checkEqual(await purged(t, { eventsBeforeMs: null }), NO_PROGRESS, 'purge')
    }),

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
      const query = { endedBeforeMs: AT_MS, eventsBeforeMs: null }
      checkEqual(await purged(t, query), { keys: 5, events: 0 }, 'purge')
      checkEqual(await purged(t, query), NO_PROGRESS, 'again')
      const left = (await t.list({ oldestFirst: true })).keys
      checkEqual(idsOf(left), idsOf(all.slice(5)), 'the keys that are left')
      checkEqual(await t.storage.findByHash(all[0]?.record.hash ?? ''), null, 'findByHash')
      checkEqual(await hoursOf(t, null), [[currentHour(), 'accepted', 14]], 'the hours')
      checkEqual(await t.addedIn(), 12, 'added')
      const distant = { endedBeforeMs: 8_640_000_000_000_000, eventsBeforeMs: null }
      checkEqual(await purged(t, distant), { keys: 3, events: 0 }, 'by the clock of the storage')
    })
  },

  'acknowledged events from before the instant are deleted, no others': (t) =>
    aged(t, [{ createdAtMs: 1_000 }, { createdAtMs: 1_001 }], async () => {
      const query = { endedBeforeMs: null, eventsBeforeMs: 1_001 }
      checkEqual(await purged(t, query), NO_PROGRESS, 'early')
      await t.acknowledged()
      await t.inserted({ createdAtMs: 10 })
      await t.byHand.age?.(2 * HOUR_MS)
      checkEqual(await purged(t, query), { keys: 0, events: 1 }, 'purge')
      const left = (await t.eventsOf()).map(({ atMs }) => atMs)
      checkEqual(left, [1_001, 10], 'the instants of the events that are left')
    }),

  'it goes in steps, keys first, and places stay valid': (t) =>
    aged(t, Array(5).fill({ expiresAtMs: 2_000 }), async () => {
      const { keys } = await t.list()
      const { last } = await t.eventPage({ limit: 2 })
      await t.acknowledged()
      const kept = await t.inserted()
      const step = () => t.storage.purge({ ...LONG_AGO, limit: 2 })
      const first = await step()
      checkEqual([first.keys, first.more], [2, true], 'the first step')
      checkEqual(await allOf(step), { keys: 3, events: 5 }, 'the rest')
      for (const { place: after } of keys) {
        const next = await t.list({ after, oldestFirst: true })
        checkEqual(next.keys, [kept], 'the keys after a deleted one')
        checkEqual((await t.list({ after })).keys, [], 'those before it')
      }
      const { events } = await t.eventPage({ after: last })
      checkEqual(events, await t.eventsOf(), 'the events after a deleted one')
      checkEqual(events.length, 1, 'how many there are')
    }),
})

const LONG_AGO = { endedBeforeMs: Date.UTC(2026, 6, 1), eventsBeforeMs: Date.UTC(2026, 6, 1) }

/** Runs a check on keys that were written two hours ago, where they can be made so old. */
async function aged(
  t: Trial,
  fields: readonly Partial<KeyRecord>[],
  check: () => Promise<void>,
): Promise<void> {
  if (t.byHand.age === undefined) return
  await t.insertedMany(fields.length, (at) => fields[at] ?? {})
  await t.byHand.age(2 * HOUR_MS)
  await check()
}

/** Repeats a step until nothing is left, and adds up what it did. */
async function allOf(step: () => Promise<Progress>) {
  const total = { keys: 0, events: 0 }
  for (let steps = 0; steps < 100; steps += 1) {
    const { keys, events, more } = await step()
    total.keys += keys
    total.events += events
    if (!more) return total
  }
  throw new Error('storage contract: there is always more to do')
}

function deleted(t: Trial) {
  return allOf(() => t.storage.deleteWorkspace({ workspaceId: WORKSPACE, limit: 10 }))
}

function purged(t: Trial, query: Partial<Purge> = {}) {
  return allOf(() => t.storage.purge({ ...LONG_AGO, limit: 10, ...query }))
}
