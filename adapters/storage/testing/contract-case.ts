import type {
  EventQuery,
  HeldKey,
  KeyPageQuery,
  KeyRecord,
  KeyStorage,
  ViewQuery,
  WorkspaceWrite,
} from '../../../src/storage/index.ts'
import { check, checkEqual } from './assertions.ts'
import { sampleInsertion, sampleRecord, WORKSPACE } from './samples.ts'

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

/** One promise of the contract, checked on a fresh and empty storage. */
export interface ContractCase {
  readonly name: string
  /** Resolves if the storage keeps the promise, and throws an error that says how it does not. */
  readonly check: (t: Trial) => Promise<void>
}

/** Puts the name of the idea in front of the cases that prove it. */
export function contractGroup(
  idea: string,
  cases: Readonly<Record<string, ContractCase['check']>>,
): readonly ContractCase[] {
  return Object.entries(cases).map(([name, check]) => ({ name: `${idea}: ${name}`, check }))
}

/** One case for each row of a table. */
export function eachRow<Row>(
  idea: string,
  rows: Readonly<Record<string, Row>>,
  run: (t: Trial, row: Row) => Promise<void>,
): readonly ContractCase[] {
  return Object.entries(rows).map(([name, row]) => {
    return { name: `${idea}: ${name}`, check: (t) => run(t, row) }
  })
}

/** How often a step is sent again that was not stored for a reason which passes. */
const ATTEMPTS = 100

/** A storage in a case, with what cases do to it again and again. */
export class Trial {
  readonly storage: KeyStorage
  readonly byHand: ChangesByHand
  /** The same keys, as another process sees them. */
  readonly other: Trial
  readonly #hold: (() => Promise<() => unknown>) | undefined

  constructor(
    storage: KeyStorage,
    also: {
      readonly other?: KeyStorage | undefined
      readonly byHand?: ChangesByHand | undefined
      readonly hold?: (() => Promise<() => unknown>) | undefined
    } = {},
  ) {
    this.storage = storage
    this.byHand = also.byHand ?? {}
    this.other = also.other === undefined ? this : new Trial(also.other)
    this.#hold = also.hold
  }

  /** Runs what changes something while it is held up, where the suite can do that, and answers what it answers. */
  async heldUp<T>(change: () => Promise<T>): Promise<T> {
    const release = await this.#hold?.()
    const answer = change()
    await release?.()
    return answer
  }

  /** The outcome of one step. A definite failure speaks of its attempt only, so the step is sent again. */
  async send(step: WorkspaceWrite) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const outcomes = await this.storage.write([step])
        checkEqual(outcomes.length, 1, 'the number of outcomes')
        return outcomes[0]?.outcome
      } catch (error) {
        const code = String((error as { readonly code?: unknown }).code)
        if (!['busy', 'timeout', 'unavailable'].includes(code) || attempt === ATTEMPTS) throw error
      }
    }
  }

  /** Sends a step that must be stored, and answers its first key as it is then. */
  async stored(step: WorkspaceWrite, what = 'the step'): Promise<HeldKey> {
    checkEqual(await this.send(step), 'stored', `the outcome of ${what}`)
    const [key] = step.keys
    return key ? this.keyOf({ ...key.record, workspaceId: step.workspaceId }) : NO_KEY
  }

  /** Sends a step that must be refused and leave no trace. */
  async refused(step: WorkspaceWrite, what = 'the step'): Promise<void> {
    const before = await this.#traces(step)
    checkEqual(await this.send(step), 'refused', `the outcome of ${what}`)
    checkEqual(await this.#traces(step), before, `what is stored after ${what}`)
  }

  async #traces({ workspaceId, keys }: WorkspaceWrite) {
    const found: unknown[] = []
    for (const id of new Set([workspaceId, ...keys.map(({ record }) => record.workspaceId)])) {
      found.push(await this.everythingIn(id))
    }
    for (const { record } of keys) found.push(await this.storage.findByHash(record.hash))
    return found
  }

  /** Stores a sample key, and answers it as it must be stored. */
  async inserted(fields: Partial<KeyRecord> = {}): Promise<HeldKey> {
    const record = sampleRecord(fields)
    const { place } = await this.stored(sampleInsertion(record), 'an insertion')
    return { record, usage: { uses: 0, lastUsedAtMs: null }, edition: 1, place }
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
    const keys = Array.from({ length: count }, (_, index) => {
      return { record: sampleRecord(fields(index)), ifEdition: null }
    })
    for (let from = 0; from < count; from += size) {
      const part = keys.slice(from, from + size)
      await this.stored({ ...NOTHING, keys: part, adds: part.length })
    }
    return (await this.list({ oldestFirst: true })).keys
  }

  /** What is read of a workspace. */
  view(query: Partial<ViewQuery> = {}) {
    const none = { workspaceId: WORKSPACE, ids: [], eventIds: [], countAtMs: null, countUpTo: null }
    return this.storage.read({ ...none, ...query })
  }

  /** How much was added to a workspace. */
  async addedIn(workspaceId = WORKSPACE): Promise<number> {
    return (await this.view({ workspaceId })).added
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
    for (let pages = 0; pages < 1000; pages += 1) {
      const page = await this.list({ ...query, after: seen.at(-1)?.place ?? null })
      seen.push(...page.keys)
      if (!page.more) return seen
      check(page.keys.length > 0, 'a page that others follow has keys')
    }
    throw new Error('storage contract: the walk does not end')
  }

  /** A page of events, with room for all of them unless the query says otherwise. */
  eventPage(query: Partial<EventQuery> = {}, workspaceId = WORKSPACE) {
    return this.storage.events(workspaceId, { after: null, limit: 1000, ...query })
  }

  /** All events of a workspace, oldest first. */
  async eventsOf(workspaceId = WORKSPACE) {
    return (await this.eventPage({}, workspaceId)).events
  }

  /** All that can be read of a workspace. */
  async everythingIn(workspaceId: string) {
    const { keys } = await this.list({}, workspaceId)
    const { isErased, added, ...found } = await this.view({
      workspaceId,
      ids: idsOf(keys).slice(0, 200),
    })
    const read = [...found.keys].sort((one, other) => other.place - one.place)
    return { isErased, added, read, keys, events: await this.eventPage({}, workspaceId) }
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

const NO_KEY = {} as HeldKey

/** Runs `call` for 0, 1, … `count - 1` without waiting in between. */
export function inParallel<T>(count: number, call: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => call(index)))
}

/** The ids of keys, in their order. */
export function idsOf(keys: readonly HeldKey[]): readonly string[] {
  return keys.map(({ record }) => record.id)
}

/** The ids of events, in their order. */
export function namesOf(events: readonly { readonly id: string }[]): readonly string[] {
  return events.map(({ id }) => id)
}

/** Lets everything else go on. */
export function pause(ms = 0): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
