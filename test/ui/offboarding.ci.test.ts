import { expect, test } from 'vitest'
import { problem, ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { keyOf, manyKeys } from '../support/settings-tab/keys.ts'
import type { TabPage } from '../support/settings-tab/tab-page.ts'

const { open } = tabTests()
const omar = { id: 'u_2', name: 'Omar Haddad' }

const team = () =>
  Object.assign(
    new ScriptedBackend([
      ...manyKeys(3),
      keyOf({ id: 'key_o1', name: 'Export', creator: omar }),
      keyOf({ id: 'key_o2', name: 'Import', creator: omar, lastUsedAt: null, uses: 0 }),
    ]),
    { activeKeyLimit: null },
  )

async function pick(tab: TabPage, id: string, item: string): Promise<void> {
  await tab.row(id).locator('[part=menu-button]').press('Enter')
  await tab.page.locator(`[data-item=${item}]`).press('Enter')
}

test('the keys of one person are shown from a key of theirs, and by keyboard', async () => {
  const { tab, page } = await open({ lang: 'en', backend: team() })
  await pick(tab, 'key_o1', 'creator')
  await expect.poll(() => tab.rows.count()).toBe(2)
  await expect.poll(() => tab.focused()).toBe('creators')
  await page.locator('#creators').selectOption('')
  await expect.poll(() => tab.rows.count()).toBe(5)
  await pick(tab, 'key_o1', 'details')
  await page.locator('[data-act=creator]').press('Enter')
  await expect.poll(() => tab.rows.count()).toBe(2)
})

test('the server is asked for the keys of one person where not all are loaded', async () => {
  const [first, second] = team().keys.slice(3)
  const keys = [first, ...manyKeys(60), second].filter((key) => key !== undefined)
  const backend = Object.assign(new ScriptedBackend(keys), { activeKeyLimit: null })
  const { tab, page } = await open({ backend })
  await pick(tab, 'key_o1', 'creator')
  await expect.poll(() => tab.rows.count()).toBe(2)
  expect(backend.requests('GET /keys').at(-1)?.search).toContain('creatorId=u_2')
  expect(await page.locator('#creators option').count()).toBe(3)
})

test('several keys are revoked in one question, in as many calls as it takes', async () => {
  const backend = Object.assign(team(), { step: 1 })
  const { tab, page } = await open({ lang: 'en', backend })
  await pick(tab, 'key_o1', 'creator')
  await pick(tab, 'key_o1', 'choose')
  await expect.poll(() => page.locator('[data-choose=key_o1]').isChecked()).toBe(true)
  await page.locator('[data-act=choose-all]').press('Space')
  await page.locator('[data-act=revoke-chosen]').press('Enter')
  const question = page.locator('dialog#bulk[open]')
  await question.waitFor()
  const text = await question.innerText()
  for (const part of ['Revoke 2 keys?', 'Used 1,284,302 times', 'Never used']) {
    expect(text).toContain(part)
  }
  await question.locator('[data-act=confirm]').press('Enter')
  await question.waitFor({ state: 'hidden' })
  await expect.poll(() => tab.heard(tab.text('bulk.done', { n: 2 }))).toBe(true)
  const calls = backend.requests('POST /keys/revoke')
  expect(calls.map(({ body }) => body)).toEqual(
    Array.from({ length: 2 }, () => ({ ids: ['key_o1', 'key_o2'] })),
  )
  expect(backend.keys.filter(({ status }) => status === 'revoked').map(({ id }) => id)).toEqual([
    'key_o1',
    'key_o2',
  ])
  expect((await tab.events('api-key-revoked')).length).toBe(2)
  expect(await page.locator('[data-choose]').count()).toBe(0)
})

test('a failure in between says how many were revoked, and the rest can be tried again', async () => {
  const backend = Object.assign(team(), { step: 1 })
  const { tab, page } = await open({ lang: 'en', backend })
  await pick(tab, 'key_o1', 'choose')
  await page.locator('[data-choose=key_o2]').check()
  await page.locator('[data-act=revoke-chosen]').click()
  let calls = 0
  backend.always('POST /keys/revoke', () => {
    calls += 1
    return calls === 2 ? problem(503, 'storage_unavailable') : undefined
  })
  await page.locator('#bulk [data-act=confirm]').click()
  const alert = page.locator('#bulk').getByRole('alert')
  await alert.waitFor()
  expect(await alert.innerText()).toContain(tab.text('bulk.done', { n: 1 }))
  expect(await alert.innerText()).not.toContain(tab.strings['none.revoke'])
  await page.locator('#bulk [data-act=confirm]').click()
  await page.locator('#bulk').waitFor({ state: 'hidden' })
  expect(backend.activeKeys).toBe(3)
})

test('nothing of it is offered where the routes do not allow it', async () => {
  const backend = Object.assign(team(), { allowedOperations: ['revokeKey'] })
  const { tab, page } = await open({ backend })
  await tab.row('key_o1').locator('[part=menu-button]').click()
  await page.locator('[data-item=details]').waitFor()
  expect(await page.locator('[data-item=choose]').count()).toBe(0)
})
