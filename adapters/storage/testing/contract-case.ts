import type {
  EventQuery,
  HeldKey,
  KeyPageQuery,
  KeyRecord,
  KeyStorage,
  ViewQuery,
  WorkspaceWrite,
} from '../../../src/storage/index.ts'
import { sampleInsertion, sampleRecord } from './samples.ts'
import { check, checkEqual, idsOf, inParallel, namesOf, OTHER, WORKSPACE } from './tools.ts'

/** What somebody does to the stored rows without the storage; leave out what cannot be done. */
export interface ChangesByHand {
  /** Sets the instant at which a key was revoked. */
  readonly revoke?: (id: string, revokedAtMs: number) => Promise<unknown>
  /** Takes all scopes of a key away. Leave it out if a change by hand moves no edition. */
  readonly narrow?: (id: string) => Promise<unknown>
  /** Deletes the row of a key that was never used. */
  readonly remove?: (id: string) => Promise<unknown>
  /** Whether caches hear of it. Default `true`; `false` for a database without triggers. */
  readonly isLogged?: boolean
  /** Lets all that is stored have been written this much earlier, by the clock of the storage. */
  readonly age?: (byMs: number) => Promise<unknown>
}

/** Checks one promise of the contract on a fresh and empty storage. Throws an error that says how it is broken. */
type Check = (t: Trial) => Promise<void>

/** Rows by their names. */
export type Table<Row> = Readonly<Record<string, Row>>

/** One case for each row of a table, named after the idea that they prove. */
export function eachRow<Row>(
  idea: string,
  rows: Table<Row>,
  run: (t: Trial, row: Row) => Promise<void>,
): readonly { readonly name: string; readonly check: Check }[] {
  return Object.entries(rows).map(([name, row]) => {
    return { name: `${idea}: ${name}`, check: (t) => run(t, row) }
  })
}

/** Cases that prove one idea. */
export function contractGroup(idea: string, cases: Table<Check>) {
  return eachRow(idea, cases, (t, check) => check(t))
}

/** All that can be read of a workspace, and of several by their ids. */
type Contents = Awaited<ReturnType<Trial['contents']>>
type Everything = Table<Contents>

/** A storage in a case, with what cases do to it again and again. */
export class Trial {
  /** The same keys, as another process sees them. */
  readonly other: Trial

  constructor(
    readonly storage: KeyStorage,
    readonly byHand: ChangesByHand = {},
    other?: KeyStorage,
    readonly hold = async (): Promise<() => unknown> => () => undefined,
  ) {
    this.other = other === undefined ? this : new Trial(other)
  }

  /** Runs what changes something while it is held up, where the suite can do that, and answers what it answers. */
  async heldUp<T>(change: () => Promise<T>): Promise<T> {
    const release = await this.hold()
    const answer = change()
    await release()
    return answer
  }

