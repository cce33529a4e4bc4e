import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { sharedChromium } from '../../support/chromium.ts'
import { freePort } from '../../support/free-port.ts'
import { walk } from '../../support/package/walk.ts'
import { TabPage } from '../../support/settings-tab/tab-page.ts'
import { drivenAt } from './guides.ts'

/**
 * Creates a key in the tab of a page that gives the tab a header and shows what its event tells. The page may
 * write no error to the console.
 */
export async function createdInTab(url: string, lang: 'ar' | 'en'): Promise<number> {
  const page = await (await sharedChromium()).newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    const isIcon = message.location().url.endsWith('/favicon.ico')
    if (message.type() === 'error' && !isIcon) faults.push(message.text())
  })
  page.on('request', (request) => {
    const token = request.headers()['x-csrf-token']
    if (request.method() === 'POST' && token !== 't') faults.push(`a call had the token ${token}`)
  })
  try {
    await page.context().addCookies([{ name: 'session', value: 'noura', url }])
    await page.goto(url)
    await new TabPage(page, lang).createKey({ name: 'From the page' })
    await page.getByText('created From the page').waitFor()
    if (faults.length > 0) throw new Error('the page wrote errors')
    return 1
  } catch (error) {
    throw new Error(`${url}: ${[String(error), ...faults].join('\n')}`)
  } finally {
    await page.context().close()
  }
}

/** Drives a built app of Next.js, as `standalone` is deployed: its routes, and its page in Chromium. */
export async function driveNext(home: string): Promise<number> {
  // A part of every deployment of `standalone`: its server has no scripts of its own.
  const to = join(home, '.next/standalone/.next/static')
  cpSync(join(home, '.next/static'), to, { recursive: true })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/settings`
  const env = { PORT: String(port), HOSTNAME: '127.0.0.1', NEXT_TELEMETRY_DISABLED: '1' }
  const command = [process.execPath, '.next/standalone/server.js'] as const
  return drivenAt(url, { home, command, env }, async () => {
    return (await walk(port)) + (await createdInTab(url, 'en'))
  })
}
