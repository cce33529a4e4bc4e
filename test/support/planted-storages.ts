import { StorageError } from '../../adapters/storage/lib/storage-error.ts'
import type {
  AuditEventRecord,
  EventClaim,
  HeldKey,
  HourlyTotal,
  KeyPage,
  KeyPageQuery,
  KeyRecord,
  KeyStorage,
  KeyWrite,
  Purge,
  WorkspaceView,
  WorkspaceWrite,
  WriteOutcome,
} from '../../src/storage/index.ts'

/** What is wrong with a storage: methods that take the place of good ones. */
type Plant = (good: KeyStorage) => Partial<KeyStorage>

/** A storage with faults, by their names. */
export function planted(good: KeyStorage, ...faults: readonly string[]): KeyStorage {
  let storage = good
  for (const fault of faults) {
    const [, plant] = PLANTED[fault] ?? []
    if (plant === undefined) throw new Error(`no fault is called ${fault}`)
    storage = { ...storage, ...plant(storage) }
  }
  return storage
}

const HOUR_MS = 3_600_000
const turn = () => new Promise((resolve) => setTimeout(resolve, 0))

/** Changes each step before it is stored. */
function steps(change: (step: WorkspaceWrite, good: KeyStorage) => Promise<WorkspaceWrite>): Plant {
  return (good) => ({
    write: async (writes) =>
      good.write(await Promise.all(writes.map((step) => change(step, good)))),
  })
}

/** Changes each key of a step, which comes with the key that the workspace has by its id. */
function members(
  change: (member: KeyWrite, held: HeldKey | undefined, at: number) => KeyWrite,
): Plant {
  return steps(async (step, good) => {
    const held = await heldIn(good, step)
    const keys = step.keys.map((key, at) => change(key, held.get(key.record.id), at))
    return { ...step, keys }
  })
}

/** Changes fields of each record before it is stored. */
function fields(change: (record: KeyRecord, good: KeyStorage) => Partial<KeyRecord>): Plant {
  return steps(async (step, good) => {
    const keys = step.keys.map(({ record, ifEdition }) => {
      return { record: { ...record, ...change(record, good) }, ifEdition }
    })
    return { ...step, keys }
  })
}

/** Gives events other ids. */
function eventIds(change: (id: string, step: WorkspaceWrite) => string): Plant {
  return steps(async (step) => {
    const events = step.events.map((event) => ({ ...event, id: change(event.id, step) }))
    return { ...step, events }
  })
}

async function heldIn(good: KeyStorage, { workspaceId, keys }: WorkspaceWrite) {
  const ids = keys.map(({ record }) => record.id)
  const { keys: held } = await viewOf(good, workspaceId, ids)
  return new Map(held.map((key) => [key.record.id, key]))
}

function viewOf(good: KeyStorage, workspaceId: string, ids: readonly string[] = []) {
  return good.read({ workspaceId, ids, eventIds: [], countAtMs: null, countUpTo: null })
}

/** A step that changes one key, whatever is there. */
function changeOf(workspaceId: string, record: KeyRecord, ifEdition: number): WorkspaceWrite {
  const keys = [{ record, ifEdition }]
  return { workspaceId, ifAddedAtMost: null, adds: 0, events: [], keys }
}

/** Answers to each step something else than it should. */
function outcomes(
  answer: (step: WorkspaceWrite, outcome: WriteOutcome, good: KeyStorage) => Promise<WriteOutcome>,
): Plant {
  return (good) => ({
    write: async (writes) => {
      const given = await good.write(writes)
      return Promise.all(
        writes.map((step, at) => answer(step, given[at] ?? { outcome: 'refused' }, good)),
      )
    },
  })
}

/** Changes the outcomes of a list. */
function lists(change: (given: readonly WriteOutcome[]) => readonly WriteOutcome[]): Plant {
  return (good) => ({ write: async (writes) => change(await good.write(writes)) })
}

/** Notes what is written, for a plant that needs it. */
function noted(note: (step: WorkspaceWrite) => void, plant: Plant): Plant {
  return (good) => ({
    ...plant(good),
    write: (writes) => {
      writes.forEach(note)
      return good.write(writes)
    },
  })
}

