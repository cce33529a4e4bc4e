import type { KeyRecord } from '../../../src/storage/index.ts'
import { check, checkEqual } from './assertions.ts'
import {
  contractGroup,
  idsOf,
  inParallel,
  NOTHING,
  namesOf,
  pause,
  type Trial,
} from './contract-case.ts'
import {
  sampleEvent,
  sampleInsertion,
  sampleRecord,
  sampleRevocation,
  sampleUpdate,
} from './samples.ts'

const AT_MS = Date.UTC(2026, 5, 1)
const PAUSE = { pausedAtMs: 5, pausedBy: { id: 'u_1', name: 'Sami' } }
const ALIKE = ['ws', 'WS', 'ws ', ' ws', 'ws_', 'ws%', 'w\u00e9', 'we\u0301']

/** Keys with whether they are active or paused, and whether they are retiring, at `AT_MS`. */
const LIVES: readonly (readonly [Partial<KeyRecord>, active: 0 | 1, retiring: 0 | 1])[] = [
  [{}, 1, 0],
  [PAUSE, 1, 0],
  [{ revokedAtMs: AT_MS + 9 }, 0, 0],
  [{ expiresAtMs: AT_MS + 1 }, 1, 0],
  [{ expiresAtMs: AT_MS }, 0, 0],
  [{ ...PAUSE, expiresAtMs: AT_MS + 1 }, 1, 0],
  [{ ...PAUSE, expiresAtMs: AT_MS }, 0, 0],
  [{ retiresAtMs: AT_MS + 1 }, 0, 1],
  [{ retiresAtMs: AT_MS }, 0, 0],
  [{ retiresAtMs: AT_MS + 1, revokedAtMs: AT_MS - 1 }, 0, 0],
  [{ retiresAtMs: AT_MS + 1, expiresAtMs: AT_MS + 2 }, 0, 1],
  [{ retiresAtMs: AT_MS, expiresAtMs: AT_MS + 2 }, 0, 0],
  // A host may pause a key and then rotate it with an overlap.
  [{ ...PAUSE, retiresAtMs: AT_MS + 1 }, 1, 0],
  [{ createdAtMs: AT_MS + 5, updatedAtMs: AT_MS + 5 }, 1, 0],
]

/** `read` answers what is there, counted at the instant of the query. */
export const viewCases = contractGroup('read', {
  'a workspace that was never written is empty and open': async (t) => {
    const query = { ids: ['key_1'], eventIds: ['evt_1'] }
    const empty = { isErased: false, added: 0, keys: [], eventIds: [] }
    const none = { ...empty, activeKeys: null, retiringKeys: null }
    checkEqual(await t.view(query), none, 'read')
    const counted = { ...empty, activeKeys: 0, retiringKeys: 0 }
    checkEqual(await t.view({ countAtMs: 0, countUpTo: 5 }), counted, 'read, counted')
    const page = { keys: [], more: false, activeKeys: 0, total: 0 }
    checkEqual(await t.list({ countUpTo: 5 }), page, 'list')
    checkEqual(await t.eventPage(), { events: [], last: null }, 'events')
    checkEqual(await t.storage.findByHash(sampleRecord().hash), null, 'findByHash')
  },

  'keys and events of the workspace are found, no others': async (t) => {
    const keys = await t.insertedTogether(199)
    await t.inserted()
    const theirs = await t.inserted({ workspaceId: 'ws_other' })
    const [[event], [foreign]] = [await t.eventsOf(), await t.eventsOf('ws_other')]
    const ids = [theirs.record.id, 'key_none', '', ...idsOf(keys).slice(2)]
    const eventIds = [foreign?.id ?? '', 'evt_none', '', event?.id ?? '']
    const found = await t.view({ ids, eventIds })
    checkEqual(idsOf(found.keys).toSorted(), ids.slice(3).toSorted(), 'the keys')
    checkEqual(found.eventIds, [event?.id], 'the events')
  },

  'keys are counted at the instant, up to the very end of each': async (t) => {
    for (const [at, [fields, active, retiring]] of LIVES.entries()) {
      const workspaceId = `ws ${at}`
      await t.inserted({ ...fields, workspaceId })
      await t.inserted(fields)
      const { activeKeys, retiringKeys } = await t.view({ workspaceId, countAtMs: AT_MS })
      const page = await t.list({ atMs: AT_MS, countUpTo: 9 }, workspaceId)
      const counts = [activeKeys, retiringKeys, page.activeKeys, page.total]
      checkEqual(counts, [active, retiring, active, 1], `counts of ${JSON.stringify(fields)}`)
    }
    const all = await t.view({ countAtMs: AT_MS })
    checkEqual([all.activeKeys, all.retiringKeys], [6, 2], 'the counts of all')
  },

  'counting stops where it may, and not before': async (t) => {
    await t.insertedMany(12)
    for (const countUpTo of [0, 5, 11, 12, 13, 1_000]) {
      const { activeKeys } = await t.view({ countAtMs: 0, countUpTo })
      const page = await t.list({ countUpTo, limit: 2 })
      const [least, more] = [Math.min(12, countUpTo), Math.min(12, countUpTo + 1)]
      const isEnough = (activeKeys ?? -1) >= least && (activeKeys ?? 13) <= 12
      check(isEnough, `read counts ${activeKeys} of 12 up to ${countUpTo}`)
      for (const count of [page.activeKeys ?? -1, page.total ?? -1]) {
        check(count >= more && count <= 12, `list counts ${count} of 12 up to ${countUpTo}`)
      }
      const after = page.keys[0]?.place ?? null
      checkEqual((await t.list({ countUpTo, after })).total, null, 'total of a later page')
    }
    checkEqual((await t.view({ countAtMs: 0 })).activeKeys, 12, 'the count of all')
    const { activeKeys, total } = await t.list()
    checkEqual([activeKeys, total], [null, null], 'what is not counted')
  },

  'added is read before all else, or in one snapshot with it': async (t) => {
    const steps = Array.from({ length: 30 }, () => sampleInsertion(sampleRecord()))
    const ids = steps.flatMap(({ keys }) => keys.map(({ record }) => record.id))
    const eventIds = steps.flatMap(({ events }) => namesOf(events))
    await meanwhile(
      async () => {
        for (const step of steps) await t.other.stored(step)
      },
      async () => {
        const found = await t.view({ ids, eventIds, countAtMs: AT_MS })
        const counts = [found.keys.length, found.eventIds.length, found.activeKeys ?? 0]
        check(Math.min(...counts) >= found.added, `${counts} were read, ${found.added} were added`)
      },
    )
  },
})