  /** The outcomes of steps. A definite failure speaks of its attempt only, so they are sent again. */
  async send(...steps: readonly WorkspaceWrite[]): Promise<readonly string[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await this.storage.write(steps)).map(({ outcome }) => outcome)
      } catch (error) {
        const isPassing = ['busy', 'timeout', 'unavailable'].includes(Object(error).code)
        if (!isPassing || attempt === 100) throw error
      }
    }
  }

  /** Stores a step, whatever others do meanwhile. */
  async put(step: WorkspaceWrite): Promise<void> {
    checkEqual(await this.send(step), ['stored'], 'the outcomes of a step')
  }

  /** Stores a step, checks that it has its effect and no other, and answers its first key as it is then. */
  async stored(step: WorkspaceWrite): Promise<HeldKey> {
    const before = await this.everything(step)
    await this.put(step)
    await this.checkEffect(step, before)
    const { workspaceId, keys } = step
    const ids = keys.slice(0, 1).map(({ record }) => record.id)
    return (await this.view({ workspaceId, ids })).keys[0] as HeldKey
  }

  /** Checks that nothing has been stored but a step. */
  async checkEffect(step: WorkspaceWrite, before: Everything): Promise<void> {
    const { workspaceId } = step
    const home = before[workspaceId] as Contents
    const after = await this.everything(step)
    const records = step.keys.map(({ record }) => ({ ...record, workspaceId }))
    for (const record of records) {
      checkEqual(await this.storage.findByHash(record.hash), record, 'findByHash')
    }
    const others = home.keys.map((key) => {
      const record = records.find(({ id }) => id === key.record.id)
      return record === undefined ? key : { ...key, record, edition: key.edition + 1 }
    })
    const news = records.filter((_, at) => step.keys[at]?.ifEdition === null).toReversed()
    const keys = news.map((record, at) => newKey(record, after[workspaceId]?.keys[at]?.place))
    const events = step.events.map((event) => ({ ...event, workspaceId }))
    const changed = {
      ...{ ...home, added: home.added + step.adds },
      ...{ keys: [...keys, ...others], events: [...home.events, ...events] },
    }
    checkEqual(after, { ...before, [workspaceId]: changed }, 'what a step has stored')
  }

  /** Sends a step that must be refused and leave no trace: alone, and between two others. */
  async refused(step: WorkspaceWrite): Promise<void> {
    const hashes = step.keys.map(({ record }) => record.hash)
    const traces = async () => [
      await this.everything(step),
      await inParallel(hashes.length, async (at) => this.storage.findByHash(hashes[at] ?? '')),
    ]
    const before = await traces()
    checkEqual(await this.send(step), ['refused'], 'the outcome')
    const apart = [1, 2].map(() => sampleRecord({ workspaceId: `ws_${crypto.randomUUID()}` }))
    const [one = NOTHING, two = NOTHING] = apart.map((record) => sampleInsertion(record))
    const outcomes = await this.send(one, step, two)
    checkEqual(outcomes, ['stored', 'refused', 'stored'], 'the outcomes of a list')
    checkEqual(await traces(), before, 'what is stored after a refusal')
    for (const record of apart) await this.keyOf(record)
  }

  /** Stores a sample key, and answers it as it must be stored. */
  async inserted(fields: Partial<KeyRecord> = {}): Promise<HeldKey> {
    const record = sampleRecord(fields)
    await this.put(sampleInsertion(record))
    return newKey(record, (await this.keyOf(record)).place)
  }

  /** Stores sample keys one after another, so that their order is known. */
  async insertedMany(count: number, fields = (_index: number): Partial<KeyRecord> => ({})) {
    const keys: HeldKey[] = []
    while (keys.length < count) keys.push(await this.inserted(fields(keys.length)))
    return keys
  }

  /** Stores sample keys without events in few steps, and answers them, the oldest first. */
  async insertedTogether(count: number, fields = (_index: number): Partial<KeyRecord> => ({})) {
    const size = Math.min(this.storage.batchKeys ?? 200, 50)
    const records = Array.from({ length: count }, (_, index) => sampleRecord(fields(index)))
    for (let from = 0; from < count; from += size) {
      await this.put({ ...insertionOf(records.slice(from, from + size)), events: [] })
    }
    return (await this.list({ oldestFirst: true })).keys
  }

  /** What is read of a workspace. */
  view(query: Partial<ViewQuery> = {}) {
    const none = { workspaceId: WORKSPACE, ids: [], eventIds: [], countAtMs: null, countUpTo: null }
    return this.storage.read({ ...none, ...query })
  }

  /** The key as it is now; throws when it is not there. */
  async keyOf({ id, workspaceId }: Pick<KeyRecord, 'id' | 'workspaceId'>): Promise<HeldKey> {
    const [key, ...more] = (await this.view({ workspaceId, ids: [id] })).keys
    check(key !== undefined && more.length === 0, `read finds ${id} once`)
    return key
  }

  /** A page of keys, with room for all of them unless the query says otherwise. */
  async list(query: Partial<KeyPageQuery> = {}, workspaceId = WORKSPACE) {
    const whole = { status: null, environment: null, atMs: 0, after: null, limit: 1000 }
    const pageQuery = { ...whole, countUpTo: null, ...query }
    const page = await this.storage.list(workspaceId, pageQuery)
    check(page.keys.length <= pageQuery.limit, `a page has at most ${pageQuery.limit} keys`)
    return page
  }

  /** Every key from the first page to the last. */
  async walk(query: Partial<KeyPageQuery>) {
    const seen: HeldKey[] = []
    for (;;) {
      const page = await this.list({ ...query, after: seen.at(-1)?.place ?? null })
      check(page.keys.length > 0 || seen.length === 0, 'a page that others follow is not the last')
      seen.push(...page.keys)
      if (!page.more) return seen
      check(page.keys.length > 0 && seen.length < 1000, 'a walk ends')
    }
  }

  /** A page of events, with room for all of them unless the query says otherwise. */
  eventPage(query: Partial<EventQuery> = {}, workspaceId = WORKSPACE) {
    return this.storage.events(workspaceId, { after: null, limit: 1000, ...query })
  }

  /** All events of a workspace, oldest first. */
  async eventsOf(workspaceId = WORKSPACE) {
    return (await this.eventPage({}, workspaceId)).events
  }

  /** All that can be read of a workspace, the newest key first. */
  async contents(workspaceId = WORKSPACE) {
    const { keys } = await this.list({}, workspaceId)
    const ids = idsOf(keys).slice(0, 200)
    const { isErased, added, keys: read } = await this.view({ workspaceId, ids })
    const inOrder = read.toSorted((one, other) => other.place - one.place)
    checkEqual(inOrder, keys.slice(0, 200), 'what is read of the keys that are listed')
    return { isErased, added, keys, events: await this.eventsOf(workspaceId) }
  }

  /** All that can be read of the two workspaces of a case, and of that of a step. */
  async everything({ workspaceId }: Pick<KeyRecord, 'workspaceId'>): Promise<Everything> {
    const entries: [string, Contents][] = []
    for (const id of [WORKSPACE, OTHER, workspaceId]) entries.push([id, await this.contents(id)])
    return Object.fromEntries(entries)
  }

  /** Claims all events, and acknowledges them. */
  async acknowledged() {
    const claim = { relay: 'acknowledger', leaseMs: 60_000, limit: 1_000, except: [] }
    const events = await this.storage.claimEvents(claim)
    await this.storage.acknowledgeEvents('acknowledger', namesOf(events))
    await this.storage.releaseEvents('acknowledger')
    return events
  }
}

/** A step without keys and events. */
export const NOTHING: WorkspaceWrite = {
  ...{ workspaceId: WORKSPACE, ifAddedAtMost: null },
  ...{ adds: 0, keys: [], events: [] },
}

/** What was counted of a key that was never used. */
export const UNUSED = { uses: 0, lastUsedAtMs: null }

function newKey(record: KeyRecord, place = 0): HeldKey {
  return { record, usage: UNUSED, edition: 1, place }
}

/** The step that stores new keys, each with its event. */
export function insertionOf(records: readonly KeyRecord[]): WorkspaceWrite {
  const steps = records.map((record) => sampleInsertion(record))
  const [keys, events] = [steps.flatMap((one) => one.keys), steps.flatMap((one) => one.events)]
  return { ...NOTHING, adds: keys.length, keys, events }
}
