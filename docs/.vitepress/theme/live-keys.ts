import { createApiKeys, plans } from 'miftah'
import { createManagementClient, type ManagementClient } from 'miftah/client'
import { manageKeys, requireKey } from 'miftah/fetch'
import { memoryStorage } from 'miftah/memory'
import { flexibleLimiter } from 'miftah/rate-limit'
import 'miftah/settings-tab'
import { RateLimiterMemory } from 'rate-limiter-flexible'

/** A backend in this page: its keys are gone when the page is. */
export interface LiveKeys {
  /** For the settings tab. */
  readonly client: ManagementClient
  /** What the guarded route answers to a call with this secret. */
  call(secret: string): Promise<string>
}

/** Opens the backend; `onSecret` gets each new secret, to call with. */
export function liveKeys(onSecret: (secret: string) => void): LiveKeys {
  const keys = createApiKeys({
    storage: memoryStorage(),
    entitlements: () => plans.business,
    limiter: flexibleLimiter(new RateLimiterMemory({ points: 5, duration: 10 })),
  })
  const user = { id: 'u_1', name: 'Noura' }
  const routes = manageKeys(keys, { context: () => ({ workspaceId: 'ws_1', user }) })
  const contacts = requireKey(
    keys,
    'contacts.read',
  )((_request, { apiKey }) => Response.json({ contacts: ['Sami', 'Layla'], calledBy: apiKey.name }))
  const client = createManagementClient({
    baseUrl: 'https://your-product.example',
    fetch: (input, init) => routes(new Request(input, { method: init?.method, ...bodyOf(init) })),
  })
  return {
    client: {
      ...client,
      async createKey(...given) {
        const issued = await client.createKey(...given)
        onSecret(issued.secret)
        return issued
      },
      async rotateKey(...given) {
        const issued = await client.rotateKey(...given)
        onSecret(issued.secret)
        return issued
      },
    },
    call: async (secret) =>
      shown(
        await contacts(
          new Request('https://your-product.example/contacts', {
            headers: secret === '' ? {} : { authorization: `Bearer ${secret}` },
          }),
        ),
      ),
  }
}

function bodyOf(init: RequestInit | undefined): Pick<RequestInit, 'body' | 'headers'> {
  return { headers: init?.headers, ...(init?.body && { body: init.body }) }
}

/** The answer as it would stand on the wire, with its body in lines. */
async function shown(response: Response): Promise<string> {
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`)
  const body = JSON.stringify(await response.json(), null, 2)
  return [`HTTP/1.1 ${response.status}`, ...lines, '', body].join('\n')
}
