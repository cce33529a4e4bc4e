import { expect, test } from 'vitest'
import { many, ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { ago, keyOf, manyKeys } from '../support/settings-tab/keys.ts'

const { open } = tabTests()

/** Many keys, of which only the first page is loaded, and two others at the end. */
async function openMany() {
  const others = [
    keyOf({ id: 'key_old', name: 'Forgotten', lastUsedAt: ago.days(120) }),
    keyOf({ id: 'key_gone', name: 'Gone', status: 'revoked', revokedAt: ago.days(3) }),
  ]
  const backend = new ScriptedBackend([...manyKeys(120), ...others], { activeKeyLimit: null })
  const opened = await open({ lang: 'en', backend })
  const { page } = opened
  const said = page.locator('.slim')
  const lastAsked = () => backend.requests('GET /keys').at(-1)?.search
  return {
    ...opened,
    search: page.getByRole('searchbox'),
    filter: page.locator('#filter'),
    said,
    lastAsked,
  }
}

test('what is not loaded is looked for by the server, once the typing has paused', async () => {
  const backend = many(120)
  const { tab, page } = await open({ lang: 'en', backend, fakeTimers: true })
  // The search is loaded once the page is idle.
  await page.clock.runFor(100)
  const search = page.getByRole('searchbox')
  await search.waitFor()
  const before = backend.requests('GET /keys').length
  await search.pressSequentially('Server 11')
  expect(backend.requests('GET /keys')).toHaveLength(before)
  await page.clock.runFor(1_000)
  await expect.poll(() => tab.rows.count()).toBe(11)
  // One at the pause, not one for each letter, and none that reads all pages.
  const asked = backend.requests('GET /keys').slice(before)
  expect(asked.map(({ search }) => search)).toEqual([
    '?status=active&status=paused&status=retiring&search=Server+11',
    '?status=revoked&status=expired&search=Server+11',
  ])
  await page.clock.runFor(1_000)
  await expect.poll(() => tab.heard('Found: 11')).toBe(true)
  const { announced } = await tab.record()
  expect(announced.filter((text) => text.startsWith('Found'))).toHaveLength(1)
  await search.fill('')
  await page.clock.runFor(1_000)
  await expect.poll(() => tab.rows.count()).toBe(50)
})

test('each choice asks the server for its keys, and for the next page of them', async () => {
  const { tab, page, search, filter, said, lastAsked } = await openMany()
  await filter.selectOption('unused')
  await expect.poll(() => tab.row('key_old').count()).toBe(1)
  expect(lastAsked()).toBe('?status=active&status=paused&unusedForDays=90')
  // A change keeps to what was found.
  await tab.revoke('key_old')
  await expect.poll(() => said.innerText()).toContain('No keys match this filter.')
  await expect.poll(() => tab.focused()).toBe('filter')
  await filter.selectOption('active')
  await expect.poll(() => tab.rows.count()).toBe(50)
  await page.locator('[data-act=more]').click()
  await expect.poll(() => tab.rows.count()).toBe(100)
  expect(lastAsked()).toBe('?status=active&cursor=50')
  await expect.poll(() => tab.focused()).toBe('key_50')
  await filter.selectOption('all')
  await search.fill('SVC_LIVE_008')
  await expect.poll(() => tab.rows.count()).toBe(1)
})

test('an answer that comes too late is dropped', async () => {
  const { tab, backend, filter } = await openMany()
  const first = backend.hold('GET /keys')
  await filter.selectOption('paused')
  await first.arrived
  await filter.selectOption('unused')
  await expect.poll(() => tab.row('key_old').count()).toBe(1)
  first.release()
  await tab.refresh()
  expect(await tab.row('key_gone').count()).toBe(0)
  expect(await tab.row('key_old').count()).toBe(1)
})

test('a search that finds nothing says so, after the answer', async () => {
  const { tab, page, backend, search, said } = await openMany()
  const held = backend.hold('GET /keys')
  await search.fill('server 8(')
  await held.arrived
  expect(await page.locator('.list').getAttribute('aria-busy')).toBe('true')
  held.release()
  await expect.poll(() => said.innerText()).toContain('Nothing matches “server 8(”.')
  await page.locator('[data-act=clear-search]').click()
  await expect.poll(() => tab.rows.count()).toBe(50)
  await expect.poll(() => tab.focused()).toBe('search')
})

test('a search that fails shows a failure and a way to try again', async () => {
  const { tab, page, backend, search } = await openMany()
  backend.always('GET /keys', { status: 500, body: null })
  await search.fill('Server 119')
  const panel = page.locator('[data-note=stale]')
  await expect.poll(() => panel.innerText()).toContain(tab.strings['err.title'])
  expect(await panel.innerText()).not.toContain('Nothing matches')
  backend.heal()
  await panel.getByRole('button').click()
  await expect.poll(() => tab.rows.count()).toBe(1)
  await expect.poll(() => tab.focused()).toBe('search')
})

test('Show more says at the button that it reads, that it failed, and tries again', async () => {
  const { tab, page, backend } = await openMany()
  backend.next('GET /keys', { status: 503, body: null })
  const more = page.locator('[data-act=more]')
  await more.click()
  await expect.poll(() => more.innerText()).toBe('Try again')
  expect(await page.locator('[data-note=short]').innerText()).toBe(
    'Not everything could be loaded.',
  )
  expect(await page.locator('[data-note=stale]').count()).toBe(0)
  const held = backend.hold('GET /keys')
  await more.click()
  await held.arrived
  expect(await more.getAttribute('aria-busy')).toBe('true')
  held.release()
  await expect.poll(() => tab.focused()).toBe('key_50')
})

test('the search is there from 15 keys on, also where they may only be read', async () => {
  for (const [count, attributes, shown] of [
    [14, '', 0],
    [15, '', 1],
    [15, 'readonly', 1],
  ] as const) {
    const { page } = await open({ backend: many(count), attributes })
    expect([count, attributes, await page.locator('#search').count()]).toEqual([
      count,
      attributes,
      shown,
    ])
  }
})

test('keys that no longer work are folded, and counted by the server', async () => {
  const ended = manyKeys(60, { status: 'revoked', revokedAt: ago.days(1) })
  const keys = [...ended.map((key) => ({ ...key, id: `${key.id}_x` })), ...manyKeys(3)]
  const { tab, page } = await open({ lang: 'en', backend: new ScriptedBackend(keys) })
  expect(await tab.rows.count()).toBe(3)
  expect(await page.locator('#ended').innerText()).toBe('Revoked and expired (60)')
  await tab.unfold()
  expect(await tab.rows.count()).toBe(53)
  await page.locator('[data-act=more]').click()
  await expect.poll(() => tab.rows.count()).toBe(63)
})
