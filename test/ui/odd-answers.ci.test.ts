import { expect, test } from 'vitest'
import { problem, type Reply } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { listOf } from '../support/settings-tab/keys.ts'

type Tab = HTMLElementTagNameMap['api-keys-tab']

const { open } = tabTests()

const strange: readonly Reply[] = [
  { status: 200, body: '<!doctype html><title>Sign in</title>' },
  { status: 201, body: { key: null, secret: null } },
]

test.each(strange)(
  'a change answered with %j may have happened: the dialog says so',
  async (reply) => {
    const { tab, page, backend } = await open({ lang: 'en' })
    backend.always('POST', reply)
    await tab.send({ name: 'Kept' })
    const created = tab.createDialog.getByRole('alert')
    await expect.poll(() => created.innerText()).toContain(tab.strings['e.unknown.create'])
    expect(await page.locator('#create-name').inputValue()).toBe('Kept')
    await page.keyboard.press('Escape')
    for (const action of ['rotate', 'revoke'] as const) {
      await tab.ask(action, 'key_store')
      await tab.confirm()
      await tab.confirmDialog.getByRole('alert').waitFor()
      await page.keyboard.press('Escape')
    }
    expect(await tab.status('key_store').textContent()).toBe('Active')
    expect(await tab.events('api-key-created')).toEqual([])
  },
)

test('the answers of a client of the page are checked as well', async () => {
  const { tab } = await open({ lang: 'en' })
  await tab.host.evaluate((element: Tab, list) => {
    const scope = { scope: 'contacts.read', label: { en: 'Read contacts' } }
    const groups = [{ id: 'contacts', label: { en: 'Contacts' }, scopes: [scope] }]
    const reads = { listKeys: async () => list, listScopes: async () => ({ groups }) }
    element.client = new Proxy(reads as never, {
      get: (target, name) => Reflect.get(target, name) ?? (async () => ({})),
    })
  }, listOf([]))
  await tab.send({ name: 'Kept' })
  const alert = tab.createDialog.getByRole('alert')
  await expect.poll(() => alert.innerText()).toContain(tab.strings['e.unknown.create'])
})

test('objections of another form are dropped, and the dialog tells that it failed', async () => {
  const { tab, backend } = await open({ lang: 'en' })
  const issues = [null, { path: null }, { path: 'name', code: 'taken' }]
  backend.next('POST /keys', problem(422, 'invalid_input', { issues }))
  await tab.send()
  const alert = tab.createDialog.getByRole('alert')
  await expect.poll(() => alert.innerText()).toContain(tab.strings['e.generic'])
})

test('a reference of any length is cut to what can be quoted', async () => {
  const { tab, page, backend } = await open({ lang: 'en' })
  const headers = { 'X-Request-Id': 'r'.repeat(5_000) }
  backend.always('GET /keys', problem(503, 'storage_unavailable', { headers }))
  await page.reload()
  await tab.ready()
  expect((await page.locator('[part=error-message]').innerText()).length).toBeLessThan(400)
})

test('a secret that was asked for before the page was left is not shown after it', async () => {
  const { tab, page, backend } = await open({ lang: 'en' })
  for (const line of ['POST /keys', 'POST /keys/key_store/rotate']) {
    const { arrived, release } = backend.hold(line)
    if (line === 'POST /keys') {
      await tab.send()
    } else {
      await tab.ask('rotate', 'key_store')
      await tab.confirm()
    }
    await arrived
    await page.evaluate(() => {
      dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
    })
    release()
    await page.locator('dialog[open]').getByRole('alert').waitFor()
    expect(await tab.banners.count()).toBe(0)
    expect(await tab.host.evaluate((element) => element.shadowRoot?.innerHTML)).not.toContain(
      'TESTONLYdoNOTuse',
    )
    await page.keyboard.press('Escape')
  }
  expect(await tab.events('pending-secret-change')).toEqual([])
  await tab.createKey()
})

test('markup that something else has removed is drawn anew, with the secret', async () => {
  const { tab, backend } = await open({ lang: 'en', before: catchErrors })
  await tab.createKey()
  await tab.host.evaluate((element) => element.shadowRoot?.replaceChildren())
  await tab.refresh()
  await tab.ready()
  expect(await tab.secret.textContent()).toBe(backend.secrets[0])
})

test('a base URL that paths cannot follow is reported, and the list says that it failed', async () => {
  const { tab, page } = await open({ lang: 'en', before: catchErrors })
  await tab.host.evaluate((element: Tab) => {
    element.baseUrl = 'api?tenant=1'
  })
  await expect
    .poll(() => page.evaluate(() => document.documentElement.dataset['error']))
    .toContain('baseUrl must have no query and no fragment')
})

/** Runs in the page: keeps the last error that is reported, which here is meant to be. */
function catchErrors(): void {
  addEventListener('error', (event) => {
    event.preventDefault()
    document.documentElement.dataset['error'] = event.message
  })
}
