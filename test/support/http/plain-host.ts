import { expect, onTestFinished, vi } from 'vitest'
import type { ManageKeysOptions } from '../../../adapters/http/fetch.ts'
import { manageKeys, requireKey } from '../../../adapters/http/fetch.ts'
import { type ApiKeysOptions, createApiKeys, plans } from '../../../src/index.ts'
import { mintSecret } from '../../../src/secret/mint.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { USER } from './keys.ts'

/** What a host is given beside its storage. Nothing listens for failures unless a test says so. */
export interface PlainHostOptions {
  readonly keys?: Partial<ApiKeysOptions>
  readonly routes?: Partial<ManageKeysOptions<Request>>
}

/** A host as a newcomer writes it: a guarded route and the management routes on one storage. */
export function plainHost(storage: KeyStorage, options: PlainHostOptions = {}) {
  const keys = createApiKeys({ storage, entitlements: () => plans.business, ...options.keys })
  onTestFinished(() => keys.close().catch(() => {}))
  const context = () => ({ workspaceId: 'ws_1', user: USER })
  const guarded = requireKey(keys, null)(() => new Response('ok'))
  const managed = manageKeys(keys, { context, ...options.routes })
  return {
    keys,
    /** Calls the guarded route with a secret and answers the status. */
    visit: async (secret = mintSecret('svc', 'live')) => {
      const headers = { authorization: `Bearer ${secret}` }
      return (await guarded(new Request('https://a.example/', { headers }))).status
    },
    /** Lists the keys and answers the status. */
    list: async () => (await managed(new Request('https://a.example/keys'))).status,
    /** Creates a key and answers the status. */
    create: async () => {
      const body = JSON.stringify({ name: 'k', environment: 'live', scopes: ['contacts.read'] })
      const headers = { 'content-type': 'application/json' }
      const request = new Request('https://a.example/keys', { method: 'POST', headers, body })
      return (await managed(request)).status
    },
  }
}

/**
 * What is written to standard error during a test, a line each. It is kept out of the output until
 * the file is done, since what was counted last may be written later.
 */
export function linesOfTest(): readonly string[] {
  const lines: string[] = []
  vi.spyOn(console, 'error').mockImplementation((line: unknown) => void lines.push(String(line)))
  return lines
}

/** What is written about a storage that cannot work, after two requests each to guard and management. */
export async function linesAbout(storage: KeyStorage, storageTimeoutMs = 1_000) {
  const lines = linesOfTest()
  const host = plainHost(storage, { keys: { storageTimeoutMs } })
  const statuses = [await host.visit(), await host.visit(), await host.list(), await host.list()]
  expect(statuses).toEqual([503, 503, 503, 503])
  return lines
}
