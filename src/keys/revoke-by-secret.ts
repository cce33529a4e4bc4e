import type { Context } from '../context.ts'
import { ApiKeyError } from '../model/errors.ts'
import type { ApiKey, Person } from '../model/key.ts'
import { findRecord } from './find-key-by-secret.ts'
import { revokeFound } from './revoke-key.ts'

/** The holder of the secret, whose identity is unknown. */
const HOLDER: Person = Object.freeze({ id: 'miftah:holder', name: 'Holder of the key' })

/** Revokes the key of a secret for somebody who has it. */
export async function revokeBySecret<S extends string>(
  context: Context<S>,
  secret: string,
): Promise<ApiKey<S> | null> {
  const found = await findRecord(context, secret)
  if (found === null) return null
  try {
    return await revokeFound(context, found, { actor: HOLDER, reason: 'reported' })
  } catch (error) {
    // The key was deleted in the meantime.
    if (error instanceof ApiKeyError && error.code === 'key_not_found') return null
    throw error
  }
}
