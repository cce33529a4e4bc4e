import {
  type KeyListAnswer,
  ManagementError,
  type ScopesAnswer,
} from '../../adapters/client/index.ts'
import { keyOf } from '../support/settings-tab/keys.ts'

/** An empty page of keys, as the routes send it. */
export const emptyList: KeyListAnswer = {
  keys: [],
  nextCursor: null,
  workspaceId: 'ws_1',
  activeKeys: 0,
  countedUpTo: 1_000,
  activeKeyLimit: null,
  maxLifetimeSeconds: null,
  maxOverlapSeconds: 604_800,
  publicApi: true,
  allowedOperations: [],
  grantable: null,
  total: 0,
}

/** A catalogue without scopes. */
export const noScopes: ScopesAnswer = { groups: [] }

/** The requests of one hour. */
export const oneHour = {
  buckets: [
    {
      startsAt: '2026-01-01T00:00:00.000Z',
      endsAt: '2026-01-01T01:00:00.000Z',
      accepted: 2,
      denied: { insufficient_scope: 1, expired: 0 },
    },
  ],
}

const key = keyOf({ id: 'key_1' })
const revoked = { ...key, status: 'revoked', revokedAt: key.createdAt } as const
const paused = { ...key, status: 'paused', pausedAt: key.createdAt } as const
const issued = { key, secret: 'svc_live_k00TESTONLYdoNOTuse' }

/** What each call of the client is answered with when all goes well, by the end of its address. */
export function honestAnswer(url: string): unknown {
  if (url.endsWith('/scopes')) return noScopes
  if (url.endsWith('/usage')) return oneHour
  if (url.endsWith('/pause')) return { key: paused }
  if (url.endsWith('/revoke')) return { key: revoked }
  if (url.endsWith('/rotate')) return { ...issued, replaced: revoked }
  return { ...emptyList, ...issued }
}

/** What a call of the client fails with. */
export async function errorOf(call: Promise<unknown>): Promise<ManagementError> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof ManagementError) return error
  throw new Error('expected a ManagementError', { cause: error })
}
