import type { WorkspaceWrite } from '../../../src/storage/index.ts'
import { checkEqual } from './assertions.ts'
import { contractGroup, eachRow, NOTHING, type Trial } from './contract-case.ts'
import { sampleEvent, sampleInsertion, sampleRecord, sampleRotation } from './samples.ts'
import { EVER } from './usage-cases.ts'

const TEXTS = {
  Arabic: 'مفتاح التكامل مع نظام العملاء',
  'right-to-left marks and combining signs': '\u200fe\u0301\u200e',
  quotes: `'"\`\\ \\' \\" ''`,
  'SQL, wildcards and placeholders': "'); DROP TABLE keys; -- %_ $1 ?1 :name @x #{y} {{z}}",
  JSON: '{"__proto__":{"x":1}}',
  'names of object properties': '__proto__',
  '120 code points outside the first plane': '🔑'.repeat(120),
}

/** Steps with a text that many databases do not give back as it is. */
const DIFFICULT: Readonly<Record<string, () => WorkspaceWrite>> = {
  'a name that is cut': () => sampleInsertion(sampleRecord({ name: 'CRM\u0000sync' })),
  'half a character in an event': () => {
    const event = sampleEvent(sampleRecord(), { actor: { id: 'u_\udc00', name: 'x' } })
    return sampleInsertion(sampleRecord(), { events: [event] })
  },
  'a name of metadata': () => sampleInsertion(sampleRecord({ metadata: { '\u0000': 'x' } })),
}

/** Text comes back as the very same code units, and is never read as anything but text. */
export const textCases = [
  ...eachRow('text', TEXTS, roundTrip),
  ...eachRow('difficult text', DIFFICULT, async (t, difficult) => {
    const step = difficult()
    const records = [0, 1].map((at) => sampleRecord({ workspaceId: `ws_${at}` }))
    const [first = NOTHING, last = NOTHING] = records.map((record) => sampleInsertion(record))
    const answer = await t.storage.write([first, step, last]).catch((error: unknown) => error)
    if (Array.isArray(answer)) {
      const outcomes = answer.map(({ outcome }) => outcome)
      checkEqual(outcomes, ['stored', 'stored', 'stored'], 'the outcomes')
      checkEqual((await t.list()).keys[0]?.record, step.keys[0]?.record, 'the record')
      checkEqual(await t.eventsOf(), step.events, 'the events')
      return
    }
    const { code } = answer as { readonly code?: unknown }
    checkEqual(code, 'unstorable_value', 'the code of the error')
    for (const workspaceId of [step.workspaceId, 'ws_0', 'ws_1']) {
      const { keys, events, added } = await t.everythingIn(workspaceId)
      checkEqual([keys, events.events, added], [[], [], 0], `what ${workspaceId} has`)
    }
    await t.stored(first, 'a neighbour, sent alone')
  }),
  ...contractGroup('text', {
    'a pattern finds nothing': async (t) => {
      const { id, hash } = (await t.inserted()).record
      for (const other of ['%', 'key_%', '*', `${id} `, id.toUpperCase(), "' OR '1'='1"]) {
        const found = await t.view({ ids: [other], eventIds: [other] })
        checkEqual([found.keys, found.eventIds], [[], []], `what is read of ${other}`)
        checkEqual((await t.view({ workspaceId: other, ids: [id] })).keys, [], 'read')
        checkEqual((await t.list({}, other)).keys, [], 'list')
      }
      for (const other of ['%', '', hash.slice(1), `${hash} `]) {
        checkEqual(await t.storage.findByHash(other), null, 'findByHash')
      }
    },
  }),
]

/** Changing an argument or an answer changes nothing in the storage. */
export const copyCases = contractGroup('copies', {
  'a step is copied': async (t) => {
    const record = sampleRecord({ metadata: { a: 'b' }, resources: { project: ['p'] } })
    const step = sampleInsertion(record)
    const given = structuredClone(step)
    await t.storage.write([given])
    scribble(given)
    checkEqual(await t.storage.findByHash(record.hash), record, 'the key')
    checkEqual(await t.eventsOf(), step.events, 'the events')
  },

  'answers are copies, or frozen': async (t) => {
    const { record } = await t.inserted({ noticeAtMs: 0, resources: { project: ['p'] } })
    const before = structuredClone(await t.everythingIn(record.workspaceId))
    scribble([
      await t.storage.findByHash(record.hash),
      await t.everythingIn(record.workspaceId),
      await t.storage.claimEvents({ relay: 'a', leaseMs: 1, limit: 9, except: [] }),
      await t.storage.keysOfPerson({ personId: record.creator.id, limit: 9 }),
      await t.storage.due({ atMs: 0, limit: 9 }),
    ])
    checkEqual(await t.everythingIn(record.workspaceId), before, 'what is stored')
    checkEqual(await t.storage.findByHash(record.hash), before.keys[0]?.record, 'findByHash')
  },
})

async function roundTrip(t: Trial, text: string) {
  const person = { id: text, name: text }
  const record = sampleRecord({
    ...{ id: text, workspaceId: text, name: text, note: text, scopes: [text], format: text },
    ...{ creator: person, pausedBy: person, resources: { [text]: [text] } },
    metadata: { [text]: text, note: text },
  })
  const event = sampleEvent(record, { actor: person })
  await t.stored(sampleInsertion(record, { events: [event] }))
  checkEqual(await t.storage.findByHash(record.hash), record, 'the key')
  await t.storage.addUses({
    ...{ writer: text, sequence: 1, uses: [{ id: text, uses: 1, lastUsedAtMs: 1 }] },
    history: { keepDays: 9, counts: [{ id: text, hour: 1e9, outcome: 'accepted', count: 2 }] },
  })
  const key = await t.keyOf(record)
  checkEqual(key.usage, { uses: 1, lastUsedAtMs: 1 }, 'the usage')
  checkEqual((await t.storage.usage(text, { id: text, ...EVER }))?.[0]?.count, 2, 'the hours')
  const replacement = sampleRecord({ workspaceId: text, name: text })
  const keys = [await t.stored(sampleRotation(key, replacement))]
  checkEqual(keys[0]?.record.replacedBy, replacement.id, 'the replacement')
  const resource = { type: text, id: text, match: 'only' } as const
  const query = { creatorId: text, scope: text, ids: [text], resource }
  checkEqual((await t.list(query, text)).keys, keys, 'the keys')
  checkEqual(await t.storage.keysOfPerson({ personId: text, limit: 9 }), keys, 'of the person')
  const [, last] = await t.eventsOf(text)
  checkEqual((await t.eventPage({ keyId: text }, text)).events, [event, last], 'the events')
  const claim = { relay: text, leaseMs: 1_000, limit: 10, except: [] }
  checkEqual(await t.storage.claimEvents(claim), [event, last], 'the claimed events')
  checkEqual(await t.storage.claimEvents({ ...claim, except: [text] }), [], 'the others')
  await t.storage.acknowledgeEvents(text, [event.id])
  checkEqual(await t.storage.claimEvents(claim), [last], 'what is left')
  await t.storage.renameActor({ personId: text, limit: 9 })
  checkEqual((await t.eventsOf(text))[0]?.actor.name, 'Erased', 'the actor')
}

/** Overwrites all it can reach; what is frozen stays as it is, which is fine too. */
function scribble(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    scribble(inner)
    Reflect.set(value, key, 'scribbled')
  }
  if (Array.isArray(value) && Object.isExtensible(value)) value.push('scribbled')
}
