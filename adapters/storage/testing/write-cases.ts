import type { HeldKey, KeyRecord, WorkspaceWrite } from '../../../src/storage/index.ts'
import {
  contractGroup,
  eachRow,
  insertionOf,
  NOTHING,
  type Table,
  type Trial,
} from './contract-case.ts'
import {
  sampleEvent,
  sampleInsertion,
  sampleRecord,
  sampleRevocation,
  sampleRotation,
  sampleUpdate,
} from './samples.ts'
import { check, checkEqual, inParallel, OTHER, WORKSPACE } from './tools.ts'

/** Fields of a record with every kind of value. */
const FIELDS: Table<Partial<KeyRecord>> = {
  'no restriction': { note: null, resources: {}, networks: 'any' },
  'a note, and no resource': { note: 'for finance', resources: { project: [] }, scopes: [] },
  'two types': { resources: { project: ['b', 'a'], team: [] }, networks: ['::/1', '10.0.0.0/8'] },
  'a name, scopes and metadata': { name: 'ERP', scopes: ['b', 'a'], metadata: { z: '1', a: '' } },
  'a pause, and what an import brings': {
    ...{ pausedAtMs: 5, pausedBy: { id: 'u_1', name: 'Sami' }, createdAtMs: 0 },
    ...{ format: 'old', prefix: 'x', environment: 'test' },
  },
  'an overlap': { retiresAtMs: 0, replacedBy: 'key_next', noticeAtMs: 0 },
  'numbers beyond 32 bits': { version: 3_000_000_000, expiresAtMs: 8_640_000_000_000_000 },
}

/** Records come back whole, in new keys and in changed ones, and a change takes away what a record has no more. */
export const recordCases = eachRow('records', FIELDS, async (t, fields) => {
  const key = await t.stored(sampleInsertion(sampleRecord(fields)))
  const { id, hash } = key.record
  const plain = await t.stored(sampleUpdate(key, sampleRecord({ id, hash })))
  await t.stored(sampleUpdate(plain, sampleRecord({ id, hash, ...fields })))
})

type Step = (t: Trial, key: HeldKey) => Promise<WorkspaceWrite> | WorkspaceWrite

/** Steps that are stored, beside a key that is there. */
const STORED: Table<Step> = {
  'one without keys and events': () => NOTHING,
  'an empty one, where nothing was ever written': () => ({ ...NOTHING, workspaceId: 'ws_new' }),
  'an empty one, in a closed workspace': (t) =>
    closing(t, { ...NOTHING, workspaceId: 'ws_closed' }),
  'one that adds nothing': () => sampleInsertion(sampleRecord(), { adds: 0 }),
  'one that adds much': () => sampleInsertion(sampleRecord(), { adds: 5_000_000_000 }),
  'one with just enough room': () => sampleInsertion(sampleRecord(), { ifAddedAtMost: 1 }),
  'one whose records and events name another workspace': async (t, key) => {
    await t.inserted({ workspaceId: OTHER })
    const moved = sampleUpdate({ ...key, record: { ...key.record, workspaceId: OTHER } })
    const { keys, events } = inOther({})
    return { ...NOTHING, keys: [...moved.keys, ...keys], events: [...moved.events, ...events] }
  },
  'a revocation in a closed workspace': (t, key) => closing(t, sampleRevocation(key)),
  'as many new keys as it takes': ({ storage: { batchKeys = 200 } }) => {
    check(batchKeys >= 1 && batchKeys <= 200, 'batchKeys is 1 to 200')
    return insertionOf(Array.from({ length: batchKeys }, () => sampleRecord()))
  },
  'changes of as many keys as it takes': async (t) => {
    const keys = await t.insertedTogether((t.storage.batchKeys ?? 200) - 1)
    return { ...NOTHING, keys: keys.flatMap((key) => sampleRevocation(key).keys) }
  },
}

/** What takes nothing away from what a step was decided from. */
const MEANWHILE: Table<(t: Trial, key: HeldKey) => unknown> = {
  'another key': (t) => t.inserted(),
  'a rotation': async (t) => t.put(sampleRotation(await t.inserted(), sampleRecord(), 9_000)),
  'a refused step': (t, { record }) => t.refused(sampleInsertion(record)),
  'uses of the key': (t, { record: { id } }) =>
    t.storage.addUses({ writer: 'w', sequence: 1, uses: [{ id, uses: 3, lastUsedAtMs: 1_000 }] }),
  'an actor that is renamed': (t) => t.storage.renameActor({ personId: 'u_operator', limit: 10 }),
  'another workspace': (t) => t.inserted({ workspaceId: OTHER }),
}

