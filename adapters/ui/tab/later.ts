import { html } from 'lit'

type LaterFile = typeof import('../later.ts')

const patienceMs = 15_000

/** What the first screen does not need: loaded when the page has time, or when something needs it. */
export class Later {
  /** `null` until it is loaded. */
  file: LaterFile | null = null
  /** What the user wants that needs it, while it is not there yet. */
  waiting: 'create' | 'other' | null = null
  readonly #changed: () => void
  #loading: Promise<LaterFile> | null = null
  #attempts = 0
  #idle = false
  #request: unknown = null

  /** `onChange` is called when it has come, and when something waits for it. */
  constructor(onChange: () => void) {
    this.#changed = onChange
  }

  /** Loads it in the background. A failure is reported once something needs it. */
  preload(): void {
    if (this.file === null) this.#load().catch(() => {})
  }

  /** Loads it once the page has nothing better to do. */
  preloadWhenIdle(): void {
    if (this.#idle) return
    this.#idle = true
    const wait = globalThis.requestIdleCallback ?? setTimeout
    wait(() => this.preload())
  }

  /** Does something that needs it, at once where it is loaded, or says that it cannot be loaded. */
  async open(
    run: () => unknown,
    onFailure: (again: () => unknown) => void,
    what: 'create' | 'other' = 'other',
  ): Promise<void> {
    if (this.file !== null) {
      run()
      return
    }
    const request = {}
    this.#wait(request, what)
    try {
      await withinPatience(this.#load())
      if (this.#request === request) run()
    } catch {
      if (this.#request === request) onFailure(() => this.open(run, onFailure, what))
    } finally {
      if (this.#request === request) this.#wait(null)
    }
  }

  /** Forgets what needed it. */
  forget(): void {
    this.#wait(null)
  }

  #wait(request: unknown, what: Later['waiting'] = null): void {
    this.#request = request
    this.waiting = what
    this.#changed()
  }

  #load(): Promise<LaterFile> {
    this.#loading ??= loadLater(this.#attempts++).then(
      (file) => {
        this.file = file
        this.#changed()
        return file
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
async function loadLater(attempt: number): Promise<LaterFile> {
  const file: LaterFile = await (attempt === 0
    ? import('../later.ts')
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
