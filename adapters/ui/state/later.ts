import { html } from 'lit'
import type { More } from '../more/index.ts'
import { type Host, places } from './host.ts'

type MoreFile = typeof import('../more/index.ts')

const patienceMs = 15_000

/** What the first screen does not need: loaded when the page has time, or when somebody asks for it. */
export class Later {
  /** `null` until it is loaded. */
  more: More | null = null
  /** Somebody has asked for it, and it is not there yet. */
  waiting = false
  readonly #host: Host
  readonly #make: (file: MoreFile) => More
  #loading: Promise<More> | null = null
  #attempts = 0
  #idle = false
  #asked: unknown = null

  constructor(host: Host, make: (file: MoreFile) => More) {
    this.#host = host
    this.#make = make
  }

  /** Loads it in the background. A failure is reported once something needs it. */
  preload(): void {
    if (this.more === null) this.#load().catch(() => {})
  }

  /** Loads it once the page has nothing better to do. */
  preloadWhenIdle(): void {
    if (this.#idle) return
    this.#idle = true
    const wait = globalThis.requestIdleCallback ?? setTimeout
    wait(() => this.preload())
  }

  /** Does something that needs it, at once where it is loaded; says so where it cannot be. */
  async open(run: (more: More) => unknown): Promise<void> {
    if (this.more !== null) {
      run(this.more)
      return
    }
    const asked = {}
    this.#ask(asked)
    try {
      const more = await withinPatience(this.#load())
      if (this.#asked === asked) run(more)
    } catch {
      if (this.#asked !== asked) return
      this.#host.notify({ id: 'e.part', again: () => this.open(run) })
      this.#host.focusOn(places.notice)
    } finally {
      if (this.#asked === asked) this.#ask(null)
    }
  }

  /** Closes all of it, and forgets who has asked for it. */
  close(): void {
    this.#ask(null)
    this.more?.close()
  }

  #ask(asked: unknown): void {
    this.#asked = asked
    this.waiting = asked !== null
    this.#host.requestUpdate()
  }

  #load(): Promise<More> {
    this.#loading ??= loadMore(this.#attempts++).then(
      (file) => {
        this.more = this.#make(file)
        this.#host.requestUpdate()
        return this.more
      },
      (error) => {
        this.#loading = null
        throw error
      },
    )
    return this.#loading
  }
}

/**
 * Browsers remember for as long as the page lives that a module could not be loaded, so a later attempt
 * has an address of its own. It is that of the package's files: bundlers choose another.
 */
async function loadMore(attempt: number): Promise<MoreFile> {
  const file: MoreFile = await (attempt === 0
    ? import('../more/index.ts')
    : import(
        /* webpackIgnore: true */ /* @vite-ignore */ new URL(
          `./settings-tab-later.js?${attempt}`,
          import.meta.url,
        ).href
      ))
  // Files of one build share one Lit.
  if (file.html !== html) throw new Error('settings-tab-later.js is of another build')
  return file
}

function withinPatience<T>(loading: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('Still loading')), patienceMs)
  })
  return Promise.race([loading, late])
}
