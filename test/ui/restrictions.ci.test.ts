import { expect, test } from 'vitest'
import { problem } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { restrictedBackend } from '../support/settings-tab/restricted.ts'

const { open } = tabTests()
const openWith = (hasCeiling = false) =>
  open({ lang: 'en', backend: restrictedBackend(hasCeiling) })

test('a key for some projects, some networks and with a note is made by keyboard alone', async () => {
  const { tab, page, backend } = await openWith()
  await tab.openCreate()
  await tab.fill()
  await page.locator('.options summary').press('Enter')
  await page.locator('#create-resources-any').focus()
  await page.keyboard.press('ArrowRight')
  await page.locator('[data-resource=p_1]').waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.type('mobile')
  await expect.poll(() => page.locator('[data-resource]').count()).toBe(1)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await page.locator('#create-resources1-some').press('Space')
  await page.locator('#create-resources1').fill('s_1\n s_2 \n')
  await page.locator('#create-networks-any').focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Tab')
  await page.keyboard.type('198.51.100.0/24')
  await page.locator('#create-note').fill(' Payroll ')
  await page.keyboard.press('Enter')
  await tab.banners.first().waitFor()
  expect(backend.requests('POST /keys')[0]?.body).toMatchObject({
    resources: { project: ['p_3'], store: ['s_1', 's_2'] },
    networks: ['198.51.100.0/24'],
    note: 'Payroll',
  })
})

test('an update sends the types that have changed, and an empty list stays a list', async () => {
  const { tab, page, backend } = await openWith()
  await tab.openFrom('key_export', 'edit')
  await page.locator('[data-resource=p_1]').uncheck()
  await page.locator('[data-resource=p_9]').uncheck()
  await page.locator('#edit [data-note=no-resources]').first().waitFor()
  await page.locator('#edit-networks-any').check()
  await tab.submit.click()
  await page.locator('dialog#edit').waitFor({ state: 'hidden' })
  expect(backend.requests('PATCH')[0]?.body).toEqual({
    resources: { project: [] },
    networks: 'any',
  })
})

test('networks that the server refuses are named at their field', async () => {
  const { tab, page, backend } = await openWith()
  const issue = { code: 'invalid_value', message: 'must not be in a private network.' }
  const issues = [1, 0].map((at) => ({ path: ['networks', at], ...issue }))
  backend.next('POST /keys', problem(422, 'invalid_input', { issues }))
  await tab.openCreate()
  await tab.fill()
  await page.locator('.options summary').click()
  await page.locator('#create-networks-some').check()
  await page.locator('#create-networks').fill('10.0.0.0/8\n198.51.100.7/24')
  await tab.submit.click()
  const error = page.locator('#create-networks-error')
  const said = tab.text('v.networks', { id: '198.51.100.7/24 10.0.0.0/8' })
  await expect.poll(() => error.innerText()).toBe(said)
  await expect.poll(() => tab.focused()).toBe('create-networks')
})

test('what may not be given is disabled with a reason, and Select all picks what may', async () => {
  const { tab, page, backend } = await openWith(true)
  await tab.openCreate()
  await page.locator('#scopes-all').click()
  const barred = page.locator('[data-scope="orders.write"]')
  expect(await barred.isDisabled()).toBe(true)
  expect(await page.locator('.box', { has: barred }).getAttribute('title')).toBe(
    tab.strings['grant.not'],
  )
  for (const beyond of ['#env-live', '#create-resources-any', '#create-networks-any']) {
    expect([beyond, await page.locator(beyond).isDisabled()]).toEqual([beyond, true])
  }
  await page.locator('[data-resource=p_2]').check()
  expect(await page.locator('[data-resource=p_3]').count()).toBe(0)
  await page.locator('#create-networks').fill('198.51.100.0/25')
  await page.locator('#env-test').check({ force: true })
  await page.locator('#create-name').fill('Mine')
  await tab.submit.click()
  await tab.banners.first().waitFor()
  expect(backend.requests('POST /keys')[0]?.body).toMatchObject({
    scopes: ['contacts.read', 'orders.read'],
    resources: { project: ['p_2'] },
    networks: ['198.51.100.0/25'],
  })
})

test('a key beyond the ceiling can be neither rotated nor widened, and says so', async () => {
  const { tab, page } = await openWith(true)
  const rotate = tab.row('key_beyond').locator('[part=rotate-button]')
  await expect.poll(() => rotate.getAttribute('title')).toBe(tab.strings['grant.key'])
  await rotate.press('Enter')
  expect(await tab.confirmDialog.isVisible()).toBe(false)
  await tab.openFrom('key_beyond', 'edit')
  await page.locator('[data-note=beyond]').waitFor()
  expect(await page.locator('[data-scope="contacts.write"]').isDisabled()).toBe(true)
  await page.locator('[data-scope="orders.write"]').uncheck()
  expect(await page.locator('[data-scope="orders.write"]').isEnabled()).toBe(true)
})
