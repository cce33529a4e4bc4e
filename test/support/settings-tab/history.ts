import type { TabPage } from './tab-page.ts'

const isolates = /[\u2066-\u2069]/g

/** Opens the details of the first key, where its history is. */
export async function openDetails(tab: TabPage): Promise<void> {
  await tab.page.locator('[data-menu=key_store]').click()
  await tab.page.locator('[data-item=details]').click()
  await tab.page.locator('dialog#details[open]').waitFor()
}

/** The lines of the history as they are read, each without its marks of direction. */
export async function linesOf(tab: TabPage): Promise<readonly string[]> {
  const lines = await tab.page.locator('.history li').allInnerTexts()
  return lines.map((line) => line.replace(isolates, '').replace(/\s+/g, ' '))
}

/** Reads the history to its beginning. */
export async function showAll(tab: TabPage): Promise<void> {
  const lines = tab.page.locator('.history li')
  const more = tab.page.locator('[data-act=more-events]:not([aria-disabled])')
  await lines.first().waitFor()
  while ((await more.count()) > 0) {
    const before = await lines.count()
    await more.click()
    await lines.nth(before).waitFor()
  }
}
