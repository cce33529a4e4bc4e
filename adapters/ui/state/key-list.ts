import {
  type KeyListAnswer,
  ManagementError,
  type ManagementErrorCode,
  type WireKey,
} from '../../client/index.ts'
import type { Host } from './host.ts'

const saidAfterMs = 1_000
const slowAfterMs = 8_000
const givenUpAfterMs = 30_000
const firstPage = 50
const largestPage = 200

/** What the list area shows. */
export type ListPhase = 'loading' | 'ready' | 'error' | 'forbidden' | 'session'

type Plan = Pick<KeyListAnswer, 'activeKeys' | 'activeKeyLimit' | 'publicApi'>

/** The keys of the workspace as the server last told them. */
export class KeyList {
  phase: ListPhase = 'loading'
  keys: readonly WireKey[] = []
  nextCursor: string | null = null
  plan: Plan = { activeKeys: 0, activeKeyLimit: null, publicApi: true }
  /** When the shown keys were loaded, in milliseconds. */
  loadedAt = 0
  refreshing = false
  /** The last refresh failed; what is shown is older. */
  stale = false
  slow = false
  requestId: string | null = null

  readonly #host: Host
  #reading: AbortController | null = null
  #timers: ReturnType<typeof setTimeout>[] = []

  constructor(host: Host) {
    this.#host = host
  }

  get locked(): boolean {
    return this.phase === 'ready' && !this.plan.publicApi
  }

  get limitReached(): boolean {
    const { activeKeys, activeKeyLimit } = this.plan
    return this.phase === 'ready' && activeKeyLimit !== null && activeKeys >= activeKeyLimit
  }

  /** Loads the list, or refreshes it while the loaded keys stay in place. */
  async load(): Promise<void> {
    const reading = this.#begin()
    try {
      const answer = await this.#read(Math.max(firstPage, this.keys.length), reading.signal)
      if (this.#reading === reading) this.#show(answer)
    } catch (error) {
      if (this.#reading === reading) this.#fail(error)
    } finally {
      if (this.#reading === reading) this.#end()
    }
  }

  /** Adds the next page, or all that are left. */
  async more(all = false): Promise<void> {
    if (this.nextCursor === null || this.refreshing) return
    const reading = this.#begin()
    try {
      const wanted = all ? Number.POSITIVE_INFINITY : this.keys.length + 1
      const answer = await this.#read(wanted, reading.signal, this)
      if (this.#reading === reading) this.#show(answer)
    } catch (error) {
      if (this.#reading === reading) this.#fail(error)
    } finally {
      if (this.#reading === reading) this.#end()
    }
  }

  /** Shows a new key at the top, before the next refresh confirms it. */
  add(key: WireKey): void {
    this.keys = [key, ...this.keys.filter(({ id }) => id !== key.id)]
    this.#countActive(1)
  }

  /** Puts a changed key in the place of its older self. */
  replace(key: WireKey): void {
    const before = this.keys.find(({ id }) => id === key.id)
    this.keys = this.keys.map((one) => (one.id === key.id ? key : one))
    if (before?.status === 'active' && key.status === 'revoked') this.#countActive(-1)
  }

  /** Gives up reading; the list is left as it is. */
  stop(): void {
    this.#reading?.abort()
    this.#end()
  }

  expire(): void {
    this.stop()
    this.phase = 'session'
    this.#host.requestUpdate()
  }

  async #read(
    count: number,
    signal: AbortSignal,
    from?: { keys: readonly WireKey[]; nextCursor: string | null },
  ): Promise<KeyListAnswer> {
    const known = new Map(from?.keys.map((key) => [key.id, key]))
    let cursor = from?.nextCursor ?? null
    for (;;) {
      const limit = Math.min(largestPage, Math.max(firstPage, count - known.size))
      const query = { ...(cursor ? { cursor } : {}), ...(limit === firstPage ? {} : { limit }) }
      const page = await this.#host.management.listKeys(query, { signal })
      for (const key of page.keys) known.set(key.id, key)
      cursor = page.nextCursor
      if (cursor === null || known.size >= count) return { ...page, keys: [...known.values()] }
    }
  }

  #begin(): AbortController {
    this.#reading?.abort()
    this.#end()
    const reading = new AbortController()
    this.#reading = reading
    if (this.phase === 'ready') this.refreshing = true
    else this.phase = 'loading'
    this.#timers = [
      setTimeout(() => this.#say('loading'), saidAfterMs),
      setTimeout(() => this.#turnSlow(), slowAfterMs),
      setTimeout(() => reading.abort(), givenUpAfterMs),
    ]
    this.#host.requestUpdate()
    return reading
  }

  #end(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#reading = null
    this.refreshing = false
    this.slow = false
    this.#host.requestUpdate()
  }

  #turnSlow(): void {
    this.slow = true
    this.#say('loading.slow')
    this.#host.requestUpdate()
  }

  #say(id: 'loading' | 'loading.slow'): void {
    if (this.phase === 'loading') this.#host.announce(this.#host.locale.text(id))
  }

  #show({ keys, nextCursor, ...plan }: KeyListAnswer): void {
    Object.assign(this, { keys, nextCursor, plan, stale: false, requestId: null })
    this.phase = 'ready'
    this.loadedAt = Date.now()
    this.#host.emit('api-keys-load', { count: keys.length, active: plan.activeKeys })
  }

  #fail(error: unknown): void {
    const code: ManagementErrorCode = error instanceof ManagementError ? error.code : 'network'
    this.requestId = error instanceof ManagementError ? (error.requestId ?? null) : null
    this.#host.emit('api-keys-error', { code, requestId: this.requestId })
    if (code === 'unauthenticated') {
      this.#host.expireSession()
      return
    }
    if (code === 'forbidden') this.phase = 'forbidden'
    else if (this.phase === 'ready') this.#turnStale()
    else this.phase = 'error'
  }

  #turnStale(): void {
    const { locale } = this.#host
    this.stale = true
    this.#host.announce(locale.text('err.stale', { time: locale.dates.time(this.loadedAt) }))
  }

  #countActive(change: number): void {
    this.plan = { ...this.plan, activeKeys: this.plan.activeKeys + change }
  }
}