/** Changes what is read of a workspace. */
function views(change: (view: WorkspaceView) => Partial<WorkspaceView>): Plant {
  return (good) => ({
    read: async (query) => {
      const view = await good.read(query)
      return { ...view, ...change(view) }
    },
  })
}

/** Changes the keys that are read. */
function viewedKeys(change: (key: HeldKey) => Partial<HeldKey>): Plant {
  return views(({ keys }) => ({ keys: keys.map((key) => ({ ...key, ...change(key) })) }))
}

/** Changes the pages of keys. */
function pages(change: (page: KeyPage) => Partial<KeyPage>): Plant {
  return (good) => ({
    list: async (id, query) => {
      const page = await good.list(id, query)
      return { ...page, ...change(page) }
    },
  })
}

/** Changes what is asked of pages. */
function listed(change: (query: KeyPageQuery) => Partial<KeyPageQuery>): Plant {
  return (good) => ({ list: (id, query) => good.list(id, { ...query, ...change(query) }) })
}

/** Acknowledges all events before a method runs. */
async function acknowledgeAll(good: KeyStorage): Promise<void> {
  const events = await good.claimEvents({ relay: 'r', leaseMs: 1, limit: 99, except: [] })
  const ids = events.map(({ id }) => id)
  await good.acknowledgeEvents('r', ids)
}

/** Runs a method at another time. */
async function at<T>(laterMs: number, run: () => Promise<T>): Promise<T> {
  const now = Date.now
  Date.now = () => now() + laterMs
  try {
    return await run()
  } finally {
    Date.now = now
  }
}

const refuse = async (): Promise<WriteOutcome> => ({ outcome: 'refused' })

const byInstant = (one: AuditEventRecord, other: AuditEventRecord) => one.atMs - other.atMs