type Conflict = readonly [WorkspaceWrite, WorkspaceWrite]

/** Two steps, of which only one may ever be stored, made from a key that expires. */
const CONFLICTS: Table<(key: HeldKey, t: Trial) => Conflict | Promise<Conflict>> = {
  'an insertion, sent again': () => again(sampleInsertion(sampleRecord())),
  'a change, sent again': (key) => again(sampleUpdate(key)),
  'a rotation, sent again': (key) => again(sampleRotation(key, sampleRecord())),
  'an event, sent again': ({ record }) => again({ ...NOTHING, events: [sampleEvent(record)] }),
  'two changes of a key': (key) => [sampleUpdate(key), sampleUpdate(key, { name: 'HR' })],
  'a change that leaves the version, and another one': (key) => {
    const { version, updatedAtMs } = key.record
    return [sampleUpdate(key, { version, updatedAtMs, noticeAtMs: 5 }), sampleUpdate(key)]
  },
  'a change of one key, and one of several': async (key, t) => {
    const steps = [...(await t.insertedMany(4)), key].map((one) => sampleUpdate(one))
    return [sampleUpdate(key), { ...NOTHING, keys: steps.flatMap(({ keys }) => keys) }]
  },
  'changes of several keys, and in another order': async (key, t) => {
    const keys = [...(await t.insertedMany(7)), key].flatMap((one) => sampleUpdate(one).keys)
    const step = { ...NOTHING, keys }
    return [step, { ...step, keys: keys.toReversed() }]
  },
  'two new keys with one id': () => clash(({ id }) => ({ id })),
  'one id in two workspaces': () => clash(({ id }) => ({ id, workspaceId: OTHER })),
  'two new keys with one hash': () => clash(({ hash }) => ({ hash })),
  'one hash in two workspaces': () => clash(({ hash }) => ({ hash, workspaceId: OTHER })),
  'one replaces in two workspaces': (key) => [
    sampleRotation(key, sampleRecord()),
    inOther({ replaces: key.record.id }),
  ],
  'one event in two workspaces': (key) => {
    const step = sampleUpdate(key)
    return [step, { ...inOther({}), events: step.events }]
  },
  'the last key of many is taken': () => {
    const records = Array.from({ length: 20 }, () => sampleRecord())
    return [sampleInsertion(sampleRecord({ hash: records[19]?.hash ?? '' })), insertionOf(records)]
  },
  'room for one key': () => [withRoom(1), withRoom(1)],
  'room for one key in a workspace that was never written': () => [
    withRoom(0, OTHER),
    withRoom(0, OTHER),
  ],
  'a creation with room for one, and a longer life': (key) => {
    const longer = { ...sampleUpdate(key, { expiresAtMs: null }), adds: 1 }
    return [{ ...longer, ifAddedAtMost: 1 }, withRoom(1)]
  },
}

/** Steps that are never stored, made from what is stored before. */
const REFUSALS: Table<Step> = {
  'a key that is not there': () => sampleUpdate({ record: sampleRecord(), edition: 1 }),
  'a key of another workspace': async (t) => {
    const step = sampleRevocation(await t.inserted({ workspaceId: OTHER }))
    return { ...step, workspaceId: WORKSPACE }
  },
  'an edition to come, as high as the version': async (t) =>
    sampleUpdate({ ...(await t.inserted({ version: 7 })), edition: 7 }),
  'a key that is revoked, which would live again': async (t, key) =>
    sampleUpdate(await t.stored(sampleRevocation(key)), { revokedAtMs: null }),
  'a revocation that would move': async (t, key) =>
    sampleRevocation(await t.stored(sampleRevocation(key, 0)), 2_000),
  'a change with less room than was taken': (_, key) => ({
    ...sampleUpdate(key),
    ifAddedAtMost: 0,
  }),
  'less room than none, in a workspace that was never written': () => withRoom(-1, OTHER),
  'a new key of a closed workspace': (t) => closing(t, inOther({})),
  'a replacement in a closed workspace': (t, key) =>
    closing(t, sampleRotation(key, sampleRecord())),
}

