import { problem, ScriptedBackend } from './backend.ts'
import type { Opened, OpenOptions } from './browser.ts'
import { ago, fewKeys, keyOf, manyKeys } from './keys.ts'

/** A state of the tab to look at: how to open it, and what to do then. */
export interface Scene {
  readonly options?: () => OpenOptions
  readonly steps?: (opened: Opened) => Promise<unknown>
}

function failing(status: number, code: string): ScriptedBackend {
  const backend = new ScriptedBackend()
  backend.always('GET /keys', problem(status, code, { headers: { 'X-Request-Id': 'req_7Q4' } }))
  return backend
}

function withPlan(activeKeyLimit: number, publicApi = true): ScriptedBackend {
  return Object.assign(new ScriptedBackend(fewKeys), { activeKeyLimit, publicApi })
}

/** Every state of the tab by name. */
export const scenes: Readonly<Record<string, Scene>> = {
  loading: {
    options: () => {
      const backend = new ScriptedBackend()
      backend.hold('GET /keys')
      return { backend, atOnce: true }
    },
    steps: ({ page }) => page.locator('[part=skeleton]').waitFor(),
  },
  list: {},
  'list with search': {
    options: () => {
      const gone = { id: 'key_gone', status: 'revoked', revokedAt: ago.days(3) } as const
      const backend = new ScriptedBackend([...manyKeys(9), keyOf(gone)])
      return { backend: Object.assign(backend, { activeKeyLimit: null, pageSize: 9 }) }
    },
    steps: ({ page }) => page.locator('summary').first().click(),
  },
  'nothing found': {
    options: () => ({ backend: new ScriptedBackend(manyKeys(9)) }),
    steps: async ({ page }) => {
      await page.getByRole('searchbox').fill('zzz')
      await page.locator('.panel').waitFor()
    },
  },
  empty: { options: () => ({ backend: new ScriptedBackend([]) }) },
  error: { options: () => ({ backend: failing(503, 'storage_unavailable') }) },
  forbidden: { options: () => ({ backend: failing(403, 'forbidden') }) },
  session: { options: () => ({ backend: failing(401, 'unauthenticated') }) },
  offline: {
    steps: async ({ context, page }) => {
      await context.setOffline(true)
      await page.locator('#offline-note').waitFor()
    },
  },
  stale: {
    steps: async ({ backend, tab, page }) => {
      backend.always('GET /keys', { status: 500, body: null })
      await tab.host.evaluate((element: HTMLElementTagNameMap['api-keys-tab']) => element.refresh())
      await page.locator('[data-note=stale]').waitFor()
    },
  },
  locked: { options: () => ({ backend: withPlan(0, false) }) },
  'limit reached': { options: () => ({ backend: withPlan(2) }) },
  'over the limit': { options: () => ({ backend: withPlan(1) }) },
  create: { steps: ({ tab }) => tab.openCreate() },
  'create refused': {
    steps: async ({ tab }) => {
      await tab.openCreate()
      await tab.submit.click()
      await tab.createDialog.locator('[aria-invalid]').first().waitFor()
    },
  },
  'create failed': {
    steps: async ({ tab, page, backend }) => {
      backend.next('POST /keys', { status: 500, body: null })
      await tab.openCreate()
      await tab.fill({ name: 'x'.repeat(110) })
      await page.locator('#scopes-all').check()
      await tab.submit.click()
      await tab.createDialog.getByRole('alert').waitFor()
    },
  },
  created: { steps: ({ tab }) => tab.createKey({ name: 'خادم المتجر الجديد' }) },
  'dismissal asked': {
    steps: async ({ tab, page }) => {
      await tab.createKey()
      await tab.dismissButton.click()
      await page.locator('.question').waitFor()
    },
  },
  rotate: { steps: ({ tab }) => tab.ask('rotate', 'key_store') },
  'created and rotated': {
    steps: async ({ tab, page }) => {
      await tab.createKey({ name: 'CRM' })
      await tab.ask('rotate', 'key_store')
      await tab.confirm()
      await page.locator('section.rotated').waitFor()
      await tab.copyButton.first().click()
      await tab.confirmDialog.waitFor({ state: 'hidden' })
    },
  },
  revoke: { steps: ({ tab }) => tab.ask('revoke', 'key_store') },
  'revoke failed': {
    steps: async ({ tab, backend }) => {
      backend.next('POST', problem(429, 'rate_limited'))
      await tab.ask('revoke', 'key_store')
      await tab.confirm()
      await tab.confirmDialog.getByRole('alert').waitFor()
    },
  },
}
