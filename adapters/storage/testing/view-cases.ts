import { contractGroup, insertionOf } from './contract-case.ts'
import {
  sampleEvent,
  sampleInsertion,
  sampleRecord,
  sampleRevocation,
  sampleUpdate,
} from './samples.ts'
import { check, checkEqual, idsOf, inParallel, namesOf, OTHER, pause } from './tools.ts'

const ALIKE = ['ws', 'WS', 'ws ', ' ws', 'ws_', 'ws%', 'w\u00e9', 'we\u0301', 'ws_\ufffd']
const NO_UNICODE = ['ws_\ud800', 'ws\u0000', 'ws\u0000_']

/** `read` answers what is there, counted at the instant of the query. */
export const viewCases = contractGroup('read', {
  'keys and events of the workspace are found, no others': async (t) => {
    const keys = await t.insertedTogether(190)
    const { id, hash } = (await t.inserted()).record
    const theirs = await t.inserted({ workspaceId: OTHER })
    const [[event], [foreign]] = [await t.eventsOf(), await t.eventsOf(OTHER)]
    const patterns = ['%', 'key_%', '*', `${id} `, id.toUpperCase(), "' OR '1'='1", '']
    const ids = [theirs.record.id, ...patterns, ...idsOf(keys)]
    const eventIds = [foreign?.id ?? '', ...patterns, event?.id ?? '']
    const found = await t.view({ ids, eventIds })
    checkEqual(idsOf(found.keys).toSorted(), idsOf(keys).toSorted(), 'the keys')
    const { eventIds: known, activeKeys, retiringKeys } = found
    checkEqual([known, activeKeys, retiringKeys], [[event?.id], null, null], 'the rest')
    for (const other of ['%', '', hash.slice(1), `${hash} `]) {
      checkEqual(await t.storage.findByHash(other), null, 'findByHash')
    }
  },

  'counting stops where it may, and not before': async (t) => {
    await t.insertedTogether(12)
    for (const countUpTo of [0, 5, 11, 12, 13, 1_000]) {
      const view = await t.view({ countAtMs: 0, countUpTo: countUpTo + 1 })
      const page = await t.list({ countUpTo, limit: 2 })
      for (const count of [view.activeKeys, page.activeKeys, page.total]) {
        const isEnough = count !== null && count >= Math.min(12, countUpTo + 1) && count <= 12
        check(isEnough, `${count} of 12 are counted up to ${countUpTo}`)
      }
      const after = page.keys[0]?.place ?? null
      checkEqual((await t.list({ countUpTo, after })).total, null, 'total of a later page')
    }
    checkEqual((await t.view({ countAtMs: 0 })).activeKeys, 12, 'the count of all')
    const { activeKeys, total } = await t.list()
    checkEqual([activeKeys, total], [null, null], 'what is not counted')
  },

  'added is read before all else, or in one snapshot with it': async (t) => {
    const records = Array.from({ length: 30 }, () => sampleRecord())
    const steps = records.map((record) => sampleInsertion(record))
    const ids = records.map(({ id }) => id)
    const eventIds = steps.flatMap(({ events }) => namesOf(events))
    const write = async () => {
      for (const step of steps) await t.other.put(step)
    }
    await meanwhile(write, async () => {
      const found = await t.view({ ids, eventIds, countAtMs: 0 })
      const counts = [found.keys.length, found.eventIds.length, found.activeKeys ?? 0]
      check(Math.min(...counts) >= found.added, `${counts} were read, ${found.added} were added`)
    })
  },
})

