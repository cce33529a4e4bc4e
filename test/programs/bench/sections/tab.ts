import type { Browser, Page } from 'playwright-core'
import { sharedChromium } from '../../../support/chromium.ts'
import { many } from '../../../support/settings-tab/backend.ts'
import { Site } from '../../../support/settings-tab/site.ts'
import { type Bench, type SectionResult, target } from '../measure/result.ts'
import { type Spread, spread } from '../measure/stats.ts'
import { spreadText } from '../measure/text.ts'

const FEW = 50
const MANY = 1_000

/** How many times slower the processor of a weak machine is. */
const SLOWED = 4

/** How long the settings tab takes in a real Chromium to show its first keys and to follow typing. */
export async function section({ short, log }: Bench): Promise<SectionResult> {
  const [browser, site] = await Promise.all([sharedChromium(), Site.start()])
  try {
    log(`first draw of ${FEW} keys`)
    const draw = await firstDraws(browser, site, short ? 7 : 31)
    log(`with the processor slowed ${SLOWED} times`)
    const slow = await slowDraws(browser, site, short ? 5 : 15)
    log(`typing with ${MANY} keys`)
    const typing = await keystrokes(browser, site, short ? 12 : 60)
    const rows: readonly (readonly [string, Spread])[] = [
      [`the list of ${FEW} keys has arrived, until they are laid out`, draw.times],
      [
        `the page is opened with the processor slowed ${SLOWED} times, until the rows are there`,
        slow,
      ],
      [
        `a key is pressed in the search field beside ${MANY} rows, until the next frame`,
        typing.search,
      ],
      [
        `a key is pressed in the create dialog above ${MANY} rows, until the next frame`,
        typing.dialog,
      ],
    ]
    const slowest = Math.max(...typing.all)
    return {
      tables: [
        {
          title: 'The settings tab in Chromium',
          head: ['', 'median (quartiles), ms'],
          rows: rows.map(([name, value]) => [name, spreadText(value)]),
        },
      ],
      targets: [
        target(`first draw of ${FEW} keys, ms`, 'at most', { limit: 40, value: draw.times.median }),
        target(`rows with the processor slowed ${SLOWED} times, ms`, 'at most', {
          limit: 600,
          value: slow.median,
        }),
        target(`slowest keystroke with ${MANY} keys, ms`, 'at most', { limit: 50, value: slowest }),
        target('layout shift while the list loads', 'at most', { limit: 0, value: draw.shift }),
      ],
    }
  } finally {
    await site.stop()
    await browser.close()
  }
}

/** A fresh page each time, as a user meets it. */
async function firstDraws(browser: Browser, site: Site, rounds: number) {
  const times: number[] = []
  let shift = 0
  for (let round = -2; round < rounds; round += 1) {
    const page = await open(browser, site, FEW)
    const drawn = await page.evaluate(() => (window as unknown as Measured).drawn)
    // The first rounds warm the browser up.
    if (round >= 0) times.push(drawn)
    shift = Math.max(shift, await page.evaluate(() => (window as unknown as Measured).shift))
    await page.close()
  }
  return { times: spread(times), shift }
}

/** From the start of the page to its rows, on a weak machine. */
async function slowDraws(browser: Browser, site: Site, rounds: number): Promise<Spread> {
  const times: number[] = []
  for (let round = -1; round < rounds; round += 1) {
    const page = await open(browser, site, FEW, SLOWED)
    const shown = await page.evaluate(() => (window as unknown as Measured).shown)
    if (round >= 0) times.push(shown)
    await page.close()
  }
  return spread(times)
}

async function keystrokes(browser: Browser, site: Site, count: number) {
  const page = await open(browser, site, MANY)
  const more = page.locator('[data-act=more]')
  while (await more.isVisible()) {
    const rows = await page.locator('tbody tr').count()
    await more.click()
    await page.locator('tbody tr').nth(rows).waitFor()
  }
  // The last rows are laid out before anybody types.
  await page.waitForTimeout(500)
  const search = await typed(page, 'input[type=search]', count)
  await page.locator('input[type=search]').fill('')
  await page.evaluate(() => document.querySelector('api-keys-tab')?.openCreate())
  const dialog = await typed(page, '#create-name', count)
  await page.close()
  return { search: spread(search), dialog: spread(dialog), all: [...search, ...dialog] }
}

/** Presses keys one by one; how long each took until the tab was drawn and laid out again. */
async function typed(page: Page, field: string, count: number): Promise<number[]> {
  await page.locator(field).focus()
  for (let at = 0; at < count; at += 1) await page.keyboard.press(at % 2 === 0 ? 'a' : 'Backspace')
  return page.evaluate(() => (window as unknown as Measured).keystrokes.splice(0))
}

/** What a page notes about itself. */
interface Measured {
  /** Resolves when the list was drawn. */
  ready: Promise<void>
  drawn: number
  /** When they were there, since the page began to load. */
  shown: number
  shift: number
  /** How long each keystroke took. */
  keystrokes: number[]
}

/** Opens a page whose scripts note when the list was drawn, and what moved. */
async function open(browser: Browser, site: Site, count: number, slowed = 1): Promise<Page> {
  const backend = many(count)
  const page = await browser.newPage({ viewport: { width: 1100, height: 900 } })
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowed })
  // The compiler that runs this file calls it in every function that has a name.
  await page.addInitScript('globalThis.__name = (named) => named')
  await page.addInitScript(watch)
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Settings</title>
<script type="module" src="/settings-tab.js"></script></head>
<body><main><api-keys-tab base-url="api"></api-keys-tab></main></body></html>`
  await page.goto(site.add({ html, backend }))
  await page.evaluate(() => (window as unknown as Measured).ready)
  return page
}

/** Runs in the page before its own scripts. */
function watch(): void {
  const measured = window as unknown as Measured
  measured.shift = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) measured.shift += Reflect.get(entry, 'value')
  }).observe({ type: 'layout-shift', buffered: true })
  measured.keystrokes = []
  addEventListener('input', async (event) => {
    const tab = document.querySelector('api-keys-tab')
    await tab?.updateComplete
    tab?.shadowRoot?.querySelector('tbody')?.getBoundingClientRect()
    // The timestamp is that of the key.
    measured.keystrokes.push(performance.now() - event.timeStamp)
  })
  measured.ready = new Promise((resolve) => {
    addEventListener('api-keys-load', async (event) => {
      const start = performance.now()
      const tab = event.target as HTMLElementTagNameMap['api-keys-tab']
      // The tab asks for its update right after the event.
      await null
      await tab.updateComplete
      tab.shadowRoot?.querySelector('tbody')?.getBoundingClientRect()
      measured.shown = performance.now()
      measured.drawn = measured.shown - start
      resolve()
    })
  })
}
