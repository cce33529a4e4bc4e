import type { HeldKey, KeyRecord, WorkspaceWrite } from '../../../src/storage/index.ts'
import { check, checkEqual } from './assertions.ts'
import {
  contractGroup,
  eachRow,
  idsOf,
  inParallel,
  NOTHING,
  namesOf,
  type Trial,
} from './contract-case.ts'
import {
  sampleEvent,
  sampleInsertion,
  sampleRecord,
  sampleRevocation,
  sampleRotation,
  sampleUpdate,
  WORKSPACE,
} from './samples.ts'

const OTHER = 'ws_other'
const DAY_MS = 86_400_000

/** Fields of a record with every kind of value. */
const FIELDS: Readonly<Record<string, Partial<KeyRecord>>> = {
  'no restriction': { note: null, resources: {}, networks: 'any' },
  'a note, and no resource': { note: 'for finance', resources: { project: [] }, scopes: [] },
  'several types, and networks': {
    resources: { project: ['p_2', 'p_1'], team: [] },
    networks: ['::/1', '10.0.0.0/8'],
  },
  'a name, scopes and metadata': { name: 'ERP', scopes: ['b', 'a'], metadata: { z: '1', a: '' } },
  'a pause, and what an import brings': {
    ...{ pausedAtMs: 5, pausedBy: { id: 'u_1', name: 'Sami' }, createdAtMs: 0 },
    ...{ format: 'old', prefix: 'x', environment: 'test' },
  },
  'an overlap': { retiresAtMs: 0, replacedBy: 'key_next', noticeAtMs: 0 },
  'numbers beyond 32 bits': { version: 3_000_000_000, expiresAtMs: 8_640_000_000_000_000 },
}

/** Records come back whole, and editions and `added` move with each step. */
export const recordCases = [
  ...eachRow('records', FIELDS, async (t, fields) => {
    await checkKey(t, await t.inserted(fields))
    const plain = await t.inserted()
    const record = { ...plain.record, ...fields }
    const again = await t.stored(sampleUpdate(plain, record))
    checkEqual(again, { ...plain, record, edition: 2 }, 'the changed key')
    await checkKey(t, again)
  }),
  ...contractGroup('records', {
    'a change takes away what a record has no more': async (t) => {
      let key = await t.inserted()
      const others = [...Object.values(FIELDS), ...Object.values(FIELDS).toReversed()]
      for (const fields of others) {
        const { id, hash } = key.record
        const record = sampleRecord({ id, hash, ...fields })
        key = await t.stored({ ...sampleUpdate(key, record), events: [] })
        checkEqual(key.record, record, `the record with ${JSON.stringify(fields)}`)
        checkEqual(await t.storage.findByHash(hash), record, 'findByHash')
      }
      checkEqual(key.edition, 1 + others.length, 'the edition')
    },

    'the step says the workspace, whatever its records and events say': async (t) => {
      const key = await t.inserted()
      await t.inserted({ workspaceId: OTHER })
      const before = await t.everythingIn(OTHER)
      const posed = sampleRecord({ workspaceId: OTHER })
      await t.stored({ ...sampleInsertion(posed), workspaceId: WORKSPACE })
      const moved = sampleUpdate({ ...key, record: { ...key.record, workspaceId: OTHER } })
      await t.stored({ ...moved, workspaceId: WORKSPACE })
      checkEqual(await t.everythingIn(OTHER), before, 'the other workspace')
      for (const { hash } of [posed, key.record]) {
        checkEqual((await t.storage.findByHash(hash))?.workspaceId, WORKSPACE, 'the workspace')
      }
      const workspaces = (await t.eventsOf()).map(({ workspaceId }) => workspaceId)
      checkEqual(workspaces, [WORKSPACE, WORKSPACE, WORKSPACE], 'the workspaces of the events')
      const claim = { relay: 'a', leaseMs: 1_000, limit: 10, except: [WORKSPACE] }
      checkEqual((await t.storage.claimEvents(claim)).length, 1, 'the events of the other one')
    },

    'added grows by what each stored step says': async (t) => {
      const record = sampleRecord()
      await t.stored(sampleInsertion(record, { adds: 5_000_000_000 }))
      await t.refused(sampleInsertion(record, { adds: 7 }))
      for (const adds of [0, 3]) await t.stored(sampleInsertion(sampleRecord(), { adds }))
      checkEqual(await t.addedIn(), 5_000_000_003, 'added')
      checkEqual(await t.addedIn(OTHER), 0, 'added of another workspace')
    },

    'a step without keys and events is stored, and changes nothing': async (t) => {
      await t.inserted()
      await t.storage.closeWorkspace('ws_closed')
      for (const workspaceId of [WORKSPACE, 'ws_unknown', 'ws_closed']) {
        const before = await t.everythingIn(workspaceId)
        for (let times = 0; times < 3; times += 1) await t.stored({ ...NOTHING, workspaceId })
        checkEqual(await t.everythingIn(workspaceId), before, `what ${workspaceId} has`)
      }
    },

    'a step of as many keys as the storage takes is stored whole': async (t) => {
      const { batchKeys = 200 } = t.storage
      check(batchKeys >= 1 && batchKeys <= 200, 'batchKeys is 1 to 200')
      const records = Array.from({ length: batchKeys }, () => sampleRecord())
      const keys = records.map((record) => ({ record, ifEdition: null }))
      const events = records.map((record) => sampleEvent(record))
      await t.stored({ ...NOTHING, keys, events, adds: batchKeys })
      const ids = records.map(({ id }) => id)
      const changes = (await t.view({ ids })).keys.map(({ record, edition }) => {
        return { record: { ...record, revokedAtMs: 9 }, ifEdition: edition }
      })
      await t.stored({ ...NOTHING, keys: changes })
      const after = (await t.list({ oldestFirst: true })).keys
      checkEqual(idsOf(after), ids, 'the keys')
      check(
        after.every(({ record }) => record.revokedAtMs === 9),
        'all are changed',
      )
    },
  }),
]

