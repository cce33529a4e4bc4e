import { manageKeys } from '../../../adapters/http/fetch.ts'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { createApiKeys } from '../../../src/index.ts'
import type { Reply, SeenRequest } from './backend.ts'
import { now } from './keys.ts'

/** The management routes as they are, over keys in memory. */
export class RealBackend {
  /** The workspace of the session, which a test changes as a second tab of the browser does. */
  session = 'palm'
  /** No two instants are the same, or the order of the keys would be one of chance. */
  #at = now
  readonly keys = createApiKeys({
    storage: memoryStorage(),
    entitlements: () => ({ publicApi: true, activeKeyLimit: 5 }),
    now: () => new Date(this.#at++),
  })
  readonly #routes = manageKeys(this.keys, {
    context: () => ({ workspaceId: this.session, user: { id: 'u_noura', name: 'نورة' } }),
  })

  async handle({ method, path, search, headers, body }: SeenRequest): Promise<Reply> {
    const init = { method, headers: headers as Record<string, string> }
    const request = new Request(
      `http://${headers['host']}${path}${search}`,
      body === undefined ? init : { ...init, body: JSON.stringify(body) },
    )
    const response = await this.#routes(request)
    return { status: response.status, body: await response.json() }
  }
}
