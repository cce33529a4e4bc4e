import { expect, test } from 'vitest'
import type { MessageId, MessageValues } from '../../adapters/ui/strings/messages.ts'
import { someOf } from '../support/runs.ts'
import { problem, type Reply, ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { plain } from '../support/settings-tab/tab-page.ts'

const { open } = tabTests()

const haste = problem(429, 'rate_limited', { headers: { 'Retry-After': '11' } })
const odd = [null, { path: null }, { path: 'name', code: 'taken' }]

/** `failure.test.ts` has their texts. */
const failures: readonly [string, Reply, MessageId, MessageValues?][] = [
  ['the limit', problem(409, 'active_key_limit_reached'), 'e.limit'],
  ['haste', haste, 'e.rate', { time: 'بعد 11 ثانية' }],
  ['a cut connection', 'cut', 'e.unknown'],
  ['no key', { status: 201, body: { key: null, secret: null } }, 'e.unknown'],
  ['odd objections', problem(422, 'invalid_input', { issues: odd }), 'e.generic'],
  ['nonsense', problem(418, 'unexpected'), 'e.generic'],
]

test.each(someOf(failures))(
  '%s is shown in the dialog, and nothing typed is lost',
  async (_name, reply, id, values) => {
    const { tab, page, backend } = await open()
    backend.next('POST /keys', reply)
    await tab.send({ name: 'Store', environment: 'test', scopes: ['orders.read', 'flows.read'] })
    await expect.poll(() => tab.alert.innerText()).toContain(tab.text(id, values))
    await expect.poll(() => tab.focused()).toBe('error-message')
    expect(await page.locator('#create-name').inputValue()).toBe('Store')
    expect(await page.locator('#env-test').isChecked()).toBe(true)
    expect(await tab.createDialog.locator('[data-scope]:checked').count()).toBe(2)
    expect(await tab.events('api-key-created')).toEqual([])
    // What the plan allows is asked anew after a refusal; here it still allows a key.
    await tab.submit.click()
    await tab.banners.first().waitFor()
  },
)

test('a cut connection is not called a failure, and is not tried again', async () => {
  const { tab, page, backend } = await open()
  // The key is made, its answer lost.
  backend.next('POST /keys', (request) => {
    backend.answer(request)
    return 'cut'
  })
  await tab.send({ name: 'Lost' })
  await expect.poll(() => tab.alert.innerText()).toContain(tab.strings['e.unknown'])
  await tab.alert.locator('[data-act=refresh]').click()
  await tab.createDialog.waitFor({ state: 'hidden' })
  await expect.poll(() => tab.row('key_new1').innerText()).toContain('Lost')
  // What to do with it stays in sight, beside the list that shows it.
  await expect.poll(() => tab.focused()).toBe('notice')
  const told = plain(await tab.notice.innerText())
  for (const text of [tab.strings['e.unknown'], tab.text('late', { name: 'Lost' })]) {
    expect(told).toContain(text)
  }
  // A dialog that is opened and left takes it away no more.
  await tab.openCreate()
  await page.keyboard.press('Escape')
  await tab.ask('revoke', 'key_new1')
  await page.keyboard.press('Escape')
  expect(await tab.notice.count()).toBe(1)
  await tab.notice.getByRole('button', { name: tab.strings.close }).click()
  expect(await tab.notice.count()).toBe(0)
  await expect.poll(() => tab.focused()).toBe('title')
  expect(backend.requests('POST /keys')).toHaveLength(1)
})

test('Escape closes, the draft stays until a key was made of it', async () => {
  const { tab, page } = await open()
  await tab.openCreate()
  await tab.fill({ name: 'Draft', environment: 'test', scopes: ['leads.read'] })
  await page.keyboard.press('Escape')
  await tab.createDialog.waitFor({ state: 'hidden' })
  expect(await tab.focused()).toBe('new-key')
  await tab.openCreate()
  expect(await page.locator('#create-name').inputValue()).toBe('Draft')
  expect(await page.locator('#env-test').isChecked()).toBe(true)
  expect(await page.locator('[data-scope="leads.read"]').isChecked()).toBe(true)
  await tab.submit.click()
  await tab.banners.first().waitFor()
  await tab.openCreate()
  expect(await page.locator('#create-name').inputValue()).toBe('')
  expect(await tab.createDialog.locator('input:checked:not([name$=networks])').count()).toBe(0)
})

test('Escape while the request runs loses nothing', async () => {
  const { tab, page, backend } = await open()
  const { arrived, release } = backend.hold('POST /keys')
  await tab.send()
  await arrived
  expect(await tab.submit.getAttribute('aria-busy')).toBe('true')
  expect(await tab.createDialog.locator('[data-act=cancel]').isDisabled()).toBe(true)
  for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Escape')
  release()
  await tab.banners.first().waitFor()
  expect((await tab.secret.textContent())?.length).toBe(55)
})

test('without a catalogue the message itself has the focus, and the catalogue can be asked for again', async () => {
  const backend = new ScriptedBackend().always('GET /scopes', problem(503, 'storage_unavailable'))
  const { tab, page } = await open({ backend, width: 360, height: 640 })
  await tab.newKey.click()
  await page.locator('#create-name').fill('Store')
  await page.locator('#env-test').check()
  await tab.submit.click()
  await expect.poll(() => tab.focused()).toBe('scopes-error')
  backend.heal()
  await tab.alert.first().getByRole('button').click()
  await tab.createDialog.locator('[data-scope]').first().waitFor()
})

test('what the server says about scopes has the focus, too', async () => {
  const { tab, backend } = await open()
  const issues = [{ path: ['scopes', 0], code: 'unknown_scope', message: 'is unknown' }]
  backend.next('POST /keys', problem(422, 'invalid_input', { issues }))
  await tab.send({ scopes: ['webhooks.write'] })
  await expect.poll(() => tab.focused()).toBe('scopes-all')
})

test('only what the plan allows can be chosen, and another day is refused for the true reason', async () => {
  const backend = new ScriptedBackend([], { maxLifetimeSeconds: 30 * 86_400 })
  const { tab, page } = await open({ lang: 'en', backend, attributes: 'time-zone="Asia/Riyadh"' })
  // Half a minute before midnight in Riyadh: this day is over in a minute.
  await page.clock.setFixedTime(Date.parse('2026-11-21T20:59:30Z'))
  await tab.openCreate()
  await tab.fill()
  const choice = page.locator('#create-expiry')
  const options = await choice.locator('option').allTextContents()
  expect(options).toEqual(['Longest your plan allows', 'In 7 days', 'On a date'])
  await choice.selectOption('date')
  const day = tab.createDialog.getByLabel(tab.strings['expiry.date'])
  expect(await day.getAttribute('min')).toBe('2026-11-22')
  expect(await day.getAttribute('max')).toBe('2026-12-20')
  for (const [chosen, reason] of [
    ['2027-01-01', 'v.expiry'],
    ['2026-11-21', 'v.day.past'],
  ] as const) {
    await day.fill(chosen)
    await tab.submit.click()
    const error = page.locator('#create-expiry-error')
    await expect.poll(() => error.innerText()).toBe(tab.strings[reason])
    await expect.poll(() => tab.focused()).toBe('create-day')
    expect(await day.getAttribute('aria-invalid')).toBe('true')
    expect(await choice.getAttribute('aria-invalid')).toBeNull()
  }
  expect(backend.requests('POST')).toEqual([])
  await choice.selectOption('plan')
  await tab.submit.click()
  await tab.banners.first().waitFor()
  expect(backend.requests('POST /keys')[0]?.body).not.toHaveProperty('expiresAt')
})
