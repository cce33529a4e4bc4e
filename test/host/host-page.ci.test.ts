import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataFolder, type RunningHost, startHost } from '../support/example-host.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import type { TabPage } from '../support/settings-tab/tab-page.ts'

const { open } = tabTests()
let folder: Awaited<ReturnType<typeof dataFolder>>
let host: RunningHost

beforeAll(async () => {
  folder = await dataFolder()
  host = await startHost({ MIFTAH_DATA: folder.path })
})
afterAll(async () => {
  await host.kill()
  await folder.remove()
})

async function send({ page }: TabPage): Promise<string> {
  const answered = page.waitForResponse((response) => response.url().endsWith('/contacts'))
  await page.locator('#try button').click()
  await answered
  await page.locator('#answer').waitFor()
  return page.locator('#status').innerText()
}

test.each(['ar', 'en'] as const)(
  'the page of the example host: from nothing to the first 200, and to a dead key (%s)',
  async (lang) => {
    const { tab, page } = await open({ at: `${host.address}/?lang=${lang}`, lang })
    const secret = await tab.createKey({ name: `CRM ${lang}`, scopes: ['contacts.read'] })
    await tab.copyButton.click()
    await expect.poll(() => tab.clipboard()).toBe(secret)
    await page.locator('#secret').press('ControlOrMeta+V')
    expect(await send(tab)).toBe('200')
    expect(await page.locator('#body').innerText()).toContain('contact_1')

    const row = tab.rows.filter({ hasText: `CRM ${lang}` })
    await expect.poll(() => row.locator('bdi.uses').innerText()).toMatch(/1/)
    await row.locator('[part=revoke-button]').click()
    await tab.confirm()
    await row.locator('[part=revoke-button]').waitFor({ state: 'detached' })
    expect(await send(tab)).toBe('401')
  },
)

test('each workspace has its plan: with a meter, or a lock and the way to upgrade', async () => {
  const { tab, page } = await open({ at: `${host.address}/?lang=en`, lang: 'en' })
  await tab.allowance.waitFor()
  await Promise.all([
    page.waitForURL(/lang=en/, { waitUntil: 'load' }),
    page.locator('[data-workspace=starter]').click(),
  ])
  await page.locator('[data-workspace=starter][aria-pressed=true]').waitFor()
  await tab.words(tab.text('lock.title')).waitFor()
  await page.getByRole('link', { name: tab.text('lock.cta') }).click()
  await page.waitForURL('**/upgrade')
})
