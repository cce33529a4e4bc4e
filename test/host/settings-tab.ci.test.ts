import { describe, expect, test } from 'vitest'
import { tabOnHost, testWholeLife } from '../support/settings-tab/on-host.ts'

describe('the tab on Fastify with SQLite', () => {
  const stage = tabOnHost('Fastify')
  testWholeLife(stage, 'ar')
  testWholeLife(stage, 'en')
})

describe('the tab on Express with SQLite', () => {
  const stage = tabOnHost('Express')
  const { host, openTab, call, keyIds } = stage
  testWholeLife(stage, 'en')

  // The clock of the page stands still, and this waits for what the page does by itself.
  test('a key is edited, paused, resumed and replaced with an overlap', async () => {
    const tab = await openTab('en')
    const { page } = tab
    const secret = await tab.createKey()
    expect((await call(secret)).status).toBe(200)
    await tab.copyButton.click()
    await tab.dismissButton.click()
    const [id = ''] = await keyIds()
    const status = () => tab.status(id).innerText()
    const choose = async (item: string) => {
      await tab.row(id).locator('[part=menu-button]').click()
      await page.locator(`[data-item=${item}]`).click()
    }

    await choose('edit')
    await page.locator('#edit-name').fill('Edited here')
    await host().keys.updateKey({
      workspaceId: 'palm',
      id,
      version: 1,
      actor: { id: 'u', name: 'نورة' },
      change: { scopes: ['contacts.read', 'orders.read'] },
    })
    await page.locator('#edit [data-act=submit]').click()
    await page.locator('[data-note=overtaken] [data-act=reload]').click()
    await page.locator('#edit-name').fill('Edited here')
    await page.locator('#edit-expiry').selectOption('7')
    await page.locator('#edit [data-act=submit]').click()
    await expect.poll(() => tab.row(id).innerText()).toContain('Edited here')
    expect(await tab.row(id).innerText()).toContain('2 permissions')
    expect(await tab.row(id).innerText()).toContain('expires in')

    await choose('pause')
    await tab.confirm()
    await expect.poll(status).toBe('Paused')
    expect((await call(secret)).status).toBe(401)
    await choose('resume')
    await tab.confirm()
    await expect.poll(status).toBe('Active')
    expect((await call(secret)).status).toBe(200)

    await tab.ask('rotate', id)
    await tab.confirmDialog.getByLabel('In 1 hour').check()
    await tab.confirm()
    await page.locator('section.rotated').waitFor()
    expect((await call(secret)).status).toBe(200)
    await tab.row(id).locator('[part=stop-button]').click()
    await tab.confirm()
    await tab.unfold()
    await expect.poll(status).toBe('Revoked')
    expect((await call(secret)).status).toBe(401)
    expect((await call((await tab.secret.first().textContent()) ?? '')).status).toBe(200)
    await tab.copyButton.click()
  })
})