/** Every fault, with the case that is meant for it. */
export const PLANTED: Readonly<Record<string, readonly [caughtBy: string, Plant]>> = {
  'stores a new key over one with its id': [
    'conflicts: two new keys with one id',
    members((member, held) => ({ ...member, ifEdition: held?.edition ?? member.ifEdition })),
  ],
  'changes the key of another tenant with the same hash': [
    'conflicts: one hash in two workspaces',
    steps(async (step, good) => {
      for (const { record } of step.keys) {
        const theirs = await good.findByHash(record.hash)
        if (!theirs || theirs.id === record.id) continue
        const changed = { ...theirs, name: record.name, updatedAtMs: 7 }
        await good.write([changeOf(theirs.workspaceId, changed, 1)])
      }
      return step
    }),
  ],
  'takes a hash twice': [
    'conflicts: two new keys with one hash',
    fields(({ id, hash }, good) => {
      const found = good.findByHash(hash) as KeyRecord | null
      return { hash: found !== null && found.id !== id ? id : hash }
    }),
  ],
  'takes a predecessor twice': [
    'conflicts: one replaces in two workspaces',
    fields(() => ({ replaces: null })),
  ],
  'takes an event twice': [
    'conflicts: one event in two workspaces',
    eventIds((id, { workspaceId }) => `${workspaceId} ${id}`),
  ],
  'ignores editions': [
    'conflicts: two changes of a key',
    members((member, held) => ({
      ...member,
      ifEdition: member.ifEdition && (held?.edition ?? member.ifEdition),
    })),
  ],
  'ignores the edition of all keys but the first': [
    'conflicts: a change of one key, and one of several',
    members((member, held, at) => ({
      ...member,
      ifEdition: at === 0 ? member.ifEdition : (held?.edition ?? null),
    })),
  ],
  'takes the version for the edition': [
    'conflicts: a change that leaves the version, and another one',
    members((member, held) => {
      if (held === undefined) return member
      const isNext = held.record.version === member.record.version - 1
      return { ...member, ifEdition: isNext ? held.edition : member.ifEdition }
    }),
  ],
  'takes an edition that is higher': [
    'refusals: an edition to come, as high as the version',
    members((member, held) => {
      const isAhead = held !== undefined && (member.ifEdition ?? 0) > held.edition
      return { ...member, ifEdition: isAhead ? held.edition : member.ifEdition }
    }),
  ],
  'moves the edition with the version': [
    'records: a change takes away what a record has no more',
    viewedKeys(({ record }) => ({ edition: record.version })),
  ],
  'moves the edition with a use': [
    'no conflict: uses of the key',
    (good) => ({
      addUses: async (batch) => {
        await good.addUses(batch)
        for (const { id } of batch.uses) {
          const { keys } = await viewOf(good, 'ws_sample', [id])
          for (const { record, edition } of keys) {
            await good.write([changeOf('ws_sample', record, edition)])
          }
        }
      },
    }),
  ],
  'lets a revoked key live again': [
    'refusals: a key that is revoked, which would live again',
    outcomes(async ({ keys }, given) => {
      const revives = keys.some(
        ({ record, ifEdition }) => record.revokedAtMs === null && ifEdition === 2,
      )
      return revives ? { outcome: 'stored' } : given
    }),
  ],
  'moves a revocation': [
    'refusals: a revocation that would move',
    members(({ record, ifEdition }, held) => {
      const revokedAtMs = held?.record.revokedAtMs ?? record.revokedAtMs
      return { record: { ...record, revokedAtMs }, ifEdition }
    }),
  ],
  'changes keys of other workspaces': [
    'refusals: a key of another workspace',
    (good) => {
      const homes = new Map<string, string>()
      const atHome = steps(async (step) => {
        const [{ record, ifEdition } = { record: { id: '' }, ifEdition: null }] = step.keys
        const home = homes.get(record.id)
        homes.set(record.id, step.workspaceId)
        return ifEdition && home ? { ...step, workspaceId: home } : step
      })
      return atHome(good)
    },
  ],
  'ignores the bound': [
    'guards: added may be as high as the bound, and no higher',
    steps(async (step) => ({ ...step, ifAddedAtMost: null })),
  ],
  'ignores the bound where there is no row yet': [
    'refusals: less room than none, in a workspace that was never written',
    steps(async (step, good) => {
      const { added } = await viewOf(good, step.workspaceId)
      return { ...step, ifAddedAtMost: added === 0 ? null : step.ifAddedAtMost }
    }),
  ],
  'looks at the bound before it waits': [
    'races: the limit holds with room for one',
    steps(async (step, good) => {
      const { added } = await viewOf(good, step.workspaceId)
      await turn()
      return added <= (step.ifAddedAtMost ?? added) ? { ...step, ifAddedAtMost: null } : step
    }),
  ],
  'looks at the taken ids before it waits': [
    'conflicts at once: two new keys with one id',
    steps(async (step, good) => {
      const before = await heldIn(good, step)
      await turn()
      const now = await heldIn(good, step)
      const keys = step.keys.map(({ record, ifEdition }) => {
        const isFree = ifEdition === null && !before.has(record.id)
        return { record, ifEdition: isFree ? (now.get(record.id)?.edition ?? null) : ifEdition }
      })
      return { ...step, keys }
    }),
  ],
  'takes the bound for what was added': [
    'no conflict: another key',
    steps(async (step, good) => {
      const { added } = await viewOf(good, step.workspaceId)
      const isSame = [null, added].includes(step.ifAddedAtMost)
      return { ...step, ifAddedAtMost: isSame ? step.ifAddedAtMost : -1 }
    }),
  ],
  'counts every step as added': [
    'records: added grows by what each stored step says',
    steps(async (step) => ({ ...step, adds: 1 })),
  ],
  'counts keys instead of what the step adds': [
    'records: added grows by what each stored step says',
    steps(async (step) => ({ ...step, adds: step.keys.length })),
  ],
  'refuses an empty step': [
    'records: a step without keys and events is stored, and changes nothing',
    outcomes(async (step, given) =>
      step.keys.length + step.events.length === 0 ? refuse() : given,
    ),
  ],
  'refuses an empty step of a closed workspace': [
    'records: a step without keys and events is stored, and changes nothing',
    outcomes(async (step, given) => (step.workspaceId === 'ws_closed' ? refuse() : given)),
  ],
  'lets a refused step refuse its list': [
    'conflicts: two changes of a key',
    lists((given) =>
      given.some(({ outcome }) => outcome === 'refused')
        ? given.map(() => ({ outcome: 'refused' }))
        : given,
    ),
  ],
  'answers a list in another order': [
    'conflicts: two changes of a key',
    lists((given) => given.toSorted((one, other) => (one.outcome < other.outcome ? 1 : -1))),
  ],
  'stores the part of a list before an unstorable text': [
    'difficult text: a name that is cut',
    (good) => ({
      write: async (writes) => {
        const bad = writes.findIndex((step) => JSON.stringify(step).includes('\\u0000'))
        if (bad === -1) return good.write(writes)
        await good.write(writes.slice(0, bad))
        throw new StorageError('unstorable_value', 'a text contains U+0000')
      },
    }),
  ],
  'cuts texts': [
    'difficult text: a name that is cut',
    fields(({ name }) => ({ name: name.split('\u0000')[0] ?? '' })),
  ],
  'believes the workspace in a record': [
    'records: the step says the workspace, whatever its records and events say',
    steps(async (step) => ({
      ...step,
      workspaceId: step.keys[0]?.record.workspaceId ?? step.workspaceId,
    })),
  ],
  'believes the workspace in an event': [
    'records: the step says the workspace, whatever its records and events say',
    (good) => ({ claimEvents: (claim) => good.claimEvents({ ...claim, except: [] }) }),
  ],
  'drops the events of a step': [
    'sent again: an insertion',
    steps(async (step) => ({ ...step, events: [] })),
  ],
  'stores the events of a refused step': [
    'conflicts: two changes of a key',
    outcomes(async (step, given, good) => {
      if (given.outcome === 'refused')
        await good.write([{ ...step, keys: [], ifAddedAtMost: null }])
      return given
    }),
  ],
  'does a step twice that is sent twice': [
    'sent again: an event',
    eventIds(() => crypto.randomUUID()),
  ],
  'answers stored to a repeat': [
    'sent again: a change',
    outcomes(async () => ({ outcome: 'stored' })),
  ],
  'forgets the keys of a deleted workspace': [
    'erasure: a workspace is closed for good, also one that was never written',
    (good) => ({
      closeWorkspace: async (id) => (id === 'ws_other' ? undefined : good.closeWorkspace(id)),
    }),
  ],
  'takes a new key after it is closed': [
    'erasure: no new key comes after the workspace has answered that it is closed',
    (good) => ({ closeWorkspace: async (id) => void turn().then(() => good.closeWorkspace(id)) }),
  ],
  'changes nothing in a closed workspace': [
    'guards: the keys of a closed workspace can be changed',
    outcomes(async (step, given, good) =>
      (await viewOf(good, step.workspaceId)).isErased ? refuse() : given,
    ),
  ],
  'orders events by their instants': [
    'order: keys and events stand in the order of their steps, and within a step in its own',
    (good) => ({
      events: async (id, query) => {
        const page = await good.events(id, query)
        return { ...page, events: page.events.toSorted(byInstant) }
      },
    }),
  ],
  'claims events by their instants': [
    'relay: events come in the order of each workspace',
    (good) => ({
      claimEvents: async (claim) => (await good.claimEvents(claim)).toSorted(byInstant),
    }),
  ],
  'orders keys by their instants': [
    'order: keys and events stand in the order of their steps, and within a step in its own',
    pages(({ keys }) => ({
      keys: keys.toSorted((one, other) => other.record.createdAtMs - one.record.createdAtMs),
    })),
  ],
  'shows a place before an earlier one is there': [
    'order: nobody who reads on misses or repeats an event, beside eight writers',
    (good) => {
      let hidden = 0
      return {
        events: async (id, query) => {
          const page = await good.events(id, query)
          hidden += 1
          const isShort = hidden % 2 === 1 && page.events.length > 1
          return isShort ? { ...page, events: page.events.slice(1) } : page
        },
      }
    },
  ],
  'moves a changed key to the end': [
    'order: a later change leaves a key in its place',
    pages(({ keys }) => ({
      keys: keys.toSorted((one, other) => one.edition - other.edition),
    })),
  ],
  'counts before it reads added': [
    'read: added is read before all else, or in one snapshot with it',
    (good) => ({
      read: async (query) => {
        const view = await good.read(query)
        await turn()
        return { ...view, added: (await good.read(query)).added }
      },
    }),
  ],
  'counts a key at its very end': [
    'read: keys are counted at the instant, up to the very end of each',
    (good) => ({
      read: (query) => good.read({ ...query, countAtMs: query.countAtMs && query.countAtMs - 1 }),
    }),
  ],
  'counts too few': [
    'read: counting stops where it may, and not before',
    views(({ activeKeys }) => ({ activeKeys: activeKeys && activeKeys - 1 })),
  ],
  'finds events of every workspace': [
    'read: keys and events of the workspace are found, no others',
    (good) => ({
      read: async (query) => {
        const view = await good.read(query)
        const others = await good.read({ ...query, workspaceId: 'ws_other' })
        return { ...view, eventIds: [...view.eventIds, ...others.eventIds] }
      },
    }),
  ],
  'answers lookups from a cache': [
    'races: a revocation that has answered is seen by every later lookup',
    (good) => {
      const cache = new Map<string, KeyRecord>()
      return {
        findByHash: async (hash) => {
          const record = cache.get(hash) ?? (await good.findByHash(hash))
          if (record !== null) cache.set(hash, record)
          return record
        },
      }
    },
  ],
  'reads what was there before the last step': [
    'races: a step that has answered is seen by every later read and step',
    (good) => {
      let last: WorkspaceView | null = null
      return {
        read: async (query) => {
          const before = last
          last = await good.read(query)
          return before?.keys[0]?.record.id === query.ids[0] ? (before ?? last) : last
        },
      }
    },
  ],
  'begins a page with the key before it': [
    'paging: a page after any place begins with what follows it',
    listed(({ after }) => ({ after: after && after + 1 })),
  ],
  'drops the last key of a page': [
    'paging: a walk over 60 keys sees each exactly once, in both directions',
    pages(({ keys, more }) => ({ keys: more ? keys.slice(0, -1) : keys })),
  ],
  'says that more follows a full page': [
    'paging: more says whether keys that match follow',
    (good) => ({
      list: async (id, query) => {
        const page = await good.list(id, query)
        return { ...page, more: page.keys.length === query.limit }
      },
    }),
  ],
  'counts only the page': [
    'filter: a creator',
    pages(({ keys, total }) => ({ total: total && keys.length })),
  ],
  'lists keys of every creator': ['filter: a creator', listed(() => ({ creatorId: undefined }))],
  'lists all keys for no ids': [
    'filter: no ids',
    listed(({ ids }) => ({ ids: ids?.length === 0 ? undefined : ids })),
  ],
  'takes keys that list nothing for keys without a restriction': [
    'filter: a resource that keys reach',
    (good) => ({
      list: async (id, query) => {
        const all = await good.list(id, { ...query, resource: undefined })
        const page = await good.list(id, query)
        const empty = all.keys.filter(({ record }) => record.resources['project']?.length === 0)
        const keys = query.resource?.match === 'reaches' ? [...page.keys, ...empty] : page.keys
        return { ...page, keys: keys.toSorted((one, other) => other.place - one.place) }
      },
    }),
  ],
  'answers fewer events than it could': [
    'events: a page is full as long as events follow it',
    (good) => ({
      events: (id, query) => good.events(id, { ...query, limit: Math.min(query.limit, 2) }),
    }),
  ],
  'gives the lease to anyone': [
    'relay: a lease keeps other relays away, also from later events',
    (good) => ({ claimEvents: (claim) => good.claimEvents({ ...claim, relay: 'any' }) }),
  ],
  'lets a late relay acknowledge': [
    'relay: a lease that ran out hands over, and the late relay acknowledges nothing',
    (good) => {
      let holder = ''
      return {
        claimEvents: (claim) => {
          holder = claim.relay
          return good.claimEvents(claim)
        },
        acknowledgeEvents: (_relay, ids) => good.acknowledgeEvents(holder, ids),
      }
    },
  ],
  'keeps a lease that was released': [
    'relay: a released lease hands over at once',
    () => ({ releaseEvents: async () => undefined }),
  ],
  'leaves workspaces out of a page that is cut already': [
    'relay: a workspace that is left out does not count towards the limit',
    (good) => ({
      claimEvents: async ({ except, ...claim }) => {
        const events = await good.claimEvents({ ...claim, except: [] })
        return events.filter(({ workspaceId }) => !except.includes(workspaceId))
      },
    }),
  ],
  'is due a millisecond early': [
    'notices: keys are due from their instant on, the earliest first',
    (good) => ({ due: (query) => good.due({ ...query, atMs: query.atMs + 1 }) }),
  ],
  'takes the first keys for the earliest': [
    'notices: keys are due from their instant on, the earliest first',
    (good) => ({
      due: async (query) => {
        const keys = await good.due({ ...query, limit: 1_000 })
        return keys.toSorted((one, other) => one.place - other.place).slice(0, query.limit)
      },
    }),
  ],
  'counts uses by writing back the record that it read': [
    'usage: uses of a revoked key count and do not revive it',
    (good) => {
      const revived = new Set<string>()
      return {
        ...viewedKeys(({ record }) =>
          revived.has(record.id) ? { record: { ...record, revokedAtMs: null } } : {},
        )(good),
        addUses: (batch) => {
          for (const { id } of batch.uses) revived.add(id)
          return good.addUses(batch)
        },
      }
    },
  ],
  'takes each batch for the first of a writer': [
    'usage: one batch sent 20 times at once counts once',
    (good) => ({ addUses: (batch) => good.addUses({ ...batch, writer: crypto.randomUUID() }) }),
  ],
  'numbers the batches of all writers': [
    'usage: each writer numbers its own batches',
    (good) => ({ addUses: (batch) => good.addUses({ ...batch, writer: 'one' }) }),
  ],
  'takes 32 bits of a count': [
    'usage: a batch of 25,000 keys is stored whole, with counts beyond 32 bits',
    (good) => ({
      addUses: (batch) =>
        good.addUses({ ...batch, uses: batch.uses.map((use) => ({ ...use, uses: use.uses | 0 })) }),
    }),
  ],
  'moves lastUsedAtMs back': [
    'usage: uses add up, lastUsedAtMs never goes back, and nothing else changes',
    (good) => {
      let lastUsedAtMs = 0
      return {
        ...viewedKeys(({ usage }) => ({ usage: { ...usage, lastUsedAtMs } }))(good),
        addUses: (batch) => {
          lastUsedAtMs = batch.uses[0]?.lastUsedAtMs ?? 0
          return good.addUses(batch)
        },
      }
    },
  ],
  'believes the instant of a use': [
    'usage: an instant ahead of the clock counts as now and hides no later use',
    (good) => ({ addUses: (batch) => at(48 * HOUR_MS, () => good.addUses(batch)) }),
  ],
  'believes the hour of a count': [
    'history: an hour ahead of the clock counts as the current one',
    (good) => ({ addUses: (batch) => at(48 * HOUR_MS, () => good.addUses(batch)) }),
  ],
  'keeps the uses of ids that name no key': [
    'usage: uses of ids that name no key are passed over and leave nothing',
    (good) => {
      const kept = new Map<string, number>()
      return {
        ...viewedKeys(({ record, usage }) => ({
          usage: { ...usage, uses: usage.uses || (kept.get(record.id) ?? 0) },
        }))(good),
        addUses: (batch) => {
          for (const { id, uses } of batch.uses) kept.set(id, uses)
          return good.addUses(batch)
        },
      }
    },
  ],
  'keeps old hours': [
    'history: hours that are too old are neither stored nor kept',
    (good) => ({
      addUses: (batch) => {
        const history = batch.history && { ...batch.history, keepDays: 999 }
        return good.addUses({ ...batch, ...(history && { history }) })
      },
    }),
  ],
  'has the end of a range': [
    'history: a range has its beginning and not its end',
    (good) => ({ usage: (id, query) => good.usage(id, { ...query, toHour: query.toHour + 1 }) }),
  ],
  'leaves the hours of a deleted key': [
    'erasure: revoked keys are deleted in steps, with all that was counted of them',
    (good) => {
      const left = new Map<string, readonly HourlyTotal[] | null>()
      return {
        deleteWorkspace: async (deletion) => {
          const { workspaceId: id } = deletion
          const query = { id: null, fromHour: 0, toHour: 1e9 }
          left.set(id, left.get(id) ?? (await good.usage(id, query)))
          return good.deleteWorkspace(deletion)
        },
        usage: async (id, query) =>
          (query.id === null ? left.get(id) : null) ?? good.usage(id, query),
      }
    },
  ],
  'deletes living keys of a closed workspace': [
    'erasure: revoked keys are deleted in steps, with all that was counted of them',
    (good) => ({
      deleteWorkspace: async (deletion) => {
        const { workspaceId } = deletion
        const query = { status: null, environment: null, atMs: 0, after: null, limit: 99 }
        for (const key of (await good.list(workspaceId, { ...query, countUpTo: null })).keys) {
          const record = { ...key.record, revokedAtMs: key.record.revokedAtMs ?? 5 }
          await good.write([changeOf(workspaceId, record, key.edition)])
        }
        return good.deleteWorkspace(deletion)
      },
    }),
  ],
  'deletes keys of a workspace that is open': [
    'erasure: nothing is deleted in a workspace that is open',
    (good) => ({
      deleteWorkspace: async (deletion) => {
        await good.closeWorkspace(deletion.workspaceId)
        return good.deleteWorkspace(deletion)
      },
    }),
  ],
  'deletes events before they are delivered': [
    'erasure: events stay until they are acknowledged',
    (good) => ({
      deleteWorkspace: async (deletion) => {
        await acknowledgeAll(good)
        return good.deleteWorkspace(deletion)
      },
    }),
  ],
  'finds who created a key, not who paused it': [
    'person: keys name a person as creator or as who paused them, in every workspace',
    (good) => ({
      keysOfPerson: async (query) => {
        const keys = await good.keysOfPerson(query)
        return keys.filter(({ record }) => record.creator.id === query.personId)
      },
    }),
  ],
  'delivers the name of an erased person': [
    'person: an actor is renamed in steps, in events that were delivered and in others',
    (good) => {
      const written = new Map<string, AuditEventRecord>()
      const note = ({ events }: WorkspaceWrite) => {
        for (const event of events) written.set(event.id, event)
      }
      const old = async (claim: EventClaim) =>
        (await good.claimEvents(claim)).map((event) => written.get(event.id) ?? event)
      return noted(note, () => ({ claimEvents: old }))(good)
    },
  ],
  'purges what is young': [
    'purge: what was written within the hour stays, whatever it says',
    (good) => ({ purge: (query) => at(2 * HOUR_MS, () => good.purge(query)) }),
  ],
  'purges a key that was changed a minute ago': [
    'purge: a change makes a key young again',
    (good) => {
      const first = new Set<string>()
      const note = ({ keys }: WorkspaceWrite) => {
        for (const { record } of keys) first.add(record.id)
      }
      const purge = (query: Purge) =>
        at(first.size === 1 ? 2 * HOUR_MS : 0, () => good.purge(query))
      return noted(note, () => ({ purge }))(good)
    },
  ],
  'purges a key at the instant': [
    'purge: keys that ended before the instant are deleted, no others',
    (good) => ({
      purge: (query) =>
        good.purge({ ...query, endedBeforeMs: query.endedBeforeMs && query.endedBeforeMs + 1 }),
    }),
  ],
  'purges events that nobody has acknowledged': [
    'purge: acknowledged events from before the instant are deleted, no others',
    (good) => ({
      purge: async (query) => {
        await acknowledgeAll(good)
        return good.purge(query)
      },
    }),
  ],
  'gives out what it stores': [
    'copies: a step is copied',
    (good) => {
      const given = new Map<string, KeyRecord>()
      const note = ({ keys }: WorkspaceWrite) => {
        for (const { record } of keys) given.set(record.hash, record)
      }
      const findByHash = (hash: string) => given.get(hash) ?? good.findByHash(hash)
      return noted(note, () => ({ findByHash }))(good)
    },
  ],
  'changes the case of names': [
    'records: no restriction',
    pages(({ keys }) => ({
      keys: keys.map((key) => {
        return { ...key, record: { ...key.record, name: key.record.name.toUpperCase() } }
      }),
    })),
  ],
  'takes an empty list for none': [
    'records: a note, and no resource',
    fields(({ resources }) => {
      const lists = Object.entries(resources).filter(([, ids]) => ids.length > 0)
      return { resources: Object.fromEntries(lists) }
    }),
  ],
  'treats names of workspaces as equal without their case': [
    'isolation: workspaces whose ids look alike are strangers',
    (good) => ({ list: (id, query) => good.list(id.toLowerCase(), query) }),
  ],
}
