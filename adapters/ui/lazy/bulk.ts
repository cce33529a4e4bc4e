import type { RevokeKeysBody, WireKey } from '../../client/index.ts'
import { eventDetailOf } from '../events.ts'
import type { Failure } from '../state/failure.ts'
import type { KeySource } from '../state/key-source.ts'
import { hasEnded, isReadable, type ListedKey } from '../state/listed-key.ts'
import { explained, withPatience } from '../state/outcome.ts'
import { places } from '../state/places.ts'
import type { Tab } from '../state/tab.ts'

/** The most ids that one call takes. */
const idsAtOnce = 1_000

/** Keys that are chosen in the list, and the question before all of them are revoked. */
export class Bulk {
  /** Whether the rows have boxes. */
  choosing = false
  open = false
  busy = false
  failure: Failure | null = null
  /** The keys that the question is about. */
  keys: readonly WireKey[] = []
  /** How many of them have been revoked so far. */
  done = 0
  readonly #tab: Tab
  readonly #ids = new Set<string>()

  constructor(tab: Tab) {
    this.#tab = tab
  }

  /** Whether the user may revoke several keys at once. */
  get allowed(): boolean {
    const { allowedOperations = [] } = this.#tab.list.plan
    const allowed = ['revokeKey', 'revokeKeys'].every((one) =>
      allowedOperations.some((it) => it === one),
    )
    return allowed && this.#tab.management.revokeKeys !== undefined
  }

  /** The chosen keys that still work. */
  get chosen(): readonly WireKey[] {
    return this.#tab.list.keys.filter(isStoppable).filter(({ id }) => this.#ids.has(id))
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  /** Shows the boxes, with one of them checked. */
  begin(id: string): void {
    this.choosing = true
    this.#ids.add(id)
    this.#tab.focusOn(boxOf(id))
  }

  choose(ids: readonly string[], on: boolean): void {
    for (const id of ids) {
      if (on) this.#ids.add(id)
      else this.#ids.delete(id)
    }
    this.#tab.announce(this.#tab.locale.text('bulk.chosen', { n: this.chosen.length }))
    this.#tab.requestUpdate()
  }

  end(): void {
    this.choosing = false
    this.#ids.clear()
    this.#tab.focusOn(places.search, ...places.top)
  }

  /** Forgets what was chosen: it is of another place, or nobody is signed in. */
  reset(): void {
    this.choosing = false
    this.#ids.clear()
    this.close()
  }

  ask(): void {
    if (this.busy || this.chosen.length === 0) return
    Object.assign(this, { keys: this.chosen, open: true, failure: null, done: 0 })
    this.#tab.moveOn()
  }

  close(): void {
    this.open = false
    this.#tab.requestUpdate()
  }

  async confirm(): Promise<void> {
    if (this.busy) return
    const free = (key: WireKey) => this.#tab.emit('before-revoke', eventDetailOf(key))
    if (!this.keys.every(free)) return
    Object.assign(this, { busy: true, failure: null })
    this.#tab.requestUpdate()
    const { source } = this.#tab
    try {
      await this.#revoke(source)
      if (source === this.#tab.source) this.#finish()
    } catch (error) {
      if (source === this.#tab.source) this.#explain(error, source)
    } finally {
      this.busy = false
      this.#tab.requestUpdate()
    }
  }

  async #revoke(source: KeySource): Promise<void> {
    const ids = this.keys.map(({ id }) => id)
    for (let from = 0; from < ids.length; from += idsAtOnce) {
      await this.#step({ ids: ids.slice(from, from + idsAtOnce) }, source)
    }
  }

  /** Calls as often as it takes: a call revokes only so many. */
  async #step(filter: RevokeKeysBody, source: KeySource): Promise<void> {
    const { revokeKeys } = this.#tab.management
    for (;;) {
      const call = Promise.resolve(revokeKeys?.(filter, source.tie))
      const answer = await withPatience(call, () => this.#fail({ id: 'bulk.unknown' }))
      for (const key of answer?.keys ?? []) {
        this.#tab.reveals?.retire(key.id)
        this.#tab.emit('api-key-revoked', eventDetailOf(key))
      }
      this.done += answer?.revoked ?? 0
      this.#tab.requestUpdate()
      if (!answer?.more || answer.revoked + answer.skipped === 0) return
    }
  }

  #finish(): void {
    this.#tab.announce(this.#tab.locale.text('bulk.done', { n: this.done }))
    this.close()
    this.end()
    void this.#tab.list.load()
  }

  #explain(error: unknown, source: KeySource): void {
    if (this.done > 0) void this.#tab.list.load()
    const failure = explained(this.#tab, error, { action: 'revoke', source })
    if (failure) this.#fail(failure.unknown ? { id: 'bulk.unknown' } : failure)
  }

  #fail(failure: Failure): void {
    const lead = { id: 'bulk.done', values: { n: this.done } } as const
    // What was revoked already makes "nothing was revoked" untrue.
    this.failure = this.done > 0 ? { ...failure, leads: [lead] } : failure
    this.busy = false
    this.#tab.focusOn(places.alert)
    this.#tab.requestUpdate()
  }
}

/** Whether a key can be revoked with others: one that has not ended. */
export function isStoppable(key: ListedKey): key is WireKey {
  return isReadable(key) && !hasEnded(key)
}

/** The box of a key. */
export function boxOf(id: string): string {
  return `[data-choose="${CSS.escape(id)}"]`
}
