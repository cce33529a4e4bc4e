// A storage on any database of documents with transactions that are repeated if something they have read has
// changed. It reads a whole workspace for each page, which is fine for hundreds of keys.

import type {
  AuditEventRecord,
  HourlyTotal,
  KeyRecord,
  KeyStorage,
  WorkspaceWrite,
} from 'miftah/storage'
import { countsAt, ERASED_PERSON, matches, STORAGE_METHODS, statusAt } from 'miftah/storage'
import type { Documents, Transaction } from './documents.ts'

type Placed = { id: string; workspaceId: string; place: number; writtenAtMs: number }
/** The collections. `taken` has the owner of each hash, and of each key that is replaced. */
type Tables = {
  workspaces: { isErased: boolean; added: number; revision: number; writtenAtMs: number }
  keys: Placed & { record: KeyRecord; edition: number }
  events: Placed & { event: AuditEventRecord; isPending: boolean }
  usage: {
    id: string
    workspaceId: string
    uses: number
    lastUsedAtMs: number | null
    hours: HourlyTotal[]
  }
  taken: { owner: string }
  writers: { sequence: number }
  lease: { relay: string; endsMs: number }
}
type Tx = Transaction<Tables>
const HOUR_MS = 3_600_000
const NO_USE = { uses: 0, lastUsedAtMs: null }
const NEW_WORKSPACE = { isErased: false, added: 0, revision: 0, writtenAtMs: 0 }
const REFUSED = new Error('refused')

/** Each call is one transaction; of `write`, each step, so that a refused one refuses no other. */
export function documentStorage(database: Documents<Tables>): KeyStorage {
  const methods = STORAGE_METHODS.map((name) => [
    name,
    (...given: unknown[]) =>
      database.transaction(async (tx) =>
        Reflect.apply((inside(tx) as KeyStorage)[name], null, given),
      ),
  ])
  const write = (step: WorkspaceWrite) =>
    database
      .transaction((tx) => store(tx, step))
      .then(
        () => ({ outcome: 'stored' as const }),
        (error) => (error === REFUSED ? { outcome: 'refused' as const } : Promise.reject(error)),
      )
  return { ...Object.fromEntries(methods), write: (steps) => Promise.all(steps.map(write)) }
}

