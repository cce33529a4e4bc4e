import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { REDIRECTS } from '../../../docs/.vitepress/addresses.ts'
import { sharedChromium } from '../../support/chromium.ts'
import { findingsOf } from '../../support/settings-tab/axe.ts'
import { TabPage } from '../../support/settings-tab/tab-page.ts'
import { brokenLinks, clicksFromStart, pages } from './links.ts'
import { QUESTIONS } from './questions.ts'
import { DIST, fileOf, isBuilt, serveSite } from './served.ts'

if (!isBuilt) console.log('skipped: the site is not built; npm run site builds it')

describe.skipIf(!isBuilt)('the built site', () => {
  let host: Awaited<ReturnType<typeof serveSite>>
  let context: BrowserContext
  const foreign: string[] = []
  const url = (path: string) => `http://127.0.0.1:${host.port}${path}`

  beforeAll(async () => {
    host = await serveSite()
    const browser = await sharedChromium()
    const viewport = { width: 1280, height: 800 }
    context = await browser.newContext({ viewport, reducedMotion: 'reduce' })
    context.on('request', (request) => {
      if (!request.url().startsWith(url('/'))) foreign.push(request.url())
    })
  })
  afterAll(async () => {
    await context.close()
    await host.close()
  })

  async function opened(path: string): Promise<Page> {
    const page = await context.newPage()
    await page.goto(url(path), { waitUntil: 'networkidle' })
    return page
  }

  test('every link leads to a page and a heading', () => {
    expect(pages().length).toBeGreaterThan(60)
    expect(brokenLinks()).toEqual([])
  })

  test('every redirect leads to a page, and takes a browser there', async () => {
    expect(Object.values(REDIRECTS).filter((to) => !existsSync(join(DIST, to)))).toEqual([])
    const page = await opened('/docs/getting-started.html')
    await page.waitForURL(url('/getting-started.html'))
    await page.close()
  })

  test('the texts for assistants name every page, and each is there', () => {
    const index = readFileSync(join(DIST, 'llms.txt'), 'utf8')
    const named = [...index.matchAll(/\]\(([^)]+)\)/g)].map(([, file = '']) => file)
    expect(named.length).toBeGreaterThan(40)
    expect(named.filter((file) => fileOf(`/${file}`) === null)).toEqual([])
    expect(readFileSync(join(DIST, 'llms-full.txt'), 'utf8')).toContain('# The life of a key')
  })

  test.each([
    ['/', 'en', 'ltr'],
    ['/ar/', 'ar', 'rtl'],
    ['/ar/key-lifecycle', 'ar', 'rtl'],
  ])('%s is in %s, %s', async (path, lang, dir) => {
    const page = await opened(path)
    expect(await page.locator('html').getAttribute('lang')).toBe(lang)
    expect(await page.evaluate(() => getComputedStyle(document.body).direction)).toBe(dir)
    await page.close()
  })

  test('the first page weighs at most 110 kB, and nothing moves on it', async () => {
    host.files.length = 0
    const page = await opened('/')
    const shift = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let sum = 0
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) sum += Number(Object(entry).value)
          }).observe({ type: 'layout-shift', buffered: true })
          setTimeout(() => resolve(sum), 500)
        }),
    )
    // What the browser prefetches for the next click is not of this page; pictures come below the fold.
    const used = new Set(await page.evaluate(usedByPage))
    const files = host.files.filter(({ path }) => used.has(path) && !path.endsWith('.png'))
    const bytes = files.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0)
    console.log(`first page: ${bytes} bytes with gzip in ${files.length} files, shift ${shift}`)
    expect(bytes).toBeLessThanOrEqual(110_000)
    expect(shift).toBe(0)
    await page.close()
  })

  /** The links that a search answers with. */
  async function searched(page: Page, query: string) {
    const box = page.locator('#localsearch-input')
    if (!(await box.isVisible())) await page.locator('.DocSearch-Button').first().click()
    await box.fill('')
    await page.locator('#localsearch-list .result').first().waitFor({ state: 'detached' })
    const hrefs = await page.evaluate(answerTo, query)
    return hrefs.map((href) => href.replace(/^\/|\.html/g, ''))
  }

  test('twenty questions are each answered by one search, and by two clicks', async () => {
    const page = await opened('/')
    // The first search loads the index.
    await searched(page, 'key')
    const clicks = clicksFromStart()
    const answers = []
    for (const { question, query, page: wanted } of QUESTIONS) {
      const links = await searched(page, query)
      const place = links.findIndex((link) => link.split('#')[0] === wanted) + 1
      answers.push({ question, wanted, clicks: clicks.get(wanted) ?? Infinity, place })
    }
    console.table(answers)
    expect(QUESTIONS.length).toBeGreaterThanOrEqual(20)
    expect(answers.filter(({ place }) => place < 1 || place > 5)).toEqual([])
    expect(answers.filter((answer) => answer.clicks > 2)).toEqual([])
    await page.close()
  })

  test('Arabic words are found with and without the article, marks and hamza', async () => {
    const page = await opened('/ar/')
    const counts = []
    for (const query of ['مفتاح', 'المفتاح', 'مِفْتاح', 'بالمفتاح']) {
      counts.push((await searched(page, query)).length)
    }
    expect(counts[0]).toBeGreaterThan(3)
    expect(new Set(counts).size).toBe(1)
    const links = await searched(page, 'ابطال')
    expect(links).toEqual(await searched(page, 'الإبطال'))
    await page.close()
  })

  test.each([
    ['/', 'light'],
    ['/', 'dark'],
    ['/ar/', 'light'],
    ['/ar/getting-started', 'dark'],
    ['/faq', 'light'],
    ['/standards', 'light'],
    ['/live-example', 'light'],
    ['/ar/live-example', 'dark'],
  ] as const)('axe finds nothing on %s, %s', async (path, colorScheme) => {
    const page = await context.newPage()
    await page.emulateMedia({ colorScheme })
    await page.goto(url(path), { waitUntil: 'networkidle' })
    expect(await findingsOf(page)).toEqual([])
    await page.close()
  })

  test.each([
    ['/live-example', 'en'],
    ['/ar/live-example', 'ar'],
  ] as const)(
    '%s: create, call, rotate, revoke, with the answers of the guard',
    async (path, lang) => {
      const page = await opened(path)
      const tab = new TabPage(page, lang)
      await tab.ready()
      const first = await tab.createKey({ name: 'CRM sync' })
      const field = page.locator('form.call > label > input')
      const answer = async () => {
        await page.locator('form.call > button').click()
        return page.locator('.answer').textContent()
      }
      const onNewest = async (action: 'rotate' | 'revoke') => {
        const id = await page.locator('[data-row]').first().getAttribute('data-row')
        await tab.ask(action, id ?? '')
        await tab.confirm()
      }
      expect(await field.inputValue()).toBe(first)
      await expect.poll(answer).toMatch(/^HTTP\/1\.1 200[\s\S]*"calledBy": "CRM sync"/)
      await onNewest('rotate')
      await expect.poll(() => field.inputValue()).not.toBe(first)
      await expect.poll(answer).toMatch(/^HTTP\/1\.1 200[\s\S]*"calledBy": "CRM sync \(rotated\)"/)
      const second = await field.inputValue()
      await field.fill(first)
      await expect.poll(answer).toMatch(/^HTTP\/1\.1 401[\s\S]*invalid_token/)
      await onNewest('revoke')
      await field.fill(second)
      await expect.poll(answer).toMatch(/^HTTP\/1\.1 401[\s\S]*invalid_token/)
      const looks = page.locator('.choices select').first()
      const names = await looks
        .locator('option')
        .evaluateAll((all) => all.map((one) => Object(one).value))
      expect(names).toHaveLength(6)
      for (const name of names) {
        await looks.selectOption(name)
        expect([name, await findingsOf(page)]).toEqual([name, []])
      }
      await page.close()
    },
  )

  test('no page asked another host for anything', () => {
    expect(foreign).toEqual([])
  })
})

/** Types a query into the open search, and waits for its first answer. */
function answerTo(query: string): Promise<readonly string[]> {
  const box = document.querySelector<HTMLInputElement>('#localsearch-input')
  if (box === null) throw new Error('the search is not open')
  return new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      const results = [...document.querySelectorAll('#localsearch-list .result')]
      if (results.length === 0) return
      observer.disconnect()
      resolve(results.map((one) => one.getAttribute('href') ?? ''))
    })
    observer.observe(document.body, { childList: true, subtree: true })
    box.value = query
    box.dispatchEvent(new Event('input', { bubbles: true }))
  })
}

/** The addresses of the files that the page needs to be shown: not those fetched ahead of a click. */
function usedByPage(): string[] {
  const ahead = new Set(
    [...document.querySelectorAll<HTMLLinkElement>('link[rel=prefetch]')].map(({ href }) => href),
  )
  const entries = performance.getEntriesByType('resource').map(({ name }) => name)
  return [location.href, ...entries]
    .filter((name) => !ahead.has(name))
    .map((name) => new URL(name).pathname)
}