/** Another workspace's keys and events are out of reach and never change. */
export const isolationCases = contractGroup('isolation', {
  'workspaces whose ids look alike are strangers': async (t) => {
    const keys = await t.insertedMany(ALIKE.length, (at) => ({ workspaceId: ALIKE[at] ?? '' }))
    for (const key of keys) {
      const { workspaceId, id } = key.record
      const found = await t.view({ workspaceId, ids: idsOf(keys), countAtMs: 0 })
      checkEqual([found.keys, found.activeKeys, found.added], [[key], 1, 1], `read ${workspaceId}`)
      checkEqual((await t.list({}, workspaceId)).keys, [key], `list ${workspaceId}`)
      const events = (await t.eventsOf(workspaceId)).map(({ keyId }) => keyId)
      checkEqual(events, [id], `the events of ${workspaceId}`)
    }
  },

  'text that is not Unicode never answers for text that is': async (t) => {
    const pairs = { 'ws_\ud800': 'ws_\ufffd', 'ws\u0000': 'ws', 'ws\u0000_': 'ws_' }
    for (const [workspaceId, given] of Object.entries(pairs)) {
      const key = await t.inserted({ workspaceId: given })
      // A storage may refuse such text altogether.
      const answers = await Promise.allSettled([
        t.view({ workspaceId, ids: [key.record.id] }).then(({ keys }) => keys),
        t.list({}, workspaceId).then(({ keys }) => keys),
        t.eventsOf(workspaceId),
        t.storage.write([{ ...sampleUpdate(key), workspaceId }]).then(() => []),
      ])
      const seen = answers.flatMap((one): unknown => (one.status === 'fulfilled' ? one.value : []))
      checkEqual(seen, [], `what ${JSON.stringify(workspaceId)} sees`)
      checkEqual(await t.keyOf(key.record), key, 'the key')
    }
  },
})

/** Many callers at once, on one storage and on another one with the same keys. */
export const raceCases = contractGroup('races', {
  'the limit holds with room for none': (t) => fill(t, 5),
  'the limit holds with room for one': (t) => fill(t, 4),
  'the limit holds with room for many': (t) => fill(t, 0),

  'a revocation that has answered is seen by every later lookup': async (t) => {
    for (let round = 0; round < 20; round += 1) {
      const key = await t.inserted()
      const lookUp = (at: number) => (at % 2 ? t : t.other).storage.findByHash(key.record.hash)
      const before = inParallel(10, async (at) => lookUp(at))
      await t.stored(sampleRevocation(key))
      const after = await inParallel(10, async (at) => lookUp(at))
      await before
      const alive = after.filter((found) => found?.revokedAtMs === null)
      checkEqual(alive, [], 'what lookups saw alive')
    }
  },

  'a step that has answered is seen by every later read and step': async (t) => {
    for (let round = 0; round < 20; round += 1) {
      const key = await t.inserted()
      const first = await t.stored(sampleUpdate(key))
      const found = await t.other.keyOf(key.record)
      checkEqual([found, found.edition], [first, 2], 'the key')
      checkEqual((await t.other.stored(sampleUpdate(found))).edition, 3, 'the edition')
    }
  },

  'revocations beside uses: the key is revoked, and every use counts': async (t) => {
    for (let round = 0; round < 10; round += 1) {
      const key = await t.inserted()
      const step = sampleRevocation(key)
      const uses = [{ id: key.record.id, uses: 3, lastUsedAtMs: 1_000 }]
      const count = (at: number) =>
        t.storage.addUses({ writer: `w_${round}_${at}`, sequence: 1, uses })
      await Promise.all([count(1), count(2), t.other.stored(step), count(3), count(4)])
      const usage = { uses: 12, lastUsedAtMs: 1_000 }
      const record = step.keys[0]?.record
      checkEqual(await t.keyOf(key.record), { ...key, record, usage, edition: 2 }, 'the key')
    }
  },

  'steps of many keys in every order end': async (t) => {
    const keys = await t.insertedMany(8)
    const outcomes = await inParallel(6, async (at) => {
      const order = at % 2 ? keys : keys.toReversed()
      const members = order.flatMap((key) => sampleUpdate(key, { name: `by ${at}` }).keys)
      return (at % 3 ? t : t.other).send({ ...NOTHING, keys: members })
    })
    checkEqual(outcomes.filter((one) => one === 'stored').length, 1, 'how many are stored')
    const names = new Set((await t.list()).keys.map(({ record }) => record.name))
    checkEqual(names.size, 1, 'the number of names')
  },
})