function inside(tx: Tx): Omit<KeyStorage, 'write'> {
  return {
    findByHash: async (hash) => {
      const taken = await tx.get('taken', `hash ${hash}`)
      return (taken && (await tx.get('keys', taken.owner))?.record) ?? null
    },
    read: async ({ workspaceId, ids, eventIds, countAtMs: atMs }) => {
      const { isErased, added } = await workspaceIn(tx, workspaceId)
      const all = await tx.find('keys', { workspaceId })
      const keys = await held(
        tx,
        all.filter(({ id }) => ids.includes(id)),
      )
      const known = (await tx.find('events', { workspaceId })).map(({ id }) => id)
      const view = { isErased, added, keys, eventIds: eventIds.filter((id) => known.includes(id)) }
      if (atMs === null) return { ...view, activeKeys: null, retiringKeys: null }
      const retiring = all.filter(({ record }) => statusAt(record, atMs) === 'retiring')
      return { ...view, activeKeys: activeIn(all, atMs), retiringKeys: retiring.length }
    },
    list: async (workspaceId, { after, limit, oldestFirst = false, countUpTo, ...filters }) => {
      const all = await held(tx, await tx.find('keys', { workspaceId }))
      const matching = all.filter((key) => matches(key, filters))
      const page = pageOf(matching, after, oldestFirst)
      const total = countUpTo === null || after !== null ? null : matching.length
      const activeKeys = countUpTo === null ? null : activeIn(all, filters.atMs)
      return { keys: page.slice(0, limit), more: page.length > limit, activeKeys, total }
    },
    events: async (workspaceId, { after, keyId = null, newestFirst = false, limit }) => {
      const page = pageOf(await tx.find('events', { workspaceId }), after, !newestFirst)
        .filter(({ event }) => keyId === null || event.keyId === keyId)
        .slice(0, limit)
      return { events: page.map(({ event }) => event), last: page.at(-1)?.place ?? null }
    },
    addUses: async ({ writer, sequence, uses, history }) => {
      if (sequence <= ((await tx.get('writers', writer))?.sequence ?? 0)) return
      tx.put('writers', writer, { sequence })
      const nowMs = Date.now()
      const { counts, keepDays } = history ?? { counts: [], keepDays: Infinity }
      const firstHour = (Math.floor(nowMs / (24 * HOUR_MS)) - keepDays) * 24
      const old = history ? await tx.find('usage', {}) : []
      for (const id of new Set([...uses, ...counts, ...old].map((one) => one.id))) {
        const workspaceId = (await tx.get('keys', id))?.workspaceId
        if (workspaceId === undefined) continue
        const before = (await tx.get('usage', id)) ?? { id, workspaceId, ...NO_USE, hours: [] }
        const used = uses.find((one) => one.id === id)
        const known = before.lastUsedAtMs ?? 0
        const latest = Math.max(known > nowMs ? 0 : known, Math.min(used?.lastUsedAtMs ?? 0, nowMs))
        const own = counts.filter((one) => one.id === id)
        const added = own.map((one) => ({
          ...one,
          hour: Math.min(one.hour, Math.floor(nowMs / HOUR_MS)),
        }))
        const hours = summed([...before.hours, ...added].filter(({ hour }) => hour >= firstHour))
        const lastUsedAtMs = used ? latest : before.lastUsedAtMs
        tx.put('usage', id, {
          ...before,
          uses: before.uses + (used?.uses ?? 0),
          lastUsedAtMs,
          hours,
        })
      }
    },
    usage: async (workspaceId, { id, fromHour, toHour }) => {
      if (id !== null && (await tx.get('keys', id))?.workspaceId !== workspaceId) return null
      const usage = await tx.find('usage', id === null ? { workspaceId } : { id })
      const hours = usage.flatMap((one) => one.hours)
      return summed(hours.filter(({ hour }) => hour >= fromHour && hour < toHour))
    },
    claimEvents: async ({ relay, leaseMs, limit, except }) => {
      const lease = await tx.get('lease', 'relay')
      if (lease && lease.relay !== relay && Date.now() < lease.endsMs) return []
      tx.put('lease', 'relay', { relay, endsMs: Date.now() + leaseMs })
      const pending = await tx.find('events', { isPending: true })
      pending.sort((one, other) => one.writtenAtMs - other.writtenAtMs || one.place - other.place)
      const wanted = pending.filter(({ workspaceId }) => !except.includes(workspaceId))
      return wanted.slice(0, limit).map(({ event }) => event)
    },
    acknowledgeEvents: async (relay, eventIds) => {
      if ((await tx.get('lease', 'relay'))?.relay !== relay) return
      for (const logged of await Promise.all(eventIds.map((id) => tx.get('events', id)))) {
        if (logged === undefined) continue
        if ((await workspaceIn(tx, logged.workspaceId)).isErased) tx.remove('events', logged.id)
        else tx.put('events', logged.id, { ...logged, isPending: false })
      }
    },
    releaseEvents: async (relay) => {
      if ((await tx.get('lease', 'relay'))?.relay === relay) tx.remove('lease', 'relay')
    },
    due: async ({ atMs, limit }) => {
      const at = ({ record }: Tables['keys']) => record.noticeAtMs ?? Infinity
      const due = (await tx.find('keys', {})).filter((key) => at(key) <= atMs)
      return held(tx, due.sort((one, other) => at(one) - at(other)).slice(0, limit))
    },
    keysOfPerson: async ({ personId, limit }) => {
      const people = ({ record }: Tables['keys']) => [record.creator.id, record.pausedBy?.id]
      const named = (await tx.find('keys', {})).filter((key) => people(key).includes(personId))
      return held(tx, named.slice(0, limit))
    },
    renameActor: async ({ personId, limit }) => {
      const named = (await tx.find('events', {})).filter(({ event }) => event.actor.id === personId)
      for (const logged of named.slice(0, limit)) {
        tx.put('events', logged.id, { ...logged, event: { ...logged.event, actor: ERASED_PERSON } })
      }
      return { keys: 0, events: Math.min(named.length, limit), more: named.length > limit }
    },
    closeWorkspace: async (id) =>
      tx.put('workspaces', id, { ...(await workspaceIn(tx, id)), isErased: true }),
    deleteWorkspace: async ({ workspaceId, limit }) => {
      const { isErased } = await workspaceIn(tx, workspaceId)
      if (!isErased) return { keys: 0, events: 0, more: false }
      const keys = await tx.find('keys', { workspaceId })
      const revoked = keys.filter(({ record }) => record.revokedAtMs !== null)
      return remove(tx, limit, revoked, await tx.find('events', { workspaceId }))
    },
    purge: async ({ endedBeforeMs, eventsBeforeMs, limit }) => {
      const isOld = ({ writtenAtMs }: Placed) => writtenAtMs <= Date.now() - HOUR_MS
      const keys = (await tx.find('keys', {}))
        .filter(isOld)
        .filter(
          ({ record }) =>
            record.format === null && endOf(record) < Math.min(endedBeforeMs ?? 0, Date.now()),
        )
      const events = (await tx.find('events', {})).filter(isOld)
      return remove(
        tx,
        limit,
        keys,
        events.filter(({ event }) => event.atMs < (eventsBeforeMs ?? 0)),
      )
    },
  }
}

