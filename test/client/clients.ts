import { vi } from 'vitest'
import {
  createManagementClient,
  type ManagementClientOptions,
  ManagementError,
} from '../../adapters/client/index.ts'

/** A client of `/api` that is answered by a function, and what it has sent. */
export function clientWith(
  answer: (url: string) => Response | Promise<Response>,
  options: Partial<ManagementClientOptions> = {},
) {
  const fetch = vi.fn<typeof globalThis.fetch>(async (input) => answer(String(input)))
  const client = createManagementClient({ baseUrl: '/api', fetch, ...options })
  const sent = () => fetch.mock.lastCall?.[1]
  return { client, fetch, sent, headers: () => new Headers(sent()?.headers) }
}

export const SECRET = 'svc_live_k00TESTONLYdoNOTuse'

/** A good answer to any call but one that must name a key in a certain status. */
export const good = () => Response.json({ ...LISTS, ...ISSUED, replaced: { id: 'key_1' } })

const LISTS = { keys: [], groups: [], buckets: [], events: [], resources: [] }
const ISSUED = { key: { id: 'key_1' }, secret: SECRET }

/** What a call of the client fails with. */
export async function errorOf(call: Promise<unknown>): Promise<ManagementError> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof ManagementError) return error
  throw new Error('expected a ManagementError', { cause: error })
}
