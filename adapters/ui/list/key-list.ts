import {
  type CallOptions,
  type KeyListAnswer,
  type ListQuery,
  ManagementError,
  type ManagementErrorCode,
  type WireKey,
} from '../../client/index.ts'
import { codeOf, type TabClient } from '../calls/client.ts'
import { type Failure, waiting } from '../calls/failure.ts'
import type { Source } from '../calls/source.ts'
import type { Plan } from '../context.ts'
import type { MessageId, MessageValues } from '../strings/messages.ts'
import {
  asOf,
  endsAt,
  hasEnded,
  isChangeable,
  isReadable,
  type ListedKey,
  listedKey,
  unusedDays,
} from './listed-key.ts'

const saidAfterMs = 1_000
const slowAfterMs = 8_000
const givenUpAfterMs = 30_000
const pageSize = 50
const largestPage = 200
/** The longest search that the routes take. */
const longestSearch = 120
/** How long a row stands out that is new or has changed. */
const freshForMs = 2_000

/** What the list area shows. */
export type ListPhase = 'loading' | 'ready' | 'error' | 'forbidden' | 'session'

/** Which keys are shown, and what the routes are asked for them. */
export const FILTERS = {
  all: {},
  active: { status: 'active' },
  paused: { status: 'paused' },
  unused: { status: ['active', 'paused'], unusedForDays: unusedDays },
  live: { environment: 'live' },
  test: { environment: 'test' },
} as const satisfies Readonly<Record<string, ListQuery>>

export type ListFilter = keyof typeof FILTERS

/** Rows, where the next ones begin, and how many there are, if the server says so. */
export interface Rows {
  readonly keys: readonly ListedKey[]
  readonly nextCursor: string | null
  readonly total: number | null
}

interface Read extends Rows {
  readonly plan: Plan
  readonly workspaceId: string | null
}

/** What a reading found: the keys that work and those that no longer do. */
interface Listed extends Pick<Read, 'plan' | 'workspaceId'> {
  readonly live: Rows
  readonly ended: Rows
}

/** What the list needs of the tab, and tells it. */
export interface ListPort {
  readonly isConnected: boolean
  readonly source: Source
  readonly client: TabClient
  changed(): void
  say(id: MessageId, values?: MessageValues): void
  loaded(count: number, active: number): void
  failed(code: ManagementErrorCode, requestId: string | null, error: unknown): void
  enteredAnother(): void
}

const none: Rows = { keys: [], nextCursor: null, total: 0 }

const noPlan: Plan = {
  countedUpTo: Infinity,
  activeKeys: 0,
  activeKeyLimit: null,
  maxLifetimeSeconds: null,
  maxOverlapSeconds: 0,
  publicApi: true,
}

/** The keys of the workspace as the server last sent them. */
export class KeyList {
  phase: ListPhase = 'loading'
  live: Rows = none
  ended: Rows = none
  plan: Plan = noPlan
  filter: ListFilter = 'all'
  search = ''
  /** When the shown keys were loaded, in milliseconds; 0 before. */
  loadedAt = 0
  /** Somebody was signed in on this page. */
  wasSignedIn = false
  refreshing = false
  /** The last refresh failed; what is shown is older. */
  stale = false
  /** What is shown was found for something that is no longer looked for. */
  pending = false
  /** Where the next keys could not be loaded, or are being loaded. */
  more: { readonly of: 'live' | 'ended'; readonly failed: boolean } | null = null
  slow = false
  requestId: string | null = null
  /** The server takes no further call for a while. */
  wait: Failure | null = null
  /** When the next of the keys ends by itself, in milliseconds. */
  nextEnd: number = Number.POSITIVE_INFINITY
  /** The keys that the user has just made or changed. */
  readonly fresh: Set<string> = new Set()

  readonly #port: ListPort
  #reading: AbortController | null = null
  #timers: ReturnType<typeof setTimeout>[] = []
  #running: Promise<void> = Promise.resolve()
  /** The key that was made last: it is shown whatever is looked for, until something else is. */
  #added: string | null = null
  /** There are so many keys that those that work are asked for alone, unless a text is looked for. */
  #isLong = false
  /** Whether those that are shown were asked for in that way. */
  #isSplit = false

  constructor(port: ListPort) {
    this.#port = port
  }

  get keys(): readonly ListedKey[] {
    return [...this.live.keys, ...this.ended.keys]
  }

  /** Whether it is not simply all keys. */
  get looking(): boolean {
    return this.filter !== 'all' || this.search.trim() !== ''
  }

  /** Whether there are no keys at all. */
  get isEmpty(): boolean {
    return this.phase === 'ready' && this.keys.length === 0 && !this.looking && !this.pending
  }

  get locked(): boolean {
    return this.phase === 'ready' && !this.plan.publicApi
  }

  get limitReached(): boolean {
    const { activeKeys, activeKeyLimit } = this.plan
    return this.phase === 'ready' && activeKeyLimit !== null && activeKeys >= activeKeyLimit
  }

