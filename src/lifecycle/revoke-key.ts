import type { ApiKey } from '../api-key.ts'
import type { Context } from '../context.ts'
import { ApiKeyError } from '../errors.ts'
import { parseInput } from '../input/parse.ts'
import { auditEvent } from './audit.ts'
import { demandKeyId } from './key-id.ts'
import type { KeyAction } from './rotate-key.ts'

/** Revokes a key, whatever the plan. A key that is revoked already is returned unchanged. */
export async function revokeKey<S extends string>(
  context: Context<S>,
  input: KeyAction,
): Promise<ApiKey<S>> {
  const { workspaceId, id, actor } = parseInput(context.schemas.action, input)
  demandKeyId(id)
  const { storage, nowMs } = context.settings
  const current = await context.ask('findById', () => storage.findById(workspaceId, id))
  if (current === null) throw new ApiKeyError('key_not_found')
  const revokedAtMs = nowMs()
  const event = auditEvent('api_key.revoked', current, actor, revokedAtMs)
  const change = { workspaceId, id, revokedAtMs, event }
  const result = await context.ask('revoke', () => storage.revoke(change))
  if (result.outcome === 'not_found') throw new ApiKeyError('key_not_found')
  if (result.outcome === 'revoked') context.announce(event)
  return context.records.read(result.record)
}
