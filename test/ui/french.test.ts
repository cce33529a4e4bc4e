import { expect, test } from 'vitest'
import { createLocale } from '../../adapters/ui/format/locale.ts'
import type { Messages } from '../../adapters/ui/strings/messages.ts'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { fewKeys } from '../support/settings-tab/keys.ts'

const { open } = tabTests()

/** As a page would add it: one typed object. What it leaves out stays English. */
const fr = {
  title: 'Clés d’API',
  new: 'Nouvelle clé',
  'allowance.label': 'Clés actives',
  'allowance.value': '{active} sur {limit}',
  'col.name': 'Nom',
  'col.key': 'Clé',
  'col.type': 'Type',
  'col.last': 'Dernière utilisation',
  'col.uses': 'Utilisations',
  'col.status': 'Statut',
  by: 'par {name}',
  never: 'Jamais utilisée',
  'status.active': 'Active',
  'status.revoked': 'Révoquée',
  rotate: 'Renouveler',
  revoke: 'Révoquer',
  'count.scopes': {
    one: '{n} autorisation',
    many: '{n} d’autorisations',
    other: '{n} autorisations',
  },
} satisfies Partial<Messages>

const strings = { fr }

test('a page adds French with one object', async () => {
  const { tab, page } = await open({ lang: 'en', backend: new ScriptedBackend(fewKeys) })
  await tab.host.evaluate((element: HTMLElementTagNameMap['api-keys-tab'], strings) => {
    element.strings = strings
    element.lang = 'fr-CA'
  }, strings)
  await expect.poll(() => tab.newKey.innerText()).toBe('Nouvelle clé')
  const row = tab.row('key_store')
  expect(await page.locator('[part=allowance-value]').innerText()).toBe('2 sur 5')
  expect(await row.locator('summary').textContent()).toContain('3 autorisations')
  expect(await row.locator('time').innerText()).toBe('Il y a 12 minutes')
  expect(await row.locator('[part=rotate-button]').innerText()).toBe('Renouveler')
  expect(await tab.row('key_old').innerText()).toContain('24 juin 2026')
  // Not translated: English.
  expect(await row.locator('[part~=badge]').first().innerText()).toBe('Live')
})

test('the plurals are those of the language', () => {
  const { text } = createLocale({
    lang: 'fr',
    dir: 'ltr',
    numerals: 'latn',
    calendar: 'gregory',
    timeZone: 'Europe/Paris',
    strings,
  })
  const said = (n: number) => text('count.scopes', { n }).replace(/[\u2066-\u2069]/g, '')
  expect([0, 1, 2].map(said)).toEqual(['0 autorisation', '1 autorisation', '2 autorisations'])
  expect(said(1_000_000)).toContain('d’autorisations')
})
