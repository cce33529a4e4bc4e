import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { ago, ahead, fewKeys, keyOf } from '../support/settings-tab/keys.ts'
import { livingKeys } from '../support/settings-tab/scenes.ts'

const { open } = tabTests({ fonts: true })

const longName = 'Warehouse-synchronisation-server-of-the-northern-region '.repeat(2).slice(0, 110)
const revoked = { status: 'revoked', revokedAt: ago.days(60), lastUsedAt: ago.days(61) } as const

/** Keys with everything that takes up room. */
const keys = [
  ...fewKeys,
  ...livingKeys.slice(0, -1),
  keyOf({ id: 'key_long', name: longName, prefix: 'svc_live_WMW', lastUsedAt: ago.days(60) }),
  keyOf({ id: 'key_word', name: 'W'.repeat(120), creator: { id: 'u', name: 'M'.repeat(60) } }),
  keyOf({ id: 'key_soon', name: 'مفتاح '.repeat(18), expiresAt: ahead(2), uses: 999_999_999 }),
  keyOf({ id: 'key_idle', environment: 'test', lastUsedAt: ago.days(200) }),
  keyOf({ id: 'key_old_long', name: longName, environment: 'test', ...revoked }),
]
const widths = [...Array.from({ length: 33 }, (_, at) => 320 + 40 * at), 500, 528]

test.each(['ar', 'en'] as const)(
  'rows are 60 px high, and 116 px on a phone, and nothing in them is cut off, before and after a rotation and with a locked plan (%s)',
  async (lang) => {
    const backend = new ScriptedBackend(keys, { activeKeyLimit: null })
    const { tab, page } = await open({ lang, backend })
    await page.evaluate(() => document.fonts.ready)
    await tab.unfold()
    expect(await faultsIn(page, widths)).toEqual([])
    await page.setViewportSize({ width: 1280, height: 900 })
    await tab.rotate()
    await tab.row('key_new1').waitFor()
    expect(await faultsIn(page, [1280, 528, 500, 320])).toEqual([])
    backend.publicApi = false
    await tab.refresh()
    await page.locator('[part=locked]').waitFor()
    expect(await faultsIn(page, [1280, 528, 500, 320])).toEqual([])
  },
)

test.each(['ar', 'en'] as const)('what is due is read whole on a tablet (%s)', async (lang) => {
  const backend = new ScriptedBackend(livingKeys)
  const { page } = await open({ lang, backend, attributes: 'user-id="u_1"' })
  await page.evaluate(() => document.fonts.ready)
  for (const width of [768, 820, 1024]) {
    await page.setViewportSize({ width, height: 900 })
    const dues = await page.locator('.second .due').evaluateAll((nodes) =>
      nodes.map((node) => ({
        text: node.textContent,
        isCut: node.scrollWidth > node.clientWidth,
      })),
    )
    expect(dues.length).toBeGreaterThan(2)
    expect([width, dues.filter(({ isCut }) => isCut)]).toEqual([width, []])
  }
})

async function faultsIn(page: Page, widths: readonly number[]): Promise<string[]> {
  const faults: string[] = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    // The page has 24 px around the tab, and 12 px up to 480 px.
    const height = width < 528 ? 116 : 60
    const found = await page.locator('api-keys-tab').evaluate(measure, height)
    faults.push(...found.map((fault) => `${width}: ${fault}`))
  }
  return faults
}

/** What is wrong at a width: sideways scrolling, something outside, a button that cannot be hit. */
function measure(tab: Element, height: number): string[] {
  const root = tab.shadowRoot as ShadowRoot
  const { documentElement: page } = tab.ownerDocument
  const frame = tab.getBoundingClientRect()
  const faults = page.scrollWidth > page.clientWidth ? ['the page scrolls sideways'] : []
  for (const row of root.querySelectorAll('tbody tr:not(.group)')) {
    const found = row.getBoundingClientRect().height
    if (found !== height) faults.push(`${found} px: ${row.textContent?.trim().slice(0, 20)}`)
  }
  for (const node of root.querySelectorAll('.list *')) {
    const isHidden = node.closest('.sr') || node.closest('thead')?.clientWidth === 1
    // Names and other words end with an ellipsis, and have a tooltip; what gives way has no box.
    if (isHidden || node.parentElement?.closest('.cut, .due')) continue
    if (node.getClientRects().length === 0) continue
    const box = node.getBoundingClientRect()
    const name = `${node.tagName} ${node.textContent?.trim().slice(0, 20)}`
    if (box.left < frame.left - 1 || box.right > frame.right + 1) faults.push(`outside: ${name}`)
    const words = frame.width > 660 ? 'td.c-key, td.c-uses' : 'td.c-key'
    const whole = node.matches(`button:not(.cut), ${words}`)
    if (whole && node.scrollWidth > node.clientWidth + 1) faults.push(`cut: ${name}`)
    const isStump =
      node.matches('tr:not(.is-due) .by') && box.width < 60 && node.scrollWidth > node.clientWidth
    if (isStump) faults.push(`a stump: ${name}`)
  }
  for (const row of root.querySelectorAll('tbody tr')) {
    const isActive = row.querySelector('.dot.active:not(.dim)') !== null
    const actions = [...row.querySelectorAll('[part=rotate-button], [part=revoke-button]')]
    if (isActive && actions.length !== 2) faults.push(`${actions.length} buttons`)
    for (const button of actions) {
      button.scrollIntoView({ block: 'center' })
      const { left, right, top, bottom } = button.getBoundingClientRect()
      for (const x of [left + 2, (left + right) / 2, right - 2]) {
        const hit = root.elementFromPoint(x, (top + bottom) / 2)
        if (hit !== button) faults.push(`not hit: ${button.textContent?.trim()} at ${x}`)
      }
    }
  }
  return faults
}
