import { expect, test } from 'vitest'
import { problem } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'

const { open } = tabTests()
const attributes = 'call-url="https://api.example.com/api/public/v1/contacts?q=it\'s`$x"'
const given = { lang: 'en', attributes } as const

test('a copy of the code by hand counts when the secret is in it', async () => {
  const { tab, page } = await open(given)
  const secret = await tab.createKey()
  await page.locator('[data-act=show-call]').click()
  const pre = page.locator('pre')
  const copy = async (to: 'start' | 'end') => {
    await pre.evaluate((node, to) => {
      const range = document.createRange()
      range.selectNodeContents(node)
      if (to === 'start') range.setEndBefore(node.querySelector('[data-mask]') as Node)
      getSelection()?.removeAllRanges()
      getSelection()?.addRange(range)
    }, to)
    await pre.focus()
    await page.keyboard.press('Control+c')
  }
  await copy('start')
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toContain('Authorization')
  expect(await tab.events('api-key-copied')).toEqual([])
  await copy('end')
  await expect.poll(() => tab.events('api-key-copied')).toHaveLength(1)
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(secret)
  expect(await page.locator('[data-act=copy-code]').innerText()).toContain('Copied')
})

test('a refused clipboard leaves the code selected, and claims no copy', async () => {
  const { tab, page } = await open({
    ...given,
    before: () => {
      navigator.clipboard.writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'))
      document.execCommand = () => false
    },
  })
  await tab.createKey()
  await page.locator('[data-act=show-call]').click()
  await page.locator('[data-act=copy-code]').click()
  await page.locator('[data-note=copy-failed]').waitFor()
  expect(await page.evaluate(() => String(getSelection()))).toContain('curl')
  expect(await tab.events('api-key-copied')).toEqual([])
})

test('the tab waits for the first call, and says that it works', async () => {
  const { tab, page, backend } = await open({ ...given, fakeTimers: true })
  await tab.createKey()
  const note = page.locator('[data-note=call]')
  expect(await note.innerText()).toBe('Waiting for the first call…')
  await page.clock.runFor(3_500)
  await expect.poll(() => backend.requests('GET /keys/key_new1').length).toBe(1)
  backend.changeElsewhere('key_new1', { uses: 1 })
  await page.clock.runFor(3_500)
  await expect.poll(() => note.innerText()).toContain('It works')
  await page.clock.runFor(100)
  await expect.poll(() => tab.heard('It works: the first call has arrived.')).toBe(true)
  const asked = backend.requests('GET /keys/key_new1').length
  await page.clock.runFor(10_000)
  expect(backend.requests('GET /keys/key_new1')).toHaveLength(asked)
  expect(await tab.row('key_new1').locator('.uses').innerText()).toBe('1')
})

test('a fault of the server is passed over', async () => {
  const { tab, page, backend } = await open({ ...given, fakeTimers: true })
  await tab.createKey()
  const path = 'GET /keys/key_new1'
  backend.next(path, problem(503, 'storage_unavailable'))
  await page.clock.runFor(3_500)
  await expect.poll(() => backend.requests(path).length).toBe(1)
  backend.changeElsewhere('key_new1', { uses: 1 })
  await expect
    .poll(async () => {
      await page.clock.runFor(3_500)
      return page.locator('[data-note=call]').innerText()
    })
    .toContain('It works')
})

test('nobody asks for a key that has left the screen', async () => {
  const { tab, page, backend } = await open({ ...given, fakeTimers: true })
  await tab.createKey()
  await tab.copyButton.click()
  await tab.dismissButton.click()
  await page.clock.runFor(10_000)
  expect(backend.requests('GET /keys/key_new1')).toEqual([])
})
