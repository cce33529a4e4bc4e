import type { Context } from '../context.ts'
import type { AuditEventRecord } from '../model/audit-event.ts'
import { ApiKeyError } from '../model/errors.ts'
import type { KeyState } from '../model/key-fields.ts'
import type { StoredKey } from '../model/key-record.ts'
import { updateAnswer } from '../storage/answers.ts'

/** A new state of the key that was read as `current`. */
interface Update {
  readonly current: StoredKey
  readonly state: KeyState
  readonly updatedAtMs: number
  readonly event: AuditEventRecord
  readonly isNarrowing?: boolean
}

/**
 * Stores a new state of a key. `isStored` is `false`, and the key is as it stands now, when somebody
 * has changed the key since it was read. Throws `key_not_found` and `key_expired`.
 */
export async function storeUpdate<S extends string>(
  context: Context<S>,
  { current, ...update }: Update,
): Promise<{ readonly isStored: boolean; readonly record: StoredKey }> {
  const { workspaceId, id, version } = current
  const change = { ...update, workspaceId, id, version }
  const result = await context.calls.run(
    'update',
    (call) => context.settings.storage.update(change, call),
    (answer) => updateAnswer(answer, change),
  )
  if (result.outcome === 'not_found') throw new ApiKeyError('key_not_found')
  if (result.outcome === 'expired') throw new ApiKeyError('key_expired')
  if (result.outcome === 'stale') return { isStored: false, record: result.record }
  context.announce(update.event)
  await context.caches.wait(result.record.hash, result)
  return { isStored: true, record: result.record }
}
