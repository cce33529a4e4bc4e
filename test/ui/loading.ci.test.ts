import { expect, test } from 'vitest'
import { problem, ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { fewKeys, keyOf } from '../support/settings-tab/keys.ts'
import { styleOf } from '../support/settings-tab/measure.ts'

const { open } = tabTests()
const LIST = 'GET /keys'
const fault = { status: 500, body: null }
const refused = problem(401, 'unauthenticated')

test('loading is calm, says so when slow, and does not make the page jump', async () => {
  const keys = ['a', 'b', 'c'].map((id) => keyOf({ id }))
  const backend = new ScriptedBackend(keys, { activeKeyLimit: null })
  const { arrived, release } = backend.hold(LIST)
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
  expect(Math.abs((await height()) - before)).toBeLessThan(48)
})

test('a list that cannot be loaded is no empty list, and Try again keeps the focus until it is there', async () => {
  const headers = { 'X-Request-Id': `req_${'7'.repeat(5_000)}` }
  const backend = new ScriptedBackend().always(LIST, { ...fault, headers })
  const { tab, page } = await open({ backend })
  const panel = await page.getByRole('alert').innerText()
  expect(panel).toContain('req_777')
  // A reference of any length is cut to what can be quoted.
  expect(panel.length).toBeLessThan(400)
  expect(await tab.words(tab.strings['empty.title']).count()).toBe(0)
  expect(await tab.newKey.isDisabled()).toBe(true)
  const requestId = expect.stringContaining('req_7')
  expect(await tab.events('api-keys-error')).toMatchObject([{ requestId }])
  await page.locator('#retry').click()
  await expect.poll(() => backend.requests(LIST).length).toBe(4)
  await expect.poll(() => tab.focused()).toBe('retry')
  backend.heal()
  await page.locator('#retry').click()
  await expect.poll(() => tab.rows.count()).toBe(2)
  await expect.poll(() => tab.focused()).toBe('title')
})

test('a first list that cannot be loaded names its address and the status in the console, once', async () => {
  const backend = new ScriptedBackend().always(LIST, { status: 404, body: 'no such page' })
  const { tab, page, url } = await open({ backend })
  const lines: string[] = []
  page.on('console', (message) => message.type() === 'warning' && lines.push(message.text()))
  await page.reload()
  await tab.ready()
  await page.locator('#retry').click()
  await expect.poll(() => backend.requests(LIST).length).toBe(6)
  expect(lines).toEqual([`api-keys-tab: ${url}api/keys answered 404 (not_found)`])
})

test('a failed refresh keeps the rows and says from when they are', async () => {
  const { tab, page, backend } = await open()
  backend.always(LIST, 'cut')
  await tab.refresh()
  const note = page.locator('[data-note=stale]')
  expect(await note.innerText()).toContain('4:05')
  expect(await tab.rows.count()).toBe(2)
  backend.heal()
  await note.getByRole('button').click()
  await note.waitFor({ state: 'detached' })
})

test('the list is loaded again when the user comes back after a while, and after a failure at once', async () => {
  const backend = new ScriptedBackend()
  backend.next(LIST, fault)
  const { tab, page } = await open({ backend, fakeTimers: true })
  const asked = () => backend.requests(LIST).length
  await page.locator('#retry').focus()
  await tab.comeBack()
  await expect.poll(() => tab.rows.count()).toBe(2)
  await expect.poll(() => tab.focused()).toBe('title')
  await tab.comeBack()
  expect(asked()).toBe(4)
  await page.clock.runFor(31_000)
  await tab.comeBack()
  await expect.poll(asked).toBe(6)
})

test('an empty list invites to make the first key, with the brand of the routes', async () => {
  const { tab, page } = await open({ backend: new ScriptedBackend([], { brand: 'acme' }) })
  await expect.poll(() => page.locator('.steps code').innerText()).toContain('Bearer acme_test_…')
  await page.locator('[part=empty]').getByRole('button').click()
  await expect.poll(() => tab.focused()).toBe('create-name')
  await page.keyboard.press('Escape')
  await expect.poll(() => tab.focused()).toBe('new-key')
})

test('a page without a session asks to sign in, takes no focus, and looks again on coming back', async () => {
  const backend = new ScriptedBackend().always(LIST, refused)
  const { tab, page } = await open({ backend, attributes: 'login-url="/login"' })
  expect(await tab.focused()).toBe('body')
  expect(await tab.newKey.isDisabled()).toBe(true)
  expect(await tab.events('session-expired')).toMatchObject([{ trigger: 'response' }])
  await tab.prevent('session-expired')
  const signIn = page.getByRole('link', { name: tab.strings['session.cta'] })
  expect(await signIn.getAttribute('href')).toBe('/login')
  await signIn.click()
  expect(await tab.events('session-expired')).toHaveLength(2)
  await tab.comeBack()
  await expect.poll(() => backend.requests(LIST).length).toBe(4)
  expect(await page.locator('#session-panel').isVisible()).toBe(true)
  expect(await tab.events('session-expired')).toHaveLength(2)
  await tab.ready()
  backend.heal()
  await tab.comeBack()
  await expect.poll(() => tab.rows.count()).toBe(2)
})

test.each(['create', 'rotate', 'revoke'] as const)(
  'a session that ends on %s keeps the visible key',
  async (action) => {
    const { tab, page, backend } = await open()
    const secret = await tab.createKey()
    backend.always('POST', refused)
    if (action === 'create') await tab.send()
    else {
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
    const backend = new ScriptedBackend(fewKeys).always(path, refused)
    const { tab, page } = await open({ backend, atOnce: path === 'GET /scopes' })
    if (path !== 'GET /scopes') await tab.choose('key_store', 'details')
    await page.locator('#session-panel').waitFor()
    expect(await page.locator('dialog[open]').count()).toBe(0)
    expect(await tab.events('session-expired')).toMatchObject([{ trigger: 'response' }])
  },
)

test('a session that ends while the list is shown takes the focus, but from no field of the page', async () => {
  const main = '<input id="host-field"><api-keys-tab base-url="api"></api-keys-tab>'
  for (const [field, focused] of [
    ['#new-key', 'session-panel'],
    ['#host-field', 'host-field'],
  ] as const) {
    const { tab, page, backend } = await open({ main })
    backend.always(LIST, refused)
    await page.locator(field).focus()
    await tab.refresh()
    expect(await tab.said()).toContain(tab.strings['session.title'])
    await expect.poll(() => tab.focused()).toBe(focused)
  }
})

test('a user who may not manage keys sees no list', async () => {
  const backend = new ScriptedBackend().always(LIST, problem(403, 'forbidden'))
  const { tab, page } = await open({ backend })
  expect(await page.locator('table').count()).toBe(0)
  expect(await tab.newKey.count()).toBe(0)
})
