import { expect, test } from 'vitest'
import { problem } from '../support/settings-tab/backend.ts'
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
  for (const said of ['تم إنشاء المفتاح «خادم»', tab.strings['created.body']]) {
    expect(await banner.innerText()).toContain(said)
  }
  expect(await tab.secret.textContent()).toBe(backend.secrets[0])
  const described = await tab.copyButton.getAttribute('aria-describedby')
  expect(await page.locator(`#${described}`).innerText()).toBe(tab.strings['created.body'])
  expect(await styleOf(banner, 'background-color')).toBe(amber)
})

test.each(['click', 'Enter', 'Space'])('copying by %s takes the key byte for byte', async (way) => {
  const { tab, page, backend } = await open({ fakeTimers: true })
  await tab.createKey()
  if (way === 'click') await tab.copyButton.click()
  else await tab.copyButton.press(way)
  await expect.poll(() => tab.copyButton.innerText()).toContain(tab.strings.copied)
  expect(await tab.clipboard()).toBe(backend.secrets[0])
  await page.clock.runFor(3_600)
  await expect.poll(() => tab.copyButton.innerText()).toContain(tab.strings.copy)
  expect(await tab.heard(tab.strings['banner.copied'])).toBe(true)
  expect(await tab.events('api-key-copied')).toMatchObject([{ id: 'key_new1' }])
})

test.each(['refusing', 'absent'] as const)(
  'a clipboard that is %s is worked around',
  async (kind) => {
    const { tab, page, backend } = await open({ before: clipboard[kind] })
    await tab.createKey()
    await tab.copyButton.click()
    await expect.poll(() => tab.copyButton.innerText()).toContain(tab.strings.copied)
    // The clipboard itself cannot be read where its API is refused.
    await page.evaluate(() => {
      document.querySelector('main')?.append(document.createElement('textarea'))
    })
    const field = page.locator('main > textarea')
    await field.press('Control+v')
    expect(await field.inputValue()).toBe(backend.secrets[0])
  },
)

test('when nothing works the key is selected, nobody claims a copy, and no copy dismisses it', async () => {
  const { tab, page } = await open({ before: clipboard.broken })
  const secret = await tab.createKey()
  await tab.copyButton.click()
  const note = page.locator('[data-note=copy-failed]')
  expect(await note.innerText()).toBe(tab.strings['copy.fail'])
  expect(await tab.copyButton.innerText()).not.toContain(tab.strings.copied)
  expect(await page.evaluate(() => String(getSelection()))).toBe(secret)
  await expect.poll(() => tab.heard('تعذّر النسخ تلقائيًا')).toBe(true)
  await tab.dismissButton.click()
  await page.getByRole('button', { name: tab.strings['dismiss.copy'] }).click()
  await note.waitFor()
  expect(await tab.secret.textContent()).toBe(secret)
  expect(await tab.events('api-key-copied')).toEqual([])
})

test('selecting and pressing Ctrl+C counts, and takes all of the key', async () => {
  const { tab, page, backend } = await open()
  await tab.createKey()
  await tab.secret.focus()
  await page.keyboard.press('Control+a')
  expect(await page.evaluate(() => String(getSelection()))).toBe(backend.secrets[0])
  await page.keyboard.press('Control+c')
  await expect.poll(() => tab.events('api-key-copied')).toHaveLength(1)
  expect(await tab.clipboard()).toBe(backend.secrets[0])
  await tab.dismissButton.click()
  await expect.poll(() => tab.banners.count()).toBe(0)
})

test('an uncopied key asks once before it goes', async () => {
  const { tab, page, backend } = await open()
  for (const answer of ['dismiss.copy', 'dismiss.anyway'] as const) {
    await tab.createKey()
    await tab.dismissButton.click()
    const ask = page.getByRole('group', { name: tab.strings['dismiss.ask'] })
    await ask.waitFor()
    await expect.poll(() => tab.focused()).toMatch(/^dismiss-copy-/)
    await ask.getByRole('button', { name: tab.strings[answer] }).click()
    await expect.poll(() => tab.banners.count()).toBe(0)
    await expect.poll(() => tab.focused()).toBe('new-key')
  }
  expect(await tab.clipboard()).toBe(backend.secrets[0])
})

