import type { Grantable } from '../../../src/index.ts'
import { ScriptedBackend } from './backend.ts'
import { fewKeys, keyOf } from './keys.ts'

/** What a member may give who is no administrator. */
const ceiling: Grantable = {
  scopes: ['contacts.read', 'orders.read'],
  resources: { project: ['p_1', 'p_2'], store: 'all' },
  networks: ['198.51.100.0/24'],
  environments: ['test'],
}

/** Keys that are restricted or have more than the user may give, and a host with two types of resources. */
export function restrictedBackend(hasCeiling = false): ScriptedBackend {
  const all = { resources: { project: 'all', store: 'all' } } as const
  const keys = [
    keyOf({
      id: 'key_export',
      name: 'Bank export',
      note: 'On the build server',
      resources: { project: ['p_1', 'p_9'], store: [] },
      networks: ['198.51.100.0/24', '2001:db8::/32'],
      creator: { id: 'u_2', name: 'Omar Haddad' },
    }),
    keyOf({ id: 'key_beyond', name: 'Beyond', withinGrant: false, ...all }),
    ...fewKeys.slice(1).map((key) => ({ ...key, ...all })),
  ]
  return new ScriptedBackend(keys, {
    activeKeyLimit: null,
    grantable: hasCeiling ? ceiling : null,
    types: [
      { type: 'project', label: { en: 'Projects', ar: 'المشاريع' }, isNamed: true },
      { type: 'store', label: { en: 'Stores', ar: 'المتاجر' }, isNamed: false },
    ],
    named: { p_1: 'Website', p_2: 'متجر الرياض', p_3: 'Mobile app' },
  })
}
