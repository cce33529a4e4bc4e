import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { ago, keyOf } from '../support/settings-tab/keys.ts'

const { open } = tabTests({ fonts: true })
const widths = Array.from({ length: 33 }, (_, index) => 320 + 40 * index)
const longName = 'Warehouse-synchronisation-server-of-the-northern-region '.repeat(2).slice(0, 110)
const longArabicName = 'خادم مزامنة المستودعات في المنطقة الشمالية '.repeat(3).slice(0, 118)
const revoked = { status: 'revoked', revokedAt: ago.days(60), lastUsedAt: ago.days(61) } as const

/** Keys with everything that takes up room: long names, dates, large counts, revocations. */
function backend(): ScriptedBackend {
  const keys = [
    keyOf({ id: 'key_store', lastUsedAt: ago.days(60), uses: 999_999_999 }),
    keyOf({ id: 'key_long', name: longName, prefix: 'svc_live_WMW' }),
    keyOf({ id: 'key_arabic', name: longArabicName, environment: 'test', lastUsedAt: null }),
    keyOf({ id: 'key_word', name: 'W'.repeat(120), creator: { id: 'u_2', name: 'M'.repeat(60) } }),
    keyOf({ id: 'key_old', ...revoked }),
    keyOf({ id: 'key_old_long', name: longName, environment: 'test', ...revoked }),
  ]
  return new ScriptedBackend(keys)
}

test.each(['ar', 'en'] as const)('on a page of its own nothing is cut off (%s)', async (lang) => {
  const { page } = await open({ lang, backend: backend() })
  expect(await faultsOf(page)).toEqual([])
})

/** What is wrong at any width: sideways scrolling, something outside, a button that cannot be hit. */
async function faultsOf(page: Page, buttons = 8): Promise<string[]> {
  await page.evaluate(() => document.fonts.ready)
  const faults: string[] = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    const found = await page.locator('api-keys-tab').evaluate(measure, buttons)
    faults.push(...found.map((fault) => `${width}: ${fault}`))
  }
  return faults
}

function measure(tab: Element, buttons: number): string[] {
  const root = tab.shadowRoot
  const { documentElement: page } = tab.ownerDocument
  if (root === null) return ['no tab']
  const frame = tab.getBoundingClientRect()
  const faults = page.scrollWidth > page.clientWidth ? ['the page scrolls sideways'] : []
  const visible = [...root.querySelectorAll('.list *')].filter(
    (node) =>
      !node.closest('.sr') &&
      !node.parentElement?.closest('.cut, .due') &&
      node.closest('thead')?.clientWidth !== 1,
  )
  for (const node of visible) {
    // Created gives way where it is tight, and the cell of the status has no box in a card.
    if (node.getClientRects().length === 0) continue
    const box = node.getBoundingClientRect()
    const name = `${node.tagName} ${node.textContent?.trim().slice(0, 20)}`
    if (box.left < frame.left - 1 || box.right > frame.right + 1) faults.push(`outside: ${name}`)
    // Names and other words end with an ellipsis, and have a tooltip.
    const whole = node.tagName === 'BUTTON' && !node.matches('.cut')
    if (whole && node.scrollWidth > node.clientWidth + 1) faults.push(`cut: ${name}`)
  }
  const actions = [...root.querySelectorAll('[part=rotate-button], [part=revoke-button]')]
  if (actions.length !== buttons) faults.push(`${actions.length} buttons`)
  for (const button of actions) {
    button.scrollIntoView({ block: 'center' })
    const { left, right, top, bottom } = button.getBoundingClientRect()
    for (const x of [left + 2, (left + right) / 2, right - 2]) {
      const hit = root.elementFromPoint(x, (top + bottom) / 2)
      if (hit !== button) faults.push(`not hit: ${button.textContent?.trim()} at ${x}`)
    }
  }
  return faults
}
