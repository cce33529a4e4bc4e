import { expect, test } from 'vitest'
import { tabTests } from '../support/settings-tab/browser.ts'
import { styleOf } from '../support/settings-tab/measure.ts'

const { open } = tabTests()

const clipboard = {
  /** The clipboard API is there and refuses. */
  refusing: () => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'))
  },
  /** A page over plain HTTP has no clipboard API. */
  absent: () => {
    Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined })
  },
  /** Neither way works. */
  broken: () => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'))
    document.execCommand = () => false
  },
}

test.each([
  ['light', 'rgb(255, 250, 240)'],
  ['dark', 'rgb(42, 27, 5)'],
] as const)('an amber banner shows the key once and says so (%s)', async (theme, amber) => {
  const { tab, backend, page } = await open({ theme })
  await tab.createKey({ name: 'خادم' })
  const banner = tab.banners.first()
  expect(await banner.innerText()).toContain('تم إنشاء المفتاح «خادم»')
  expect(await banner.innerText()).toContain(tab.strings['created.body'])
  expect(await tab.secret.textContent()).toBe(backend.secrets[0])
  await expect.poll(() => tab.focused()).toMatch(/^copy-/)
  const described = await tab.copyButton.getAttribute('aria-describedby')
  expect(await page.locator(`#${described}`).innerText()).toBe(tab.strings['created.body'])
  expect(await styleOf(banner, 'background-color')).toBe(amber)
  await expect.poll(() => tab.heard('تم إنشاء المفتاح «خادم»')).toBe(true)
})

test.each(['click', 'Enter', 'Space'])('copying by %s takes the key byte for byte', async (way) => {
  const { tab, page, backend } = await open({ fakeTimers: true })
  await tab.createKey()
  if (way === 'click') await tab.copyButton.click()
  else await tab.copyButton.press(way)
  await expect.poll(() => tab.copyButton.innerText()).toContain(tab.strings.copied)
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(backend.secrets[0])
  await page.clock.runFor(100)
  await expect.poll(() => tab.heard(tab.strings['banner.copied'])).toBe(true)
  await page.clock.runFor(3_500)
  await expect.poll(() => tab.copyButton.innerText()).toContain(tab.strings.copy)
  expect(await tab.events('api-key-copied')).toMatchObject([{ id: 'key_new1' }])
})

test.each(['refusing', 'absent'] as const)(
  'a clipboard that is %s is worked around',
  async (kind) => {
    const { tab, page, backend } = await open({ before: clipboard[kind] })
    await tab.createKey()
    await tab.copyButton.click()
    await expect.poll(() => tab.copyButton.innerText()).toContain(tab.strings.copied)
    expect(await pasted(page)).toBe(backend.secrets[0])
  },
)

test('when nothing works the key is selected and nobody claims a copy', async () => {
  const { tab, page } = await open({ before: clipboard.broken })
  const secret = await tab.createKey()
  await tab.copyButton.click()
  await page.locator('[data-note=copy-failed]').waitFor()
  expect(await page.locator('[data-note=copy-failed]').innerText()).toBe(tab.strings['copy.fail'])
  expect(await tab.copyButton.innerText()).not.toContain(tab.strings.copied)
  expect(await page.evaluate(() => String(getSelection()))).toBe(secret)
  expect(await tab.events('api-key-copied')).toEqual([])
  await expect.poll(() => tab.heard('تعذّر النسخ تلقائيًا')).toBe(true)
})

test('selecting and pressing Ctrl+C counts, and takes all of the key', async () => {
  const { tab, page, backend } = await open()
  await tab.createKey()
  await tab.secret.focus()
  await page.keyboard.press('Control+a')
  expect(await page.evaluate(() => String(getSelection()))).toBe(backend.secrets[0])
  await page.keyboard.press('Control+c')
  await expect.poll(() => tab.events('api-key-copied')).toHaveLength(1)
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(backend.secrets[0])
  await tab.dismissButton.click()
  await expect.poll(() => tab.banners.count()).toBe(0)
})

test('an uncopied key asks once before it goes', async () => {
  const { tab, page, backend } = await open()
  await tab.createKey()
  await tab.dismissButton.click()
  const ask = page.getByRole('group', { name: tab.strings['dismiss.ask'] })
  await ask.waitFor()
  await expect.poll(() => tab.focused()).toMatch(/^dismiss-copy-/)
  await ask.getByRole('button', { name: tab.strings['dismiss.copy'] }).click()
  await expect.poll(() => tab.banners.count()).toBe(0)
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(backend.secrets[0])
  await tab.createKey()
  await tab.dismissButton.click()
  await page.getByRole('button', { name: tab.strings['dismiss.anyway'] }).click()
  await expect.poll(() => tab.banners.count()).toBe(0)
  await expect.poll(() => tab.focused()).toBe('new-key')
})

test('copy and dismiss keeps a key that could not be copied', async () => {
  const { tab, page } = await open({ before: clipboard.broken })
  const secret = await tab.createKey()
  await tab.dismissButton.click()
  await page.getByRole('button', { name: tab.strings['dismiss.copy'] }).click()
  await page.locator('[data-note=copy-failed]').waitFor()
  expect(await tab.secret.textContent()).toBe(secret)
})

test('nothing but dismissal takes the key away', async () => {
  const { tab, page, backend } = await open()
  const secret = await tab.createKey()
  const still = async () => {
    expect(await tab.secret.textContent()).toBe(secret)
    expect(await tab.banners.isVisible()).toBe(true)
  }
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  await still()
  backend.always('GET /keys', { status: 500, body: null })
  await tab.refresh()
  await page.locator('[data-note=stale]').waitFor()
  await still()
  backend.heal()
  await tab.refresh()
  await tab.host.evaluate((element: HTMLElementTagNameMap['api-keys-tab']) => {
    element.lang = 'en'
    element.theme = 'dark'
  })
  await expect.poll(() => tab.copyButton.innerText()).toContain('Copy key')
  await still()
  await tab.openCreate()
  await page.keyboard.press('Escape')
  await still()
})

test('two keys wait side by side, each with its own copy', async () => {
  const { tab, page, backend } = await open()
  await tab.createKey({ name: 'First' })
  await tab.ask('rotate', 'key_store')
  await tab.confirm()
  await page.locator('section.rotated').waitFor()
  expect(await tab.banners.evaluateAll((all) => all.map(({ classList }) => classList[1]))).toEqual([
    'rotated',
    'created',
  ])
  for (const [index, secret] of [backend.secrets[1], backend.secrets[0]].entries()) {
    await tab.copyButton.nth(index).click()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(secret)
  }
  await tab.dismissButton.first().click()
  await expect.poll(() => tab.banners.count()).toBe(1)
  expect(await tab.secret.textContent()).toBe(backend.secrets[0])
  await expect.poll(() => tab.focused()).toMatch(/^copy-/)
})

test('a banner goes with its key: a dead secret must not be handed out', async () => {
  const { tab, page, backend } = await open()
  await tab.createKey()
  await tab.ask('rotate', 'key_new1')
  await tab.confirm()
  await page.locator('section.rotated').waitFor()
  expect(await tab.banners.count()).toBe(1)
  expect(await tab.secret.textContent()).toBe(backend.secrets[1])
})

/** What pasting gives; the clipboard itself cannot be read where its API is refused. */
async function pasted(page: Awaited<ReturnType<typeof open>>['page']): Promise<string> {
  await page.evaluate(() =>
    document.querySelector('main')?.append(document.createElement('textarea')),
  )
  await page.locator('main > textarea').focus()
  await page.keyboard.press('Control+v')
  return page.locator('main > textarea').inputValue()
}
