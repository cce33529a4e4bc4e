import type { Context } from '../context.ts'
import { ApiKeyError } from '../model/errors.ts'
import type { StoredKey } from '../model/key-record.ts'
import { keyAnswer } from '../storage/answers.ts'
import { isKeyId } from './key-id.ts'

/**
 * The key with this id in this workspace. Throws `key_not_found`; for text that cannot be an id,
 * without calling the storage.
 */
export async function findKey<S extends string>(
  context: Context<S>,
  query: { readonly workspaceId: string; readonly id: string },
): Promise<StoredKey> {
  if (!isKeyId(query.id)) throw new ApiKeyError('key_not_found')
  const { storage } = context.settings
  const found = await context.calls.run(
    'findById',
    (call) => storage.findById(query.workspaceId, query.id, call),
    (answer) => keyAnswer(answer, query),
  )
  if (found === null) throw new ApiKeyError('key_not_found')
  return found
}
