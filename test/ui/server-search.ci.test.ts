import { expect, test } from 'vitest'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { ago, keyOf, manyKeys } from '../support/settings-tab/keys.ts'

const { open } = tabTests()

/** So many keys, of which only the first page is loaded, and two others at the end. */
function manyAnd(count: number): ScriptedBackend {
  const others = [
    keyOf({ id: 'key_old', name: 'Forgotten', lastUsedAt: ago.days(120) }),
    keyOf({ id: 'key_gone', name: 'Gone', status: 'revoked', revokedAt: ago.days(3) }),
  ]
  const keys = [...manyKeys(count), ...others]
  return Object.assign(new ScriptedBackend(keys), { activeKeyLimit: null })
}

test('what is not loaded is looked for by the server, once the typing has paused', async () => {
  const backend = manyAnd(120)
  const { tab, page } = await open({ lang: 'en', backend, fakeTimers: true })
  // The search is loaded once the page is idle.
  await page.clock.runFor(100)
  await page.getByRole('searchbox').waitFor()
  const before = backend.requests('GET /keys').length
  await page.getByRole('searchbox').pressSequentially('forgotten')
  expect(backend.requests('GET /keys')).toHaveLength(before)
  await page.clock.runFor(1_000)
  await expect.poll(() => tab.row('key_old').count()).toBe(1)
  expect(await tab.rows.count()).toBe(1)
  // One at the pause, not one for each letter, and none that reads all pages.
  const asked = backend.requests('GET /keys').slice(before)
  expect(asked.map(({ search }) => search)).toEqual([
    '?status=active&status=paused&status=retiring&search=forgotten',
    '?status=revoked&status=expired&search=forgotten',
  ])
  await page.getByRole('searchbox').fill('')
  await page.clock.runFor(1_000)
  await expect.poll(() => tab.rows.count()).toBe(50)
})

test('each choice asks the server for its keys, and for the next page of them', async () => {
  const backend = manyAnd(120)
  const { tab, page } = await open({ lang: 'en', backend })
  await page.locator('#filter').selectOption('unused')
  await expect.poll(() => tab.row('key_old').count()).toBe(1)
  expect(backend.requests('GET /keys').at(-1)?.search).toBe(
    '?status=active&status=paused&unusedForDays=90',
  )
  await page.locator('#filter').selectOption('active')
  await expect.poll(() => tab.rows.count()).toBe(50)
  await page.locator('[data-act=more]').click()
  await expect.poll(() => tab.rows.count()).toBe(100)
  expect(backend.requests('GET /keys').at(-1)?.search).toBe('?status=active&cursor=50')
})

test('an answer that comes too late is dropped', async () => {
  const backend = manyAnd(120)
  const { tab, page } = await open({ lang: 'en', backend })
  const first = backend.hold('GET /keys')
  await page.locator('#filter').selectOption('paused')
  await first.arrived
  await page.locator('#filter').selectOption('unused')
  await expect.poll(() => tab.row('key_old').count()).toBe(1)
  first.release()
  await expect.poll(() => tab.row('key_gone').count()).toBe(0)
  expect(await tab.row('key_old').count()).toBe(1)
})

test('a search that finds nothing says so, after the answer', async () => {
  const backend = manyAnd(120)
  const { tab, page } = await open({ lang: 'en', backend })
  const held = backend.hold('GET /keys')
  await page.getByRole('searchbox').fill('zzz')
  await held.arrived
  expect(await page.locator('.list').getAttribute('aria-busy')).toBe('true')
  held.release()
  await expect.poll(() => page.locator('.slim').innerText()).toContain('No keys match')
  await page.locator('[data-act=clear-search]').click()
  await expect.poll(() => tab.rows.count()).toBe(50)
})

test('a change while keys are looked for keeps to what was found', async () => {
  const backend = manyAnd(120)
  const { tab, page } = await open({ lang: 'en', backend })
  await page.locator('#filter').selectOption('unused')
  await expect.poll(() => tab.rows.count()).toBe(1)
  await tab.ask('revoke', 'key_old')
  await tab.confirm()
  await expect.poll(() => tab.row('key_old').count()).toBe(0)
  await expect.poll(() => page.locator('.slim').innerText()).toContain(tab.strings['filter.none'])
})
