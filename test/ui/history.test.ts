import { expect, test } from 'vitest'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { everyEvent } from '../support/settings-tab/events.ts'

const { open } = tabTests()
const events = Object.values(everyEvent)

test.each(['ar', 'en'] as const)('says in words what happened, in %s', async (lang) => {
  const backend = Object.assign(new ScriptedBackend(), { events })
  const { tab, page } = await open({ lang, backend })
  await tab.openDetails()
  for (let shown = 5; shown < events.length; shown += 5) {
    await expect.poll(async () => (await tab.history()).length).toBe(shown)
    await page.locator('[data-act=more-events]:not([aria-disabled])').click()
  }
  await expect.poll(async () => (await tab.history()).length).toBe(events.length)
  const lines = await tab.history()
  const fields = new Intl.ListFormat(lang).format(
    (['name', 'scopes', 'expiresAt'] as const).map((field) => tab.text(`history.${field}`)),
  )
  Object.keys(everyEvent).forEach((word, at) => {
    const values = { name: 'Former server', fields, date: '' }
    const said = tab.text(`history.${word}` as 'history.created', values).trim()
    expect(lines[at]).toContain(said.replace(/\s+/g, ' '))
  })
  const omar = tab.text('by', { name: 'Omar Haddad' })
  expect(lines.filter((line) => line.includes(omar))).toHaveLength(10)
  expect(lines.filter((line) => line.includes('miftah'))).toEqual([])
})
