import { type ApiKey, ApiKeyError, type ApiKeys } from '../../../../src/index.ts'

/** The outcome of one secret: its key is revoked, no key has it, or the lookup failed. */
export type Revocation<S extends string> =
  | { readonly outcome: 'revoked'; readonly key: ApiKey<S> }
  | { readonly outcome: 'not_a_key' }
  | { readonly outcome: 'failed'; readonly error: unknown }

/** The actor in the audit log. */
const ACTOR = Object.freeze({ id: 'github-secret-scanning', name: 'GitHub secret scanning' })

/** How many secrets are processed at a time. */
const AT_ONCE = 16

/**
 * Revokes the keys of the secrets that have one. Every secret is tried: a key that fails or is slow
 * does not keep another from being revoked.
 */
export async function revokeAll<S extends string>(
  keys: ApiKeys<S>,
  secrets: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Revocation<S>>> {
  const done = new Map<string, Revocation<S>>()
  const rest = secrets.values()
  const worker = async () => {
    for (const secret of rest) done.set(secret, await revokeSecret(keys, secret))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return done
}

async function revokeSecret<S extends string>(
  keys: ApiKeys<S>,
  secret: string,
): Promise<Revocation<S>> {
  try {
    const found = await keys.findKeyBySecret(secret)
    if (found === null) return { outcome: 'not_a_key' }
    const { workspaceId, id } = found
    return {
      outcome: 'revoked',
      key: await keys.revokeKey({ workspaceId, id, actor: ACTOR, reason: 'leaked' }),
    }
  } catch (error) {
    // The key was deleted in the meantime; there is nothing to revoke.
    if (error instanceof ApiKeyError && error.code === 'key_not_found') {
      return { outcome: 'not_a_key' }
    }
    return { outcome: 'failed', error }
  }
}
