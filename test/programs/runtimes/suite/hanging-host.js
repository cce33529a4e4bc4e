import { createApiKeys, plans } from 'miftah'
import { requireKey } from 'miftah/fetch'
import { memoryStorage } from 'miftah/memory'

/** What the next request meets; a Worker keeps it from one request to the next. */
let hanging = 'nothing'

const memory = memoryStorage()
const findByHash = async (hash) => {
  if (hanging === 'storage') return new Promise(() => {})
  await new Promise((resolve) => setTimeout(resolve, 5))
  return memory.findByHash(hash)
}
const keys = createApiKeys({
  storage: { ...memory, findByHash },
  entitlements: () => plans.business,
  storageTimeoutMs: 500,
})
const guarded = requireKey(keys, 'contacts.read')(() => Response.json({ hanging }))
let secret

/** A host whose storage hangs when the path says so: `/hanging/nothing`, `/hanging/storage`. */
export async function hangingHost(request) {
  hanging = new URL(request.url).pathname.split('/').at(-1)
  secret ??= (
    await keys.createKey({
      workspaceId: 'ws_1',
      creator: { id: 'u_1', name: 'نورة' },
      name: 'CRM sync',
      environment: 'live',
      scopes: ['contacts.read'],
    })
  ).secret
  return guarded(new Request(request.url, { headers: { authorization: `Bearer ${secret}` } }))
}