/** Places follow the order of the steps, whatever the clocks say. */
export const orderCases = contractGroup('order', {
  'keys and events stand in the order of their steps, and within a step in its own': async (t) => {
    const steps = Array.from({ length: 6 }, (_, at) => {
      const records = Array.from({ length: 1 + (at % 3) }, (_, index) =>
        sampleRecord({ createdAtMs: 1_000 - at, id: `key_${at}_${9 - index}` }),
      )
      const events = records.flatMap((record) => [sampleEvent(record), sampleEvent(record)])
      const keys = records.map((record) => ({ record, ifEdition: null }))
      return { ...NOTHING, adds: keys.length, keys, events }
    })
    for (const step of steps) {
      await t.stored(step)
      await t.stored(NOTHING, 'an empty step')
    }
    const ids = steps.flatMap((step) => step.keys.map(({ record }) => record.id))
    const { keys } = await t.list()
    checkEqual(idsOf(keys), ids.toReversed(), 'the keys')
    check(
      keys.every(({ place }, at) => place > (keys[at + 1]?.place ?? 0)),
      'places grow',
    )
    const events = steps.flatMap((step) => step.events)
    checkEqual(await t.eventsOf(), events, 'the events')
    const claim = { relay: 'a', leaseMs: 1_000, limit: 100, except: [] }
    checkEqual(await t.storage.claimEvents(claim), events, 'the claimed events')
  },

  'a later change leaves a key in its place': async (t) => {
    const [first, ...others] = await t.insertedMany(3)
    if (first === undefined) return
    const changed = await t.stored(sampleUpdate(first))
    checkEqual(changed.place, first.place, 'the place')
    checkEqual((await t.list({ oldestFirst: true })).keys, [changed, ...others], 'the keys')
  },

  'nobody who reads on misses or repeats an event, beside eight writers': async (t) => {
    const seen: string[] = []
    const claimed: string[] = []
    let after: number | null = null
    const write = async (writer: number) => {
      for (let round = 0; round < 8; round += 1) {
        const record = sampleRecord({ createdAtMs: 1_000 - round })
        const events = [sampleEvent(record), sampleEvent(record)]
        await (writer % 2 ? t : t.other).stored(sampleInsertion(record, { events }))
      }
    }
    const readOn = async () => {
      const page = await t.eventPage({ after })
      seen.push(...namesOf(page.events))
      after = page.last ?? after
      claimed.push(...namesOf(await t.other.acknowledged()))
    }
    await meanwhile(() => inParallel(8, write), readOn)
    const all = await t.eventsOf()
    checkEqual(seen, namesOf(all), 'what the reader has seen')
    checkEqual(claimed, namesOf(all), 'what the relay has claimed')
    const { keys } = await t.list({ oldestFirst: true })
    const byKey = all.filter((_, at) => at % 2 === 0).map(({ keyId }) => keyId)
    checkEqual(idsOf(keys), byKey, 'the keys in the order of their events')
  },
})

/** Repeats `look` until `work` is done, and once more. */
async function meanwhile(work: () => Promise<unknown>, look: () => Promise<void>): Promise<void> {
  let isDone = false
  const working = work()
  const end = () => {
    isDone = true
  }
  working.then(end, end)
  while (!isDone) {
    await look()
    await pause()
  }
  await working
  await look()
}

/** Twelve callers create keys under a limit of 5, as the core does. */
async function fill(t: Trial, before: number): Promise<void> {
  await t.insertedMany(before)
  await inParallel(12, async (at) => {
    const through = at % 2 ? t : t.other
    for (;;) {
      const { added, activeKeys } = await through.view({ countAtMs: AT_MS, countUpTo: 5 })
      if (activeKeys === null || activeKeys >= 5) return
      const ifAddedAtMost = added + (5 - activeKeys) - 1
      const step = sampleInsertion(sampleRecord(), { ifAddedAtMost })
      if ((await through.send(step)) === 'stored') return
    }
  })
  checkEqual((await t.list()).keys.length, 5, 'the number of keys')
}
