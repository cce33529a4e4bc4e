import type { CDPSession, Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { tabTests } from '../support/settings-tab/browser.ts'

const { open } = tabTests()

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
  expect(await everythingIn(page)).not.toContain(random)
  expect(JSON.stringify(await tab.record())).not.toContain(random)
  expect(messages.join()).not.toContain(random)
  expect(await heapOf(session)).not.toContain(random)
})

test('while it is shown, no attribute holds it', async () => {
  const { tab } = await open()
  const secret = await tab.createKey()
  const attributes = await tab.host.evaluate((element) =>
    [element, ...(element.shadowRoot?.querySelectorAll('*') ?? [])].flatMap((one) =>
      [...one.attributes].map(({ value }) => value),
    ),
  )
  expect(attributes.join()).not.toContain(secret)
  const holders = await tab.host.evaluate(
    (element, text) =>
      [...(element.shadowRoot?.querySelectorAll('*') ?? [])].filter(
        (one) => one.children.length === 0 && one.textContent?.includes(text),
      ).length,
    secret,
  )
  // The code of the first call has it only while it is copied.
  expect(holders).toBe(1)
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
  expect(await tab.events('pending-secret-change')).toMatchObject([
    { pending: true },
    { pending: false },
  ])
})

/*
 * The back/forward cache cannot be had here: headless Chromium never restores a page from it. So the
 * page is told `pagehide` as it would be, and must have forgotten the key by then; a real leave and
 * Back follows.
 */
test('leaving and coming back shows no key', async () => {
  const { tab, page, url } = await open()
  const secret = await tab.createKey()
  await tab.copyButton.click()
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })))
  await expect.poll(() => tab.banners.count()).toBe(0)
  expect(await everythingIn(page)).not.toContain(secret)
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await tab.ready()
  await tab.createKey()
  await tab.copyButton.click()
  await page.goto('about:blank')
  await page.goBack()
  expect(page.url()).toBe(url)
  await tab.ready()
  expect(await everythingIn(page)).not.toContain('TESTONLYdoNOTuse')
})

test('a reload and a move in the page show no key', async () => {
  const { tab, page } = await open()
  await tab.createKey()
  await tab.copyButton.click()
  await page.reload()
  await tab.ready()
  expect(await everythingIn(page)).not.toContain('TESTONLYdoNOTuse')
  await tab.createKey()
  await page.evaluate(() => {
    const tab = document.querySelector('api-keys-tab')
    if (tab) document.body.append(tab)
  })
  await tab.ready()
  expect(await tab.banners.count()).toBe(0)
  expect(await everythingIn(page)).not.toContain('TESTONLYdoNOTuse')
  expect(await tab.events('pending-secret-change')).toMatchObject([
    { pending: true },
    { pending: false },
  ])
})

test('the key is masked and stands once, and no live region ever says it', async () => {
  const { tab, page } = await open()
  const secret = await tab.createKey()
  await tab.copyButton.click()
  await tab.ask('rotate', 'key_store')
  await tab.confirm()
  await page.locator('section.rotated').waitFor()
  await checkMasked(tab.secret.first())
  expect((await everythingIn(page)).split(secret)).toHaveLength(2)
  await page.waitForTimeout(100)
  const { announced } = await tab.record()
  expect(announced.length).toBeGreaterThan(2)
  expect(announced.join()).not.toContain('TESTONLYdoNOTuse')
  expect(announced.join()).not.toContain(secret)
})

async function checkMasked(element: Locator): Promise<void> {
  const attributes = await element.evaluate((node) =>
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
  for (const name of ['ph-no-capture', 'fs-exclude', 'sentry-block', 'clarity-mask', 'rr-block']) {
    expect(attributes['class']?.split(' ')).toContain(name)
  }
}

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
