import type { Page } from 'playwright-core'
import { daysOf, many, problem, ScriptedBackend } from './backend.ts'
import type { Opened, OpenOptions } from './browser.ts'
import { longHistory } from './events.ts'
import { ago, ahead, fewKeys, keyOf, manyKeys } from './keys.ts'
import { restrictedBackend } from './restricted.ts'
import type { TabPage } from './tab-page.ts'

/** A state of the tab to look at: how to open it, and what to do then. */
export interface Scene {
  readonly options?: () => OpenOptions
  readonly steps?: (opened: Opened) => Promise<unknown>
}

const usage = daysOf(
  (at) => (at * 37) % 90,
  (at) => (at % 6 === 0 ? 9 : 0),
)

function failing(status: number, code: string): ScriptedBackend {
  const backend = new ScriptedBackend()
  backend.always('GET /keys', problem(status, code, { headers: { 'X-Request-Id': 'req_7Q4' } }))
  return backend
}

function withPlan(activeKeyLimit: number, publicApi = true): ScriptedBackend {
  return Object.assign(new ScriptedBackend(fewKeys), { activeKeyLimit, publicApi })
}

/** Keys at every point of their lives. */
export const livingKeys = [
  keyOf({
    id: 'key_new',
    name: 'خادم المتجر (rotated)',
    replaces: 'key_retiring',
    expiresAt: ahead(5),
  }),
  keyOf({ id: 'key_retiring', status: 'retiring', retiresAt: ahead(1), replacedBy: 'key_new' }),
  keyOf({
    id: 'key_paused',
    name: 'CRM sync (staging)',
    environment: 'test',
    prefix: 'svc_test_9xZ',
    status: 'paused',
    pausedAt: ago.days(1),
    pausedBy: { id: 'u_2', name: 'Omar Haddad' },
    lastUsedAt: null,
    uses: 0,
  }),
  keyOf({ id: 'key_expired', name: 'Nightly export', status: 'expired', expiresAt: ago.days(3) }),
  ...fewKeys.slice(2),
]

async function choose(tab: TabPage, page: Page, id: string, item: string): Promise<void> {
  await tab.row(id).locator('[part=menu-button]').click()
  await page.locator(`[data-item=${item}]`).click()
  await page.locator('dialog[open]').waitFor()
}

/** A create dialog with a field of networks and one of resources open. */
async function openRestrictions({ tab, page }: Opened): Promise<void> {
  await tab.openCreate()
  await page.locator('.options summary').click()
  await page.locator('#create-resources-some').check()
  await page.locator('[data-resource=p_1]').waitFor()
  await page.locator('#create-networks-some').check()
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
      const backend = new ScriptedBackend([...manyKeys(15), keyOf(gone)])
      return { backend: Object.assign(backend, { activeKeyLimit: null }) }
    },
  },
  'nothing found': {
    options: () => ({ backend: new ScriptedBackend(manyKeys(15)) }),
    steps: async ({ page }) => {
      await page.getByRole('searchbox').fill('zzz')
      await page.locator('.slim').waitFor()
    },
  },
  empty: { options: () => ({ backend: new ScriptedBackend([]) }) },
  error: { options: () => ({ backend: failing(503, 'storage_unavailable') }) },
  forbidden: { options: () => ({ backend: failing(403, 'forbidden') }) },
  history: {
    options: () => ({ backend: Object.assign(new ScriptedBackend(), { events: longHistory(30) }) }),
    steps: async ({ page, tab }) => {
      await choose(tab, page, 'key_store', 'details')
      await page.locator('[data-act=more-events]').scrollIntoViewIfNeeded()
    },
  },
  'history that could not be loaded': {
    options: () => {
      const backend = new ScriptedBackend()
      backend.always('GET /keys/key_store/events', problem(503, 'storage_unavailable'))
      return { backend }
    },
    steps: async ({ page, tab }) => {
      await choose(tab, page, 'key_store', 'details')
      await page.locator('.history button').scrollIntoViewIfNeeded()
    },
  },
  'read only': {
    options: () => ({ backend: Object.assign(new ScriptedBackend(), { allowedOperations: [] }) }),
  },
  'read only and empty': {
    options: () => ({ backend: Object.assign(new ScriptedBackend([]), { allowedOperations: [] }) }),
  },
  session: { options: () => ({ backend: failing(401, 'unauthenticated') }) },
  stale: {
    steps: async ({ backend, tab, page }) => {
      backend.always('GET /keys', { status: 500, body: null })
      await tab.refresh()
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
      await page.locator('#scopes-all').click()
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
  lifecycle: { options: () => ({ backend: new ScriptedBackend(livingKeys) }) },
  menu: {
    steps: async ({ tab, page }) => {
      await tab.row('key_store').locator('[part=menu-button]').click()
      await page.locator('#menu').waitFor()
    },
  },
  details: {
    options: () => ({ backend: Object.assign(new ScriptedBackend(livingKeys), { usage }) }),
    steps: async ({ tab, page }) => {
      await choose(tab, page, 'key_retiring', 'details')
      await page.locator('.bars').waitFor()
    },
  },
  edit: { steps: ({ tab, page }) => choose(tab, page, 'key_store', 'edit') },
  'edit overtaken': {
    steps: async ({ tab, page, backend }) => {
      await choose(tab, page, 'key_store', 'edit')
      await page.locator('#edit-expiry').selectOption('date')
      await page.locator('#edit input[type=date]').fill('2026-12-24')
      await page.locator('#edit-name').fill('Mine')
      backend.changeElsewhere('key_store', { name: 'Theirs' })
      await page.locator('#edit [data-act=submit]').click()
      await page.locator('[data-note=overtaken]').waitFor()
    },
  },
  pause: { steps: ({ tab, page }) => choose(tab, page, 'key_store', 'pause') },
  'first call': {
    options: () => ({ attributes: 'call-url="https://api.example.com/api/public/v1/contacts"' }),
    steps: ({ tab }) => tab.createKey({ name: 'خادم المتجر الجديد' }),
  },
  'part of a search missing': {
    options: () => ({
      backend: many(60),
    }),
    steps: async ({ page, backend }) => {
      backend.always('GET /keys', { status: 500, body: null })
      await page.getByRole('searchbox').fill('zzz')
      await page.locator('#retry').waitFor()
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
  restricted: { options: () => ({ backend: restrictedBackend() }) },
  'restricted details': {
    options: () => ({ backend: restrictedBackend() }),
    steps: ({ tab, page }) => choose(tab, page, 'key_export', 'details'),
  },
  'create restricted': {
    options: () => ({ backend: restrictedBackend() }),
    steps: openRestrictions,
  },
  'create under a ceiling': {
    options: () => ({ backend: restrictedBackend(true) }),
    steps: ({ tab }) => tab.openCreate(),
  },
  'edit beyond the ceiling': {
    options: () => ({ backend: restrictedBackend(true) }),
    steps: ({ tab, page }) => choose(tab, page, 'key_beyond', 'edit'),
  },
  'revoke failed': {
    steps: async ({ tab, backend }) => {
      backend.next('POST', problem(429, 'rate_limited'))
      await tab.ask('revoke', 'key_store')
      await tab.confirm()
      await tab.confirmDialog.getByRole('alert').waitFor()
    },
  },
}

/** The scene with a name; throws when there is none. */
export function sceneOf(name: string): Scene {
  const scene = scenes[name]
  if (scene === undefined) throw new Error(`There is no scene "${name}".`)
  return scene
}
