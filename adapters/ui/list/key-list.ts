import {
  type KeyListAnswer,
  type ListQuery,
  ManagementError,
  type WireKey,
} from '../../client/index.ts'
import { codeOf } from '../calls/client.ts'
import { actions, type Failure, waiting } from '../calls/failure.ts'
import type { Shell } from '../context.ts'

const saidAfterMs = 1_000
const slowAfterMs = 8_000
const givenUpAfterMs = 30_000
const pageSize = 50
const largestPage = 200
/** The longest search that the routes take. */
const longestSearch = 120

/** After so many days without a use, a key counts as unused. */
export const unusedDays = 90

type ListPhase = 'loading' | 'ready' | 'error' | 'forbidden' | 'session'

export const FILTERS = {
  all: {},
  active: { status: 'active' },
  paused: { status: 'paused' },
  unused: { status: ['active', 'paused'], unusedForDays: unusedDays },
  live: { environment: 'live' },
  test: { environment: 'test' },
} as const satisfies Readonly<Record<string, ListQuery>>

export type ListFilter = keyof typeof FILTERS

/** The keys that work, and those that no longer do: each has its own rows. */
const STATUSES = {
  live: ['active', 'paused', 'retiring'],
  ended: ['revoked', 'expired'],
} as const

type Part = keyof typeof STATUSES

/** Rows, where the next ones begin, and how many there are, if the server says so. */
export interface Rows {
  readonly keys: readonly WireKey[]
  readonly nextCursor: string | null
  readonly total: number | null
}

/** What a reading found; without a part that was not asked for. */
type Found = { readonly [Name in Part]?: Rows } & { readonly plan: Plan }

/** What the plan and the rights of the user allow, as the last list says it. */
type Plan = Omit<KeyListAnswer, keyof Rows | 'workspaceId' | 'countedUpTo'>

const none: Rows = { keys: [], nextCursor: null, total: 0 }

