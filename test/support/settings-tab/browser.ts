import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { handlerOf } from '../../../adapters/react/tag.ts'
import { sharedChromium } from '../chromium.ts'
import { ScriptedBackend } from './backend.ts'
import { now } from './keys.ts'
import type { RealBackend } from './real-backend.ts'
import { recordPage } from './recorder.ts'
import { FONTS, Site } from './site.ts'
import { TabPage } from './tab-page.ts'

/** How a test wants its page. */
export interface OpenOptions {
  readonly backend?: ScriptedBackend
  /** In place of the scripted one. */
  readonly real?: RealBackend
  readonly lang?: 'ar' | 'en'
  readonly theme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
  /** Further attributes of the tag. */
  readonly attributes?: string
  /** Markup inside the tag. */
  readonly content?: string
  /** Whole markup of the main area, in place of one tab. */
  readonly main?: string
  /** Addresses of the scripts of the page, in place of the tab's own. */
  readonly scripts?: readonly string[]
  readonly context?: BrowserContextOptions
  /** Runs in the page before its own scripts. */
  readonly before?: () => void
  /** Leaves the clock of the page to the test, timers included. */
  readonly fakeTimers?: boolean
  /** Loads the fonts of a product, for what is measured or pictured. Default: those of the machine. */
  readonly fonts?: boolean
  /** Does not wait for the list. */
  readonly atOnce?: boolean
  /** An address to open with the clock of the machine, in place of a page of its own. */
  readonly at?: string
}

/** A page, the tab in it and the backend behind it. */
export interface Opened {
  readonly tab: TabPage
  readonly page: Page
  readonly context: BrowserContext
  readonly backend: ScriptedBackend
  readonly url: string
}

/** What a test file gets. */
export interface TabTests {
  open(options?: OpenOptions): Promise<Opened>
  site(): Site
  browser(): Browser
}

/**
 * A browser, by default the Chromium of the process, and a server for the test file. After each test no page
 * may have violated its policy, thrown, or written an error to the console. `always` goes for every page.
 */
export function tabTests(always: OpenOptions = {}, launch = sharedChromium): TabTests {
  let browser: Browser
  let site: Site
  let opened: { readonly page: Page; readonly faults: string[] }[] = []

  beforeAll(async () => {
    const [launched, started] = await Promise.all([launch(), Site.start()])
    browser = launched
    site = started
  })
  afterAll(() => site?.stop())
  afterEach(async () => {
    const finished = opened
    opened = []
    const faults: string[] = []
    for (const one of finished) {
      const record = await one.page.evaluate(() => window.record).catch(() => null)
      const all = [...one.faults, ...(record?.violations ?? [])]
      faults.push(...all.filter((fault) => !isOfFirefox(browser, fault)))
      await one.page.context().close()
    }
    expect(faults).toEqual([])
  })

  async function open(ofPage: OpenOptions = {}): Promise<Opened> {
    const options = { ...always, ...ofPage }
    const { backend = new ScriptedBackend(), lang = 'ar', width = 1100, height = 900 } = options
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: options.theme ?? 'light',
      locale: lang === 'en' ? 'en-GB' : 'ar-SA',
      timezoneId: 'Asia/Riyadh',
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
      ...options.context,
    })
    const page = await context.newPage()
    opened.push({ page, faults: watchFaults(page) })
    if (options.fakeTimers) {
      await page.clock.install({ time: now - 60_000 })
      // Or time would pass by itself, also while a busy machine loads the page.
      await page.clock.pauseAt(now)
    } else if (options.at === undefined) await page.clock.setFixedTime(now)
    await page.addInitScript(recordPage, Object.keys(handlerOf))
    if (options.before) await page.addInitScript(options.before)
    const url =
      options.at ?? site.add({ html: markupOf(options), backend: options.real ?? backend })
    await page.goto(url)
    const tab = new TabPage(page, lang)
    if (!options.atOnce) await tab.ready()
    return { tab, page, context, backend, url }
  }

  return { open, site: () => site, browser: () => browser }
}

/** Firefox looks for an icon of the page, and its driver styles a picture: the policy refuses both. */
function isOfFirefox(browser: Browser, fault: string): boolean {
  const isFirefox = browser.browserType().name() === 'firefox'
  return isFirefox && /favicon\.ico|style-src-elem/.test(fault)
}

function watchFaults(page: Page): string[] {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    // A refused request is what many tests are about; the browser logs each one.
    const expected = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !expected) faults.push(message.text())
  })
  return faults
}

export function markupOf(options: OpenOptions): string {
  const {
    lang = 'ar',
    theme,
    attributes = '',
    content = '',
    scripts = ['/settings-tab.js'],
  } = options
  const dir = lang === 'ar' ? 'rtl' : 'ltr'
  const tag = `<api-keys-tab base-url="api" ${attributes}>${content}</api-keys-tab>`
  const title = lang === 'ar' ? 'الإعدادات ← التكاملات' : 'Settings → Integrations'
  return `<!doctype html>
<html lang="${lang}" dir="${dir}"${theme ? ` data-theme="${theme}"` : ''}>
<head><meta charset="utf-8"><title>${title}</title><meta name="viewport" content="width=device-width">
${(options.fonts ? FONTS : []).map((href) => `<link rel="stylesheet" href="${href}">`).join('')}
<link rel="stylesheet" href="/page.css">
${scripts.map((src) => `<script type="module" src="${src}"></script>`).join('\n')}
</head><body><main><h1>${title}</h1>${options.main ?? tag}</main></body></html>`
}
