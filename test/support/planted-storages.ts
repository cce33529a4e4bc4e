import { StorageError } from '../../adapters/storage/lib/storage-error.ts'
import type {
  AuditEventRecord,
  HeldKey,
  HourlyTotal,
  KeyPage,
  KeyPageQuery,
  KeyRecord,
  KeyStorage,
  KeyWrite,
  StorageMethod,
  WorkspaceView,
  WorkspaceWrite,
  WriteOutcome,
} from '../../src/storage/index.ts'

/** What is wrong with a storage: methods that take the place of good ones. */
type Plant = (good: KeyStorage) => Partial<KeyStorage>
type Given<M extends StorageMethod> = Parameters<KeyStorage[M]>
type Answer<M extends StorageMethod> = Awaited<ReturnType<KeyStorage[M]>>

const HOUR_MS = 3_600_000
const REFUSED: WriteOutcome = { outcome: 'refused' }
const turn = () => new Promise((resolve) => setTimeout(resolve, 0))

/** Puts a function in the place of a method, which it gets to call. */
function around<M extends StorageMethod>(
  method: M,
  run: (
    call: (...given: Given<M>) => Promise<Answer<M>>,
    given: Given<M>,
    good: KeyStorage,
  ) => unknown,
): Plant {
  return (good) => {
    const call = async (...given: Given<M>) => Reflect.apply(good[method], good, given)
    return { [method]: async (...given: Given<M>) => run(call, given, good) }
  }
}

/** Changes what a method is asked. */
function asks<M extends StorageMethod>(
  method: M,
  change: (given: Given<M>, good: KeyStorage) => Given<M> | Promise<Given<M>>,
): Plant {
  return around(method, async (call, given, good) => call(...(await change(given, good))))
}

/** Changes what a method answers. */
function answers<M extends StorageMethod>(
  method: M,
  change: (answer: Answer<M>, good: KeyStorage, given: Given<M>) => unknown,
): Plant {
  return around(method, async (call, given, good) => change(await call(...given), good, given))
}

/** Runs a method by a clock that is ahead. */
function ahead(method: StorageMethod, byMs: () => number): Plant {
  return around(method, async (call, given) => {
    const now = Date.now
    const laterMs = byMs()
    Date.now = () => now() + laterMs
    return call(...given).finally(() => {
      Date.now = now
    })
  })
}

/** Faults that share what each storage keeps for itself. */
function keeping(plants: () => Plant | readonly Plant[]): Plant {
  return (good) => Object.assign({}, ...[plants()].flat().map((plant) => plant(good)))
}

/** A fault that knows events as they were written. */
function rememberingEvents(
  plant: (asWritten: (events: readonly AuditEventRecord[]) => readonly AuditEventRecord[]) => Plant,
): Plant {
  return keeping(() => {
    const written = new Map<string, AuditEventRecord>()
    const remember = tells('write', (writes) => {
      for (const event of writes.flatMap(({ events }) => events)) written.set(event.id, event)
    })
    return [remember, plant((events) => events.map((event) => written.get(event.id) ?? event))]
  })
}

/** Tells what a method is asked. */
function tells<M extends StorageMethod>(method: M, tell: (...given: Given<M>) => unknown): Plant {
  return around(method, (call, given) => {
    tell(...given)
    return call(...given)
  })
}

/** Changes each step before it is stored. */
function steps(
  change: (
    step: WorkspaceWrite,
    good: KeyStorage,
  ) => Partial<WorkspaceWrite> | Promise<Partial<WorkspaceWrite>>,
): Plant {
  return asks('write', async ([writes], good) => {
    const changed = writes.map(async (step) => ({ ...step, ...(await change(step, good)) }))
    return [await Promise.all(changed)]
  })
}

/** Changes each key of a step, which comes with the key that the workspace has by its id. */
function members(
  change: (member: KeyWrite, held: HeldKey | undefined, at: number) => Partial<KeyWrite>,
): Plant {
  return steps(async (step, good) => {
    const held = await heldIn(good, step)
    const keys = step.keys.map((key, at) => {
      return { ...key, ...change(key, held.get(key.record.id), at) }
    })
    return { keys }
  })
}

