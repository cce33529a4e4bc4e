import { type ApiKeys, type ApiKeysOptions, createApiKeys, plans } from 'miftah'
import type { KeyFields } from 'miftah/http'
import type { KeyStorage } from 'miftah/storage'
import type pg from 'pg'

/** The scope that every measured request needs; each key holds three. */
export const SCOPE = 'contacts.read'
export const SCOPES = ['contacts.read', 'contacts.write', 'messages.send'] as const
export const ACTOR = { id: 'u_1', name: 'نورة' }

/** How many keys are asked for, ten to a workspace. */
export const KEYS = 1_000
const workspaceOf = (number: number) => `ws_${Math.floor(number / 10)}`

type Options = Pick<ApiKeysOptions, 'resources' | 'cache' | 'formats'>

/** Keys as a host has them: default settings, every plan allowed to use the API. */
export function apiKeys(storage: KeyStorage, options: Options = {}): ApiKeys {
  return createApiKeys({ storage, entitlements: () => plans.enterprise, ...options })
}

/** Creates the keys and answers the headers that their holders send. */
export async function issueKeys(
  keys: ApiKeys,
  restrictions: Pick<KeyFields, 'resources' | 'networks'> = {},
): Promise<readonly string[]> {
  const create = async (_: unknown, number: number) => {
    const { secret } = await keys.createKey({
      ...{ workspaceId: workspaceOf(number), creator: ACTOR, name: `Key ${number}` },
      ...{ environment: 'live', scopes: [...SCOPES], ...restrictions },
    })
    return `Bearer ${secret}`
  }
  return Promise.all(Array.from({ length: KEYS }, create))
}

/** All uses that the storage has, once what was counted has been flushed. */
export async function storedUses(keys: ApiKeys): Promise<number> {
  await keys.flush()
  let uses = 0
  for (let number = 0; number < KEYS; number += 10) {
    const page = await keys.listKeys({ workspaceId: workspaceOf(number) })
    for (const key of page.keys) uses += key.uses
  }
  return uses
}

/** Whether a request with this header is let through. */
export function asksFor(
  keys: ApiKeys,
  request?: () => NonNullable<Parameters<ApiKeys['authenticate']>[2]>,
) {
  return async (header: string) => (await keys.authenticate(header, SCOPE, request?.())).ok
}

/** better-auth with its API-key plugin, in memory or on a pool, and the secrets of its keys. */
export async function betterAuth(pool: pg.Pool | null) {
  // Named at run time: without an installed peer, the compiler and the linters still see a whole program.
  const driver = await import(new URL('peers/better-auth.js', import.meta.url).href)
  const peer: Peer = await driver.open(pool)
  const secrets: string[] = []
  while (secrets.length < KEYS) secrets.push(await peer.create())
  return { secrets, verify: (secret: string) => peer.verify(secret) }
}

interface Peer {
  /** Makes a key and answers its secret. */
  create(): Promise<string>
  /** Whether the secret is that of a key with the right to read contacts. */
  verify(secret: string): Promise<boolean>
}