type Conflict = readonly [WorkspaceWrite, WorkspaceWrite]

/** Two steps, of which only one may ever be stored. */
const CONFLICTS: Readonly<Record<string, (t: Trial) => Promise<Conflict>>> = {
  'two changes of a key': withKey((key) => [sampleUpdate(key), sampleUpdate(key, { name: 'HR' })]),
  'a change that leaves the version, and another one': withKey((key) => {
    const { version, updatedAtMs } = key.record
    return [sampleUpdate(key, { version, updatedAtMs, noticeAtMs: 5 }), sampleUpdate(key)]
  }),
  'a revocation, and a change': withKey((key) => [sampleRevocation(key), sampleUpdate(key)]),
  'revocations at two instants': withKey((key) => [
    sampleRevocation(key, 1_000),
    sampleRevocation(key, 2_000),
  ]),
  'two rotations': withKey((key) => [
    sampleRotation(key, sampleRecord()),
    sampleRotation(key, sampleRecord(), 9_000),
  ]),
  'a change of one key, and one of several': async (t) => {
    const steps = (await t.insertedMany(5)).map((key) => sampleUpdate(key))
    const all = { ...NOTHING, keys: steps.flatMap(({ keys }) => keys) }
    return [steps[4] ?? all, all]
  },
  'two new keys with one id': clash(({ id }) => [{ id }, { id }]),
  'one id in two workspaces': clash(({ id }) => [{ id }, { id, workspaceId: OTHER }]),
  'two new keys with one hash': clash(({ hash }) => [{ hash }, { hash }]),
  'one hash in two workspaces': clash(({ hash }) => [{ hash }, { hash, workspaceId: OTHER }]),
  'a replacement, and a new key with its hash': withKey((key) => {
    const replacement = sampleRecord()
    return [sampleRotation(key, replacement), inOther({ hash: replacement.hash })]
  }),
  'one replaces in two workspaces': withKey((key) => [
    sampleRotation(key, sampleRecord()),
    inOther({ replaces: key.record.id }),
  ]),
  'one event in a workspace': async () => {
    const [one, other] = [sampleEvent(sampleRecord()), sampleEvent(sampleRecord())]
    const step = (events: WorkspaceWrite['events']) => sampleInsertion(sampleRecord(), { events })
    return [step([one]), step([other, one])]
  },
  'one event in two workspaces': withKey((key) => {
    const events = [sampleEvent(key.record)]
    return [
      { ...sampleUpdate(key), events },
      { ...inOther({}), events },
    ]
  }),
  'the last key of many is taken': async () => {
    const records = Array.from({ length: 20 }, () => sampleRecord())
    const keys = records.map((record) => ({ record, ifEdition: null }))
    const taken = sampleInsertion(sampleRecord({ hash: records[19]?.hash ?? '' }))
    return [taken, { ...NOTHING, keys, adds: 20 }]
  },
  'room for one key': async (t) => roomForOne((await t.insertedMany(2)).length),
  'room for one key in a workspace that was never written': async () => roomForOne(0),
  'a creation with room for one, and a longer life': withKey((key) => {
    const longer = { ...sampleUpdate(key, { expiresAtMs: null }), adds: 1 }
    return [{ ...longer, ifAddedAtMost: 1 }, roomForOne(1)[0]]
  }),
}

