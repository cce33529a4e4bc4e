import type { Page } from 'playwright-core'
import { sharedChromium } from '../../support/chromium.ts'
import { many } from '../../support/settings-tab/backend.ts'
import { Site } from '../../support/settings-tab/site.ts'
import { type Bench, figure, quantile, type Table } from './measure.ts'

const FEW = 50
const MANY = 1_000

/** How long the settings tab takes in a real Chromium to show its first keys and to follow typing. */
export async function section({ short, log }: Bench): Promise<readonly Table[]> {
  const [browser, site] = await Promise.all([sharedChromium(), Site.start()])
  /** A fresh page each time, as a user meets it. */
  const open = async (count: number) => opened(await browser.newPage(), site, count)
  try {
    log(`first draw of ${FEW} keys`)
    const draws = await times(short ? 7 : 31, () => open(FEW))
    log(`typing with ${MANY} keys`)
    const typing = await keystrokes(await open(MANY), short ? 12 : 60)
    const rows = [
      [`ms from the list of ${FEW} keys until they are laid out`, draws.map((one) => one.drawn)],
      [`ms from a key press in the search beside ${MANY} rows until it is drawn`, typing],
      ['layout shift while the list loads', draws.map((one) => one.shift)],
    ] as const
    const cellsOf = (values: readonly number[]) => [quantile(values, 0.5), Math.max(...values)]
    return [
      {
        ...{ title: 'The settings tab in Chromium', head: ['', 'median', 'most'] },
        rows: rows.map(([name, values]) => [name, ...cellsOf(values).map(figure)]),
      },
    ]
  } finally {
    await site.stop()
    await browser.close()
  }
}

/** What a page notes about itself. */
interface Noted {
  /** Milliseconds from the answer of the list until the rows are there; 0 before. */
  drawn: number
  shift: number
  /** How long each keystroke took. */
  keystrokes: number[]
}

const noted = (page: Page) => page.evaluate(() => Reflect.get(window, 'noted') as Noted)

async function times(rounds: number, open: () => Promise<Page>): Promise<readonly Noted[]> {
  const found: Noted[] = []
  // The first warms up.
  for (let round = -1; round < rounds; round += 1) {
    const page = await open()
    // What moves, moves within half a second.
    await page.waitForTimeout(500)
    if (round >= 0) found.push(await noted(page))
    await page.close()
  }
  return found
}

async function keystrokes(page: Page, count: number): Promise<readonly number[]> {
  const rows = page.locator('tbody tr')
  const more = page.locator('[data-act=more]')
  while (await more.isVisible()) {
    const before = await rows.count()
    await more.click()
    await rows.nth(before).waitFor()
  }
  await page.locator('input[type=search]').focus()
  for (let at = 0; at < count; at += 1) await page.keyboard.press(at % 2 === 0 ? 'a' : 'Backspace')
  return (await noted(page)).keystrokes
}

/** A page that notes when the list was drawn, and what moved. */
async function opened(page: Page, site: Site, count: number): Promise<Page> {
  // The compiler that runs this file calls it in every function that has a name.
  await page.addInitScript('globalThis.__name = (named) => named')
  await page.addInitScript(watch)
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Settings</title>
<script type="module" src="/settings-tab.js"></script></head>
<body><main><api-keys-tab base-url="api"></api-keys-tab></main></body></html>`
  await page.goto(site.add({ html, backend: many(count) }))
  await page.waitForFunction(() => Reflect.get(window, 'noted').drawn > 0)
  return page
}

/** Runs in the page before its own scripts. */
function watch(): void {
  const noted: Noted = { drawn: 0, shift: 0, keystrokes: [] }
  Reflect.set(window, 'noted', noted)
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) noted.shift += Reflect.get(entry, 'value')
  }).observe({ type: 'layout-shift', buffered: true })
  const untilDrawn = async (tab: HTMLElementTagNameMap['api-keys-tab'] | null) => {
    // The tab asks for its update right after the event.
    await null
    await tab?.updateComplete
    tab?.shadowRoot?.querySelector('tbody')?.getBoundingClientRect()
    return performance.now()
  }
  addEventListener('input', async (event) => {
    // The timestamp is that of the key.
    noted.keystrokes.push(
      (await untilDrawn(document.querySelector('api-keys-tab'))) - event.timeStamp,
    )
  })
  addEventListener('api-keys-load', async () => {
    const start = performance.now()
    noted.drawn = (await untilDrawn(document.querySelector('api-keys-tab'))) - start
  })
}