/** A step is stored exactly if what it was decided from still holds, and a refusal is final. */
export const guardCases = [
  ...eachRow('stored', STORED, async (t, prepare) => {
    await t.stored(await prepare(t, await t.inserted()))
  }),
  ...eachRow('stored: one decided before', MEANWHILE, async (t, happen) => {
    const key = await t.inserted()
    await happen(t, key)
    await t.stored({ ...sampleUpdate(key), ifAddedAtMost: 11 })
  }),
  ...eachRow('refusals', REFUSALS, async (t, prepare) => {
    await t.refused(await prepare(t, await t.inserted()))
  }),
  ...eachRow('conflicts', CONFLICTS, async (t, prepare) => {
    const [first, second] = await prepare(await t.inserted({ expiresAtMs: 5_000 }), t)
    await t.stored(first)
    await t.refused(second)
  }),
  // Five times each, by two processes; they wait for each other where the suite can hold them up.
  ...eachRow('conflicts at once', CONFLICTS, async (t, prepare) => {
    const steps = await prepare(await t.inserted({ expiresAtMs: 5_000 }), t)
    const before = await t.everything(NOTHING)
    const sent = await t.heldUp(() =>
      inParallel(10, (at) => (at % 4 < 2 ? t : t.other).send(at % 2 ? steps[1] : steps[0])),
    )
    const outcomes = sent.flat()
    checkEqual(outcomes.toSorted(), [...Array(9).fill('refused'), 'stored'], 'the outcomes')
    await t.checkEffect(outcomes.indexOf('stored') % 2 ? steps[1] : steps[0], before)
  }),
]

/** What can be done to a key by hand, and what it changes in the record; `null`: there is none left. */
const BY_HAND: Table<readonly ['revoke' | 'narrow' | 'remove', Partial<KeyRecord> | null]> = {
  'a revocation': ['revoke', { revokedAtMs: 7_000 }],
  'a narrowing': ['narrow', { scopes: [] }],
  'a deletion': ['remove', null],
}

/** What somebody changes in the database between a decision and its step is not undone. */
export const byHandCases = eachRow('by hand', BY_HAND, async (t, [change, fields]) => {
  if (t.byHand[change] === undefined) return
  const key = await t.inserted()
  await t.byHand[change](key.record.id, 7_000)
  await t.refused(sampleUpdate(key))
  await t.refused(sampleRotation(key, sampleRecord(), 9_000))
  const record = fields && { ...key.record, ...fields }
  checkEqual(await t.storage.findByHash(key.record.hash), record, 'findByHash')
  if (record === null) return
  const changed = await t.keyOf(record)
  checkEqual(changed.record, record, 'the record')
  await t.stored(sampleRevocation(changed, 7_000))
})

/** Keys with a notice are found along its time, and are due no more once it is moved, taken or deleted. */
export const noticeCases = contractGroup('notices', {
  'keys are due from their instant on, the earliest first': async (t) => {
    const notices = [9, 3, 7, 1, 5]
    const keys = await t.insertedMany(5, (at) => {
      return { workspaceId: `ws_${at % 2}`, noticeAtMs: notices[at] ?? null }
    })
    await t.inserted()
    for (const [atMs, limit, expected] of [
      [9, 100, [1, 3, 5, 7, 9]],
      [9, 3, [1, 3, 5]],
      [2, 100, [1]],
    ] as const) {
      const due = expected.map((noticeAtMs) => keys[notices.indexOf(noticeAtMs)])
      checkEqual(await t.storage.due({ atMs, limit }), due, `what is due at ${atMs}`)
    }
  },

  'a notice is moved, taken or deleted with its key': async (t) => {
    const key = await t.inserted({ noticeAtMs: 23 })
    const moved = await t.stored(sampleUpdate(key, { noticeAtMs: 29 }))
    checkEqual(await t.storage.due({ atMs: 99, limit: 9 }), [moved], 'once it is moved')
    await t.stored(sampleRevocation(moved))
    await t.inserted({ revokedAtMs: 5, noticeAtMs: 5 })
    await t.storage.closeWorkspace(WORKSPACE)
    await t.storage.deleteWorkspace({ workspaceId: WORKSPACE, limit: 10 })
    checkEqual(await t.storage.due({ atMs: 99, limit: 9 }), [], 'in the end')
  },
})

function again(step: WorkspaceWrite): Conflict {
  return [step, step]
}

/** New keys that have something in common. */
function clash(fields: (record: KeyRecord) => Partial<KeyRecord>): Conflict {
  const record = sampleRecord()
  return [sampleInsertion(record), sampleInsertion(sampleRecord(fields(record)))]
}

/** A new key for which there must be room. */
function withRoom(ifAddedAtMost: number, workspaceId = WORKSPACE): WorkspaceWrite {
  return sampleInsertion(sampleRecord({ workspaceId }), { ifAddedAtMost })
}

function inOther(fields: Partial<KeyRecord>): WorkspaceWrite {
  return sampleInsertion(sampleRecord({ workspaceId: OTHER, ...fields }))
}

/** A step in a workspace that is closed before. */
async function closing(t: Trial, step: WorkspaceWrite): Promise<WorkspaceWrite> {
  await t.storage.closeWorkspace(step.workspaceId)
  return step
}