/** Stores one step. What is thrown ends the transaction, and nothing of it is stored. */
async function store(
  tx: Tx,
  { workspaceId, keys, events, ...step }: WorkspaceWrite,
): Promise<void> {
  const workspace = await workspaceIn(tx, workspaceId)
  if (workspace.added > (step.ifAddedAtMost ?? Infinity)) throw REFUSED
  const writtenAtMs = Math.max(Date.now(), workspace.writtenAtMs) // also if the clock is set back
  for (const [index, { record, ifEdition }] of keys.entries()) {
    const { id, hash, replaces, revokedAtMs } = record
    const before = await tx.get('keys', id)
    if ((before?.edition ?? null) !== ifEdition || (workspace.isErased && !before)) throw REFUSED
    if ((before?.workspaceId ?? workspaceId) !== workspaceId) throw REFUSED
    if ((before?.record.revokedAtMs ?? revokedAtMs) !== revokedAtMs) throw REFUSED
    for (const name of [`hash ${hash}`, ...(replaces === null ? [] : [`replaces ${replaces}`])]) {
      if (((await tx.get('taken', name))?.owner ?? id) !== id) throw REFUSED
      tx.put('taken', name, { owner: id })
    }
    const [place, edition] = [
      before?.place ?? workspace.revision + index + 1,
      (before?.edition ?? 0) + 1,
    ]
    tx.put('keys', id, {
      id,
      workspaceId,
      place,
      writtenAtMs,
      edition,
      record: { ...record, workspaceId },
    })
  }
  for (const [index, { id, ...event }] of events.entries()) {
    if (await tx.get('events', id)) throw REFUSED
    const own = { id, ...event, workspaceId } as AuditEventRecord
    const place = workspace.revision + index + 1
    tx.put('events', id, { id, workspaceId, place, writtenAtMs, event: own, isPending: true })
  }
  const revision = workspace.revision + Math.max(1, keys.length, events.length)
  tx.put('workspaces', workspaceId, {
    ...workspace,
    added: workspace.added + step.adds,
    revision,
    writtenAtMs,
  })
}

/** Keys first, with all that was counted of them; then events that were delivered. */
async function remove(tx: Tx, limit: number, keys: Tables['keys'][], logged: Tables['events'][]) {
  for (const {
    id,
    record: { hash, replaces },
  } of keys.slice(0, limit)) {
    for (const name of ['keys', 'usage'] as const) tx.remove(name, id)
    for (const name of [`hash ${hash}`, `replaces ${replaces}`]) tx.remove('taken', name)
  }
  if (keys.length > limit) return { keys: limit, events: 0, more: true }
  const events = logged.filter(({ isPending }) => !isPending)
  for (const { id } of events.slice(0, limit)) tx.remove('events', id)
  return { keys: keys.length, events: Math.min(events.length, limit), more: events.length > limit }
}

const workspaceIn = async (tx: Tx, id: string) => (await tx.get('workspaces', id)) ?? NEW_WORKSPACE

async function held(tx: Tx, keys: Tables['keys'][]) {
  return Promise.all(
    keys.map(async ({ id, record, edition, place }) => {
      const { uses, lastUsedAtMs } = (await tx.get('usage', id)) ?? NO_USE
      return { record, usage: { uses, lastUsedAtMs }, edition, place }
    }),
  )
}

function pageOf<T extends { place: number }>(all: T[], after: number | null, oldestFirst: boolean) {
  const sorted = all.toSorted((one, other) => (oldestFirst ? 1 : -1) * (one.place - other.place))
  return sorted.filter(
    ({ place }) => after === null || (oldestFirst ? place > after : place < after),
  )
}

function summed(totals: HourlyTotal[]): HourlyTotal[] {
  const sums = new Map<string, HourlyTotal>()
  for (const { hour, outcome, count } of totals) {
    const name = `${hour} ${outcome}`
    sums.set(name, { hour, outcome, count: count + (sums.get(name)?.count ?? 0) })
  }
  return [...sums.values()]
}
const activeIn = (keys: { record: KeyRecord }[], atMs: number) =>
  keys.filter(({ record }) => countsAt(record, atMs)).length

const endOf = ({ revokedAtMs, retiresAtMs, expiresAtMs }: KeyRecord) =>
  Math.min(...[revokedAtMs, retiresAtMs, expiresAtMs].map((end) => end ?? Infinity))
