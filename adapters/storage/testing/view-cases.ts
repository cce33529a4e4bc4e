import { contractGroup, insertionOf, NOTHING } from './contract-case.ts'
import {
  sampleEvent,
  sampleInsertion,
  sampleRecord,
  sampleRevocation,
  sampleUpdate,
} from './samples.ts'
import { check, checkEqual, idsOf, inParallel, namesOf, OTHER, pause } from './tools.ts'

const AT_MS = Date.UTC(2026, 5, 1)
const ALIKE = ['ws', 'WS', 'ws ', ' ws', 'ws_', 'ws%', 'w\u00e9', 'we\u0301', 'ws_\ufffd']
const NO_UNICODE = ['ws_\ud800', 'ws\u0000', 'ws\u0000_']

/** `read` answers what is there, counted at the instant of the query. */
export const viewCases = contractGroup('read', {
  'keys and events of the workspace are found, no others, and a pattern finds nothing': async (
    t,
  ) => {
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
      const { activeKeys } = await t.view({ countAtMs: 0, countUpTo })
      const page = await t.list({ countUpTo, limit: 2 })
      for (const [count, enough] of [
        [activeKeys, countUpTo],
        [page.activeKeys, countUpTo + 1],
        [page.total, countUpTo + 1],
      ] as const) {
        const isEnough = count !== null && count >= Math.min(12, enough) && count <= 12
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
      const found = await t.view({ ids, eventIds, countAtMs: AT_MS })
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
      const found = await t.other.keyOf(key.record)
      checkEqual(found.edition, 2, 'the edition')
      await t.other.put(sampleRevocation(found))
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

  'steps of many keys in every order end': async (t) => {
    const keys = await t.insertedMany(8)
    const outcomes = await inParallel(6, (at) => {
      const order = at % 2 ? keys : keys.toReversed()
      const members = order.flatMap((key) => sampleUpdate(key, { name: `by ${at}` }).keys)
      return (at % 3 ? t : t.other).send({ ...NOTHING, keys: members })
    })
    checkEqual(outcomes.flat().toSorted().slice(4), ['refused', 'stored'], 'the last outcomes')
    const names = new Set((await t.list()).keys.map(({ record }) => record.name))
    checkEqual(names.size, 1, 'the number of names')
  },
})

/** Places follow the order of the steps, whatever the clocks say. */
export const orderCases = contractGroup('order', {
  'keys and events stand in the order of their steps, and within a step in its own': async (t) => {
    for (let at = 0; at < 6; at += 1) {
      const records = Array.from({ length: 1 + (at % 3) }, (_, index) =>
        sampleRecord({ createdAtMs: 1_000 - at, id: `key_${at}_${9 - index}` }),
      )
      const { events, ...step } = insertionOf(records)
      await t.stored({ ...step, events: [...events, ...records.map((one) => sampleEvent(one))] })
      await t.stored(NOTHING)
    }
    const { keys, events } = await t.contents()
    check(
      keys.every(({ place }, at) => place > (keys[at + 1]?.place ?? 0)),
      'places grow',
    )
    const claim = { relay: 'a', leaseMs: 1_000, limit: 100, except: [] }
    checkEqual(await t.storage.claimEvents(claim), events, 'the claimed events')
  },

  'nobody who reads on misses or repeats an event, beside eight writers': async (t) => {
    const seen: string[] = []
    const claimed: string[] = []
    let after: number | null = null
    const write = async (writer: number) => {
      for (let round = 0; round < 8; round += 1) {
        const record = sampleRecord({ createdAtMs: 1_000 - round })
        const events = [sampleEvent(record), sampleEvent(record)]
        await (writer % 2 ? t : t.other).put(sampleInsertion(record, { events }))
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
  const working = work().finally(() => {
    isDone = true
  })
  const looking = async () => {
    for (; !isDone; await pause()) await look()
  }
  await Promise.all([working, looking()])
  await look()
}