/** Steps that are never stored, made from what is stored before. */
const REFUSALS: Readonly<Record<string, (t: Trial) => Promise<WorkspaceWrite>>> = {
  'a key that is not there': async () => sampleUpdate({ record: sampleRecord(), edition: 1 }),
  'a key of another workspace': async (t) => {
    const step = sampleRevocation(await t.inserted({ workspaceId: OTHER }))
    return { ...step, workspaceId: WORKSPACE }
  },
  'an edition to come, as high as the version': async (t) =>
    sampleUpdate({ ...(await t.inserted({ version: 7 })), edition: 7 }),
  'a key that is revoked, which would live again': async (t) =>
    sampleUpdate(await t.stored(sampleRevocation(await t.inserted())), { revokedAtMs: null }),
  'a revocation that would move': async (t) =>
    sampleRevocation(await t.stored(sampleRevocation(await t.inserted(), 0)), 2_000),
  'less room than was taken': async (t) => {
    return { ...sampleUpdate(await t.inserted()), ifAddedAtMost: 0 }
  },
  'less room than none, in a workspace that was never written': async () =>
    sampleInsertion(sampleRecord(), { ifAddedAtMost: -1 }),
  'a replacement in a closed workspace': async (t) => {
    const key = await t.inserted()
    await t.storage.closeWorkspace(WORKSPACE)
    return sampleRotation(key, sampleRecord())
  },
  'a key that was stored and deleted': async (t) => {
    const step = sampleInsertion(sampleRecord({ revokedAtMs: 5 }))
    await t.stored(step)
    await emptied(t)
    return step
  },
  'a change of a key that was deleted': async (t) => {
    const key = await t.inserted({ revokedAtMs: 5 })
    await emptied(t)
    return sampleUpdate(key)
  },
}

/** What happens between a decision and its step without a word in it. */
const NEIGHBOURS: Readonly<Record<string, (t: Trial, key: HeldKey) => Promise<unknown>>> = {
  'another key': (t) => t.inserted(),
  'a rotation': async (t) => t.stored(sampleRotation(await t.inserted(), sampleRecord(), 9_000)),
  'a refused step': (t, { record }) => t.send(sampleInsertion(record)),
  'uses of the key': (t, { record: { id } }) =>
    t.storage.addUses({ writer: 'w', sequence: 1, uses: [{ id, uses: 3, lastUsedAtMs: 1_000 }] }),
  'an actor that is renamed': (t) => t.storage.renameActor({ personId: 'u_operator', limit: 10 }),
  'another workspace': (t) => t.inserted({ workspaceId: OTHER }),
}

/** A step is stored exactly if what it was decided from still holds, and a refusal is final. */
export const guardCases = [
  ...eachRow('conflicts', CONFLICTS, async (t, prepare) => {
    const [first, second] = await prepare(t)
    await t.stored(first, 'the first step')
    await t.refused(second, 'the second step')
    const before = await t.everythingIn(second.workspaceId)
    const records = [0, 1].map((at) => sampleRecord({ workspaceId: `ws_${at}` }))
    const [one, last] = records.map((record) => sampleInsertion(record, { ifAddedAtMost: 0 }))
    const outcomes = await t.storage.write([one ?? NOTHING, second, last ?? NOTHING])
    const words = outcomes.map(({ outcome }) => outcome)
    checkEqual(words, ['stored', 'refused', 'stored'], 'the outcomes of a list')
    for (const record of records) await t.keyOf(record)
    checkEqual(await t.everythingIn(second.workspaceId), before, 'its workspace')
  }),
  ...eachRow('conflicts at once', CONFLICTS, atOnce),
  ...eachRow('refusals', REFUSALS, async (t, prepare) => {
    const step = await prepare(t)
    await t.refused(step)
    await t.refused(step, 'the step, sent again')
    await t.refused({ ...step, events: [] }, 'the step without its events')
  }),
  ...eachRow('no conflict', NEIGHBOURS, async (t, happen) => {
    const key = await t.inserted()
    const bound = { ifAddedAtMost: (await t.addedIn()) + 10 }
    await happen(t, key)
    const next = { ...sampleUpdate(key), ...bound }
    const { record, edition } = await t.stored(next, 'a change')
    checkEqual([record, edition], [next.keys[0]?.record, 2], 'the key')
    await t.stored(sampleInsertion(sampleRecord(), bound), 'an insertion')
  }),
  ...contractGroup('guards', {
    'added may be as high as the bound, and no higher': async (t) => {
      await t.insertedMany(3)
      const bound = (ifAddedAtMost: number) => sampleInsertion(sampleRecord(), { ifAddedAtMost })
      await t.refused(bound(2), 'a step with a bound below')
      await t.stored(bound(3), 'a step with the bound')
      await t.refused(bound(3), 'a step with the bound of before')
      await t.stored(bound(1_000_000), 'a step with room to spare')
    },

    'the keys of a closed workspace can be changed': async (t) => {
      const key = await t.inserted()
      await t.storage.closeWorkspace(WORKSPACE)
      await t.stored(sampleRevocation(key), 'a revocation')
    },
  }),
]

