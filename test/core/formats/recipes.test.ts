import { createHash, createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { createApiKeys, type KeyFormat, plans } from '../../../src/index.ts'

/* The recipes of docs/importing-keys.md. */

const sha256 = (text: string) => createHash('sha256').update(text)
const formats: readonly KeyFormat[] = [
  { id: 'hex', test: (t) => t.startsWith('hex_'), digest: (t) => sha256(t).digest('hex') },
  { id: 'unkey', test: (t) => t.startsWith('uk_'), digest: (t) => sha256(t).digest('base64') },
  {
    id: 'better-auth',
    test: (t) => /^[A-Za-z]{64}$/.test(t),
    digest: (t) => sha256(t).digest('base64url'),
  },
  {
    id: 'sanctum',
    test: (t) => /^\d+\|/.test(t),
    digest: (t) => sha256(t.slice(t.indexOf('|') + 1)).digest('hex'),
  },
  { id: 'drf', test: (t) => /^[0-9a-f]{40}$/.test(t) },
  {
    id: 'hmac',
    test: (t) => t.startsWith('hm_'),
    digest: (t) => createHmac('sha256', 'pepper').update(t).digest('hex'),
  },
]
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijkl'

/** A key of each system, and what stands in its table for it. */
test.each([
  ['hex', 'hex_5f1d', '4e9927c0e646db1b9186215ee4d84f7773104d2ab4ed23765d3401f1f298ecf6'],
  ['unkey', 'uk_3ZxYb', 'nWw45q1vOtDkghaERF8ANPxiuRGCb6C62yLLj4UkT34='],
  ['better-auth', letters, 'EIMOdEFu9fR-pVTnx0RMUOeRVcfqHyKD8kp3X0RhrkE'],
  ['sanctum', '17|hT5xwzQ9', '7dea5e8db79b79faa0794e619be4708462a8dd478165e35336681180446484db'],
  ['drf', '9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b', '9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b'],
  ['hmac', 'hm_81ab', '4e31509b3fc0568f40add0f9378b8990c99673e8d526832dca3786b70d4973d5'],
])('%s: %s', async (format, token, digest) => {
  const entitlements = () => plans.business
  const keys = createApiKeys({ storage: memoryStorage(), entitlements, formats })
  const creator = { id: 'u_1', name: 'Noura' }
  const fields = { workspaceId: 'ws_1', name: format, environment: 'live' } as const
  const row = { format, digest, creator, scopes: ['contacts.read'], ...fields } as const
  await keys.importKeys([row], { actor: creator })
  const auth = await keys.authenticate(`Bearer ${token}`, 'contacts.read')
  expect(auth).toMatchObject({ ok: true, key: { format } })
})
