import { expect, test } from 'vitest'
import { tabOnHost } from '../support/settings-tab/on-host.ts'

const user = { id: 'u_noura', name: 'نورة العتيبي' }
const { host, openTab, signIn } = tabOnHost('Express')

async function keyOf(workspaceId: string, name: string) {
  const fields = { workspaceId, creator: user, name, environment: 'live' } as const
  return (await host().keys.createKey({ ...fields, scopes: ['contacts.read'] })).key
}

async function names(workspaceId: string) {
  const { keys } = await host().keys.listKeys({ workspaceId })
  return keys.map(({ name, status }) => `${name} ${status}`)
}

test.each(['ar', 'en'] as const)(
  'New key in the page of a workspace that the session has left creates none (%s)',
  async (lang) => {
    await keyOf('oasis', 'Oasis key')
    const tab = await openTab(lang)
    await tab.openCreate()
    await tab.fill({ name: 'For palm' })
    await signIn('oasis')
    await tab.submit.click()
    const told = `${tab.strings.none} ${tab.strings['why.workspace']}`
    await expect.poll(() => tab.notice.innerText()).toBe(told)
    await expect.poll(() => tab.heard(told)).toBe(true)
    await tab.createDialog.waitFor({ state: 'hidden' })
    await expect.poll(() => tab.focused()).toBe('notice')
    await expect.poll(() => tab.rows.innerText()).toContain('Oasis key')
    expect([await names('palm'), await names('oasis')]).toEqual([[], ['Oasis key active']])

    await tab.openCreate()
    expect(await tab.page.locator('#create-name').inputValue()).toBe('For palm')
    await tab.submit.click()
    await tab.banners.first().waitFor()
    expect(await names('oasis')).toContain('For palm active')
  },
)

test.each(['rotate', 'revoke'] as const)(
  'a key of the workspace that the session has left is not called revoked (%s)',
  async (action) => {
    const { id } = await keyOf('palm', 'Leaked')
    const tab = await openTab('en')
    await tab.ask(action, id)
    await signIn('oasis')
    await tab.confirm()
    const told = `${tab.strings.none} ${tab.strings['why.workspace']}`
    await expect.poll(() => tab.notice.innerText()).toBe(told)
    await tab.page.locator('[part=empty]').waitFor()
    expect(await tab.page.locator('[part=root]').innerText()).not.toContain('Leaked')
    expect(await names('palm')).toEqual(['Leaked active'])

    await signIn('palm')
    await tab.refresh()
    await expect.poll(() => tab.notice.innerText()).toBe(tab.strings['why.workspace'])
    await tab.row(id).waitFor()
  },
)

test('a secret that is on screen says that it is of the workspace before', async () => {
  const tab = await openTab('ar')
  const secret = await tab.createKey({ name: 'نخلة' })
  expect(await tab.page.locator('[data-note=former]').count()).toBe(0)
  await signIn('oasis')
  await tab.refresh()
  await expect
    .poll(() => tab.page.locator('[data-note=former]').innerText())
    .toBe(tab.strings['banner.former'])
  expect(await tab.secret.textContent()).toBe(secret)
  await signIn('palm')
  await tab.refresh()
  await expect.poll(() => tab.page.locator('[data-note=former]').count()).toBe(0)
  expect(await tab.secret.textContent()).toBe(secret)
})