const noPlan: Plan = {
  activeKeys: 0,
  activeKeyLimit: null,
  maxLifetimeSeconds: null,
  maxOverlapSeconds: 0,
  publicApi: true,
  allowedOperations: actions.map((action) => `${action}Key` as const),
  grantable: null,
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
  more: { readonly of: Part; readonly failed: boolean } | null = null
  slow = false
  requestId: string | null = null
  /** The server takes no further call for a while. */
  wait: Failure | null = null

  readonly #shell: Shell
  #reading: AbortController | null = null
  #timers: ReturnType<typeof setTimeout>[] = []
  #running: Promise<void> = Promise.resolve()

  constructor(shell: Shell) {
    this.#shell = shell
  }

  get keys(): readonly WireKey[] {
    return [...this.live.keys, ...this.ended.keys]
  }

  /** Whether it is not simply all keys. */
  get looking(): boolean {
    return this.filter !== 'all' || this.search.trim() !== ''
  }

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
    if (!this.#shell.isConnected) return Promise.resolve()
    return this.#run(null, async (signal) => {
      const [live, ended] = await Promise.all([
        this.#read('live', this.live.keys.length, signal),
        'status' in FILTERS[this.filter]
          ? null
          : this.#read('ended', this.ended.keys.length, signal),
      ])
      return { ended: none, ...ended, ...live }
    })
  }

  async look(change: { readonly filter?: ListFilter; readonly search?: string }): Promise<void> {
    Object.assign(this, change)
    this.pending = true
    this.live = { ...this.live, keys: this.live.keys.slice(0, pageSize) }
    await this.load()
    const complete = this.live.nextCursor === null && !this.stale && !this.pending
    if (complete) this.#shell.say('search.found', { n: this.keys.length })
  }

  async readMore(of: Part): Promise<void> {
    const { source } = this.#shell
    if (this.refreshing) await this.#running
    const rows = this[of]
    if (rows.nextCursor === null || source !== this.#shell.source) return
    const more = { of, failed: false }
    await this.#run(more, (signal) => this.#read(of, rows.keys.length + 1, signal, rows))
  }

  settled(): Promise<void> {
    return this.#running
  }

  /** Shows a new key at the top, or a changed one in the place of its older self. */
  keep(key: WireKey, isNew = false): void {
    const { live, ended } = this
    const swap = (one: WireKey) => (one.id === key.id ? key : one)
    const others = live.keys.filter(({ id }) => id !== key.id)
    const isOver = /^(revoked|expired)$/.test(key.status)
    const moves = isOver && others.length < live.keys.length
    const kept = isOver ? others : live.keys.map(swap)
    this.live = { ...live, keys: isNew ? [key, ...others] : kept }
    this.ended = {
      ...ended,
      keys: moves ? [key, ...ended.keys] : ended.keys.map(swap),
      total: ended.total === null ? null : ended.total + Number(moves),
    }
    this.#shell.changed()
  }

  find(id: string | null): WireKey | undefined {
    return this.keys.find((key) => key.id === id)
  }

  stop(): void {
    this.#reading?.abort()
    this.#end()
  }

  expire(): void {
    this.stop()
    this.phase = 'session'
    this.#shell.changed()
  }

  /** Reads the keys of a part until there are so many, or the list ends. */
  async #read(of: Part, count: number, signal: AbortSignal, from = none): Promise<Found> {
    const { client, source } = this.#shell
    const search = [...this.search.trim()].slice(0, longestSearch).join('')
    const query = { status: STATUSES[of], ...FILTERS[this.filter], ...(search && { search }) }
    let { keys, nextCursor: cursor, total } = from
    for (;;) {
      const limit = Math.min(largestPage, Math.max(pageSize, count - keys.length))
      const place = { ...(cursor && { cursor }), ...(limit !== pageSize && { limit }) }
      const page = await client.listKeys({ ...query, ...place }, { signal, ...source.tie })
      if (!Array.isArray(page?.keys)) throw new ManagementError('unexpected')
      source.workspaceId ??= page.workspaceId ?? null
      if (source.workspaceId !== (page.workspaceId ?? null)) {
        throw new ManagementError('workspace_changed')
      }
      keys = [...keys, ...page.keys]
      total = page.total ?? total
      cursor = page.nextCursor
      // A page of a search may be empty although there is more.
      if (cursor === null || keys.length >= count) {
        return { [of]: { keys, nextCursor: cursor, total }, plan: page }
      }
    }
  }

  #run(more: KeyList['more'], read: (signal: AbortSignal) => Promise<Found>): Promise<void> {
    this.more = more
    this.#running = this.#reads(this.#begin(), read)
    return this.#running
  }

  async #reads(reading: AbortController, read: (signal: AbortSignal) => Promise<Found>) {
    try {
      const found = await read(reading.signal)
      if (this.#reading === reading) this.#show(found)
    } catch (error) {
      if (this.#reading === reading) this.#fail(error)
    } finally {
      if (this.#reading === reading) this.#end()
    }
  }

  #begin(): AbortController {
    this.stop()
    const reading = new AbortController()
    this.#reading = reading
    // Who was signed out sees so until the answer comes.
    if (this.phase === 'ready' || this.phase === 'session') this.refreshing = true
    else this.phase = 'loading'
    const say = (id: 'loading' | 'loading.slow') => {
      this.slow = id === 'loading.slow'
      if (this.phase === 'loading') this.#shell.say(id)
      this.#shell.changed()
    }
    this.#timers = [
      setTimeout(() => say('loading'), saidAfterMs),
      setTimeout(() => say('loading.slow'), slowAfterMs),
      setTimeout(() => reading.abort(), givenUpAfterMs),
    ]
    this.#shell.changed()
    return reading
  }

  #end(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#reading = null
    Object.assign(this, { refreshing: false, slow: false })
    this.#shell.changed()
  }

  #show(found: Found): void {
    Object.assign(this, found, { stale: false, pending: false, requestId: null, more: null })
    this.phase = 'ready'
    this.loadedAt = Date.now()
    this.wasSignedIn = true
    this.#shell.emit('api-keys-load', { count: this.keys.length, active: this.plan.activeKeys })
  }

  #fail(error: unknown): void {
    const code = codeOf(error) ?? 'network'
    // A server that says so of the first list, which names no workspace, would be called for ever.
    if (code === 'workspace_changed' && this.#shell.source.workspaceId !== null) {
      this.#shell.changeWorkspace()
      return
    }
    const refusal = error instanceof ManagementError ? error : null
    this.requestId = refusal?.requestId ?? null
    this.wait = code === 'rate_limited' && refusal ? waiting(refusal) : null
    if (code === 'forbidden') this.phase = 'forbidden'
    else if (this.more) this.more = { ...this.more, failed: true }
    else if (this.phase === 'ready') {
      this.stale = true
      // What was found for something else is no answer to what is looked for now.
      if (this.pending) Object.assign(this, { live: none, ended: none })
    } else if (this.phase !== 'session' && code !== 'unauthenticated') this.phase = 'error'
    this.#shell.listFailed(code, error)
  }
}
