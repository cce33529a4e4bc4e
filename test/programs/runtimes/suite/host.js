import { createApiKeys, plans } from 'miftah'
import { manageKeys, requireKey } from 'miftah/fetch'
import { memoryStorage } from 'miftah/memory'

import { hangingHost } from './hanging-host.js'

// Made while the module loads, as hosts do: some runtimes allow less there than in a request.
export const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.business })

const contacts = requireKey(
  keys,
  'contacts.read',
)((_request, { apiKey }) => Response.json({ workspace: apiKey.workspaceId }))

const manage = manageKeys(keys, {
  basePath: '/api/settings',
  context: (request) =>
    request.headers.get('cookie') === 'session=noura'
      ? { workspaceId: 'ws_1', user: { id: 'u_1', name: 'نورة' } }
      : null,
})

/** A product with a settings page and a public API, as one function. */
export async function host(request) {
  const { pathname } = new URL(request.url)
  if (pathname.startsWith('/api/settings/')) return manage(request)
  if (pathname === '/api/public/v1/contacts') return contacts(request)
  if (pathname.startsWith('/hanging/')) return hangingHost(request)
  return new Response(null, { status: 404 })
}
