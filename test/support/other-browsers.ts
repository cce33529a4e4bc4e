import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, BrowserContextOptions, firefox } from 'playwright-core'
import { isAvailable } from './available.ts'
import { freePort } from './free-port.ts'

/** Where Debian puts Firefox. */
const FIREFOX = process.env['FIREFOX_PATH'] ?? '/usr/bin/firefox-esr'

/** Later releases of Playwright send commands that the long-term Firefox does not know. */
const driver = 'playwright-core-1.60'

export const hasFirefox = isAvailable('Firefox', existsSync(FIREFOX), 'apt-get install firefox-esr')

/** Nothing that its protocol cannot do. */
export const firefoxContext: BrowserContextOptions = {
  colorScheme: null,
  reducedMotion: null,
  forcedColors: null,
  contrast: null,
  permissions: [],
}

/** Firefox, as Debian builds it. */
export async function launchFirefox(): Promise<Browser> {
  const module: { default: { firefox: typeof firefox } } = await import(driver)
  return module.default.firefox.launch({ channel: 'moz-firefox', executablePath: FIREFOX })
}

const WEBKIT = process.env['WEBKIT_DRIVER_PATH'] ?? '/usr/bin/WebKitWebDriver'
const MINI_BROWSER = '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser'
const XVFB = '/usr/bin/Xvfb'

export const hasWebKit = isAvailable(
  'WebKit',
  [WEBKIT, MINI_BROWSER, XVFB].every((path) => existsSync(path)),
  'apt-get install webkit2gtk-driver xvfb',
)

/** WebKitGTK, on a screen of its own, by WebDriver. */
export class WebKit {
  readonly #session: string
  readonly #processes: readonly ChildProcess[]

  private constructor(session: string, processes: readonly ChildProcess[]) {
    this.#session = session
    this.#processes = processes
  }

  static async launch(): Promise<WebKit> {
    const port = await freePort()
    const display = `:${port}`
    const env = { ...process.env, DISPLAY: display }
    const start = (path: string, ...args: string[]) =>
      spawn(path, args, { env, stdio: 'ignore', detached: true })
    const screen = start(XVFB, display, '-screen', '0', '1400x1000x24', '-nolisten', 'tcp')
    const processes = [start(WEBKIT, `--port=${port}`), screen]
    const browserOptions = { binary: MINI_BROWSER, args: ['--automation'] }
    const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': browserOptions } }
    const url = `http://127.0.0.1:${port}/session`
    for (const deadline = Date.now() + 60_000; ; ) {
      try {
        const { sessionId } = await send<{ sessionId: string }>(url, { capabilities })
        return new WebKit(`${url}/${sessionId}`, processes)
      } catch (error) {
        if (Date.now() > deadline) throw error
        await pause(250)
      }
    }
  }

  open(url: string): Promise<unknown> {
    return send(`${this.#session}/url`, { url })
  }

  /** Sets the size of the window, whose page is a little smaller. */
  resize(width: number, height: number): Promise<unknown> {
    return send(`${this.#session}/window/rect`, { width, height })
  }

  /** Runs a function in the page. */
  run<A extends readonly unknown[], R>(work: (...args: A) => R, ...args: A): Promise<R> {
    const script = `return (${work}).apply(null, arguments)`
    return send(`${this.#session}/execute/sync`, { script, args })
  }

  /** Ends it with its children, which would outlive it. */
  async close(): Promise<void> {
    await fetch(this.#session, { method: 'DELETE' }).catch(() => {})
    for (const { pid } of this.#processes) if (pid !== undefined) process.kill(-pid)
  }
}

async function send<T>(url: string, body?: unknown): Promise<T> {
  const post = { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(url, body === undefined ? {} : post)
  const { value } = (await response.json()) as { value: T & { message?: string } }
  if (!response.ok) throw new Error(value.message)
  return value
}