test('nothing but dismissal takes the key away, not even what removes the markup', async () => {
  const { tab, page, backend } = await open({
    before: () => addEventListener('error', (event) => event.preventDefault()),
  })
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
  await tab.set({ lang: 'en', theme: 'dark' })
  await expect.poll(() => tab.copyButton.innerText()).toContain('Copy key')
  await still()
  await tab.openCreate()
  await page.keyboard.press('Escape')
  await still()
  await tab.host.evaluate((element) => element.shadowRoot?.replaceChildren())
  await tab.refresh()
  await tab.ready()
  await still()
})

test('two keys wait side by side, each with its own copy, and a banner goes with its key', async () => {
  const { tab, page, backend } = await open()
  await tab.createKey({ name: 'First' })
  await tab.rotate()
  expect(await tab.banners.evaluateAll((all) => all.map(({ classList }) => classList[1]))).toEqual([
    'rotated',
    'created',
  ])
  for (const [index, secret] of [backend.secrets[1], backend.secrets[0]].entries()) {
    await tab.copyButton.nth(index).click()
    await expect.poll(() => tab.clipboard()).toBe(secret)
  }
  await tab.dismissButton.first().click()
  await expect.poll(() => tab.banners.count()).toBe(1)
  expect(await tab.secret.textContent()).toBe(backend.secrets[0])
  await expect.poll(() => tab.focused()).toMatch(/^copy-/)
  // A dead secret must not be handed out.
  await tab.rotate('key_new1')
  await page.locator('section.created').waitFor({ state: 'detached' })
  expect(await tab.secret.textContent()).toBe(backend.secrets[2])
})

const address = 'https://api.example.com/api/public/v1/contacts'
const given = { lang: 'en', attributes: `call-url="${address}?q=it's\`$x"` } as const

test('the first call is ready to paste, and who has copied it has copied the key', async () => {
  const { tab, page } = await open(given)
  const secret = await tab.createKey()
  await page.locator('[data-act=show-call]').click()
  const callWith = (key: string) =>
    `curl '${address}?q=it%27s%60%24x' \\\n  -H 'Authorization: Bearer ${key}'`
  const code = page.locator('pre')
  expect(await code.textContent()).toBe(callWith(`${secret.slice(0, 12)}…`))
  await page.locator('[data-act=copy-code]').click()
  await expect.poll(() => tab.events('api-key-copied')).toHaveLength(1)
  expect(await tab.clipboard()).toBe(callWith(secret))
})

test('a refused clipboard leaves the code selected, and claims no copy', async () => {
  const { tab, page } = await open({ ...given, before: clipboard.broken })
  await tab.createKey()
  await page.locator('[data-act=show-call]').click()
  await page.locator('[data-act=copy-code]').click()
  await page.locator('[data-note=copy-failed]').waitFor()
  expect(await page.evaluate(() => String(getSelection()))).toContain('curl')
  expect(await tab.events('api-key-copied')).toEqual([])
})

test('the tab waits for the first call, passes over a fault, and says that it works', async () => {
  const { tab, page, backend } = await open({ ...given, fakeTimers: true })
  await tab.createKey()
  const asked = () => backend.requests('GET /keys/key_new1').length
  const note = page.locator('[data-note=call]')
  expect(await note.innerText()).toBe('Waiting for the first call…')
  backend.next('GET /keys/key_new1', problem(503, 'storage_unavailable'))
  await page.clock.runFor(3_500)
  await expect.poll(asked).toBe(1)
  backend.changeElsewhere('key_new1', { uses: 1 })
  const waited = async () => {
    await page.clock.runFor(3_500)
    return note.innerText()
  }
  await expect.poll(waited).toContain('It works')
  await page.clock.runFor(100)
  await expect.poll(() => tab.heard('It works: the first call has arrived.')).toBe(true)
  const before = asked()
  await page.clock.runFor(10_000)
  expect(asked()).toBe(before)
  expect(await tab.row('key_new1').locator('.uses').innerText()).toBe('1')
})

test.each(['its banner is dismissed', 'the session has ended'])(
  'nobody waits for a first call once %s',
  async (ended) => {
    const { tab, page, backend } = await open({ ...given, fakeTimers: true })
    await tab.createKey()
    await page.locator('[data-note=call]').waitFor()
    if (ended === 'the session has ended') {
      backend.always('GET /keys', problem(401, 'unauthenticated'))
      await tab.refresh()
      await page.locator('#session-panel').waitFor()
    } else {
      await tab.copyButton.click()
      await tab.dismissButton.click()
    }
    await page.locator('[data-note=call]').waitFor({ state: 'detached' })
    await page.clock.runFor(10_000)
    expect(backend.requests('GET /keys/key_new1')).toEqual([])
  },
)
