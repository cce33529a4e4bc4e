import {
  type CallOptions,
  type KeyListAnswer,
  type ListQuery,
  ManagementError,
  type ManagementErrorCode,
  type WireKey,
} from '../../client/index.ts'
import { codeOf, type Failure, waiting } from './failure.ts'
import { asOf, endsAt, isReadable, isRotatable, type ListedKey, listedKey } from './listed-key.ts'
import type { Tab } from './tab.ts'

const saidAfterMs = 1_000
const slowAfterMs = 8_000
const givenUpAfterMs = 30_000
const firstPage = 50
const largestPage = 200

/** What the list area shows. */
export type ListPhase = 'loading' | 'ready' | 'error' | 'forbidden' | 'session'

type Plan = Pick<
  KeyListAnswer,
  'activeKeys' | 'activeKeyLimit' | 'maxLifetimeSeconds' | 'maxOverlapSeconds' | 'publicApi'
> &
  // Routes of an earlier release say nothing about it, and refuse what they will.
  Partial<Pick<KeyListAnswer, 'allowedOperations' | 'grantable'>>

/** Rows of one workspace, and where the next ones begin. */
interface Rows {
  readonly keys: readonly ListedKey[]
  readonly nextCursor: string | null
}

/** What a reading found. */
type Listed = Omit<KeyListAnswer, 'keys'> & Rows & { readonly found: ListQuery | null }

const noPlan: Plan = {
  activeKeys: 0,
  activeKeyLimit: null,
  maxLifetimeSeconds: null,
  maxOverlapSeconds: 0,
  publicApi: true,
}

/** How long a row stands out that is new or has changed. */
const freshForMs = 2_000

/** The keys of the workspace as the server last sent them. */
export class KeyList {
  phase: ListPhase = 'loading'
  keys: readonly ListedKey[] = []
  nextCursor: string | null = null
  /** What the server is asked for; `null` for all keys. */
  query: ListQuery | null = null
  /** How many keys there are that the server was asked for; `null` where it does not say. */
  total: number | null = null
  /** The question that the shown keys answer. */
  found: ListQuery | null = null
  plan: Plan = noPlan
  /** When the shown keys were loaded, in milliseconds. */
  loadedAt = 0
  refreshing = false
  /** The last refresh failed; what is shown is older. */
  stale = false
  /** The next keys could not be loaded. */
  short = false
  slow = false
  requestId: string | null = null
  /** The server takes no further call for a while. */
  wait: Failure | null = null
  /** When the next of the keys ends by itself, in milliseconds. */
  nextEnd: number = Number.POSITIVE_INFINITY
  /** The key that was made last: it is shown whatever is looked for, until something else is. */
  added: string | null = null
  /** The keys that the user has just made or changed. */
  readonly fresh: Set<string> = new Set()

  readonly #tab: Tab
  #reading: AbortController | null = null
  #timers: ReturnType<typeof setTimeout>[] = []
  #running: Promise<void> = Promise.resolve()

