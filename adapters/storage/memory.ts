/**
 * Keys in the memory of one process, for tests and for trying things out.
 *
 * @module miftah/memory
 */

import {
  countsAt,
  ERASED_PERSON,
  type HourlyTotal,
  type KeyRecord,
  type KeyStorage,
  matches,
  statusAt,
  type UsageHistoryBatch,
} from '../../src/storage/index.ts'
import { frozenCopy } from './lib/frozen-copy.ts'
import { held, type LoggedEvent, type Slot, Tables } from './lib/memory/tables.ts'

const HOUR_MS = 3_600_000

/**
 * Keeps keys in this process's memory: for tests and for trying things out. A restart forgets
 * everything, and two processes share nothing. There is nothing to close.
 *
 * @example
 * ```ts
 * import { memoryStorage } from 'miftah/memory'
 *
 * const storage = memoryStorage()
 * await storage.events('ws_1', { after: null, limit: 10 }) //=> { events: [], last: null }
 * ```
 */
export function memoryStorage(): KeyStorage {
  const tables = new Tables()
  return {
    ...keysIn(tables),
    ...logIn(tables),
    ...usesIn(tables),
    ...relayOf(tables),
    ...erasureIn(tables),
  }
}

// A method runs to its end without awaiting, which is what makes it atomic here.

function keysIn(tables: Tables) {
  return {
    findByHash: (hash) => tables.byHash.get(hash)?.record ?? null,

    read: async ({ workspaceId, ids, eventIds, countAtMs: atMs, countUpTo }) => {
      const { isErased, added, keys, events } = tables.known(workspaceId)
      const count = (is: (record: KeyRecord, atMs: number) => boolean) =>
        atMs === null ? null : counted(keys.values(), ({ record }) => is(record, atMs), countUpTo)
      return {
        isErased,
        added,
        keys: ids.flatMap((id) => keys.get(id) ?? []).map(held),
        eventIds: eventIds.filter((id) => events.has(id)),
        activeKeys: count(countsAt),
        retiringKeys: count((record, atMs) => statusAt(record, atMs) === 'retiring'),
      }
    },

    write: async (writes) =>
      writes.map((write) => {
        if (!tables.mayStore(write)) return { outcome: 'refused' }
        tables.store(write)
        return { outcome: 'stored' }
      }),

    list: async (workspaceId, query) => {
      const { after, limit, oldestFirst = false, countUpTo, atMs } = query
      const slots = [...tables.known(workspaceId).keys.values()]
      const matching = slots.filter((slot) => matches(slot, query))
      const page = pageOf(matching, after, oldestFirst)
      const count = (all: Slot[], is: (slot: Slot) => boolean) =>
        countUpTo === null ? null : counted(all, is, countUpTo)
      return {
        keys: page.slice(0, limit).map(held),
        more: page.length > limit,
        activeKeys: count(slots, ({ record }) => countsAt(record, atMs)),
        total: after === null ? count(matching, () => true) : null,
      }
    },

    due: async ({ atMs, limit }) => {
      const instant = ({ record }: Slot) => record.noticeAtMs ?? Infinity
      const slots = [...tables.byId.values()].filter((slot) => instant(slot) <= atMs)
      slots.sort((one, other) => instant(one) - instant(other))
      return slots.slice(0, limit).map(held)
    },
  } satisfies Partial<KeyStorage>
}

function logIn(tables: Tables) {
  return {
    events: async (workspaceId, { after, keyId = null, newestFirst = false, limit }) => {
      const logged = [...tables.known(workspaceId).events.values()]
      const page = pageOf(logged, after, !newestFirst)
        .filter(({ event }) => keyId === null || event.keyId === keyId)
        .slice(0, limit)
      return { events: page.map(({ event }) => event), last: page.at(-1)?.place ?? null }
    },

    renameActor: async ({ personId, limit }) => {
      const logged = [...tables.workspaces.values()].flatMap(({ events }) => [...events.values()])
      const named = logged.filter(({ event }) => event.actor.id === personId)
      for (const entry of named.slice(0, limit)) {
        entry.event = frozenCopy({ ...entry.event, actor: ERASED_PERSON })
      }
      return { keys: 0, events: Math.min(named.length, limit), more: named.length > limit }
    },
  } satisfies Partial<KeyStorage>
}

function usesIn(tables: Tables) {
  const writers = new Map<string, number>()
  return {
    addUses: async ({ writer, sequence, uses, history }) => {
      if (sequence <= (writers.get(writer) ?? 0)) return
      writers.set(writer, sequence)
      const nowMs = Date.now()
      for (const { id, uses: added, lastUsedAtMs } of uses) {
        const slot = tables.byId.get(id)
        if (slot === undefined) continue
        slot.usage = Object.freeze({
          uses: slot.usage.uses + added,
          lastUsedAtMs: latestUse(slot.usage.lastUsedAtMs, lastUsedAtMs, nowMs),
        })
      }
      if (history !== undefined) addHistory(tables, history, nowMs)
    },

    usage: async (workspaceId, { id, fromHour, toHour }) => {
      const slots = [...tables.known(workspaceId).keys.values()]
      const own = slots.filter(({ record }) => id === null || record.id === id)
      if (id !== null && own.length === 0) return null
      const totals = own.flatMap(({ history }) => [...history.values()])
      const sums = new Map<string, HourlyTotal>()
      for (const total of totals) {
        if (total.hour >= fromHour && total.hour < toHour) addTo(sums, total)
      }
      return [...sums.values()]
    },
  } satisfies Partial<KeyStorage>
}