  /** Loads the list, or refreshes it while the loaded keys stay in place. */
  load(): Promise<void> {
    // What was changed just before the tab left the page concerns nobody there.
    if (!this.#port.isConnected) return Promise.resolve()
    return this.#run(null, (signal) => this.#readAll(signal))
  }

  /** Reads only the keys that match, or all of them again. */
  look(change: { readonly filter?: ListFilter; readonly search?: string }): Promise<void> {
    Object.assign(this, change)
    this.#added = null
    this.pending = true
    this.live = { ...this.live, keys: this.live.keys.slice(0, pageSize) }
    return this.load().then(() => {
      const complete = this.live.nextCursor === null && !this.stale && !this.pending
      if (complete) this.#port.say('count.keys', { n: this.keys.length })
    })
  }

  /** Adds the next page of those that work, or of those that no longer do. */
  async readMore(of: 'live' | 'ended'): Promise<void> {
    const { source } = this.#port
    if (this.refreshing) await this.#running
    const rows = this[of]
    if (rows.nextCursor === null || source !== this.#port.source) return
    const status = of === 'live' ? LIVING : ENDED
    const more = { of, failed: false }
    await this.#run(more, async (signal) => {
      const query = this.#isSplit ? { status, ...this.#query } : this.#query
      const { plan, workspaceId, ...read } = await this.#read(
        query,
        rows.keys.length + 1,
        signal,
        rows,
      )
      return { live: this.live, ended: this.ended, [of]: read, plan, workspaceId }
    })
  }

  /** Settles when nothing is being read. */
  settled(): Promise<void> {
    return this.#running
  }

  /** Shows a new key at the top, or a changed one in the place of its older self. */
  keep(key: WireKey, isNew = false): void {
    const before = this.find(key.id)
    const counts = Number(isChangeable(key)) - Number(before ? isChangeable(before) : !isNew)
    this.plan = { ...this.plan, activeKeys: this.plan.activeKeys + counts }
    if (isNew) {
      this.live = { ...this.live, keys: [key, ...this.live.keys.filter(({ id }) => id !== key.id)] }
      this.#added = key.id
    } else {
      const swap = (one: ListedKey) => (one.id === key.id ? key : one)
      this.live = { ...this.live, keys: this.live.keys.map(swap) }
      this.ended = { ...this.ended, keys: this.ended.keys.map(swap) }
    }
    this.nextEnd = 0
    this.fresh.add(key.id)
    setTimeout(() => {
      this.fresh.delete(key.id)
      this.#port.changed()
    }, freshForMs)
    this.#port.changed()
  }

  /** Brings the keys that have ended meanwhile up to date. */
  age(now: number): void {
    if (now < this.nextEnd) return
    const aged = this.live.keys.map((key) => (isReadable(key) ? asOf(key, now) : key))
    const over = aged.filter(hasEnded)
    this.live = { ...this.live, keys: aged.filter((key) => !hasEnded(key)) }
    const { keys, nextCursor, total } = this.ended
    const known = total === null ? null : total + over.length
    this.ended = { nextCursor, total: known, keys: [...over, ...keys] }
    const ends = this.live.keys.map(endsAt).filter((end) => end > now)
    this.nextEnd = Math.min(Number.POSITIVE_INFINITY, ...ends)
  }

  /** A loaded key. */
  find(id: string | null): WireKey | undefined {
    return this.keys.filter(isReadable).find((key) => key.id === id)
  }

  /** Gives up reading; the list is left as it is. */
  stop(): void {
    this.#reading?.abort()
    this.#end()
  }

  /** Forgets all keys: they are those of another place. */
  reset(): void {
    this.stop()
    Object.assign(this, { live: none, ended: none, plan: noPlan, phase: 'loading', loadedAt: 0 })
    Object.assign(this, { filter: 'all', search: '', stale: false, pending: false, more: null })
    this.requestId = null
    this.#added = null
    this.#isLong = false
  }

  expire(): void {
    this.stop()
    this.phase = 'session'
    this.#port.changed()
  }

  get #query(): ListQuery {
    const search = [...this.search.trim()].slice(0, longestSearch).join('')
    return { ...FILTERS[this.filter], ...(search ? { search } : {}) }
  }

  /** Reads all keys at once where they are few, and otherwise first of all those that work. */
  async #readAll(signal: AbortSignal): Promise<Listed> {
    const query = this.#query
    const shown = this.live.keys.length
    const isOne = query.status !== undefined || query.search !== undefined
    this.#isSplit = this.#isLong && !isOne
    if (!this.#isSplit) {
      const { plan, workspaceId, ...all } = await this.#read(query, shown, signal)
      if (all.nextCursor === null || isOne) {
        const keys = all.keys.filter(hasEnded)
        const live = { ...all, keys: all.keys.filter((key) => !hasEnded(key)) }
        return { live, ended: { ...none, keys, total: keys.length }, plan, workspaceId }
      }
      this.#isLong = true
      this.#isSplit = true
    }
    const [live, ended] = await Promise.all([
      this.#read({ ...query, status: LIVING }, shown, signal),
      this.#read({ ...query, status: ENDED }, this.ended.keys.length, signal),
    ])
    const { plan, workspaceId } = live
    return { live, ended, plan, workspaceId }
  }

  /** Reads until there are so many keys, the list ends, or a page adds nothing to them. */
  async #read(query: ListQuery, count: number, signal: AbortSignal, from = none): Promise<Read> {
    const known = new Map(from.keys.map((key) => [key.id, key]))
    let { nextCursor: cursor, total } = from
    let { tie } = this.#port.source
    for (;;) {
      const limit = Math.min(largestPage, Math.max(pageSize, count - known.size))
      const place = { ...(cursor ? { cursor } : {}), ...(limit === pageSize ? {} : { limit }) }
      const page = await this.#port.client.listKeys({ ...query, ...place }, { signal, ...tie })
      if (!Array.isArray(page?.keys)) throw new ManagementError('unexpected')
      tie = tieTo(page, tie)
      const before = known.size
      page.keys.forEach((row, at) => {
        const key = listedKey(row, `${cursor ?? ''} ${at}`)
        known.set(key.id, key)
      })
      total = page.total ?? (cursor === null ? null : total)
      cursor = page.nextCursor === cursor ? null : page.nextCursor || null
      // A page of a search may be empty although there is more.
      const stuck = known.size === before && !query.search
      if (cursor === null || known.size >= count || stuck) {
        const { keys: _, nextCursor: __, total: ___, workspaceId = null, ...plan } = page
        return { keys: [...known.values()], nextCursor: cursor, total, plan, workspaceId }
      }
    }
  }

  #run(more: KeyList['more'], read: (signal: AbortSignal) => Promise<Listed>): Promise<void> {
    this.more = more
    this.#running = this.#reads(read)
    return this.#running
  }

  async #reads(read: (signal: AbortSignal) => Promise<Listed>): Promise<void> {
    const reading = this.#begin()
    try {
      const answer = await read(reading.signal)
      if (this.#reading === reading) this.#show(answer)
    } catch (error) {
      if (this.#reading === reading) this.#fail(error)
    } finally {
      if (this.#reading === reading) this.#end()
    }
  }

  #begin(): AbortController {
    this.#reading?.abort()
    this.#end()
    const reading = new AbortController()
    this.#reading = reading
    // Who was signed out sees so until the answer comes.
    if (this.phase === 'ready' || this.phase === 'session') this.refreshing = true
    else this.phase = 'loading'
    this.#timers = [
      setTimeout(() => this.#sayLoading('loading'), saidAfterMs),
      setTimeout(() => {
        this.slow = true
        this.#sayLoading('loading.slow')
        this.#port.changed()
      }, slowAfterMs),
      setTimeout(() => reading.abort(), givenUpAfterMs),
    ]
    this.#port.changed()
    return reading
  }

  #end(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#reading = null
    Object.assign(this, { refreshing: false, slow: false })
    this.#port.changed()
  }

  #sayLoading(id: 'loading' | 'loading.slow'): void {
    if (this.phase === 'loading') this.#port.say(id)
  }

  #show({ live, ended, plan, workspaceId }: Listed): void {
    const missing = this.looking && !live.keys.some(({ id }) => id === this.#added)
    const added = missing ? this.live.keys.filter(({ id }) => id === this.#added) : []
    Object.assign(this, { ended, plan, stale: false, pending: false, requestId: null, more: null })
    this.live = { ...live, keys: [...added, ...live.keys] }
    this.nextEnd = 0
    this.#port.source.workspaceId = workspaceId
    this.phase = 'ready'
    this.loadedAt = Date.now()
    this.wasSignedIn = true
    this.#port.loaded(this.keys.length, plan.activeKeys)
  }

  /** What was found for something else is no answer to what is looked for now. */
  #turnStale(): void {
    this.stale = true
    if (this.pending) Object.assign(this, { live: none, ended: none })
  }

  #fail(error: unknown): void {
    const code = codeOf(error) ?? 'network'
    // A server that says so of the first list, which names no workspace, would be called for ever.
    if (code === 'workspace_changed' && this.#port.source.workspaceId !== null) {
      this.#port.enteredAnother()
      return
    }
    const refusal = error instanceof ManagementError ? error : null
    this.requestId = refusal?.requestId ?? null
    this.wait = code === 'rate_limited' && refusal ? waiting(refusal) : null
    const isFirst = this.phase !== 'ready'
    if (code === 'forbidden') this.phase = 'forbidden'
    else if (this.more) this.more = { ...this.more, failed: true }
    else if (!isFirst) this.#turnStale()
    else if (this.phase !== 'session' && code !== 'unauthenticated') this.phase = 'error'
    this.#port.failed(code, this.requestId, error)
  }
}

const LIVING: NonNullable<ListQuery['status']> = ['active', 'paused', 'retiring']
const ENDED: NonNullable<ListQuery['status']> = ['revoked', 'expired']

/** The workspace of a page, which must be the one that was asked for. */
function tieTo({ workspaceId }: KeyListAnswer, tie: CallOptions): CallOptions {
  if (typeof workspaceId !== 'string') return tie
  if (tie.workspaceId !== undefined && tie.workspaceId !== workspaceId) {
    throw new ManagementError('workspace_changed')
  }
  return { workspaceId }
}
