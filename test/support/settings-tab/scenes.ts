import { expect } from 'vitest'
import type { WireKey } from '../../../adapters/client/index.ts'
import type { MessageId } from '../../../adapters/ui/strings/messages.ts'
import { daysOf, many, problem, type Reply, ScriptedBackend } from './backend.ts'
import type { Opened, OpenOptions, TabTests } from './browser.ts'
import { longHistory } from './events.ts'
import { ago, ahead, fewKeys, keyOf, manyKeys } from './keys.ts'
import { restrictedBackend } from './restricted.ts'

/** A state of the tab to look at: how to open it, what to do then, and what it says. */
export interface Scene {
  readonly options?: () => OpenOptions
  readonly steps?: ((opened: Opened) => Promise<unknown>) | undefined
  readonly says?: readonly MessageId[]
}

const usage = daysOf(
  (at) => (at * 37) % 90,
  (at) => (at % 6 === 0 ? 9 : 0),
)

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

/** A scene with a backend that has these fields. */
function having(
  fields: Partial<ScriptedBackend>,
  keys: readonly WireKey[] = fewKeys,
  steps?: Scene['steps'],
): Scene {
  return { options: () => ({ backend: new ScriptedBackend(keys, fields) }), steps }
}

/** A scene whose backend answers so to these requests. */
function answering(requests: string, reply: Reply, steps?: Scene['steps']): Scene {
  const backend = () => new ScriptedBackend().always(requests, reply)
  return { options: () => ({ backend: backend() }), steps }
}

const refused = (status: number, code: string, ...says: readonly MessageId[]): Scene => ({
  ...answering('GET /keys', problem(status, code, { headers: { 'X-Request-Id': 'req_7Q4' } })),
  says,
})

/** Something of the menu of a key. */
const chosen =
  (item: string, id = 'key_store') =>
  ({ tab }: Opened) =>
    tab.openFrom(id, item)

const restricted = (hasCeiling: boolean, steps?: Scene['steps']): Scene => ({
  options: () => ({ backend: restrictedBackend(hasCeiling) }),
  steps,
})

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
  'list with search': having({ activeKeyLimit: null }, [
    ...manyKeys(15),
    keyOf({ id: 'key_gone', status: 'revoked', revokedAt: ago.days(3) }),
  ]),
  'nothing found': having({}, manyKeys(15), async ({ page }) => {
    await page.getByRole('searchbox').fill('zzz')
    await page.locator('.slim').waitFor()
  }),
  empty: { ...having({}, []), says: ['empty.title', 'empty.copy'] },
  error: refused(503, 'storage_unavailable', 'err.title', 'err.body'),
  forbidden: refused(403, 'forbidden', 'forbidden.title'),
  session: refused(401, 'unauthenticated', 'session.first'),
  history: having({ events: longHistory(30) }, fewKeys, async ({ page, tab }) => {
    await tab.openDetails()
    await page.locator('[data-act=more-events]').scrollIntoViewIfNeeded()
  }),
  'history that could not be loaded': answering(
    'GET /keys/key_store/events',
    problem(503, 'storage_unavailable'),
    async ({ page, tab }) => {
      await tab.openDetails()
      await page.locator('.history button').scrollIntoViewIfNeeded()
    },
  ),
  'read only': {
    ...having({ allowedOperations: [] }),
    says: ['forbidden.title', 'forbidden.body'],
  },
  'read only and empty': { ...having({ allowedOperations: [] }, []), says: ['empty.title'] },
  stale: {
    steps: async ({ backend, tab, page }) => {
      backend.always('GET /keys', { status: 500, body: null })
      await tab.refresh()
      await page.locator('[data-note=stale]').waitFor()
    },
  },
  locked: {
    ...having({ activeKeyLimit: 0, publicApi: false }),
    says: ['lock.title', 'lock.existing', 'lock.cta'],
  },
  'limit reached': having({ activeKeyLimit: 2 }),
  'over the limit': { ...having({ activeKeyLimit: 1 }), says: ['limit.over'] },
  create: { steps: ({ tab }) => tab.openCreate() },
  'create refused': {
    steps: async ({ tab }) => {
      await tab.openCreate()
      await tab.submit.click()
      await tab.createDialog.locator('[aria-invalid]').first().waitFor()
    },
  },
  'create failed': answering('POST /keys', { status: 500, body: null }, async ({ tab }) => {
    await tab.send({ name: 'x'.repeat(110) })
    await tab.createDialog.getByRole('alert').waitFor()
  }),
  created: { steps: ({ tab }) => tab.createKey({ name: 'خادم المتجر الجديد' }) },
  'dismissal asked': {
    steps: async ({ tab, page }) => {
      await tab.createKey()
      await tab.dismissButton.click()
      await page.locator('.question').waitFor()
    },
  },
  lifecycle: having({}, livingKeys),
  menu: {
    steps: async ({ tab, page }) => {
      await tab.row('key_store').locator('[part=menu-button]').click()
      await page.locator('.menu:popover-open').waitFor()
    },
  },
  details: having({ usage }, livingKeys, async ({ tab, page }) => {
    await tab.openDetails('key_retiring')
    await page.locator('.bars').waitFor()
  }),
  edit: { steps: chosen('edit') },
  'edit overtaken': {
    steps: async ({ tab, page, backend }) => {
      await tab.openFrom('key_store', 'edit')
      await page.locator('#edit-expiry').selectOption('date')
      await page.locator('#edit input[type=date]').fill('2026-12-24')
      await page.locator('#edit-name').fill('Mine')
      backend.changeElsewhere('key_store', { name: 'Theirs' })
      await page.locator('#edit [data-act=submit]').click()
      await page.locator('[data-note=overtaken]').waitFor()
    },
  },
  pause: { steps: chosen('pause') },
  'first call': {
    options: () => ({ attributes: 'call-url="https://api.example.com/api/public/v1/contacts"' }),
    steps: ({ tab }) => tab.createKey({ name: 'خادم المتجر الجديد' }),
  },
  'part of a search missing': {
    options: () => ({ backend: many(60) }),
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
  'revoke failed': answering('POST', problem(429, 'rate_limited'), async ({ tab }) => {
    await tab.ask('revoke', 'key_store')
    await tab.confirm()
    await tab.confirmDialog.getByRole('alert').waitFor()
  }),
  restricted: restricted(false),
  'restricted details': restricted(false, chosen('details', 'key_export')),
  'create restricted': restricted(false, async ({ tab, page }) => {
    await tab.openCreate()
    await page.locator('.options summary').click()
    await page.locator('#create-resources-some').check()
    await page.locator('[data-resource=p_1]').waitFor()
    await page.locator('#create-networks-some').check()
  }),
  'create under a ceiling': restricted(true, ({ tab }) => tab.openCreate()),
  'edit beyond the ceiling': restricted(true, chosen('edit', 'key_beyond')),
}

/** Opens a scene in a page that looks so, where it says what it is to say. */
export async function openScene(open: TabTests['open'], name: string, look: OpenOptions) {
  const { options, steps, says = [] } = scenes[name] ?? {}
  const opened = await open({ ...options?.(), ...look })
  await steps?.(opened)
  for (const id of says) expect(await opened.tab.said()).toContain(opened.tab.text(id))
  return opened
}
