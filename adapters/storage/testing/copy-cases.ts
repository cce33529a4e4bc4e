import { checkEqual } from './assertions.ts'
import {
  contractGroup,
  eventsOf,
  firstPage,
  inserted,
  recordOf,
  replacedBy,
  stored,
  unused,
} from './contract-case.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleRotateChange,
  WORKSPACE,
} from './samples.ts'

/** Changing an argument or an answer changes nothing in the storage. */
export const copyCases = contractGroup('copies', {
  'insert keeps no reference to its arguments': async (storage) => {
    const record = sampleRecord()
    const event = sampleCreatedEvent(record)
    const given = structuredClone({ record, event })
    await storage.insert(given.record, null, given.event)
    scribble(given)
    checkEqual(await storage.findByHash(record.hash), recordOf(record), 'the key')
    checkEqual(await eventsOf(storage, WORKSPACE), [event], 'the events')
  },

  'rotate and revoke keep no reference to their arguments': async (storage) => {
    const record = await inserted(storage)
    const rotation = sampleRotateChange(record)
    const revocation = sampleRevokeChange(rotation.replacement)
    const givenRotation = structuredClone(rotation)
    await storage.rotate(givenRotation)
    scribble(givenRotation)
    const { replacement } = rotation
    checkEqual(await stored(storage, replacement), unused(replacement), 'the new key')
    const givenRevocation = structuredClone(revocation)
    await storage.revoke(givenRevocation)
    scribble(givenRevocation)
    const [, rotated, revoked] = await eventsOf(storage, WORKSPACE)
    checkEqual([rotated, revoked], [rotation.event, revocation.event], 'the events')
  },

  'changing the answer of a read changes nothing stored': async (storage) => {
    const record = await inserted(storage)
    const events = await eventsOf(storage, WORKSPACE)
    const before = structuredClone({ record, events })
    scribble(await storage.findByHash(record.hash))
    scribble(await stored(storage, record))
    scribble(await firstPage(storage, WORKSPACE))
    scribble(await eventsOf(storage, WORKSPACE))
    scribble(await storage.claimEvents({ relay: 'a', leaseMs: 1, limit: 9, except: [] }))
    checkEqual(await storage.findByHash(record.hash), recordOf(before.record), 'findByHash')
    checkEqual(await stored(storage, record), before.record, 'findById')
    checkEqual((await firstPage(storage, WORKSPACE)).records, [before.record], 'list')
    checkEqual(await eventsOf(storage, WORKSPACE), before.events, 'events')
  },

  'changing the answer of a change changes nothing stored': async (storage) => {
    const record = await inserted(storage)
    const change = sampleRotateChange(record)
    scribble(await storage.rotate(change))
    scribble(await storage.rotate(change))
    scribble(await storage.revoke(sampleRevokeChange(record)))
    const keys = [unused(change.replacement), replacedBy(record, change)]
    checkEqual((await firstPage(storage, WORKSPACE)).records, keys, 'the keys')
  },
})

/** Overwrites all it can reach; what is frozen stays as it is, which is fine too. */
function scribble(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    scribble(inner)
    Reflect.set(value, key, 'scribbled')
  }
  if (Array.isArray(value) && Object.isExtensible(value)) value.push('scribbled')
}