const KINDS: Readonly<Record<string, (key: HeldKey) => WorkspaceWrite>> = {
  'an insertion': () => sampleInsertion(sampleRecord()),
  'an insertion with room': () => sampleInsertion(sampleRecord(), { ifAddedAtMost: 9 }),
  'a change': (key) => sampleUpdate(key),
  'a revocation': (key) => sampleRevocation(key),
  'a rotation': (key) => sampleRotation(key, sampleRecord()),
  'an event': ({ record }) => ({ ...NOTHING, events: [sampleEvent(record)] }),
}

/** A step whose answer was lost is sent again, and has one effect. */
export const repeatCases = [
  ...eachRow('sent again', KINDS, async (t, kind) => {
    const step = kind(await t.inserted())
    const outcomes = await t.heldUp(() => inParallel(10, (at) => (at % 2 ? t : t.other).send(step)))
    checkEqual(outcomes.filter((one) => one === 'stored').length, 1, 'how often it is stored')
    await t.refused(step, 'the step, sent later')
    checkEqual(await t.addedIn(), 1 + step.adds, 'added')
    checkEqual((await t.eventsOf()).length, 1 + step.events.length, 'the number of events')
    for (const { record, ifEdition } of step.keys) {
      const { record: found, edition } = await t.keyOf(record)
      checkEqual([found, edition], [record, (ifEdition ?? 0) + 1], 'the key')
    }
    const eventIds = namesOf(step.events)
    const found = (await t.view({ eventIds: [...eventIds, 'evt_unknown'] })).eventIds
    checkEqual(found, eventIds, 'its events')
  }),
]

/** What somebody changes in the database between a decision and its step is not undone. */
export const byHandCases = contractGroup('by hand', {
  'a revocation stays': async (t) => {
    if (t.byHand.revoke === undefined) return
    const key = await t.inserted()
    await t.byHand.revoke(key.record.id, 7_000)
    for (const step of [sampleUpdate(key), sampleRotation(key, sampleRecord(), 9_000)]) {
      await t.refused(step)
    }
    const revoked = await t.keyOf(key.record)
    checkEqual(revoked.record.revokedAtMs, 7_000, 'revokedAtMs')
    checkEqual(await t.storage.findByHash(key.record.hash), revoked.record, 'findByHash')
    await t.stored(sampleRevocation(revoked, 7_000), 'the same instant')
  },

  'a narrowing stays': async (t) => {
    if (t.byHand.narrow === undefined) return
    const key = await t.inserted()
    await t.byHand.narrow(key.record.id)
    await t.refused(sampleUpdate(key))
    const narrowed = await t.keyOf(key.record)
    checkEqual(narrowed.record.scopes, [], 'the scopes')
    await t.stored(sampleUpdate(narrowed), 'a change of what is there now')
  },

  'a key that is deleted stays away': async (t) => {
    if (t.byHand.remove === undefined) return
    const key = await t.inserted()
    await t.byHand.remove(key.record.id)
    await t.refused(sampleUpdate(key))
    checkEqual(await t.storage.findByHash(key.record.hash), null, 'findByHash')
  },
})