/** Changes fields of each record before it is stored. */
function fields(change: (record: KeyRecord, good: KeyStorage) => Partial<KeyRecord>): Plant {
  return steps(({ keys }, good) => ({
    keys: keys.map((key) => {
      return { ...key, record: { ...key.record, ...change(key.record, good) } }
    }),
  }))
}

/** Gives events other ids. */
function eventIds(change: (id: string, step: WorkspaceWrite) => string): Plant {
  return steps((step) => ({
    events: step.events.map((event) => ({ ...event, id: change(event.id, step) })),
  }))
}

/** Answers to each step something else than it should. */
function outcomes(
  change: (
    step: WorkspaceWrite,
    outcome: WriteOutcome,
    good: KeyStorage,
  ) => WriteOutcome | Promise<WriteOutcome>,
): Plant {
  return answers('write', (given, good, [writes]) =>
    Promise.all(writes.map((step, at) => change(step, given[at] ?? REFUSED, good))),
  )
}

/** Changes what is read of a workspace. */
function views(change: (view: WorkspaceView) => Partial<WorkspaceView>): Plant {
  return answers('read', (view) => ({ ...view, ...change(view) }))
}

/** Changes the keys that are read. */
function viewedKeys(change: (key: HeldKey) => Partial<HeldKey>): Plant {
  return views(({ keys }) => ({ keys: keys.map((key) => ({ ...key, ...change(key) })) }))
}

/** Changes the keys of pages. */
function listedKeys(
  change: (keys: readonly HeldKey[], page: KeyPage) => readonly HeldKey[],
): Plant {
  return answers('list', (page) => ({ ...page, keys: change(page.keys, page) }))
}

/** Changes what is asked of pages. */
function listed(change: (query: KeyPageQuery) => Partial<KeyPageQuery>): Plant {
  return asks('list', ([id, query]) => [id, { ...query, ...change(query) }])
}

function viewOf(good: KeyStorage, workspaceId: string, ids: readonly string[] = []) {
  return good.read({ workspaceId, ids, eventIds: [], countAtMs: null, countUpTo: null })
}

async function heldIn(good: KeyStorage, { workspaceId, keys }: WorkspaceWrite) {
  const ids = keys.map(({ record }) => record.id)
  const { keys: held } = await viewOf(good, workspaceId, ids)
  return new Map(held.map((key) => [key.record.id, key]))
}

/** Changes one key, whatever is there. */
function put(good: KeyStorage, { record, edition }: Pick<HeldKey, 'record' | 'edition'>) {
  const keys = [{ record, ifEdition: edition }]
  const { workspaceId } = record
  return good.write([{ workspaceId, ifAddedAtMost: null, adds: 0, events: [], keys }])
}

/** Acknowledges all events. */
async function acknowledgeAll(good: KeyStorage): Promise<void> {
  const events = await good.claimEvents({ relay: 'r', leaseMs: 1, limit: 99, except: [] })
  const ids = events.map(({ id }) => id)
  await good.acknowledgeEvents('r', ids)
}

const byInstant = (one: AuditEventRecord, other: AuditEventRecord) => one.atMs - other.atMs

