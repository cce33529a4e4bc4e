import type { CDPSession, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type Opened, tabTests } from '../support/settings-tab/browser.ts'

const { open } = tabTests()
const MARK = 'TESTONLYdoNOTuse'
const thenNone = [{ pending: true }, { pending: false }]

test('after dismissal the key is nowhere in the page', async () => {
  const { tab, page, backend, context } = await open()
  const messages: string[] = []
  page.on('console', (message) => messages.push(message.text()))
  await tab.send()
  await tab.copyButton.waitFor()
  const random = backend.secrets[0]?.slice(12) ?? ''
  expect(random).toHaveLength(43)
  const session = await context.newCDPSession(page)
  // Shows that the search would find it.
  expect(await heapOf(session)).toContain(random)
  await tab.copyButton.click()
  await tab.dismissButton.click()
  await expect.poll(() => tab.banners.count()).toBe(0)
  const left = [await everythingIn(page), await tab.record(), messages, await heapOf(session)]
  expect(left.map((one) => JSON.stringify(one).includes(random))).toEqual(Array(4).fill(false))
})

test('while it is shown it is masked, stands once, in no attribute, and no live region says it', async () => {
  const { tab, page } = await open()
  const secret = await tab.createKey()
  await tab.copyButton.click()
  await tab.rotate()
  const attributes = await tab.secret
    .first()
    .evaluate((node) =>
      Object.fromEntries([...node.attributes].map(({ name, value }) => [name, value])),
    )
  expect(attributes).toMatchObject({
    translate: 'no',
    spellcheck: 'false',
    'data-sentry-block': '',
    'data-private': '',
    'data-dd-privacy': 'hidden',
    'data-clarity-mask': 'true',
    'data-hj-suppress': '',
  })
  const classes = ['ph-no-capture', 'fs-exclude', 'sentry-block', 'clarity-mask', 'rr-block']
  expect(attributes['class']?.split(' ')).toEqual(expect.arrayContaining(classes))
  // The code of the first call has it only while it is copied.
  expect((await everythingIn(page)).split(secret)).toHaveLength(2)
  expect(await tab.secret.getByText(secret).count()).toBe(1)
  await expect.poll(() => tab.heard('تم استبدال المفتاح')).toBe(true)
  const { announced } = await tab.record()
  expect(announced.length).toBeGreaterThan(2)
  expect(announced.join()).not.toContain(MARK)
})

test('leaving is held up only while a key is uncopied, and the page gets the event', async () => {
  const { tab, page } = await open()
  const held = () =>
    page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })))
  const pending = () =>
    tab.host.evaluate((element: HTMLElementTagNameMap['api-keys-tab']) => [
      element.hasPendingSecret,
      element.matches(':state(pending-secret)'),
    ])
  expect(await held()).toBe(false)
  await tab.createKey()
  expect(await held()).toBe(true)
  expect(await pending()).toEqual([true, true])
  await tab.copyButton.click()
  await expect.poll(held).toBe(false)
  expect(await pending()).toEqual([false, false])
  expect(await tab.events('pending-secret-change')).toMatchObject(thenNone)
})

/*
 * The back/forward cache cannot be had here: headless Chromium never restores a page from it. So the
 * page is told `pagehide` as it would be, and must have forgotten the key by then; a real leave and
 * Back follows.
 */
const turn = (page: Page, type: 'pagehide' | 'pageshow') =>
  page.evaluate((type) => {
    dispatchEvent(new PageTransitionEvent(type, { persisted: true }))
  }, type)

const WAYS: Readonly<Record<string, (opened: Opened) => Promise<unknown>>> = {
  'told that it is left': async ({ tab, page }) => {
    await turn(page, 'pagehide')
    await expect.poll(() => tab.banners.count()).toBe(0)
    expect(await everythingIn(page)).not.toContain(MARK)
    await turn(page, 'pageshow')
  },
  'left and come back to': async ({ page }) => {
    await page.goto('about:blank')
    await page.goBack()
  },
  'loaded again': ({ page }) => page.reload(),
  'one in which the tab is moved': async ({ tab }) => {
    await tab.host.evaluate((element) => document.body.append(element))
    expect(await tab.events('pending-secret-change')).toMatchObject(thenNone)
  },
}

test.each(Object.entries(WAYS))('a page that is %s shows no key', async (_, leave) => {
  const opened = await open()
  const { tab, page, url } = opened
  await tab.createKey()
  await tab.copyButton.click()
  await leave(opened)
  await tab.ready()
  expect(page.url()).toBe(url)
  expect(await tab.banners.count()).toBe(0)
  expect(await everythingIn(page)).not.toContain(MARK)
})

test('a secret that was asked for before the page was left is not shown after it', async () => {
  const { tab, page, backend } = await open({ lang: 'en' })
  for (const action of ['create', 'rotate'] as const) {
    const { arrived, release } = backend.hold('POST')
    if (action === 'create') await tab.send()
    else {
      await tab.ask('rotate', 'key_store')
      await tab.confirm()
    }
    await arrived
    await turn(page, 'pagehide')
    await turn(page, 'pageshow')
    release()
    await tab.alert.waitFor()
    expect(await everythingIn(page)).not.toContain(MARK)
    await page.keyboard.press('Escape')
  }
  expect(await tab.events('pending-secret-change')).toEqual([])
  await tab.createKey()
})

/** All that a script could read: both trees with their attributes, storage, address, history. */
function everythingIn(page: Page): Promise<string> {
  return page.evaluate(() =>
    JSON.stringify([
      document.documentElement.outerHTML,
      [...document.querySelectorAll('api-keys-tab')].map((one) => one.shadowRoot?.innerHTML),
      { ...localStorage },
      { ...sessionStorage },
      location.href,
      history.state,
      document.title,
    ]),
  )
}

async function heapOf(session: CDPSession): Promise<string> {
  const chunks: string[] = []
  const collect = ({ chunk }: { chunk: string }) => chunks.push(chunk)
  session.on('HeapProfiler.addHeapSnapshotChunk', collect)
  await session.send('HeapProfiler.enable')
  for (let rounds = 0; rounds < 3; rounds += 1) await session.send('HeapProfiler.collectGarbage')
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  session.off('HeapProfiler.addHeapSnapshotChunk', collect)
  return chunks.join('')
}
