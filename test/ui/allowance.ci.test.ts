import { expect, test } from 'vitest'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { fewKeys, manyKeys } from '../support/settings-tab/keys.ts'
import { drawnOrder } from '../support/settings-tab/measure.ts'

const { open } = tabTests()

function limited(active: number, limit: number | null): ScriptedBackend {
  const backend = new ScriptedBackend(manyKeys(active))
  backend.activeKeyLimit = limit
  return backend
}

test('active keys against the allowance, in readable order', async () => {
  const { tab, page } = await open({ backend: limited(3, 5) })
  const value = page.locator('[part=allowance-value]')
  expect(await value.textContent()).toBe('3 من 5 مفاتيح نشطة')
  // Read from the right: three, of, five.
  expect((await drawnOrder(value)).replace(/\s/g, '')).toMatch(/5.+3$/)
  const unlimited = await open({ backend: limited(3, null) })
  expect(await unlimited.page.locator('[part=allowance]').count()).toBe(0)
  expect(await tab.newKey.isEnabled()).toBe(true)
})

test('at the limit New key says why not, and works again after a revocation', async () => {
  const { tab, page, backend } = await open({ backend: limited(3, 3) })
  expect(await tab.newKey.isDisabled()).toBe(true)
  const reason = await tab.newKey.getAttribute('aria-describedby')
  expect(await page.locator(`#${reason}`).textContent()).toBe(
    'بلغت الحد. أبطِل مفتاحًا أو رقِّ الباقة.',
  )
  await tab.newKey.click({ force: true })
  await tab.newKey.focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Space')
  expect(await tab.createDialog.isVisible()).toBe(false)
  await tab.ask('revoke', 'key_1')
  await tab.confirm()
  await expect.poll(() => tab.newKey.isEnabled()).toBe(true)
  expect((await page.locator('[part=allowance-value]').textContent())?.trim()).toBe(
    '2 من 3 مفاتيح نشطة',
  )
  expect(backend.requests('POST /keys')).toHaveLength(1)
})

test('more keys than the plan allows are pointed out, and keep working', async () => {
  const { tab, page } = await open({ lang: 'en', backend: limited(5, 3) })
  expect((await page.locator('[part=allowance-value]').textContent())?.trim()).toBe(
    '5 of 3 active keys',
  )
  expect(await page.locator('[data-note=limit]').textContent()).toContain(tab.strings['limit.over'])
  expect(await tab.rows.count()).toBe(5)
  expect(await tab.row('key_1').locator('.actions').getByRole('button').count()).toBe(3)
  expect(await tab.newKey.isDisabled()).toBe(true)
})

test('without the capability a lock panel leads to the upgrade and nothing can be made', async () => {
  const backend = new ScriptedBackend(fewKeys)
  backend.publicApi = false
  const { tab, page } = await open({ backend })
  const panel = page.locator('[part=locked]')
  expect(await panel.textContent()).toContain(tab.strings['lock.title'])
  expect(await panel.textContent()).toContain(tab.strings['lock.existing'])
  const upgrade = panel.getByRole('link', { name: tab.strings['lock.cta'] })
  expect(await upgrade.getAttribute('href')).toBe('/upgrade')
  expect(await tab.newKey.isDisabled()).toBe(true)
  expect(await tab.row('key_store').locator('[part=rotate-button]').count()).toBe(0)
  expect(await tab.row('key_store').locator('[part=revoke-button]').count()).toBe(1)
  // Its own status, dimmed.
  expect(await tab.status('key_store').innerText()).toBe(tab.strings['status.active'])
  expect(await tab.status('key_store').getAttribute('class')).toContain('dim')
  await tab.host.evaluate((element) => {
    const { openCreate } = element as HTMLElementTagNameMap['api-keys-tab']
    openCreate.call(element)
    element.addEventListener('upgrade', (event) => event.preventDefault())
  })
  expect(await tab.createDialog.isVisible()).toBe(false)
  const address = page.url()
  await upgrade.click()
  expect(page.url()).toBe(address)
  expect(await tab.events('upgrade')).toMatchObject([{ reason: 'capability' }])
  expect(backend.requests('POST')).toEqual([])
})
