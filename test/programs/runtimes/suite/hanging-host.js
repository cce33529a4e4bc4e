import { createApiKeys, plans } from 'miftah'
import { requireKey } from 'miftah/fetch'
import { memoryStorage } from 'miftah/memory'

const never = () => new Promise(() => {})
const soon = (value) => new Promise((resolve) => setTimeout(() => resolve(value), 5))

/** What the next request meets; a Worker keeps it from one request to the next. */
let hanging = 'nothing'

const memory = memoryStorage()
const storage = new Proxy(memory, {
  get:
    (target, verb) =>
    (...given) => {
      const answer = target[verb](...given)
      if (verb !== 'findByHash') return answer
      return hanging === 'storage' ? never() : soon(answer)
    },
})

const keys = createApiKeys({
  storage,
  entitlements: () => (hanging === 'plan' ? never() : plans.business),
  entitlementsTtlMs: 0,
  storageTimeoutMs: 500,
})

const guarded = requireKey(keys, 'contacts.read')(() => Response.json({ hanging }))

/**
 * A host whose storage or plan hangs when the path says so: `/hanging/nothing`, `/hanging/storage`,
 * `/hanging/plan`. `/hanging/key` makes a key.
 */
export async function hangingHost(request) {
  const word = new URL(request.url).pathname.split('/').at(-1)
  if (word !== 'key') {
    hanging = word
    return guarded(request)
  }
  const creator = { id: 'u_1', name: 'نورة' }
  const input = { workspaceId: 'ws_1', creator, name: 'CRM sync', environment: 'live' }
  const { secret } = await keys.createKey({ ...input, scopes: ['contacts.read'] })
  return Response.json({ secret })
}
