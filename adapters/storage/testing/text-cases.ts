import type { KeyStorage } from '../../../src/storage/index.ts'
import { checkEqual } from './assertions.ts'
import {
  contractGroup,
  eventsOf,
  firstPage,
  recordOf,
  replacedBy,
  stored,
  unused,
} from './contract-case.ts'
import { sampleCreatedEvent, sampleRecord, sampleRotateChange } from './samples.ts'

const TEXTS = {
  Arabic: 'مفتاح التكامل مع نظام العملاء',
  'Persian with a joiner': 'می\u200cخواهم',
  emoji: '👩\u200d👩\u200d👧\u200d👦🔑',
  'right-to-left marks and combining signs': '\u200fe\u0301\u200e',
  quotes: `'"\`\\ \\' \\" ''`,
  'SQL text': "'); DROP TABLE keys; --",
  'SQL wildcards and placeholders': '%_ $1 ?1 :name @x #{y} {{z}}',
  JSON: '{"__proto__":{"x":1}}',
  'names of object properties': '__proto__',
} as const

/** Text comes back as the very same code units, and is never read as anything but text. */
export const textCases = contractGroup('text', {
  ...Object.fromEntries(
    Object.entries(TEXTS).map(([name, text]) => [
      `${name} in every field`,
      (storage: KeyStorage) => roundTrip(storage, text),
    ]),
  ),

  'a name of 120 code points outside the first plane': async (storage) => {
    const record = sampleRecord({ name: '🔑'.repeat(120) })
    await storage.insert(record, null, sampleCreatedEvent(record))
    checkEqual(await stored(storage, record), unused(record), 'the key')
  },

  'scopes keep their order and their text': async (storage) => {
    const scopes = [
      'z.read',
      'a.read',
      'x,y',
      '"quoted"',
      '{braces}',
      'NULL',
      'back\\slash',
      'عربي',
    ]
    const record = sampleRecord({ scopes })
    await storage.insert(record, null, sampleCreatedEvent(record))
    checkEqual((await stored(storage, record)).scopes, scopes, 'scopes')
    checkEqual(
      (await eventsOf(storage, record.workspaceId))[0]?.data.scopes,
      scopes,
      'in the event',
    )
  },

  'a pattern finds nothing': async (storage) => {
    const record = sampleRecord()
    await storage.insert(record, null, sampleCreatedEvent(record))
    for (const id of ['%', 'key_%', '*', `${record.id} `, record.id.toUpperCase(), "' OR '1'='1"]) {
      checkEqual(await storage.findById(record.workspaceId, id), null, `findById of ${id}`)
      checkEqual(await storage.findById(id, record.id), null, `findById in ${id}`)
    }
  },
})

async function roundTrip(storage: KeyStorage, text: string): Promise<void> {
  const record = sampleRecord({
    id: text,
    workspaceId: text,
    name: text,
    scopes: [text],
    creator: { id: text, name: text },
    metadata: { note: text },
  })
  const created = sampleCreatedEvent(record)
  const rotation = sampleRotateChange(record, { name: text })
  await storage.insert(record, null, created)
  checkEqual(await storage.findByHash(record.hash), recordOf(record), 'the key')
  const uses = [{ id: record.id, uses: 1, lastUsedAtMs: 1 }]
  await storage.addUses({ writer: text, sequence: 1, uses })
  await storage.rotate(rotation)
  const { replacement } = rotation
  const replaced = { ...replacedBy(record, rotation), uses: 1, lastUsedAtMs: 1 }
  const { records } = await firstPage(storage, record.workspaceId)
  checkEqual(records, [unused(replacement), replaced], 'the keys')
  const events = [created, rotation.event]
  checkEqual(await eventsOf(storage, record.workspaceId), events, 'the events')
  const claim = { relay: text, leaseMs: 1_000, limit: 10, except: [] }
  checkEqual(await storage.claimEvents(claim), events, 'the claimed events')
}
