import type { WireKeyEvent } from '../../client/index.ts'
import { codeOf } from '../state/failure.ts'
import { fieldsOf, isText } from '../state/fields.ts'
import type { Tab } from '../state/tab.ts'
import { ABSENT } from './key-usage.ts'

/** How many events are read at once. */
const limit = 20

/** What happened to one key, newest first, as far as the host says. */
export class KeyHistory {
  /** `absent` where the host says nothing. */
  phase: 'absent' | 'loading' | 'ready' | 'failed' = 'absent'
  events: readonly WireKeyEvent[] = []
  nextCursor: string | null = null
  readonly #tab: Tab
  #reading: AbortController | null = null

  constructor(tab: Tab) {
    this.#tab = tab
  }

  /** Reads the newest events of a key, in place of those of another one. */
  async load(id: string): Promise<void> {
    this.stop()
    if (this.#tab.management.getKeyEvents !== undefined) await this.#read(id)
  }

  /** Reads the next events, or those that could not be loaded, and moves the focus to the first. */
  async more(id: string): Promise<void> {
    if (this.phase === 'loading') return
    const { length } = this.events
    await this.#read(id)
    if (this.phase !== 'ready') return
    const first = this.events[length]
    this.#tab.focusOn(...(first ? [placeOf(first.id)] : []), '#history-title')
  }

  /** Forgets the events, and those that are still to come. */
  stop(): void {
    this.#reading?.abort()
    Object.assign(this, { phase: 'absent', events: [], nextCursor: null })
    this.#reading = null
  }

  async #read(id: string): Promise<void> {
    const { locale, management, source } = this.#tab
    const reading = new AbortController()
    this.#reading = reading
    this.#turn('loading')
    try {
      const query = { limit, ...(this.nextCursor === null ? {} : { cursor: this.nextCursor }) }
      const options = { signal: reading.signal, ...source.tie }
      const page = await management.getKeyEvents?.(id, query, options)
      if (this.#reading !== reading || page === undefined) return
      this.events = [...this.events, ...page.events.filter(isReadableEvent)]
      this.nextCursor = page.nextCursor
      this.#turn('ready')
    } catch (error) {
      if (this.#reading !== reading) return
      if (codeOf(error) === 'unauthenticated') return this.#tab.expireSession()
      const isThere = !ABSENT.includes(codeOf(error))
      this.#turn(isThere ? 'failed' : 'absent')
      if (isThere) this.#tab.announce(locale.text('history.failed'))
    }
  }

  #turn(phase: KeyHistory['phase']): void {
    this.phase = phase
    this.#tab.requestUpdate()
  }
}

/** Where an event is drawn. */
export function placeOf(id: string): string {
  return `[data-event="${CSS.escape(id)}"]`
}

/** Whether an entry has what is drawn of every event. */
function isReadableEvent(event: unknown): event is WireKeyEvent {
  const { id, type, at, actor, data } = fieldsOf(event)
  const { name } = fieldsOf(actor)
  const isNamed = [id, type, at, name].every(isText) && Number.isFinite(Date.parse(String(at)))
  return isNamed && typeof data === 'object' && data !== null
}