function relayOf(tables: Tables) {
  const { pending } = tables
  let holder: string | null = null
  // By the monotonic clock of this process.
  let endsMs = 0
  return {
    claimEvents: async ({ relay, leaseMs, limit, except }) => {
      const nowMs = performance.now()
      if (holder !== null && holder !== relay && nowMs < endsMs) return []
      holder = relay
      endsMs = nowMs + leaseMs
      const events = Array.from(pending.values(), ({ event }) => event)
      return events.filter(({ workspaceId }) => !except.includes(workspaceId)).slice(0, limit)
    },

    acknowledgeEvents: async (relay, eventIds) => {
      if (relay !== holder) return
      for (const id of eventIds) {
        const workspaceId = pending.get(id)?.event.workspaceId ?? ''
        pending.delete(id)
        const { isErased, events } = tables.known(workspaceId)
        if (isErased) events.delete(id)
      }
    },

    releaseEvents: async (relay) => {
      if (relay === holder) holder = null
    },
  } satisfies Partial<KeyStorage>
}

function erasureIn(tables: Tables) {
  return {
    keysOfPerson: async ({ personId, limit }) => {
      const isNamed = ({ record: { creator, pausedBy } }: Slot) =>
        [creator.id, pausedBy?.id].includes(personId)
      return [...tables.byId.values()].filter(isNamed).slice(0, limit).map(held)
    },

    closeWorkspace: async (workspaceId) => {
      tables.workspace(workspaceId).isErased = true
    },

    deleteWorkspace: async ({ workspaceId, limit }) => {
      const workspace = tables.known(workspaceId)
      return tables.delete(workspace.isErased ? [workspace] : [], limit, {
        key: ({ record }) => record.revokedAtMs !== null,
        event: () => true,
      })
    },

    purge: async ({ endedBeforeMs, eventsBeforeMs, limit }) => {
      const nowMs = Date.now()
      const isOld = ({ writtenAtMs }: Slot | LoggedEvent) => writtenAtMs <= nowMs - HOUR_MS
      const endedBefore = Math.min(endedBeforeMs ?? -Infinity, nowMs)
      return tables.delete([...tables.workspaces.values()], limit, {
        key: (slot) => isOld(slot) && !slot.record.format && endOf(slot.record) < endedBefore,
        event: (logged) => isOld(logged) && logged.event.atMs < (eventsBeforeMs ?? -Infinity),
      })
    },
  } satisfies Partial<KeyStorage>
}

/** What follows a place, in the order of the query. */
function pageOf<T extends { place: number }>(all: T[], after: number | null, oldestFirst: boolean) {
  if (oldestFirst) return all.filter(({ place }) => after === null || place > after)
  return all.filter(({ place }) => after === null || place < after).reverse()
}

/** How many there are, up to one more than `upTo`. */
function counted<T>(all: Iterable<T>, is: (one: T) => boolean, upTo: number | null): number {
  let count = 0
  for (const one of all) if (is(one) && count++ === upTo) break
  return count
}

function addHistory({ byId }: Tables, { counts, keepDays }: UsageHistoryBatch, nowMs: number) {
  const firstHour = (Math.floor(nowMs / (24 * HOUR_MS)) - keepDays) * 24
  const currentHour = Math.floor(nowMs / HOUR_MS)
  for (const { history } of byId.values()) {
    for (const [name, { hour }] of history) if (hour < firstHour) history.delete(name)
  }
  for (const { id, hour, outcome, count } of counts) {
    const history = hour < firstHour ? undefined : byId.get(id)?.history
    if (history) addTo(history, { hour: Math.min(hour, currentHour), outcome, count })
  }
}

function addTo(sums: Map<string, HourlyTotal>, { hour, outcome, count }: HourlyTotal): void {
  const name = `${hour} ${outcome}`
  const sum = Math.min((sums.get(name)?.count ?? 0) + count, Number.MAX_SAFE_INTEGER)
  sums.set(name, { hour, outcome, count: sum })
}

/** The later of two instants. Neither counts when it is ahead of the storage's clock. */
function latestUse(beforeMs: number | null, usedAtMs: number, nowMs: number): number {
  const boundedMs = Math.min(usedAtMs, nowMs)
  return beforeMs === null || beforeMs > nowMs ? boundedMs : Math.max(beforeMs, boundedMs)
}

function endOf({ revokedAtMs, retiresAtMs, expiresAtMs }: KeyRecord): number {
  return Math.min(...[revokedAtMs, retiresAtMs, expiresAtMs].filter((end) => end !== null))
}
