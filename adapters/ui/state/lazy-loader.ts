import { html } from 'lit'
import type { LazyParts } from '../lazy/index.ts'
import { places } from './places.ts'
import type { Tab } from './tab.ts'

type LazyPartsModule = typeof import('../lazy/index.ts')

const patienceMs = 15_000

/** What the first screen does not need: loaded when the page has time, or when something needs it. */
export class LazyLoader {
  /** Both `null` until it is loaded. */
  file: LazyPartsModule | null = null
  parts: LazyParts | null = null
  /** What the user wants that needs it, while it is not there yet. */
  waiting: 'create' | 'other' | null = null
  readonly #tab: Tab
  #loading: Promise<LazyParts> | null = null
  #attempts = 0
  #idle = false
  #request: unknown = null

  constructor(tab: Tab) {
    this.#tab = tab
  }

  /** Loads it in the background. A failure is reported once something needs it. */
  preload(): void {
    if (this.parts === null) this.#load().catch(() => {})
  }

  /** Loads it once the page has nothing better to do. */
  preloadWhenIdle(): void {
    if (this.#idle) return
    this.#idle = true
    const wait = globalThis.requestIdleCallback ?? setTimeout
    wait(() => this.preload())
  }

  /** Does something that needs it, at once where it is loaded; says so where it cannot be. */
  async open(
    run: (parts: LazyParts) => unknown,
    what: 'create' | 'other' = 'other',
  ): Promise<void> {
    if (this.parts !== null) {
      run(this.parts)
      return
    }
    const request = {}
    this.#setRequest(request, what)
    try {
      const more = await withinPatience(this.#load())
      if (this.#request === request) run(more)
    } catch {
      if (this.#request !== request) return
      this.#tab.notify({ id: 'e.part', again: () => this.open(run, what) })
      this.#tab.focusOn(places.notice)
    } finally {
      if (this.#request === request) this.#setRequest(null)
    }
  }

  /** Closes all of it, and forgets what needed it. */
  close(): void {
    this.#setRequest(null)
    this.parts?.close()
  }

  #setRequest(request: unknown, what: LazyLoader['waiting'] = null): void {
    this.#request = request
    this.waiting = what
    this.#tab.requestUpdate()
  }

  #load(): Promise<LazyParts> {
    this.#loading ??= loadLazyParts(this.#attempts++).then(
      (file) => {
        this.file = file
        this.parts = new file.LazyParts(this.#tab)
        this.#tab.requestUpdate()
        return this.parts
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
async function loadLazyParts(attempt: number): Promise<LazyPartsModule> {
  const file: LazyPartsModule = await (attempt === 0
    ? import('../lazy/index.ts')
    : import(
        /* webpackIgnore: true */ /* @vite-ignore */ new URL(
          `./settings-tab-lazy.js?${attempt}`,
          import.meta.url,
        ).href
      ))
  // Files of one build share one Lit.
  if (file.html !== html) throw new Error('settings-tab-lazy.js is of another build')
  return file
}

function withinPatience<T>(loading: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('Still loading')), patienceMs)
  })
  return Promise.race([loading, late])
}
