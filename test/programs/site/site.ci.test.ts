import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedChromium } from '../../support/chromium.ts'
import { listen, type RunningHost } from '../../support/http/guard-hosts.ts'
import { ROOT } from '../../support/package/npm.ts'
import { findingsOf } from '../../support/settings-tab/axe.ts'
import { TabPage } from '../../support/settings-tab/tab-page.ts'

const DIST = join(ROOT, 'docs/.vitepress/dist')
const isBuilt = existsSync(join(DIST, 'index.html'))
if (!isBuilt) console.log('skipped: the site is not built; npm run site builds it')

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
}

/** The file of an address, as servers of static files find it. */
function fileOf(path: string): string | undefined {
  const file = join(DIST, normalize(path))
  const candidates = [file, `${file}.html`, join(file, 'index.html')]
  return candidates.find((name) => existsSync(name) && statSync(name).isFile())
}

/** Where the links of a page lead within the site. */
function linksOf(page: string): readonly URL[] {
  const html = readFileSync(join(DIST, page), 'utf8')
  return [...html.matchAll(/<a\b[^>]*? href="([^"]+)"/g)]
    .map(([, href = '']) => new URL(href.replaceAll('&amp;', '&'), `http://site/${page}`))
    .filter(({ host }) => host === 'site')
}

function leadsNowhere({ pathname, hash }: URL): boolean {
  const file = fileOf(decodeURI(pathname))
  if (file === undefined) return true
  // The generator of docs/api checks its own headings.
  if (hash === '' || pathname.startsWith('/api/')) return false
  return !readFileSync(file, 'utf8').includes(` id="${decodeURIComponent(hash.slice(1))}"`)
}

describe.skipIf(!isBuilt)('the built site', () => {
  let host: RunningHost
  let context: BrowserContext
  const foreign: string[] = []
  const served = new Map<string, number>()
  const url = (path: string) => `http://127.0.0.1:${host.port}${path}`

  beforeAll(async () => {
    host = await listen(
      createServer((req, res) => {
        const path = decodeURI(new URL(req.url ?? '/', 'http://site').pathname)
        const file = fileOf(path)
        if (file === undefined) return res.writeHead(404).end()
        const body = readFileSync(file)
        served.set(path, gzipSync(body).length)
        res.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain' }).end(body)
      }),
    )
    const viewport = { width: 1280, height: 800 }
    context = await (await sharedChromium()).newContext({ viewport, reducedMotion: 'reduce' })
    context.on('request', (request) => {
      if (!request.url().startsWith(url('/'))) foreign.push(request.url())
    })
  })
  afterAll(async () => {
    await context.close()
    await host.close()
  })

  async function opened(path: string, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
    const page = await context.newPage()
    await page.emulateMedia({ colorScheme })
    await page.goto(url(path), { waitUntil: 'networkidle' })
    return page
  }

  test('every link leads to a page and a heading', () => {
    const files = readdirSync(DIST, { recursive: true, encoding: 'utf8' })
    const pages = files.filter((name) => name.endsWith('.html'))
    expect(pages.length).toBeGreaterThan(40)
    const broken = pages.flatMap((page) =>
      linksOf(page)
        .filter(leadsNowhere)
        .map(({ pathname, hash }) => `${page}: ${pathname}${hash}`),
    )
    expect(broken).toEqual([])
  })

  test('the texts for assistants name every page, and each is there', () => {
    const index = readFileSync(join(DIST, 'llms.txt'), 'utf8')
    const named = [...index.matchAll(/\]\(([^)]+)\)/g)].map(([, file = '']) => file)
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((file) => fileOf(`/${file}`) === undefined)).toEqual([])
  })

  test.each([
    ['/', 'en', 'ltr'],
    ['/ar/key-lifecycle', 'ar', 'rtl'],
  ])('%s is in %s, %s', async (path, lang, dir) => {
    const page = await opened(path)
    expect(await page.locator('html').getAttribute('lang')).toBe(lang)
    expect(await page.evaluate(() => getComputedStyle(document.body).direction)).toBe(dir)
    await page.close()
  })

  test('the first page weighs at most 110 kB', async () => {
    served.clear()
    const page = await opened('/')
    // What the browser fetches ahead of the next click is not of this page; pictures come below the fold.
    const ahead = await page
      .locator('link[rel=prefetch]')
      .evaluateAll((links) => links.map((link) => new URL(Object(link).href).pathname))
    const used = [...served].filter(([path]) => !ahead.includes(path) && !path.endsWith('.png'))
    expect(used.length).toBeGreaterThan(3)
    expect(used.reduce((sum, [, bytes]) => sum + bytes, 0)).toBeLessThanOrEqual(110_000)
    await page.close()
  })

  test('Arabic words are found with and without the article, marks and hamza', async () => {
    const page = await opened('/ar/')
    await page.locator('.DocSearch-Button').first().click()
    const results = page.locator('#localsearch-list .result')
    const searched = async (query: string) => {
      await page.locator('#localsearch-input').fill('')
      await results.first().waitFor({ state: 'detached' })
      await page.locator('#localsearch-input').fill(query)
      await results.first().waitFor()
      return results.evaluateAll((all) => all.map((one) => one.getAttribute('href')))
    }
    const found = await searched('مفتاح')
    expect(found.length).toBeGreaterThan(3)
    expect(await searched('المفتاح')).toHaveLength(found.length)
    expect(await searched('مِفْتاح')).toHaveLength(found.length)
    expect(await searched('ابطال')).toEqual(await searched('الإبطال'))
    await page.close()
  })

  test.each([
    ['/', 'light'],
    ['/ar/getting-started', 'dark'],
    ['/live-example', 'light'],
    ['/ar/live-example', 'dark'],
  ] as const)('axe finds nothing on %s, %s', async (path, colorScheme) => {
    const page = await opened(path, colorScheme)
    expect(await findingsOf(page)).toEqual([])
    await page.close()
  })

  test.each([
    ['/live-example', 'en'],
    ['/ar/live-example', 'ar'],
  ] as const)('%s: the guard answers a key that is created and rotated', async (path, lang) => {
    const page = await opened(path)
    const tab = new TabPage(page, lang)
    await tab.ready()
    const first = await tab.createKey({ name: 'CRM sync' })
    const field = page.locator('form.call > label > input')
    const answer = async () => {
      await page.locator('form.call > button').click()
      return page.locator('.answer').textContent()
    }
    expect(await field.inputValue()).toBe(first)
    await expect.poll(answer).toMatch(/^HTTP\/1\.1 200[\s\S]*"calledBy": "CRM sync"/)
    const id = await page.locator('[data-row]').first().getAttribute('data-row')
    await tab.ask('rotate', id ?? '')
    await tab.confirm()
    await expect.poll(() => field.inputValue()).not.toBe(first)
    await expect.poll(answer).toMatch(/^HTTP\/1\.1 200[\s\S]*"calledBy": "CRM sync \(rotated\)"/)
    await field.fill(first)
    await expect.poll(answer).toMatch(/^HTTP\/1\.1 401[\s\S]*invalid_token/)
    await page.close()
  })

  test('no page asked another host for anything', () => {
    expect(foreign).toEqual([])
  })
})
