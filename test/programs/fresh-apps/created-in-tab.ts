import type { Page } from 'playwright-core'
import { sharedChromium } from '../../support/chromium.ts'
import { TabPage } from '../../support/settings-tab/tab-page.ts'

/**
 * Creates a key in the tab of a page that gives the tab a header and shows what its event tells, and
 * answers its secret. The page may write no error to the console.
 */
export async function createdInTab(url: string, lang: 'ar' | 'en'): Promise<string> {
  const page = await (await sharedChromium()).newPage()
  const faults = faultsOf(page)
  try {
    await page.context().addCookies([{ name: 'session', value: 'noura', url }])
    const tokens: (string | undefined)[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') tokens.push(request.headers()['x-csrf-token'])
    })
    await page.goto(url)
    const secret = await new TabPage(page, lang).createKey({ name: 'From the page' })
    if (tokens.join() !== 't') throw new Error(`the calls had the tokens ${tokens}`)
    await page.getByText('created From the page').waitFor()
    if (faults.length > 0) throw new Error('the page wrote errors')
    return secret
  } catch (error) {
    throw new Error(`${url}: ${[String(error), ...faults].join('\n')}`)
  } finally {
    await page.context().close()
  }
}

function faultsOf(page: Page): readonly string[] {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    const isIcon = message.location().url.endsWith('/favicon.ico')
    if (message.type() === 'error' && !isIcon) faults.push(message.text())
  })
  return faults
}
