import type { KeyRecord, WorkspaceWrite } from '../../../src/storage/index.ts'
import { contractGroup, eachRow, NOTHING, type Table, type Trial } from './contract-case.ts'
import { sampleEvent, sampleInsertion, sampleRecord, sampleRotation } from './samples.ts'
import { checkEqual, OTHER } from './tools.ts'
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

const inserting = (fields: Partial<KeyRecord>) => sampleInsertion(sampleRecord(fields))

/** Steps with a text that many databases do not give back as it is. */
const DIFFICULT: Table<() => WorkspaceWrite> = {
  'a name that is cut': () => inserting({ name: 'CRM\u0000sync' }),
  'half a character in an event': () => {
    const event = sampleEvent(sampleRecord(), { actor: { id: 'u_\udc00', name: 'x' } })
    return { ...inserting({}), events: [event] }
  },
  'a name of metadata': () => inserting({ metadata: { '\u0000': 'x' } }),
}

/** Text comes back as the very same code units, and is never read as anything but text. */
export const textCases = [
  ...eachRow('text', TEXTS, roundTrip),
  ...eachRow('difficult text', DIFFICULT, async (t, difficult) => {
    const [first, step] = [inserting({ workspaceId: 'ws_1' }), difficult()]
    const before = await t.everything(first)
    try {
      const outcomes = await t.send(first, step, inserting({ workspaceId: OTHER }))
      checkEqual(outcomes, ['stored', 'stored', 'stored'], 'the outcomes')
      const { keys, events } = await t.contents()
      checkEqual([keys[0]?.record, events], [step.keys[0]?.record, step.events], 'what is stored')
    } catch (error) {
      if (Object(error).code !== 'unstorable_value') throw error
      checkEqual(await t.everything(first), before, 'what is stored')
      await t.stored(first)
    }
  }),
]

/** Changing an argument or an answer changes nothing in the storage. */
export const copyCases = contractGroup('copies', {
  'a step is copied, and answers are copies or frozen': async (t) => {
    const record = sampleRecord({ metadata: { a: 'b' }, noticeAtMs: 0, resources: { x: ['y'] } })
    const step = sampleInsertion(record)
    const given = structuredClone(step)
    const before = await t.everything(NOTHING)
    await t.put(given)
    scribble(given)
    await t.checkEffect(step, before)
    scribble([
      await t.storage.findByHash(record.hash),
      await t.contents(),
      await t.storage.claimEvents({ relay: 'a', leaseMs: 1, limit: 9, except: [] }),
      await t.storage.keysOfPerson({ personId: record.creator.id, limit: 9 }),
      await t.storage.due({ atMs: 0, limit: 9 }),
    ])
    await t.checkEffect(step, before)
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
  await t.storage.addUses({
    ...{ writer: text, sequence: 1, uses: [{ id: text, uses: 1, lastUsedAtMs: 1 }] },
    history: { keepDays: 9, counts: [{ id: text, hour: 1e9, outcome: 'accepted', count: 2 }] },
  })
  checkEqual((await t.storage.usage(text, { id: text, ...EVER }))?.[0]?.count, 2, 'the hours')
  const rotation = sampleRotation(await t.keyOf(record), sampleRecord({ workspaceId: text }))
  const key = await t.stored(rotation)
  checkEqual(key.usage, { uses: 1, lastUsedAtMs: 1 }, 'the usage')
  const resource = { type: text, id: text, match: 'only' } as const
  const query = { creatorId: text, scope: text, ids: [text], resource }
  checkEqual((await t.list(query, text)).keys, [key], 'the keys')
  checkEqual(await t.storage.keysOfPerson({ personId: text, limit: 9 }), [key], 'of the person')
  const events = [event, ...rotation.events]
  checkEqual((await t.eventPage({ keyId: text }, text)).events, events, 'the events')
  const claim = { relay: text, leaseMs: 1_000, limit: 10, except: [] }
  checkEqual(await t.storage.claimEvents(claim), events, 'the claimed events')
  checkEqual(await t.storage.claimEvents({ ...claim, except: [text] }), [], 'the others')
  await t.storage.acknowledgeEvents(text, [event.id])
  checkEqual(await t.storage.claimEvents(claim), rotation.events, 'what is left')
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
