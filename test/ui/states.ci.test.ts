import { expect, test } from 'vitest'
import { problem, ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { keyOf } from '../support/settings-tab/keys.ts'
import { styleOf } from '../support/settings-tab/measure.ts'

const { open } = tabTests()

test('loading is calm, says so when slow, and does not make the page jump', async () => {
  const backend = new ScriptedBackend(['a', 'b', 'c'].map((id) => keyOf({ id })))
  backend.activeKeyLimit = null
  const { arrived, release } = backend.hold('GET /keys')
  const { tab, page } = await open({ backend, fakeTimers: true, atOnce: true })
  await arrived
  const list = page.locator('.list')
  await page.locator('[part=skeleton]').waitFor()
  expect(await list.getAttribute('aria-busy')).toBe('true')
  expect(await tab.newKey.isDisabled()).toBe(true)
  expect(await styleOf(page.locator('.skeleton i').first(), 'animation-name')).toBe('none')
  const height = () => list.evaluate((node) => node.getBoundingClientRect().height)
  const before = await height()
  await page.clock.runFor(1_200)
  await expect.poll(() => tab.heard(tab.strings.loading)).toBe(true)
  expect(await page.locator('[data-note=slow]').count()).toBe(0)
  await page.clock.runFor(7_000)
  expect(await page.locator('[data-note=slow]').innerText()).toBe(tab.strings['loading.slow'])
  release()
  await tab.ready()
  expect(await list.getAttribute('aria-busy')).toBe('false')
  expect(Math.abs((await height()) - before)).toBeLessThan(48)
})

test.each([
  ['a fault', { status: 500, body: null, headers: { 'X-Request-Id': 'req_7Q' } }],
  ['an outage', problem(503, 'storage_unavailable', { headers: { 'X-Request-Id': 'req_7Q' } })],
] as const)('%s on the first load is no empty list', async (_name, reply) => {
  const backend = new ScriptedBackend()
  backend.always('GET /keys', reply)
  const { tab, page } = await open({ backend })
  const panel = page.getByRole('alert')
  expect(await panel.innerText()).toContain(tab.strings['err.title'])
  expect(await panel.innerText()).toContain('لم يتغيّر شيء في مفاتيحك')
  expect(await panel.innerText()).toContain('req_7Q')
  expect(await tab.words(tab.strings['empty.title']).count()).toBe(0)
  expect(await tab.newKey.isDisabled()).toBe(true)
  expect(await tab.events('api-keys-error')).toMatchObject([{ requestId: 'req_7Q' }])
  backend.heal()
  await panel.getByRole('button', { name: tab.strings['err.retry'] }).click()
  await expect.poll(() => tab.rows.count()).toBe(2)
})

test('a first list that cannot be loaded names its address and the status in the console, once', async () => {
  const backend = new ScriptedBackend()
  backend.always('GET /keys', { status: 404, body: 'no such page' })
  const { tab, page, url } = await open({ backend })
  const lines: string[] = []
  page.on('console', (message) => message.type() === 'warning' && lines.push(message.text()))
  await page.reload()
  await tab.ready()
  await page.locator('#retry').click()
  await expect.poll(() => backend.requests('GET /keys').length).toBe(6)
  expect(lines).toEqual([`api-keys-tab: ${url}api/keys answered 404 (not_found)`])
})

test('a failed refresh keeps the rows and says from when they are', async () => {
  const { tab, page, backend } = await open()
  backend.always('GET /keys', 'cut')
  await tab.refresh()
  const note = page.locator('[data-note=stale]')
  expect(await note.innerText()).toContain('4:05')
  expect(await tab.rows.count()).toBe(2)
  backend.heal()
  await note.getByRole('button').click()
  await note.waitFor({ state: 'detached' })
})

test('an empty list invites to make the first key', async () => {
  const { tab, page } = await open({ backend: new ScriptedBackend([]) })
  const panel = page.locator('[part=empty]')
  expect(await panel.innerText()).toContain(tab.strings['empty.title'])
  expect(await panel.innerText()).toContain(tab.strings['empty.copy'])
  await panel.getByRole('button').click()
  await expect.poll(() => tab.focused()).toBe('create-name')
  await page.keyboard.press('Escape')
  await expect.poll(() => tab.focused()).toBe('new-key')
})

test('a session that ended asks to sign in', async () => {
  const backend = new ScriptedBackend()
  backend.always('GET /keys', problem(401, 'unauthenticated'))
  const { tab, page } = await open({ backend, attributes: 'login-url="/login"' })
  const panel = page.locator('#session-panel')
  // Nobody has signed in on this page yet, and nothing takes the focus while it loads.
  expect(await panel.innerText()).toContain(tab.strings['session.first'])
  expect(await tab.focused()).toBe('body')
  expect(
    await page.getByRole('link', { name: tab.strings['session.cta'] }).getAttribute('href'),
  ).toBe('/login')
  expect(await tab.newKey.isDisabled()).toBe(true)
  expect(await tab.events('session-expired')).toMatchObject([{ trigger: 'response' }])
  await tab.host.evaluate((element) =>
    element.addEventListener('session-expired', (event) => event.preventDefault()),
  )
  await page.getByRole('link', { name: tab.strings['session.cta'] }).click()
  expect(await tab.events('session-expired')).toHaveLength(2)
})

test.each(['create', 'rotate', 'revoke'] as const)(
  'a session that ends on %s keeps the visible key',
  async (action) => {
    const { tab, page, backend } = await open()
    const secret = await tab.createKey()
    backend.always('POST', problem(401, 'unauthenticated'))
    if (action === 'create') {
      await tab.send()
    } else {
      await tab.ask(action, 'key_store')
      await tab.confirm()
    }
    await page.locator('#session-panel').waitFor()
    expect(await page.locator('dialog[open]').count()).toBe(0)
    expect(await tab.secret.textContent()).toBe(secret)
    expect(await tab.words(tab.strings['session.keep']).isVisible()).toBe(true)
  },
)

test.each(['GET /keys/key_store/usage', 'GET /keys/key_store/events', 'GET /scopes'])(
  'a session that ends on %s is shown like any other',
  async (path) => {
    const backend = new ScriptedBackend()
    backend.always(path, problem(401, 'unauthenticated'))
    const { tab, page } = await open({ backend, atOnce: path === 'GET /scopes' })
    if (path !== 'GET /scopes') {
      await tab.choose('key_store', 'details')
    }
    await page.locator('#session-panel').waitFor()
    expect(await page.locator('dialog[open]').count()).toBe(0)
    expect(await tab.events('session-expired')).toMatchObject([{ trigger: 'response' }])
  },
)

test('a session that ends while the list is shown says so, with the focus', async () => {
  const { tab, page, backend } = await open()
  backend.always('GET /keys', problem(401, 'unauthenticated'))
  await tab.refresh()
  const panel = page.locator('#session-panel')
  expect(await panel.innerText()).toContain(tab.strings['session.title'])
  await expect.poll(() => tab.focused()).toBe('session-panel')
})

test('who has signed in elsewhere finds the list on coming back', async () => {
  const backend = new ScriptedBackend()
  backend.always('GET /keys', problem(401, 'unauthenticated'))
  const { tab, page } = await open({ backend })
  const comeBack = () => page.evaluate(() => void dispatchEvent(new Event('focus')))
  await comeBack()
  await expect.poll(() => backend.requests('GET /keys').length).toBe(4)
  expect(await page.locator('#session-panel').isVisible()).toBe(true)
  expect(await tab.events('session-expired')).toHaveLength(1)
  await tab.ready()
  backend.heal()
  await comeBack()
  await expect.poll(() => tab.rows.count()).toBe(2)
})

test('a user who may not manage keys sees a message and no list', async () => {
  const backend = new ScriptedBackend()
  backend.always('GET /keys', problem(403, 'forbidden'))
  const { tab, page } = await open({ backend })
  expect(await tab.words(tab.strings['forbidden.title']).isVisible()).toBe(true)
  expect(await page.locator('table').count()).toBe(0)
  expect(await tab.newKey.count()).toBe(0)
})

test('a catalogue that could not be loaded can be asked for again', async () => {
  const backend = new ScriptedBackend()
  backend.next('GET /scopes', { status: 500, body: null })
  backend.next('GET /scopes', { status: 500, body: null })
  const { tab } = await open({ backend })
  await tab.newKey.click()
  await tab.createDialog.getByRole('alert').getByRole('button').click()
  await tab.createDialog.locator('[data-scope]').first().waitFor()
})