/** Keys with a notice are found along its time. */
export const noticeCases = contractGroup('notices', {
  'keys are due from their instant on, the earliest first': async (t) => {
    const days = [9, 3, 7, 1, 5]
    const keys = await t.insertedMany(5, (at) => {
      return { workspaceId: `ws_${at % 2}`, noticeAtMs: (days[at] ?? 0) * DAY_MS }
    })
    await t.inserted()
    const due = async (atMs: number, limit = 100) =>
      (await t.storage.due({ atMs, limit })).map(({ record }) => (record.noticeAtMs ?? 0) / DAY_MS)
    checkEqual(await due(9 * DAY_MS), [1, 3, 5, 7, 9], 'all')
    checkEqual(await due(9 * DAY_MS, 3), [1, 3, 5], 'the first three')
    checkEqual(await due(3 * DAY_MS), [1, 3], 'at the instant')
    checkEqual(await due(3 * DAY_MS - 1), [1], 'a millisecond before')
    checkEqual(await t.storage.due({ atMs: DAY_MS, limit: 1 }), [keys[3]], 'the key')
  },

  'a notice is moved, taken or deleted with its key': async (t) => {
    const due = async () =>
      (await t.storage.due({ atMs: 99, limit: 9 })).map(({ record }) => record)
    const { version, updatedAtMs, ...key } = (await t.inserted({ noticeAtMs: 23 })).record
    const same = { version, updatedAtMs, noticeAtMs: 29 }
    const moved = await t.stored(sampleUpdate(await t.keyOf(key), same))
    checkEqual(await due(), [{ ...key, ...same }], 'once it is moved')
    await t.stored(sampleRevocation(moved))
    await t.inserted({ revokedAtMs: 5, noticeAtMs: 5 })
    await emptied(t)
    checkEqual(await due(), [], 'in the end')
  },
})

async function checkKey(t: Trial, key: HeldKey): Promise<void> {
  checkEqual(await t.storage.findByHash(key.record.hash), key.record, 'findByHash')
  checkEqual(await t.keyOf(key.record), key, 'read')
  const { keys } = await t.list({}, key.record.workspaceId)
  const listed = keys.filter(({ place }) => place === key.place)
  checkEqual(listed, [key], 'list')
}

/** Sends two steps at once, which wait for each other where the suite can hold them up. */
async function atOnce(t: Trial, prepare: (t: Trial) => Promise<Conflict>): Promise<void> {
  const steps = await prepare(t)
  const before = await Promise.all(steps.map(({ workspaceId }) => t.addedIn(workspaceId)))
  const outcomes = await t.heldUp(() => Promise.all([t.send(steps[0]), t.other.send(steps[1])]))
  checkEqual(outcomes.toSorted(), ['refused', 'stored'], 'the outcomes')
  const at = outcomes.indexOf('stored')
  const [winner, loser] = at === 0 ? steps : [steps[1], steps[0]]
  for (const { record } of winner.keys) {
    checkEqual((await t.keyOf(record)).record, record, 'a key of the step that is stored')
  }
  checkEqual(await t.addedIn(winner.workspaceId), (before[at] ?? 0) + winner.adds, 'added')
  const shared = [...namesOf(winner.events), ...winner.keys.map(({ record }) => record.id)]
  const others = (ids: readonly string[]) => ids.filter((id) => !shared.includes(id))
  const fresh = loser.keys.flatMap(({ record, ifEdition }) => (ifEdition ? [] : record.id))
  const query = { ids: others(fresh), eventIds: others(namesOf(loser.events)) }
  const { keys, eventIds } = await t.view({ workspaceId: loser.workspaceId, ...query })
  checkEqual([keys, eventIds], [[], []], 'what the other step has left')
}

function withKey(conflict: (key: HeldKey) => Conflict) {
  return async (t: Trial) => conflict(await t.inserted({ expiresAtMs: 5_000 }))
}

/** New keys that have something in common. */
function clash(fields: (record: KeyRecord) => readonly [Partial<KeyRecord>, Partial<KeyRecord>]) {
  return async (): Promise<Conflict> => {
    const [one, other] = fields(sampleRecord())
    return [sampleInsertion(sampleRecord(one)), sampleInsertion(sampleRecord(other))]
  }
}

function roomForOne(ifAddedAtMost: number): Conflict {
  const insertion = () => sampleInsertion(sampleRecord(), { ifAddedAtMost })
  return [insertion(), insertion()]
}

function inOther(fields: Partial<KeyRecord>): WorkspaceWrite {
  return sampleInsertion(sampleRecord({ workspaceId: OTHER, ...fields }))
}

async function emptied(t: Trial): Promise<void> {
  await t.storage.closeWorkspace(WORKSPACE)
  await t.storage.deleteWorkspace({ workspaceId: WORKSPACE, limit: 10 })
}
