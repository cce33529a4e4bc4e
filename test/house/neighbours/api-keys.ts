import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { createApiKeys, defineScopes, plans } from '../../../src/index.ts'

const label = { en: 'Invoices' }
const catalogue = defineScopes([
  {
    id: 'invoices',
    label,
    scopes: [
      { scope: 'invoices.read', label },
      { scope: 'invoices.write', label },
    ],
  },
])

/** What getting started calls `./api-keys.ts`: the reader's own file, with scopes of their own. */
export const keys = createApiKeys({
  storage: memoryStorage(),
  catalogue,
  entitlements: () => plans.business,
})
