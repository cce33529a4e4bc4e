import { expect, test } from 'vitest'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { everyEvent } from '../support/settings-tab/events.ts'
import { linesOf, openDetails, showAll } from '../support/settings-tab/history.ts'

const { open } = tabTests()
const events = Object.values(everyEvent)

test.each(['ar', 'en'] as const)('says in words what happened, in %s', async (lang) => {
  const { tab, page } = await open({
    lang,
    backend: Object.assign(new ScriptedBackend(), { events }),
  })
  expect(await page.locator('.history').count()).toBe(0)
  await openDetails(tab)
  await showAll(tab)
  await expect.poll(async () => (await linesOf(tab)).length).toBe(events.length)
  const lines = await linesOf(tab)
  const inLanguage = new Intl.ListFormat(lang)
  const fields = inLanguage.format(
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
