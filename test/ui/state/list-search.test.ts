import { expect, test } from 'vitest'
import { ListSearch } from '../../../adapters/ui/lazy/list-search.ts'
import { KeyList } from '../../../adapters/ui/state/key-list.ts'
import { ScopeCatalogue } from '../../../adapters/ui/state/scope-catalogue.ts'
import { keyOf } from '../../support/settings-tab/keys.ts'
import { fakeHost } from './fake-host.ts'

const scopes = [{ scope: 'orders.read', label: { en: 'View orders', ar: 'عرض طلبات الشراء' } }]
const groups = [{ id: 'orders', label: { en: 'Orders' }, scopes }]

test('a key is found by the names of its scopes, once these are known', async () => {
  const { host } = fakeHost({ listScopes: async () => ({ groups }) })
  const list = Object.assign(new KeyList(host), {
    keys: [
      keyOf({ id: 'k1', scopes: ['orders.read'] }),
      keyOf({ id: 'k2', scopes: ['contacts.read'] }),
    ],
  })
  const catalogue = new ScopeCatalogue(host)
  Object.assign(host, { list, catalogue })
  const search = new ListSearch(host)
  const found = (wanted: string) => {
    search.search = wanted
    return search.matches.map(({ id }) => id)
  }
  expect([found('orders.read'), found('طلبات الشراء')]).toEqual([['k1'], []])
  await catalogue.load(null)
  for (const wanted of ['طلبات الشراء', 'view ORDERS', 'orders.read']) {
    expect(found(wanted)).toEqual(['k1'])
  }
  expect(found('read')).toEqual(['k1', 'k2'])
})
