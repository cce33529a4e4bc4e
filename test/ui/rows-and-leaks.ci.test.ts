import { expect, test } from 'vitest'
import { styles } from '../../adapters/ui/styles/first.ts'
import { laterStyles } from '../../adapters/ui/styles/later.ts'
import { many, ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { ago, ahead, fewKeys, keyOf } from '../support/settings-tab/keys.ts'
import { livingKeys } from '../support/settings-tab/scenes.ts'

const { open } = tabTests({ fonts: true })
type Tab = HTMLElementTagNameMap['api-keys-tab']

/** Keys with everything that could make a row higher. */
const all = [
  ...fewKeys,
  ...livingKeys.slice(0, -1),
  keyOf({ id: 'key_long', name: 'W'.repeat(120), creator: { id: 'u', name: 'M'.repeat(60) } }),
  keyOf({ id: 'key_soon', name: 'مفتاح '.repeat(18), expiresAt: ahead(2), uses: 999_999_999 }),
  keyOf({ id: 'key_idle', lastUsedAt: ago.days(200) }),
]

test.each(['ar', 'en'] as const)(
  'every row is 60 px high, and 116 px on a phone, before and after a rotation and with a locked plan (%s)',
  async (lang) => {
    const backend = Object.assign(new ScriptedBackend(all), { activeKeyLimit: null })
    const { tab, page } = await open({ lang, backend })
    const heights = async () => {
      const found: Record<number, readonly number[]> = {}
      for (const width of [1280, 1000, 760, 600, 528, 500, 360, 320]) {
        await page.setViewportSize({ width, height: 900 })
        const boxes = await tab.rows.evaluateAll((rows) =>
          rows.map((row) => row.getBoundingClientRect().height),
        )
        found[width] = [...new Set(boxes)]
      }
      return found
    }
    // The page has 24 px around the tab, and 12 px up to 480 px.
    const equal = {
      1280: [60],
      1000: [60],
      760: [60],
      600: [60],
      528: [60],
      500: [116],
      360: [116],
      320: [116],
    }
    await tab.unfold()
    expect(await heights()).toEqual(equal)
    await page.setViewportSize({ width: 1280, height: 900 })
    await tab.ask('rotate', 'key_store')
    await tab.confirm()
    await tab.row('key_new1').waitFor()
    expect(await heights()).toEqual(equal)
    backend.publicApi = false
    await tab.refresh()
    await page.locator('[part=locked]').waitFor()
    expect(await heights()).toEqual(equal)
  },
)

test('no style looks into the rows from above', () => {
  // With one :has() in a sheet, Chromium walks through every row that it removes: 20 ms of 70 for 950.
  expect(styles + laterStyles).not.toContain(':has(')
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
