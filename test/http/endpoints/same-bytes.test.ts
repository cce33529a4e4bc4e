import { expect, test } from 'vitest'
import { introspectKeys, revokeBySecret } from '../../../adapters/http/fetch.ts'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { createApiKeys, defineResources, plans } from '../../../src/index.ts'
import { mintSecret } from '../../../src/secret/mint.ts'
import { USER } from '../../support/http/keys.ts'
import { keyInput } from '../../support/world.ts'

/** How many tokens of each kind. */
const TOKENS = Number(process.env['MIFTAH_TOKENS'] ?? 20)

test(`${TOKENS} each of unknown, malformed, revoked, expired and restricted tokens: the same bytes`, async () => {
  let nowMs = Date.now()
  const keys = createApiKeys({
    storage: memoryStorage(),
    entitlements: () => ({ ...plans.enterprise, activeKeyLimit: null }),
    resources: defineResources([{ type: 'project', label: { en: 'Projects' } }]),
    now: () => new Date(nowMs),
  })
  const expiresAt = new Date(nowMs + 3_600_000)
  const create = (fields: object) => keys.createKey(keyInput({ ...fields }))
  const kinds: Record<string, string[]> = {
    unknown: [],
    malformed: [],
    revoked: [],
    expired: [],
    restricted: [],
  }
  for (let at = 0; at < TOKENS; at += 1) {
    const secret = mintSecret('svc', 'live')
    kinds['unknown']?.push(secret)
    kinds['malformed']?.push(`${secret.slice(0, -1)}${secret.endsWith('a') ? 'b' : 'a'}`)
    const { key, secret: revoked } = await create({})
    await keys.revokeKey({ workspaceId: 'ws_1', id: key.id, actor: USER })
    kinds['revoked']?.push(revoked)
    kinds['expired']?.push((await create({ expiresAt })).secret)
    kinds['restricted']?.push((await create({ resources: { project: ['p_1'] } })).secret)
  }
  nowMs = expiresAt.getTime() + 1
  const introspect = introspectKeys(keys, { authorize: () => 'any' })
  const revoke = revokeBySecret(keys)
  const bytesOf = async (answer: (request: Request) => Promise<Response>, token: string) => {
    const body = new URLSearchParams({ token })
    const response = await answer(new Request('https://a.example', { method: 'POST', body }))
    return JSON.stringify([response.status, [...response.headers], await response.text()])
  }
  const inactive = new Set<string>()
  const revocations = new Set<string>()
  for (const tokens of Object.values(kinds)) {
    expect(tokens).toHaveLength(TOKENS)
    for (const token of tokens) inactive.add(await bytesOf(introspect, token))
    for (const token of tokens) revocations.add(await bytesOf(revoke, token))
  }
  expect([...inactive]).toEqual([expect.stringMatching(/^\[200,.*\{\\"active\\":false\}"\]$/)])
  expect([...revocations]).toEqual([expect.stringMatching(/^\[200,.*""\]$/)])
  for (const restricted of kinds['restricted'] ?? []) {
    expect((await keys.findKeyBySecret(restricted))?.status).toBe('revoked')
  }
}, 600_000)
