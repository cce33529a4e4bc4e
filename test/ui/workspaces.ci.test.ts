import { expect, test } from 'vitest'
import { tabTests } from '../support/settings-tab/browser.ts'
import { RealBackend } from '../support/settings-tab/real-backend.ts'

const { open } = tabTests()

/** Opens the tab of the workspace `palm`, where each workspace has one key. */
async function openPalm(lang: 'ar' | 'en' = 'en') {
  const real = new RealBackend()
  const [palm = ''] = await Promise.all(
    ['palm', 'oasis'].map(async (workspaceId) => {
      const fields = { workspaceId, name: `Key of ${workspaceId}`, environment: 'live' } as const
      const creator = { id: 'u_noura', name: 'نورة' }
      const { key } = await real.keys.createKey({ ...fields, creator, scopes: ['contacts.read'] })
      return key.id
    }),
  )
  const names = async (workspaceId: string) => {
    const { keys } = await real.keys.listKeys({ workspaceId })
    return keys.map(({ name, status }) => `${name} ${status}`)
  }
  const { tab, page } = await open({ lang, real })
  return { real, tab, page, palm, names }
}

test('New key in the page of a workspace that the session has left creates none', async () => {
  const { real, tab, page, names } = await openPalm('ar')
  await tab.openCreate()
  await tab.fill({ name: 'For palm' })
  real.session = 'oasis'
  await tab.submit.click()
  const told = `${tab.strings.none} ${tab.strings['why.workspace']}`
  await expect.poll(() => tab.notice.innerText()).toBe(told)
  await expect.poll(() => tab.heard(told)).toBe(true)
  await tab.createDialog.waitFor({ state: 'hidden' })
  await expect.poll(() => tab.focused()).toBe('notice')
  await expect.poll(() => tab.rows.innerText()).toContain('Key of oasis')
  expect(await names('palm')).toEqual(['Key of palm active'])
  expect(await names('oasis')).toEqual(['Key of oasis active'])

  await tab.openCreate()
  expect(await page.locator('#create-name').inputValue()).toBe('For palm')
  await tab.submit.click()
  await tab.banners.first().waitFor()
  expect(await names('oasis')).toContain('For palm active')
})

test.each(['rotate', 'revoke'] as const)(
  'a key of the workspace that the session has left is not called revoked (%s)',
  async (action) => {
    const { real, tab, palm, names } = await openPalm()
    await tab.ask(action, palm)
    real.session = 'oasis'
    await tab.confirm()
    const told = `${tab.strings.none} ${tab.strings['why.workspace']}`
    await expect.poll(() => tab.notice.innerText()).toBe(told)
    await expect.poll(() => tab.rows.innerText()).toContain('Key of oasis')
    expect(await tab.said()).not.toContain('Key of palm')
    expect(await names('palm')).toEqual(['Key of palm active'])
    real.session = 'palm'
    await tab.refresh()
    await expect.poll(() => tab.notice.innerText()).toBe(tab.strings['why.workspace'])
    await tab.row(palm).waitFor()
  },
)

test('a secret that is on screen says that it is of the workspace before', async () => {
  const { real, tab, page } = await openPalm()
  const secret = await tab.createKey()
  const former = page.locator('[data-note=former]')
  expect(await former.count()).toBe(0)
  real.session = 'oasis'
  await tab.refresh()
  await expect.poll(() => former.innerText()).toBe(tab.strings['banner.former'])
  real.session = 'palm'
  await tab.refresh()
  await expect.poll(() => former.count()).toBe(0)
  expect(await tab.secret.textContent()).toBe(secret)
})
