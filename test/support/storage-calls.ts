import {
  sampleInsertion,
  sampleRecord,
  sampleUpdate,
} from '../../adapters/storage/testing/samples.ts'
import type { KeyPageQuery, KeyStorage, StorageCall } from '../../src/storage/index.ts'

type Call = (on: KeyStorage, call?: StorageCall) => unknown

const AT = 1_600_000_000_000
const EVENTS = { after: null, limit: 20 }
const HOURS = { fromHour: 0, toHour: 99 }

const page =
  (query: Partial<KeyPageQuery> = {}): Call =>
  (on, call) => {
    const all = { status: null, environment: null, atMs: AT, after: null, countUpTo: 100 }
    return on.list('ws_1', { ...all, limit: 20, ...query }, call)
  }

/** Every method that reads, in the ways that its statements differ; a lookup is read apart. */
export const READS: Readonly<Record<string, Call>> = {
  'a view': (on, call) =>
    on.read(
      {
        ...{ workspaceId: 'ws_1', ids: ['key_1'], eventIds: ['evt_1'] },
        ...{ countAtMs: AT, countUpTo: 100 },
      },
      call,
    ),
  'the newest keys': page(),
  'older keys': page({ after: 50 }),
  'the oldest keys': page({ oldestFirst: true, after: 3 }),
  'active keys': page({ status: ['active'], environment: 'live' }),
  'active and revoked keys': page({ status: ['active', 'revoked'] }),
  'ended keys': page({ status: ['expired', 'revoked'] }),
  'paused keys': page({ status: ['paused'] }),
  'revoked keys': page({ status: ['revoked'] }),
  'keys of a creator': page({ creatorId: 'u_1', status: ['active', 'revoked'] }),
  'some keys': page({ ids: ['key_1', 'key_2'], scope: 's', notUsedAfterMs: 1 }),
  'keys of a resource': page({ resource: { type: 't', id: '1', match: 'only' } }),
  events: (on, call) => on.events('ws_1', EVENTS, call),
  'the newest events': (on, call) =>
    on.events('ws_1', { ...EVENTS, after: 10, newestFirst: true }, call),
  'events of a key': (on, call) => on.events('ws_1', { ...EVENTS, keyId: 'key_1' }, call),
  'the newest events of a key': (on, call) =>
    on.events('ws_1', { ...EVENTS, after: 9, keyId: 'key_1', newestFirst: true }, call),
  'the usage of a key': (on, call) => on.usage('ws_1', { ...HOURS, id: 'key_1' }, call),
  'the usage of all keys': (on, call) => on.usage('ws_1', { ...HOURS, id: null }, call),
  'due notices': (on, call) => on.due({ atMs: AT + 10, limit: 20 }, call),
  'the keys of a person': (on, call) => on.keysOfPerson({ personId: 'u_1', limit: 20 }, call),
  'lagging nodes': (on, call) => on.changes?.laggingNodes(null, call),
}

/** Every method that changes something. */
export const CHANGES: Readonly<Record<string, Call>> = {
  'a new key': (on, call) =>
    on.write([sampleInsertion(sampleRecord({ workspaceId: 'ws_1' }))], call),
  'a changed key': (on, call) => {
    const record = sampleRecord({ workspaceId: 'ws_1' })
    return on.write([sampleUpdate({ record, edition: 1 })], call)
  },
  'counted uses': (on, call) =>
    on.addUses(
      {
        ...{ writer: 'w', sequence: 1, uses: [{ id: 'key_1', uses: 1, lastUsedAtMs: 1 }] },
        history: { keepDays: 3, counts: [{ id: 'key_1', hour: 1, outcome: 'accepted', count: 1 }] },
      },
      call,
    ),
  'a claim': (on, call) =>
    on.claimEvents({ relay: 'r', leaseMs: 1_000, limit: 5, except: ['ws_1', 'ws_sample'] }, call),
  'an acknowledgement': (on, call) => on.acknowledgeEvents('r', ['evt_1'], call),
  'a released claim': (on, call) => on.releaseEvents('r', call),
  'a renamed actor': (on, call) => on.renameActor({ personId: 'u_1', limit: 5 }, call),
  'a closed workspace': (on, call) => on.closeWorkspace('ws_closed', call),
  'a deleted workspace': (on, call) =>
    on.deleteWorkspace({ workspaceId: 'ws_closed', limit: 5 }, call),
  'a purge': (on, call) => on.purge({ endedBeforeMs: 1, eventsBeforeMs: 1, limit: 5 }, call),
  'a registration': (on, call) => on.changes?.register({ node: 'a', leaseMs: 1_000 }, call),
  'a renewal': (on, call) =>
    on.changes?.renew({ node: 'a', renewal: 1, answered: 0, applied: null }, call),
  'an eviction': (on, call) =>
    on.changes?.evict([{ node: 'a', leaseMs: 1_000, renewal: 1 }], 1, call),
  'a changed plan': (on, call) => on.changes?.changePlan('ws_1', call),
}