  constructor(tab: Tab) {
    this.#tab = tab
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
    if (!this.#tab.isConnected) return Promise.resolve()
    return this.#run((signal) => this.#read(Math.max(firstPage, this.keys.length), signal))
  }

  /** Adds the next page, or all that are left. */
  async more(all = false): Promise<void> {
    const { source } = this.#tab
    if (this.refreshing) await this.settled()
    if (this.nextCursor === null || source !== this.#tab.source) return
    const wanted = all ? Number.POSITIVE_INFINITY : this.keys.length + 1
    await this.#run((signal) => this.#read(wanted, signal, this), true)
  }

  /** Reads only the keys that match, or all of them again: as many as were shown, or `complete`. */
  look(query: ListQuery | null, complete = false): Promise<void> {
    this.query = query
    const wanted = complete ? Number.POSITIVE_INFINITY : firstPage
    return this.#run((signal) => this.#read(wanted, signal))
  }

  /** Settles when nothing is being read. */
  settled(): Promise<void> {
    return this.#running
  }

  #run(read: (signal: AbortSignal) => Promise<Listed>, adds = false): Promise<void> {
    this.#running = this.#reads(read, adds)
    return this.#running
  }

  async #reads(read: (signal: AbortSignal) => Promise<Listed>, adds: boolean): Promise<void> {
    const reading = this.#begin()
    try {
      const answer = await read(reading.signal)
      if (this.#reading === reading) this.#show(answer)
    } catch (error) {
      if (this.#reading === reading) this.#fail(error, adds)
    } finally {
      if (this.#reading === reading) this.#end()
    }
  }

  /** Shows a new key at the top, before the next refresh confirms it. */
  add(key: WireKey): void {
    this.keys = [listedKey(key, 'new'), ...this.keys.filter(({ id }) => id !== key.id)]
    this.added = key.id
    this.nextEnd = 0
    this.#countActive(1)
    this.#mark(key.id)
  }

  /** Puts a changed key in the place of its older self. */
  replace(key: WireKey): void {
    const before = this.keys.find(({ id }) => id === key.id)
    this.keys = this.keys.map((one) => (one.id === key.id ? listedKey(key, one.id) : one))
    this.nextEnd = 0
    if (before !== undefined && isReadable(before)) {
      this.#countActive(Number(isRotatable(key)) - Number(isRotatable(before)))
    }
    this.#mark(key.id)
  }

  /** Brings the keys that have ended meanwhile up to date. */
  age(now: number): void {
    if (now < this.nextEnd) return
    this.keys = this.keys.map((key) => (isReadable(key) ? asOf(key, now) : key))
    const ends = this.keys.map((key) => (isReadable(key) ? endsAt(key) : Number.POSITIVE_INFINITY))
    this.nextEnd = Math.min(Number.POSITIVE_INFINITY, ...ends.filter((end) => end > now))
  }

  /** A loaded key. */
  find(id: string | null): WireKey | undefined {
    return this.keys.filter(isReadable).find((key) => key.id === id)
  }

  /** Lets a row stand out for a moment. */
  #mark(id: string): void {
    this.fresh.add(id)
    setTimeout(() => {
      this.fresh.delete(id)
      this.#tab.requestUpdate()
    }, freshForMs)
  }

  /** Gives up reading; the list is left as it is. */
  stop(): void {
    this.#reading?.abort()
    this.#end()
  }

  /** Forgets all keys: they are those of another place. */
  reset(): void {
    this.stop()
    Object.assign(this, { keys: [], nextCursor: null, plan: noPlan, loadedAt: 0, stale: false })
    Object.assign(this, { query: null, found: null, total: null })
    this.phase = 'loading'
    this.requestId = null
    this.added = null
  }

  expire(): void {
    this.stop()
    this.phase = 'session'
    this.#tab.requestUpdate()
  }

  /** Reads until there are so many keys, the list ends, or a page adds nothing to them. */
  async #read(count: number, signal: AbortSignal, from?: Rows): Promise<Listed> {
    const known = new Map(from?.keys.map((key) => [key.id, key]))
    let cursor = from?.nextCursor ?? null
    let { tie } = this.#tab.source
    let total = from ? this.total : null
    const { query } = this
    for (;;) {
      const limit = Math.min(largestPage, Math.max(firstPage, count - known.size))
      const place = { ...(cursor ? { cursor } : {}), ...(limit === firstPage ? {} : { limit }) }
      const page = await this.#tab.management.listKeys({ ...query, ...place }, { signal, ...tie })
      tie = tieTo(page, tie)
      total = page.total ?? total
      const before = known.size
      page.keys.forEach((row, at) => {
        const key = listedKey(row, `${cursor ?? ''} ${at}`)
        known.set(key.id, key)
      })
      const nextCursor = page.nextCursor === cursor ? null : page.nextCursor || null
      // A page of a search may be empty although there is more.
      const enough = known.size >= count || (known.size === before && !query)
      if (nextCursor === null || enough) {
        return { ...page, ...tie, total, nextCursor, keys: [...known.values()], found: query }
      }
      cursor = nextCursor
    }
  }

  #begin(): AbortController {
    this.#reading?.abort()
    this.#end()
    const reading = new AbortController()
    this.#reading = reading
    this.short = false
    // Who was signed out sees so until the answer comes.
    if (this.phase === 'ready' || this.phase === 'session') this.refreshing = true
    else this.phase = 'loading'
    this.#timers = [
      setTimeout(() => this.#say('loading'), saidAfterMs),
      setTimeout(() => this.#turnSlow(), slowAfterMs),
      setTimeout(() => reading.abort(), givenUpAfterMs),
    ]
    this.#tab.requestUpdate()
    return reading
  }

  #end(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#reading = null
    this.refreshing = false
    this.slow = false
    this.#tab.requestUpdate()
  }

  #turnSlow(): void {
    this.slow = true
    this.#say('loading.slow')
    this.#tab.requestUpdate()
  }

  #say(id: 'loading' | 'loading.slow'): void {
    if (this.phase === 'loading') this.#tab.announce(this.#tab.locale.text(id))
  }

  #show({ keys, nextCursor, workspaceId, found, total, ...plan }: Listed): void {
    const missing = found !== null && !keys.some(({ id }) => id === this.added)
    const added = missing ? this.keys.filter(({ id }) => id === this.added) : []
    Object.assign(this, { nextCursor, found, total, plan, stale: false, requestId: null })
    this.keys = [...added, ...keys]
    this.nextEnd = 0
    this.#tab.source.workspaceId = workspaceId ?? null
    this.phase = 'ready'
    this.loadedAt = Date.now()
    this.#tab.emit('api-keys-load', { count: keys.length, active: plan.activeKeys })
  }

  #fail(error: unknown, adds: boolean): void {
    const code: ManagementErrorCode = codeOf(error) ?? 'network'
    // A server that says so of the first list, which names no workspace, would be called for ever.
    if (code === 'workspace_changed' && this.#tab.source.workspaceId !== null) {
      this.#tab.changeWorkspace()
      return
    }
    const { requestId = null } = error instanceof ManagementError ? error : {}
    this.requestId = requestId
    this.wait = code === 'rate_limited' && error instanceof ManagementError ? waiting(error) : null
    this.#tab.emit('api-keys-error', { code, requestId: this.requestId })
    if (code === 'unauthenticated') {
      this.#tab.expireSession()
      return
    }
    if (code === 'forbidden') this.phase = 'forbidden'
    else if (this.phase === 'ready') adds ? this.#turnShort() : this.#turnStale()
    else if (this.phase !== 'session') this.phase = 'error'
  }

  #turnShort(): void {
    this.short = true
    this.#tab.announce(this.#tab.locale.text('more.failed'))
  }

  #turnStale(): void {
    const { locale } = this.#tab
    this.stale = true
    this.#tab.announce(locale.text('err.stale', { time: locale.dates.time(this.loadedAt) }))
  }

  #countActive(change: number): void {
    this.plan = { ...this.plan, activeKeys: this.plan.activeKeys + change }
  }
}

/** The workspace of a page, which must be the one that was asked for. */
function tieTo({ workspaceId }: KeyListAnswer, tie: CallOptions): CallOptions {
  if (typeof workspaceId !== 'string') return tie
  if (tie.workspaceId !== undefined && tie.workspaceId !== workspaceId) {
    throw new ManagementError('workspace_changed')
  }
  return { workspaceId }
}