/** Another workspace's keys and events are out of reach and never change. */
export const isolationCases = contractGroup('isolation', {
  'workspaces whose ids look alike are strangers, also those whose id is no Unicode': async (t) => {
    const keys = await t.insertedMany(ALIKE.length, (at) => ({ workspaceId: ALIKE[at] ?? '' }))
    for (const key of keys) {
      const { workspaceId, id } = key.record
      const found = await t.view({ workspaceId, ids: idsOf(keys), countAtMs: 0 })
      checkEqual([found.keys, found.activeKeys, found.added], [[key], 1, 1], `read ${workspaceId}`)
      const { keys: listed, events } = await t.contents(workspaceId)
      checkEqual([listed, events.map(({ keyId }) => keyId)], [[key], [id]], `all ${workspaceId}`)
    }
    for (const workspaceId of NO_UNICODE) {
      // A storage may refuse such text altogether.
      const answers = await Promise.allSettled([
        t.view({ workspaceId, ids: idsOf(keys) }),
        t.list({}, workspaceId),
        t.eventsOf(workspaceId),
        ...keys.map((key) => t.send({ ...sampleUpdate(key), workspaceId })),
      ])
      const seen = idsOf(keys).filter((id) => JSON.stringify(answers).includes(id))
      checkEqual(seen, [], `what ${JSON.stringify(workspaceId)} sees`)
    }
    for (const key of keys) checkEqual(await t.keyOf(key.record), key, 'the key')
  },
})

/** Many callers at once, on one storage and on another one with the same keys. */
export const raceCases = contractGroup('races', {
  'a step that has answered is seen by every later call': async (t) => {
    for (let round = 0; round < 20; round += 1) {
      const key = await t.inserted()
      const lookUp = async (at: number) =>
        (at % 2 ? t : t.other).storage.findByHash(key.record.hash)
      const early = inParallel(10, lookUp)
      await t.put(sampleUpdate(key))
      await t.other.put(sampleRevocation(await t.other.keyOf(key.record)))
      const late = await inParallel(10, lookUp)
      await early
      check(!late.some((record) => record?.revokedAtMs === null), 'nobody sees the key alive')
    }
  },

  'revocations beside uses: the key is revoked, and every use counts': async (t) => {
    for (let round = 0; round < 10; round += 1) {
      const key = await t.inserted()
      const uses = [{ id: key.record.id, uses: 3, lastUsedAtMs: 1_000 }]
      const count = (at: number) =>
        t.storage.addUses({ writer: `w_${round}_${at}`, sequence: 1, uses })
      const step = sampleRevocation(key)
      await Promise.all([count(1), count(2), t.other.put(step), count(3), count(4)])
      const revoked = { ...key, record: step.keys[0]?.record, edition: 2 }
      const usage = { uses: 12, lastUsedAtMs: 1_000 }
      checkEqual(await t.keyOf(key.record), { ...revoked, usage }, 'the key')
    }
  },
})

/** Places follow the order of the steps, whatever the clocks say. */
export const orderCases = contractGroup('order', {
  'nobody who reads on misses or repeats an event, beside eight writers': async (t) => {
    const seen: string[] = []
    const claimed: string[] = []
    let after: number | null = null
    const write = async (writer: number) => {
      for (let round = 0; round < 8; round += 1) {
        const records = [9, 8].map((at) =>
          sampleRecord({ createdAtMs: 1_000 - round, id: `key_${writer}_${round}_${at}` }),
        )
        const { events, ...step } = insertionOf(records)
        const more = records.map((record) => sampleEvent(record))
        await (writer % 2 ? t : t.other).put({ ...step, events: [...events, ...more] })
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
    const { keys } = await t.list()
    const byKey = [...new Set(all.map(({ keyId }) => keyId))]
    checkEqual(idsOf(keys), byKey.toReversed(), 'the keys in the order of their events')
    checkEqual(keys.filter(({ place }) => place <= 0).length, 0, 'the keys without a place')
  },
})

/** Repeats `look` until `work` is done, and once more. */
async function meanwhile(work: () => Promise<unknown>, look: () => Promise<void>): Promise<void> {
  let isDone = false
  const working = work().finally(() => {
    isDone = true
  })
  const looking = async () => {
    for (; !isDone; await pause()) await look()
  }
  await Promise.all([working, looking()])
  await look()
}