/** Every fault, under the idea whose cases are meant for it. */
export const PLANTED = {
  records: {
    'changes the case of names': listedKeys((keys) =>
      keys.map((key) => {
        return { ...key, record: { ...key.record, name: key.record.name.toUpperCase() } }
      }),
    ),
    'takes an empty list for none': fields(({ resources }) => {
      const lists = Object.entries(resources).filter(([, ids]) => ids.length > 0)
      return { resources: Object.fromEntries(lists) }
    }),
    'moves the edition with the version': viewedKeys(({ record }) => ({ edition: record.version })),
  },
  stored: {
    'moves a changed key to the front': listedKeys((keys) =>
      keys.toSorted((one, other) => other.edition - one.edition),
    ),
    'moves the edition with a use': answers('addUses', async (_, good, [{ uses }]) => {
      for (const { id } of uses) {
        const { keys } = await viewOf(good, 'ws_sample', [id])
        for (const key of keys) await put(good, key)
      }
    }),
    'takes the bound for what was added': steps(async ({ workspaceId, ifAddedAtMost }, good) => {
      const { added } = await viewOf(good, workspaceId)
      return [null, added].includes(ifAddedAtMost) ? {} : { ifAddedAtMost: -1 }
    }),
    'counts every step as added': steps(() => ({ adds: 1 })),
    'counts keys instead of what the step adds': steps(({ keys }) => ({ adds: keys.length })),
    'refuses an empty step': outcomes(({ keys, events }, given) =>
      keys.length + events.length === 0 ? REFUSED : given,
    ),
    'changes nothing in a closed workspace': outcomes(async ({ workspaceId }, given, good) =>
      (await viewOf(good, workspaceId)).isErased ? REFUSED : given,
    ),
    'believes the workspace in a record': steps(({ workspaceId, keys }) => ({
      workspaceId: keys[0]?.record.workspaceId ?? workspaceId,
    })),
    'believes the workspace in an event': rememberingEvents((asWritten) =>
      answers('events', ({ events, last }) => ({ events: asWritten(events), last })),
    ),
    'drops the events of a step': steps(() => ({ events: [] })),
  },
  refusals: {
    'takes an edition that is higher': members(({ ifEdition }, held) =>
      held !== undefined && (ifEdition ?? 0) > held.edition ? { ifEdition: held.edition } : {},
    ),
    'lets a revoked key live again': outcomes(({ keys }, given) => {
      const revives = ({ record, ifEdition }: KeyWrite) =>
        record.revokedAtMs === null && ifEdition === 2
      return keys.some(revives) ? { outcome: 'stored' } : given
    }),
    'moves a revocation': members(({ record }, held) => {
      const revokedAtMs = held?.record.revokedAtMs ?? record.revokedAtMs
      return { record: { ...record, revokedAtMs } }
    }),
    'changes keys of other workspaces': keeping(() => {
      const homes = new Map<string, string>()
      return steps(({ workspaceId, keys: [key] }) => {
        const home = homes.get(key?.record.id ?? '')
        homes.set(key?.record.id ?? '', workspaceId)
        return key?.ifEdition && home ? { workspaceId: home } : {}
      })
    }),
    'ignores the bound': steps(() => ({ ifAddedAtMost: null })),
    'ignores the bound where there is no row yet': steps(async ({ workspaceId }, good) =>
      (await viewOf(good, workspaceId)).added === 0 ? { ifAddedAtMost: null } : {},
    ),
    'takes a new key of a closed workspace': asks('closeWorkspace', ([id]) => [
      id === 'ws_other' ? 'nowhere' : id,
    ]),
  },
  conflicts: {
    'stores a new key over one with its id': members(({ ifEdition }, held) => ({
      ifEdition: held?.edition ?? ifEdition,
    })),
    'changes the key of another tenant with the same hash': steps(async ({ keys }, good) => {
      for (const { record } of keys) {
        const theirs = await good.findByHash(record.hash)
        if (!theirs || theirs.id === record.id) continue
        await put(good, { record: { ...theirs, name: record.name, updatedAtMs: 7 }, edition: 1 })
      }
      return {}
    }),
    'takes a hash twice': fields(({ id, hash }, good) => {
      const found = good.findByHash(hash) as KeyRecord | null
      return { hash: found !== null && found.id !== id ? id : hash }
    }),
    'takes a predecessor twice': fields(() => ({ replaces: null })),
    'takes an event twice': eventIds((id, { workspaceId }) => `${workspaceId} ${id}`),
    'ignores editions': members(({ ifEdition }, held) => ({
      ifEdition: ifEdition && (held?.edition ?? ifEdition),
    })),
    'ignores the edition of all keys but the first': members(({ ifEdition }, held, at) => ({
      ifEdition: at === 0 ? ifEdition : (held?.edition ?? null),
    })),
    'takes the version for the edition': members(({ record }, held) =>
      held?.record.version === record.version - 1 ? { ifEdition: held.edition } : {},
    ),
    'lets a refused step refuse its list': answers('write', (given) =>
      given.some(({ outcome }) => outcome === 'refused') ? given.map(() => REFUSED) : given,
    ),
    'answers a list in another order': answers('write', (given) =>
      given.toSorted((one, other) => (one.outcome < other.outcome ? 1 : -1)),
    ),
    'stores the events of a refused step': outcomes(async (step, given, good) => {
      if (given.outcome === 'refused') {
        await good.write([{ ...step, keys: [], ifAddedAtMost: null }])
      }
      return given
    }),
    'does a step twice that is sent twice': eventIds(() => crypto.randomUUID()),
    'answers stored to a repeat': outcomes(() => ({ outcome: 'stored' })),
  },
  'conflicts at once': {
    'looks at the bound before it waits': steps(async ({ workspaceId, ifAddedAtMost }, good) => {
      const { added } = await viewOf(good, workspaceId)
      await turn()
      return added <= (ifAddedAtMost ?? added) ? { ifAddedAtMost: null } : {}
    }),
    'looks at the taken ids before it waits': steps(async (step, good) => {
      const before = await heldIn(good, step)
      await turn()
      const now = await heldIn(good, step)
      const keys = step.keys.map(({ record, ifEdition }) => {
        const isFree = ifEdition === null && !before.has(record.id)
        return { record, ifEdition: isFree ? (now.get(record.id)?.edition ?? null) : ifEdition }
      })
      return { keys }
    }),
  },
  'difficult text': {
    'stores the part of a list before an unstorable text': around(
      'write',
      async (call, [given]) => {
        const bad = given.findIndex((step) => JSON.stringify(step).includes('\\u0000'))
        if (bad === -1) return call(given)
        await call(given.slice(0, bad))
        throw new StorageError('unstorable_value', 'a text contains U+0000')
      },
    ),
    'cuts texts': fields(({ name }) => ({ name: name.split('\u0000')[0] ?? '' })),
  },
  read: {
    'counts before it reads added': answers('read', async (view, good, given) => {
      await turn()
      return { ...view, added: (await good.read(...given)).added }
    }),
    'counts too few': views(({ activeKeys }) => ({ activeKeys: activeKeys && activeKeys - 1 })),
    'finds events of every workspace': answers('read', async (view, good, [query]) => {
      const others = await good.read({ ...query, workspaceId: 'ws_other' })
      return { ...view, eventIds: [...view.eventIds, ...others.eventIds] }
    }),
  },
  isolation: {
    'treats names of workspaces as equal without their case': asks('list', ([id, query]) => [
      id.toLowerCase(),
      query,
    ]),
  },
  races: {
    'counts uses by writing back the record that it read': keeping(() => {
      const revived = new Set<string>()
      return [
        tells('addUses', ({ uses }) => {
          for (const { id } of uses) revived.add(id)
        }),
        viewedKeys(({ record }) => ({
          record: revived.has(record.id) ? { ...record, revokedAtMs: null } : record,
        })),
      ]
    }),
    'answers lookups from a cache': keeping(() => {
      const cache = new Map<string, KeyRecord | null>()
      return around('findByHash', async (call, [hash]) => {
        if (!cache.has(hash)) cache.set(hash, await call(hash))
        return cache.get(hash)
      })
    }),
    'reads what was there before the last step': keeping(() => {
      let last: WorkspaceView | null = null
      return answers('read', (view, _, [{ ids }]) => {
        const before = last
        last = view
        return before?.keys[0]?.record.id === ids[0] ? (before ?? view) : view
      })
    }),
  },
  order: {
    'orders events by their instants': answers('events', ({ events, last }) => ({
      events: events.toSorted(byInstant),
      last,
    })),
    'orders keys by their instants': listedKeys((keys) =>
      keys.toSorted((one, other) => other.record.createdAtMs - one.record.createdAtMs),
    ),
    'claims events by their instants': answers('claimEvents', (events) =>
      events.toSorted(byInstant),
    ),
    'shows a place before an earlier one is there': keeping(() => {
      let hidden = 0
      return answers('events', ({ events, last }) => {
        hidden += 1
        return { events: hidden % 2 === 1 && events.length > 1 ? events.slice(1) : events, last }
      })
    }),
  },
  filter: {
    'begins a page with the key before it': listed(({ after }) => ({ after: after && after + 1 })),
    'drops the last key of a page': listedKeys((keys, { more }) =>
      more ? keys.slice(0, -1) : keys,
    ),
    'says that more follows a full page': answers('list', (page, _, [, { limit }]) => ({
      ...page,
      more: page.keys.length === limit,
    })),
    'counts a key at its very end': asks('read', ([query]) => [
      { ...query, countAtMs: query.countAtMs && query.countAtMs - 1 },
    ]),
    'counts only the page': answers('list', (page) => ({
      ...page,
      total: page.total && page.keys.length,
    })),
    'lists keys of every creator': listed(() => ({ creatorId: undefined })),
    'lists all keys for no ids': listed(({ ids }) => ({
      ids: ids?.length === 0 ? undefined : ids,
    })),
    'takes keys that list nothing for keys without a restriction': answers(
      'list',
      async (page, good, [id, query]) => {
        if (query.resource?.match !== 'reaches') return page
        const { keys } = await good.list(id, { ...query, resource: undefined })
        const empty = keys.filter(({ record }) => record.resources['project']?.length === 0)
        const both = [...page.keys, ...empty].toSorted((one, other) => other.place - one.place)
        return { ...page, keys: both }
      },
    ),
  },
  events: {
    'answers fewer events than it could': asks('events', ([id, query]) => [
      id,
      { ...query, limit: Math.min(query.limit, 2) },
    ]),
  },
  relay: {
    'gives the lease to anyone': asks('claimEvents', ([claim]) => [{ ...claim, relay: 'any' }]),
    'lets a late relay acknowledge': keeping(() => {
      let holder = ''
      return [
        asks('claimEvents', ([claim]) => {
          holder = claim.relay
          return [claim]
        }),
        asks('acknowledgeEvents', ([, ids]) => [holder, ids]),
      ]
    }),
    'keeps a lease that was released': around('releaseEvents', () => undefined),
    'leaves workspaces out of a page that is cut already': around(
      'claimEvents',
      async (call, [{ except, ...claim }]) => {
        const events = await call({ ...claim, except: [] })
        return events.filter(({ workspaceId }) => !except.includes(workspaceId))
      },
    ),
    'claims events by their instants': answers('claimEvents', (events) =>
      events.toSorted(byInstant),
    ),
  },
  notices: {
    'is due a millisecond early': asks('due', ([query]) => [{ ...query, atMs: query.atMs + 1 }]),
    'takes the first keys for the earliest': around('due', async (call, [query]) => {
      const keys = await call({ ...query, limit: 1_000 })
      return keys.toSorted((one, other) => one.place - other.place).slice(0, query.limit)
    }),
  },
  usage: {
    'takes each batch for the first of a writer': asks('addUses', ([batch]) => [
      { ...batch, writer: crypto.randomUUID() },
    ]),
    'numbers the batches of all writers': asks('addUses', ([batch]) => [
      { ...batch, writer: 'one' },
    ]),
    'takes 32 bits of a count': asks('addUses', ([batch]) => [
      { ...batch, uses: batch.uses.map((use) => ({ ...use, uses: use.uses | 0 })) },
    ]),
    'moves lastUsedAtMs back': keeping(() => {
      let lastUsedAtMs = 0
      return [
        tells('addUses', ({ uses }) => {
          lastUsedAtMs = uses[0]?.lastUsedAtMs ?? 0
        }),
        viewedKeys(({ usage }) => ({ usage: { ...usage, lastUsedAtMs } })),
      ]
    }),
    'believes the instant of a use and the hour of a count': ahead('addUses', () => 48 * HOUR_MS),
    'keeps the uses of ids that name no key': keeping(() => {
      const kept = new Map<string, number>()
      return [
        tells('addUses', ({ uses }) => {
          for (const { id, uses: count } of uses) kept.set(id, count)
        }),
        viewedKeys(({ record: { id }, usage }) => ({
          usage: { ...usage, uses: usage.uses || (kept.get(id) ?? 0) },
        })),
      ]
    }),
  },
  history: {
    'keeps old hours': asks('addUses', ([{ history, ...batch }]) => [
      { ...batch, ...(history && { history: { ...history, keepDays: 999 } }) },
    ]),
    'has the end of a range': asks('usage', ([id, query]) => [
      id,
      { ...query, toHour: query.toHour + 1 },
    ]),
  },
  person: {
    'finds who created a key, not who paused it': answers(
      'keysOfPerson',
      (keys, _, [{ personId }]) => keys.filter(({ record }) => record.creator.id === personId),
    ),
    'delivers the name of an erased person': rememberingEvents((asWritten) =>
      answers('claimEvents', asWritten),
    ),
  },
  erasure: {
    'takes a new key after it is closed': around('closeWorkspace', (call, given) => {
      void turn().then(() => call(...given))
    }),
    'leaves the hours of a deleted key': keeping(() => {
      const left = new Map<string, readonly HourlyTotal[] | null>()
      return [
        around('deleteWorkspace', async (call, [deletion], good) => {
          const { workspaceId: id } = deletion
          const query = { id: null, fromHour: 0, toHour: 1e9 }
          left.set(id, left.get(id) ?? (await good.usage(id, query)))
          return call(deletion)
        }),
        answers('usage', (hours, _, [id, query]) => (query.id === null && left.get(id)) || hours),
      ]
    }),
    'deletes living keys of a closed workspace': around(
      'deleteWorkspace',
      async (call, [deletion], storage) => {
        const query = { status: null, environment: null, atMs: 0, after: null, limit: 99 }
        const { keys } = await storage.list(deletion.workspaceId, { ...query, countUpTo: null })
        for (const { record, edition } of keys) {
          const revokedAtMs = record.revokedAtMs ?? 5
          await put(storage, { record: { ...record, revokedAtMs }, edition })
        }
        return call(deletion)
      },
    ),
    'deletes keys of a workspace that is open': around(
      'deleteWorkspace',
      async (call, [deletion], good) => {
        await good.closeWorkspace(deletion.workspaceId)
        return call(deletion)
      },
    ),
    'deletes events before they are delivered': around(
      'deleteWorkspace',
      async (call, given, good) => {
        await acknowledgeAll(good)
        return call(...given)
      },
    ),
  },
  purge: {
    'purges what is young': ahead('purge', () => 2 * HOUR_MS),
    'purges a key that was changed a minute ago': keeping(() => {
      let isChanged = false
      return [
        tells('write', (writes) => {
          isChanged ||= writes.some(({ keys }) => keys.some(({ ifEdition }) => ifEdition !== null))
        }),
        ahead('purge', () => (isChanged ? 2 * HOUR_MS : 0)),
      ]
    }),
    'purges a key at the instant': asks('purge', ([query]) => [
      { ...query, endedBeforeMs: query.endedBeforeMs && query.endedBeforeMs + 1 },
    ]),
    'purges events that nobody has acknowledged': around('purge', async (call, given, good) => {
      await acknowledgeAll(good)
      return call(...given)
    }),
  },
  copies: {
    'gives out what it stores': keeping(() => {
      const given = new Map<string, KeyRecord>()
      return [
        tells('write', (writes) => {
          for (const { record } of writes.flatMap(({ keys }) => keys))
            given.set(record.hash, record)
        }),
        answers('findByHash', (record, _, [hash]) => given.get(hash) ?? record),
      ]
    }),
  },
} satisfies Readonly<Record<string, Readonly<Record<string, Plant>>>>
