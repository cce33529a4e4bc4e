import { expect, test } from 'vitest'
import { styles as moreStyles } from '../../adapters/ui/lazy/styles.ts'
import { styles } from '../../adapters/ui/styles/index.ts'
import { many, ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { fewKeys, keyOf } from '../support/settings-tab/keys.ts'
import { livingKeys } from '../support/settings-tab/scenes.ts'
import type { TabPage } from '../support/settings-tab/tab-page.ts'

const { open } = tabTests({ fonts: true, isUnused: true })
type Tab = HTMLElementTagNameMap['api-keys-tab']

test('rows are of one line where there is room, and two where there is less', async () => {
  const keys = [keyOf({ id: 'key_a', uses: 11 }), keyOf({ id: 'key_b', lastUsedAt: null, uses: 0 })]
  const { tab, page } = await open({ lang: 'en', backend: new ScriptedBackend(keys) })
  expect(await tallest(tab)).toBeLessThanOrEqual(65)
  await page.setViewportSize({ width: 800, height: 900 })
  expect(await tallest(tab)).toBeLessThanOrEqual(96)
})

test.each(['ar', 'en'] as const)('a card is at most 180 px tall at 360 px (%s)', async (lang) => {
  const backend = new ScriptedBackend([...fewKeys, ...livingKeys.slice(0, -1)])
  const { tab } = await open({ lang, backend, width: 360 })
  expect(await tab.row('key_store').locator('.actions button').count()).toBe(3)
  expect(await tallest(tab)).toBeLessThanOrEqual(180)
})

async function tallest(tab: TabPage): Promise<number> {
  const boxes = await Promise.all((await tab.rows.all()).map((row) => row.boundingBox()))
  return Math.max(...boxes.map((box) => box?.height ?? 0))
}

test('no style looks into the rows from above', () => {
  // With one :has() in a sheet, Chromium walks through every row that it removes: 20 ms of 70 for 950.
  expect(styles + moreStyles).not.toContain(':has(')
})

test('two hundred mounts leave nothing behind', async () => {
  const { tab, context, page } = await open({ backend: many(9) })
  const session = await context.newCDPSession(page)
  await session.send('HeapProfiler.enable')
  const mount = (times: number) =>
    tab.host.evaluate(async (element: Tab, count) => {
      const place = element.parentNode
      for (let at = 0; at < count; at += 1) {
        const made = document.createElement('api-keys-tab')
        made.client = element.client
        place?.append(made)
        await made.updateComplete
        made.openCreate()
        made.remove()
      }
    }, times)
  const nodes = async () => {
    await session.send('HeapProfiler.collectGarbage')
    await session.send('HeapProfiler.collectGarbage')
    const counted = await session.send('Memory.getDOMCounters')
    return { nodes: counted.nodes, listeners: counted.jsEventListeners }
  }
  await mount(10)
  const before = await nodes()
  await mount(200)
  const after = await nodes()
  expect(after.nodes - before.nodes).toBeLessThan(500)
  expect(after.listeners - before.listeners).toBeLessThan(100)
})
