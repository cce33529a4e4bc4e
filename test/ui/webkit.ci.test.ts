import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasWebKit, WebKit } from '../support/other-browsers.ts'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { markupOf } from '../support/settings-tab/browser.ts'
import { Site } from '../support/settings-tab/site.ts'

describe.skipIf(!hasWebKit)('WebKit', () => {
  let browser: WebKit
  let site: Site

  beforeAll(async () => {
    ;[browser, site] = await Promise.all([WebKit.launch(), Site.start()])
  })
  afterAll(async () => {
    await browser?.close()
    await site?.stop()
  })

  /** What an element of the tab says; `null` where there is none. */
  const textOf = (selector: string) =>
    browser.run((wanted) => {
      const root = document.querySelector('api-keys-tab')?.shadowRoot
      return root?.querySelector<HTMLElement>(wanted)?.innerText ?? null
    }, selector)
  const shown = (selector: string) => expect.poll(() => textOf(selector)).not.toBeNull()
  const press = async (selector: string) => {
    await shown(selector)
    await browser.run((wanted) => {
      const root = document.querySelector('api-keys-tab')?.shadowRoot
      root?.querySelector<HTMLElement>(wanted)?.click()
    }, selector)
  }
  /** Nothing may be wider than the page. */
  const look = async (name: string) => {
    const sideways = () => document.documentElement.scrollWidth > innerWidth
    expect([name, await browser.run(sideways)]).toEqual([name, false])
  }

  test.each(['ar', 'en'] as const)('a key is created, rotated and revoked (%s)', async (lang) => {
    const backend = new ScriptedBackend()
    await browser.resize(1200, 900)
    await browser.open(site.add({ html: markupOf({ lang, fonts: true }), backend }))
    await shown('[data-row=key_store]')
    await look('list')
    await press('#new-key')
    await shown('[data-scope="contacts.read"]')
    await look('create')
    await browser.run(() => {
      const root = document.querySelector('api-keys-tab')?.shadowRoot
      const name = root?.querySelector<HTMLInputElement>('#create-name')
      if (!name) return
      name.value = 'WebKit'
      name.dispatchEvent(new Event('input', { bubbles: true }))
    })
    await press('#env-live')
    await press('[data-scope="contacts.read"]')
    await press('#create [data-act=submit]')
    await shown('section.created')
    expect(await textOf('[part=secret]')).toBe(backend.secrets[0])
    await look('created')
    await press('tr:has([data-row=key_store]) [part=rotate-button]')
    await press('#confirm [data-act=confirm]')
    await shown('section.rotated')
    await press('tr:has([data-row=key_test]) [part=revoke-button]')
    await press('#confirm [data-act=confirm]')
    await press('#ended')
    await shown('tr:has([data-row=key_test]) [part~=status-revoked]')
    expect(backend.requests('POST').map(({ path }) => path)).toEqual([
      '/keys',
      '/keys/key_store/rotate',
      '/keys/key_test/revoke',
    ])
    await browser.resize(420, 900)
    await look('phone')
  })
})
